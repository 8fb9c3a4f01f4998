/** Settings that a reader toggles faster than the server answers, and faster than its events come. */
import { signal } from '@preact/signals-core';
import t from 'tap';
import type { Message } from '../../../web/src/contract/index.js';
import { makeWidgetMarks } from '../../../web/src/messages/later/marks.js';
import { PressedValues } from '../../../web/src/toggles/index.js';

const turns = () => new Promise(setImmediate);

/** A server that answers, and whose events come, when the test says so. */
function makeServer() {
  const requests: string[] = [];
  const answers: { resolve: (answer: unknown) => void; reject: (error: Error) => void }[] = [];
  const timers = new Map<number, () => void>();
  let lastTimer = 0;
  return {
    requests,
    waiting: () => timers.size,
    send(request: string): Promise<unknown> {
      requests.push(request);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    },
    async answer() {
      answers.shift()!.resolve({});
      await turns();
    },
    async refuse(text: string) {
      answers.shift()!.reject(new Error(text));
      await turns();
    },
    timeOut() {
      for (const run of timers.values()) run();
    },
    timers: {
      setTimer(run: () => void) {
        timers.set(++lastTimer, run);
        return lastTimer;
      },
      clearTimer: (timer: object | number) => void timers.delete(Number(timer)),
    },
  };
}

/** Mutes of streams; `known` has those that events have told of. */
function makeMutes() {
  const server = makeServer();
  const known = signal<ReadonlySet<number>>(new Set());
  const mutes = new PressedValues<number, boolean>(
    {
      keyOf: String,
      known: (stream) => known.value.has(stream),
      send: (stream, on) => server.send(`${on ? 'mute' : 'unmute'} ${stream}`),
    },
    () => server.timers,
  );
  return { ...server, mutes, known };
}

t.test('a press shows at once, and stays when the answer comes before the event', async (t) => {
  const { mutes, known, requests, answer, waiting } = makeMutes();
  const done = mutes.press(7, true);
  t.equal(mutes.shown(7), true);
  t.equal(mutes.shown(8), false, 'another stream');
  await answer();
  await done;
  t.equal(mutes.shown(7), true);
  known.value = new Set([7]);
  t.equal(waiting(), 0);
  known.value = new Set();
  t.equal(mutes.shown(7), false, 'another client has changed it later');
  t.strictSame(requests, ['mute 7']);
});

t.test('a second press waits for the first answer', async (t) => {
  const { mutes, known, requests, answer } = makeMutes();
  const done = Promise.all([mutes.press(7, true), mutes.press(7, false)]);
  t.equal(mutes.shown(7), false);
  t.strictSame(requests, ['mute 7']);
  known.value = new Set([7]);
  t.equal(mutes.shown(7), false, 'the event of the first press does not show');
  await answer();
  t.strictSame(requests, ['mute 7', 'unmute 7']);
  t.equal(mutes.shown(7), false);
  await answer();
  await done;
  known.value = new Set();
  t.equal(mutes.shown(7), false);
});

t.test('only the last of many presses is sent, and nothing that the server has already', async (t) => {
  const { mutes, requests, answer } = makeMutes();
  const done = Promise.all([true, false, true, false, true].map((on) => mutes.press(7, on)));
  await answer();
  await done;
  t.strictSame(requests, ['mute 7']);
  t.equal(mutes.shown(7), true);
  await mutes.press(7, true);
  t.strictSame(requests, ['mute 7'], 'a press of what is shown');
});

t.test('a press between an answer and its event counts from the answer', async (t) => {
  const { mutes, known, requests, answer } = makeMutes();
  const first = mutes.press(7, true);
  await answer();
  await first;
  const second = mutes.press(7, false);
  t.strictSame(requests, ['mute 7', 'unmute 7']);
  known.value = new Set([7]);
  t.equal(mutes.shown(7), false);
  await answer();
  await second;
  t.equal(mutes.shown(7), false);
  known.value = new Set();
  t.equal(mutes.shown(7), false);
});

t.test('requests about different things do not wait for each other', async (t) => {
  const { mutes, requests, answer } = makeMutes();
  const done = Promise.all([mutes.press(7, true), mutes.press(8, true)]);
  t.strictSame(requests, ['mute 7', 'mute 8']);
  await answer();
  await answer();
  await done;
});

t.test('a refusal shows the old state, to every press that waited for it', async (t) => {
  const { mutes, requests, refuse, answer, waiting } = makeMutes();
  const both = [true, true].map((on) => t.rejects(mutes.press(7, on), { message: 'no' }));
  await refuse('no');
  await Promise.all(both);
  t.equal(mutes.shown(7), false);
  t.equal(waiting(), 0);
  const again = mutes.press(7, true);
  t.strictSame(requests, ['mute 7', 'mute 7']);
  await answer();
  await again;
  t.equal(mutes.shown(7), true);
});

t.test('a refused second press shows what the first one did', async (t) => {
  const { mutes, answer, refuse } = makeMutes();
  const both = [true, false].map((on) => t.rejects(mutes.press(7, on), { message: 'too fast' }));
  await answer();
  await refuse('too fast');
  await Promise.all(both);
  t.equal(mutes.shown(7), true);
});

t.test('where no event confirms the press, the state shows again after a while', async (t) => {
  const { mutes, answer, timeOut, waiting } = makeMutes();
  const done = mutes.press(7, true);
  await answer();
  await done;
  t.equal(mutes.shown(7), true);
  timeOut();
  t.equal(mutes.shown(7), false);
  t.equal(waiting(), 0);
});

/** Pins that show in the state itself. */
function makePins() {
  const server = makeServer();
  const state = signal<ReadonlySet<number>>(new Set());
  const show = (stream: number, on: boolean): void => {
    state.value = new Set([...[...state.peek()].filter((one) => one !== stream), ...(on ? [stream] : [])]);
  };
  const pins = new PressedValues<number, boolean>(
    { keyOf: String, known: (stream) => state.value.has(stream), show, send: (_, on) => server.send(`pin ${on}`) },
    () => server.timers,
  );
  return { ...server, pins, state, show };
}

t.test('a press that the state shows stays while the event of an earlier press comes', async (t) => {
  const { pins, state, show, answer } = makePins();
  const done = Promise.all([pins.press(7, true), pins.press(7, false)]);
  t.notOk(state.value.has(7));
  show(7, true);
  t.notOk(state.value.has(7), 'the event of the first press');
  await answer();
  show(7, true);
  t.notOk(state.value.has(7), 'the same, after the first answer');
  await answer();
  await done;
  show(7, true);
  t.ok(state.value.has(7), 'another client');
});

t.test('a refusal takes a press out of the state', async (t) => {
  const { pins, state, refuse, show } = makePins();
  const done = t.rejects(pins.press(7, true), { message: 'no' });
  t.ok(state.value.has(7));
  await refuse('no');
  await done;
  t.notOk(state.value.has(7));
  show(7, true);
  t.ok(state.value.has(7), 'later events count');
});

/** A message with a widget and what was added to it. */
function makeWidget(widget: object) {
  const server = makeServer();
  const texts: object[] = [widget];
  const message = signal<Message | undefined>(undefined);
  const show = (): void => {
    const submessages = texts.map((of, n) => ({
      ...{ id: n + 1, message_id: 5, sender_id: 1, msg_type: 'widget' },
      content: JSON.stringify(of),
    }));
    message.value = { submessages } as Partial<Message> as Message;
  };
  show();
  const marks = makeWidgetMarks(
    () => message.value,
    () => 1,
    (_, data) => server.send(JSON.stringify(data)),
    () => server.timers,
  );
  const event = (data: object): void => {
    texts.push(data);
    show();
  };
  return { ...server, ...marks, event };
}

t.test('a vote that is taken back at once is sent and taken back', async (t) => {
  const poll = { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['Pizza'] } };
  const { votes, requests, answer, event } = makeWidget(poll);
  const pizza = { message: 5, key: 'canned,0' };
  const done = Promise.all([votes.press(pizza, true), votes.press(pizza, false)]);
  await answer();
  await answer();
  await done;
  const [given, taken] = [1, -1].map((vote) => ({ type: 'vote', key: 'canned,0', vote }));
  t.strictSame(requests, [JSON.stringify(given), JSON.stringify(taken)]);
  t.equal(votes.shown(pizza), false);
  event(given!);
  event(taken!);
  t.equal(votes.shown(pizza), false);
});

t.test('a check mark that is set three times is turned over once', async (t) => {
  const { tasks, requests, answer, event } = makeWidget({ widget_type: 'todo', extra_data: {} });
  event({ type: 'new_task', key: 2, task: 'Bread', desc: '', completed: false });
  const bread = { message: 5, key: '2,1' };
  const done = Promise.all([true, false, true].map((on) => tasks.press(bread, on)));
  await answer();
  await done;
  t.strictSame(requests, [JSON.stringify({ type: 'strike', key: '2,1' })]);
  event({ type: 'strike', key: '2,1' });
  t.equal(tasks.shown(bread), true);
});
