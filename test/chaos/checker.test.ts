/** The checker finds each kind of fault in hand-made histories, and no fault in a correct history. */
import t from 'tap';
import { check } from './checker.js';
import type { FaultKind } from './faults.js';
import type { Poll, QueueHistory, ReceivedEvent, RunHistory, StoredMessage, Write } from './history.js';
import { measureResumes, quantiles } from './resume.js';

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

interface Queue extends Changeable<QueueHistory> {
  conversations: Set<string>;
}

interface MutableRun extends Changeable<RunHistory> {
  writes: Write[];
  queues: Queue[];
  settledKeys: Set<string>;
  stored: Changeable<StoredMessage>[];
}

const send = (key: string, message: number, startedAt: number, answered: number, conversation = 's1'): Write => ({
  kind: 'send',
  key,
  conversation,
  message,
  startedAt,
  outcome: { kind: 'acknowledged', at: answered },
});

const event = (id: number, key: string | undefined, message: number, conversation = 's1'): ReceivedEvent => ({
  id,
  key,
  kind: 'send',
  message,
  conversation,
});

const poll = (after: number, at: number, ...events: ReceivedEvent[]): Changeable<Poll> => ({
  after,
  at,
  events,
  processed: true,
});

/** Two queues of a stream with three messages, an edit and a reaction; a third queue of another stream. */
function faultlessRun(): MutableRun {
  const change = (key: string, kind: 'edit' | 'reaction', message: number, startedAt: number): Write => ({
    ...send(key, message, startedAt, startedAt + 5),
    kind,
  });
  const all = (): Poll[] => [
    poll(-1, 11, event(10, 'm1', 101)),
    poll(10, 31, event(20, 'm2', 102), event(30, 'm3', 103)),
    poll(
      30,
      61,
      { ...event(40, 'e1', 101), kind: 'edit' },
      { ...event(50, 'r1', 102), kind: 'reaction', conversation: undefined },
    ),
  ];
  const queue = (name: string, conversation: string, polls: Poll[]): Queue => ({
    name,
    conversations: new Set([conversation]),
    polls,
    ended: [],
    stuck: [],
  });
  return {
    writes: [
      send('m1', 101, 0, 10),
      send('m2', 102, 11, 20),
      send('m3', 103, 12, 30),
      send('m4', 104, 31, 35, 's2'),
      change('e1', 'edit', 101, 40),
      change('r1', 'reaction', 102, 50),
    ],
    queues: [
      queue('one', 's1', all()),
      queue('two', 's1', all()),
      queue('three', 's2', [poll(-1, 36, event(35, 'm4', 104, 's2'))]),
    ],
    settledKeys: new Set(['m1', 'm2', 'm3', 'm4', 'e1', 'r1']),
    stored: [
      { id: 101, key: 'm1', conversation: 's1', changes: ['e1'] },
      { id: 102, key: 'm2', conversation: 's1', changes: ['r1'] },
      { id: 103, key: 'm3', conversation: 's1', changes: [] },
      { id: 104, key: 'm4', conversation: 's2', changes: [] },
    ],
    interruptions: [],
    deadConversations: [],
  };
}

const refused = { kind: 'refused', at: 30, status: 503, code: 'UNAVAILABLE' } as const;

/** Replaces the events of the second poll of the second queue. */
const secondPoll =
  (...events: ReceivedEvent[]) =>
  ({ queues }: MutableRun): void => {
    queues[1]!.polls[1] = poll(10, 31, ...events);
  };

const FAULTY_RUNS: readonly (readonly [what: string, kind: FaultKind, change: (run: MutableRun) => void])[] = [
  ['an acknowledged send is not in the history', 'lost', ({ stored }) => stored.splice(2, 1)],
  ['an acknowledged edit is not in the history', 'lost', ({ stored }) => (stored[0]!.changes = [])],
  ['an acknowledged send is not in a queue', 'lost', secondPoll(event(30, 'm3', 103))],
  ['an acknowledged reaction is not in a queue', 'lost', ({ queues }) => queues[1]!.polls.pop()],
  [
    'a refused send is stored, and one of two queues has it',
    'lost',
    (run) => {
      run.writes[2]!.outcome = refused;
      secondPoll(event(20, 'm2', 102))(run);
    },
  ],
  [
    'a refused send is in a queue, and not in the history',
    'lost',
    ({ writes, stored, settledKeys }) => {
      writes[2]!.outcome = refused;
      stored.splice(2, 1);
      settledKeys.delete('m3');
    },
  ],
  [
    'a repeated poll lacks an event of the dropped response',
    'lost',
    ({ queues, writes, stored }) => {
      // The send was refused, and is stored all the same.
      writes[1]!.outcome = refused;
      stored[1] = { id: 102, key: 'm2', conversation: 's1', changes: ['r1'] };
      queues[1]!.polls.splice(
        1,
        1,
        { ...poll(10, 30, event(20, 'm2', 102)), processed: false },
        poll(10, 31, event(30, 'm3', 103)),
      );
    },
  ],
  [
    'a message is in the history twice',
    'repeated',
    ({ stored }) => stored.splice(3, 0, { id: 105, key: 'm3', conversation: 's1', changes: [] }),
  ],
  ['an id is in the history twice', 'repeated', ({ stored }) => stored.splice(3, 0, { ...stored[2]!, key: undefined })],
  [
    'an event is delivered twice, under two ids',
    'repeated',
    secondPoll(event(20, 'm2', 102), event(25, 'm2', 102), event(30, 'm3', 103)),
  ],
  [
    'an event is delivered again after its acknowledgement',
    'repeated',
    secondPoll(event(10, undefined, 101), event(20, 'm2', 102), event(30, 'm3', 103)),
  ],
  ['event ids decrease', 'disordered', secondPoll(event(30, 'm2', 102), event(20, 'm3', 103))],
  [
    'a queue has messages in another order than the history',
    'disordered',
    secondPoll(event(20, 'm3', 103), event(30, 'm2', 102)),
  ],
  [
    'message ids of the history decrease',
    'disordered',
    ({ stored }) => stored.splice(0, 3, stored[1]!, stored[0]!, stored[2]!),
  ],
  [
    'a send has a lower id than one that was answered before it began',
    'disordered',
    ({ writes, stored, queues }) => {
      writes[3]!.message = 100;
      stored[3]!.id = 100;
      queues[2]!.polls = [poll(-1, 36, event(35, 'm4', 100, 's2'))];
    },
  ],
  ['a send is stored under another id than its answer named', 'mismatched', ({ writes }) => (writes[2]!.message = 109)],
  ['two sends are answered with one id', 'mismatched', ({ writes }) => (writes[2]!.message = 102)],
  ['a send is stored in another conversation', 'mismatched', ({ stored }) => (stored[2]!.conversation = 's2')],
  [
    'an event names another message than is stored',
    'mismatched',
    secondPoll(event(20, 'm2', 999), event(30, 'm3', 103)),
  ],
  [
    'a repeated poll returns another event under the same id',
    'mismatched',
    ({ queues }) =>
      queues[1]!.polls.splice(
        1,
        1,
        { ...poll(10, 30, event(20, 'm3', 103)), processed: false },
        poll(10, 31, event(20, 'm2', 102), event(30, 'm3', 103)),
      ),
  ],
  [
    'an event of a stream reaches a user who is not subscribed',
    'leaked',
    ({ queues }) => queues[2]!.polls.push(poll(35, 37, event(36, undefined, 103))),
  ],
  [
    'a reaction event, which names no stream, reaches a user who is not subscribed to the stream',
    'leaked',
    ({ queues }) =>
      queues[2]!.polls.push(poll(35, 37, { ...event(36, undefined, 103), kind: 'reaction', conversation: undefined })),
  ],
  ['a poll of a queue gets BAD_EVENT_QUEUE_ID', 'ended', ({ queues }) => queues[0]!.ended.push(20)],
  ['a conversation accepts no more messages', 'stuck', (run) => (run.deadConversations = ['s2'])],
  ['a poll is never answered', 'stuck', ({ queues }) => queues[0]!.stuck.push(20)],
];

t.test('a correct history has no faults', async (test) => {
  const { counts, descriptions } = check(faultlessRun());
  test.strictSame(descriptions, []);
  test.ok(Object.values(counts).every((n) => n === 0));
});

for (const [what, kind, change] of FAULTY_RUNS) {
  t.test(what, async (test) => {
    const run = faultlessRun();
    change(run);
    const faults = check(run);
    test.not(faults.counts[kind], 0, `the checker reports a fault of kind ${kind}`);
    test.ok(
      faults.total >= faults.descriptions.length && faults.descriptions.length > 0,
      faults.descriptions.join('; '),
    );
  });
}

t.test('correct histories that resemble a fault have none', async (test) => {
  const descriptionsAfter = (change: (run: MutableRun) => void): readonly string[] => {
    const run = faultlessRun();
    change(run);
    return check(run).descriptions;
  };
  const refuseUnstored = ({ stored, queues, settledKeys, writes }: MutableRun): void => {
    writes[2]!.outcome = refused;
    stored.splice(2, 1);
    settledKeys.delete('m3');
    for (const queue of queues.slice(0, 2)) queue.polls[1] = poll(10, 31, event(20, 'm2', 102));
  };
  test.strictSame(descriptionsAfter(refuseUnstored), [], 'a refused send is neither stored nor delivered');
  test.strictSame(
    descriptionsAfter(({ writes }) => (writes[2]!.outcome = { kind: 'unanswered', at: 30, reason: 'cut' })),
    [],
    'a send without a response is stored, and delivered to both queues of the stream',
  );
  test.strictSame(
    descriptionsAfter((run) => {
      run.writes[2]!.outcome = refused;
      run.settledKeys.delete('m3');
      secondPoll(event(20, 'm2', 102))(run);
    }),
    [],
    'a refused send that was stored after the load is in only one of two queues',
  );
  test.strictSame(
    descriptionsAfter(({ queues }) =>
      queues[1]!.polls.splice(
        1,
        1,
        { ...poll(10, 30, event(20, 'm2', 102)), processed: false },
        poll(10, 31, event(20, 'm2', 102), event(30, 'm3', 103)),
      ),
    ),
    [],
    'a repeated poll returns the events of the dropped response and later ones',
  );
  test.strictSame(
    descriptionsAfter(({ queues }) => {
      queues[2]!.ended.push(36);
      queues[2]!.polls = [];
    }).filter((words) => !words.startsWith('ended')),
    [],
    'events missing in a queue that ended are not counted as lost',
  );
});

t.test('the time to resumed delivery ends with an event of a write that started after the kill', async (test) => {
  const run = faultlessRun();
  const kill = { at: 11.5, kind: 'kill', name: 'host' } as const;
  run.interruptions = [kill];
  const [resume] = measureResumes(run);
  // m2 began before the kill; m3 after it.
  run.queues[0]!.polls[1] = poll(10, 25, event(20, 'm2', 102));
  run.queues[0]!.polls.splice(2, 0, poll(20, 41.5, event(30, 'm3', 103)));
  test.strictSame(resume!.times, [19.5, 19.5, 24.5]);
  test.strictSame(measureResumes(run)[0]!.times, [30, 19.5, 24.5]);
  run.interruptions = [{ ...kill, at: 52 }];
  test.strictSame(measureResumes(run)[0], { interruption: run.interruptions[0], times: [], silent: 3 });
  const { count, p50, p99, max } = quantiles(Array.from({ length: 100 }, (_, i) => i + 1));
  test.strictSame([count, p50, p99, max], [100, 50, 99, 100]);
  test.strictSame(quantiles([]), { count: 0, p50: 0, p99: 0, max: 0 });
});
