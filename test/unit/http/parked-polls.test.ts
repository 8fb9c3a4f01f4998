/** Polls of idle clients, which the frontend answers by itself. */
import t from 'tap';
import { Type } from 'typebox';
import {
  type ApiOperation,
  forwardCommand as checkedForward,
  type ForwardedCommand,
  type PollKeepalive,
} from '#frontend/api';
import { HttpFrontend } from '#frontend/http';
import {
  eventQueueActorKey,
  FIRST_TRANSIENT_EVENT_ID_SLOT,
  makeEventId,
  toEventQueueId,
  toRealmId,
  toUserId,
} from '#model';
import { type ApiErrorReply, apiError } from '#model/errors';
import { getEventsOperation } from '../../../src/frontend/api/operations/events.js';
import { declareOptionalJsonParameter, declareOptionalTextParameter } from '../../../src/frontend/api/parameters.js';
import { anyCommand } from '../../support/any-command.js';
import { settle } from '../../support/fake-clock.js';
import { FakeExchange } from './fake-exchange.js';
import { AUTH, declare, FakeServices, user } from './support.js';

const EVERY_MS = 45_000;
const LONGEST_MS = EVERY_MS * 1.2 + 500;
const MOST = 4;

const keepalive = (last: number): PollKeepalive => ({
  last,
  parameter: 'last',
  heartbeatIds: MOST,
  fields: (n) => `,"n":${n}`,
  answerInsteadOf: ({ msg }) => (msg === tooOld(last).msg ? { n: 'ask again' } : undefined),
});
const tooOld = (last: number): ApiErrorReply => apiError('EVENT_PRUNED', { last_event_id: last }).toReply();

/** Number of parsed requests. */
let reads = 0;

/** A poll after `last` of queue `of`; the frontend may not answer polls after a negative id. */
const poll: ApiOperation = declare({
  path: '/poll',
  parameters: {
    last: declareOptionalJsonParameter('query', Type.Integer(), ''),
    of: declareOptionalTextParameter('query', ''),
  },
  run: ({ params }): ForwardedCommand => {
    reads++;
    const { last, of = 'q' } = params as { last: number; of?: string };
    const to = eventQueueActorKey(toRealmId(1), toUserId(5), toEventQueueId(of));
    const forward = checkedForward({ to, command: anyCommand('poll'), args: { last }, held: true });
    return last < 0 ? forward : { ...forward, keepalive: keepalive(last) };
  },
});

function make(options: { readonly maxWaitingPolls?: number } = {}) {
  const services = new FakeServices();
  const random = (): number => 1;
  const frontend = new HttpFrontend([poll], services, {
    requestIdPrefix: 'f1',
    heartbeatMs: EVERY_MS,
    random,
    ...options,
  });
  const send = (last: number, more = ''): FakeExchange => {
    const exchange = new FakeExchange('GET', `/api/v1/poll?last=${last}${more}`, { authorization: AUTH });
    frontend.handleRequest(exchange);
    return exchange;
  };
  return { services, frontend, send, clock: services.clock, sent: services.forwarded };
}

t.test('a poll without events gets a heartbeat, and the next poll continues its command', async (t) => {
  const { send, clock, sent } = make();
  for (let n = 10; n < 10 + MOST - 1; n++) {
    const got = send(n);
    clock.advance(EVERY_MS - 1);
    t.equal(got.answers, 0);
    clock.advance(LONGEST_MS - EVERY_MS);
    t.equal(got.status, 200);
    t.same(got.json, { result: 'success', msg: '', n: n + 1 });
    t.match(got.requestId, /^f1-/, 'under an id of its own');
    t.equal(sent.length, 1);
  }
  const got = send(10 + MOST - 1);
  t.equal(sent.length, 1);
  clock.advance(LONGEST_MS);
  t.equal(got.json.n, 10 + MOST);
  t.ok(sent[0]!.cancelled, 'until no number is left');
  send(10 + MOST);
  t.same(sent[1]!.forward.args, { last: 10 + MOST }, 'then there is another command');
  t.notOk(sent[1]!.cancelled);
});

t.test('a waiting poll with a revoked key is refused at once', async (t) => {
  const { services, send, clock, sent } = make();
  const withKey = (keyHash: string): void => {
    services.caller = { ...services.caller, user: user({ keyHash }) };
  };
  withKey('old');
  const waiting = [send(1), send(-1, '&of=held'), send(1, '&of=followed')];
  withKey('other');
  const others = [send(1, '&of=other'), send(-1, '&of=other')];
  services.revoke('old');
  for (const poll of waiting) {
    t.equal(poll.status, 401);
    t.equal(poll.json.msg, 'Invalid API key');
  }
  await settle();
  t.same(
    sent.map(({ cancelled }) => cancelled),
    [true, true, true, false, false],
    'their commands are given up',
  );
  clock.advance(LONGEST_MS);
  for (const poll of waiting) t.equal(poll.answers, 1);
  t.same(
    others.map(({ answers }) => answers),
    [1, 0],
    'polls with other keys go on',
  );
});

t.test('the next poll may have another key: the key of the waiting request counts', async (t) => {
  const { services, send, clock, sent } = make();
  services.caller = { ...services.caller, user: user({ keyHash: 'old' }) };
  send(1);
  clock.advance(LONGEST_MS);
  services.caller = { ...services.caller, user: user({ keyHash: 'new' }) };
  const next = send(2);
  t.equal(sent.length, 1, 'it goes on with the command');
  services.revoke('old');
  t.equal(next.answers, 0);
  services.revoke('new');
  t.equal(next.status, 401);
});

t.test("the actor's answer reaches the poll that waits at that time", async (t) => {
  const { send, clock, sent } = make();
  const first = send(1);
  clock.advance(LONGEST_MS);
  t.equal(first.json.n, 2);
  const second = send(2, '&more=1');
  sent[0]!.answer({ ok: [Buffer.from(',"events":1')] });
  await settle();
  t.same(second.json, { result: 'success', msg: '', ignored_parameters_unsupported: ['more'], events: 1 });
  t.equal(first.answers, 1);
  const third = send(2);
  t.equal(sent.length, 2, 'the command is over');
  sent[1]!.answer({ error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: 'q' }).toReply() });
  await settle();
  t.equal(third.json.code, 'BAD_EVENT_QUEUE_ID', 'and so do refusals');
  const fourth = send(2);
  sent[2]!.fail(apiError('SERVICE_UNAVAILABLE'));
  await settle();
  t.equal(fourth.status, 503, 'and failures');
});

t.test('a refusal of the acknowledged id is not given to a client with a later id', async (t) => {
  const { send, clock, sent } = make();
  send(1);
  clock.advance(LONGEST_MS);
  const second = send(2);
  sent[0]!.answer({ error: tooOld(1) });
  await settle();
  t.match(second.json, { result: 'success', n: 'ask again' });
  const third = send(2);
  t.same(sent[1]!.forward.args, { last: 2 }, 'the next one says what it has');
  sent[1]!.answer({ error: tooOld(2) });
  await settle();
  t.equal(third.status, 400, 'and hears the refusal of that');
  send(2);
  clock.advance(LONGEST_MS);
  const other = send(3);
  sent[2]!.answer({ error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: 'q' }).toReply() });
  await settle();
  t.equal(other.json.code, 'BAD_EVENT_QUEUE_ID', 'other refusals are for everybody');
});

t.test('events between two polls wait at the actor for the next one', async (t) => {
  const { send, clock, sent } = make();
  send(1);
  clock.advance(LONGEST_MS);
  sent[0]!.answer({ ok: [Buffer.from(',"events":1')] });
  await settle();
  const next = send(2);
  t.equal(next.answers, 0);
  t.same(sent[1]!.forward.args, { last: 2 });
  clock.advance(LONGEST_MS);
  t.equal(next.json.n, 3);
});

t.test('a client that does not return is cancelled at the actor after some seconds', async (t) => {
  const { send, clock, sent } = make();
  send(1);
  clock.advance(LONGEST_MS);
  clock.advance(4_000);
  t.notOk(sent[0]!.cancelled);
  const second = send(2);
  clock.advance(LONGEST_MS);
  t.equal(second.json.n, 3);
  clock.advance(4_000);
  t.notOk(sent[0]!.cancelled, 'it has its time after each answer');
  clock.advance(2_000);
  t.ok(sent[0]!.cancelled);
  send(3);
  t.equal(sent.length, 2);
});

t.test('a client that leaves while its poll waits is cancelled at once', async (t) => {
  const { send, clock, sent } = make({ maxWaitingPolls: 1 });
  send(1);
  clock.advance(LONGEST_MS);
  const second = send(2);
  t.equal(send(1, '&of=other').status, 503, 'it counts as held');
  second.abort();
  t.ok(sent[0]!.cancelled);
  const again = send(2);
  t.equal(sent.length, 2, 'and counts no more');
  sent[0]!.answer({ ok: [Buffer.from(',"late":1')] });
  await settle();
  t.equal(again.answers + second.answers, 0);
  clock.advance(LONGEST_MS);
  t.equal(again.json.n, 3);
  t.equal(second.answers, 0);
});

t.test('a poll with another id, or of another queue, is a command of its own', async (t) => {
  const { send, clock, sent } = make();
  send(1);
  clock.advance(LONGEST_MS);
  send(1);
  t.equal(sent.length, 2, 'the answer was lost');
  t.ok(sent[0]!.cancelled);
  send(2, '&of=other');
  send(-1);
  t.equal(sent.length, 4);
  const twice = send(1);
  t.equal(sent.length, 5, 'while another one waits');
  t.notOk(sent[1]!.cancelled, 'which is for the actor to end');
  sent[1]!.answer({ ok: [Buffer.from(',"events":0')] });
  await settle();
  t.equal(twice.answers, 0);
  clock.advance(LONGEST_MS);
  t.equal(twice.json.n, 2);
  send(2);
  t.equal(sent.length, 5);
});

t.test('a request that differs only in the id is not parsed again', async (t) => {
  const { send, clock, sent } = make();
  send(1, '&of=other&more=1');
  clock.advance(LONGEST_MS);
  reads = 0;
  const same = send(2, '&of=other&more=1');
  t.equal(reads, 0);
  clock.advance(LONGEST_MS);
  const changed = send(3, '&of=other&more=2&less=1');
  t.same([reads, sent.length], [1, 1], 'another one of the same queue is');
  clock.advance(LONGEST_MS);
  t.same(
    [same, changed].map(({ json }) => [json.n, json.ignored_parameters_unsupported]),
    [
      [3, ['more']],
      [4, ['less', 'more']],
    ],
  );
});

t.test('a request of another account, or with a body, is parsed', async (t) => {
  const { send, clock, sent, services, frontend } = make();
  send(1);
  clock.advance(LONGEST_MS);
  const { caller } = services;
  services.caller = { ...caller, user: { ...caller.user, id: toUserId(6) } };
  reads = 0;
  send(2);
  services.caller = { ...caller, realm: toRealmId(2) };
  send(2);
  services.caller = caller;
  const form = 'application/x-www-form-urlencoded';
  frontend.handleRequest(
    new FakeExchange('GET', '/api/v1/poll?last=2', { authorization: AUTH, 'content-type': form }, 'last=7'),
  );
  t.equal(reads, 3);
  t.same(sent.at(-1)!.forward.args, { last: 7 });
});

t.test('a request is parsed if another poll took its place, or its client left', async (t) => {
  const { send, clock, sent } = make({ maxWaitingPolls: 1 });
  send(1);
  clock.advance(LONGEST_MS);
  t.notOk(sent[0]!.cancelled);
  send(1, '&of=other');
  t.equal(send(2).status, 503, 'nor when there are too many');
  clock.advance(6_000);
  t.ok(sent[0]!.cancelled);
  clock.advance(LONGEST_MS);
  reads = 0;
  send(2);
  t.same([reads, sent.length], [1, 3]);
});

t.test('a frontend that shuts down answers waiting polls, and cancels the other commands', async (t) => {
  const { send, clock, sent, frontend } = make();
  send(1);
  clock.advance(LONGEST_MS);
  const waits = send(1, '&of=other');
  frontend.answerWaitingPollsForShutdown();
  await settle();
  t.same(
    sent.map(({ cancelled }) => cancelled),
    [true, true],
  );
  t.same(waits.json.events, []);
  t.equal(clock.next(), undefined, 'no timer is left');
  const late = send(2);
  await settle();
  t.same(late.json.events, [], 'none is held from now on');
});

t.test('a queue that knows a later heartbeat than the command makes its client poll again', async (t) => {
  const services = new FakeServices();
  const options = { requestIdPrefix: 'f1', heartbeatMs: EVERY_MS, random: () => 1 };
  const frontend = new HttpFrontend([getEventsOperation], services, options);
  const queue = '00000000-0000-4000-8000-000000000000';
  const beat = makeEventId(58, FIRST_TRANSIENT_EVENT_ID_SLOT);
  const send = (last: number): FakeExchange => {
    const path = `/api/v1/events?queue_id=${queue}&last_event_id=${last}`;
    const exchange = new FakeExchange('GET', path, { authorization: AUTH });
    frontend.handleRequest(exchange);
    return exchange;
  };
  const refusal = (last: number) => ({ error: apiError('EVENT_PRUNED', { last_event_id: last }).toReply() });
  send(beat);
  services.clock.advance(LONGEST_MS);
  const second = send(beat + 1);
  services.forwarded[0]!.answer(refusal(beat));
  await settle();
  t.same(second.json, { result: 'success', msg: '', events: [], queue_id: queue });
  const third = send(beat + 1);
  services.forwarded[1]!.answer(refusal(beat + 1));
  await settle();
  t.equal(third.status, 400);
});
