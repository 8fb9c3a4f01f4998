/**
 * The checks of the simulated cluster find what they are there for: records of runs that never were, each with one
 * fault.
 */
import t from 'tap';
import type { ActorKey, LogItem } from '#model';
import { checkRun, checkSoon } from './check-run.js';
import type { CallRecord, LoggedEntry, MailRecord, PollRecord, QueueRecord, RunRecord } from './record.js';

const STREAM = 'stream/1/1' as ActorKey;
const OWNER = 8;
const MEMBER = 9;
const OUTSIDER = 10;
const SLOTS = 8192;

const entry = (seq: number, v: number, items: readonly LogItem[], actor = STREAM): LoggedEntry => ({
  seq,
  entry: { actor, groups: [{ v, p: 0, items }] },
});

const joined: LogItem = { t: 'members', stream: 1, mv: 1, last: 0, join: [OWNER, MEMBER], leave: [] };

const message = (id: number, op: string, mv = 1): LogItem => ({
  t: 'message',
  to: { stream: 1, mv },
  message: {
    common: { id, sender_id: OWNER, stream_id: 1 },
    content: `${op} says`,
    html: '',
    avatar: '',
    gravatar: false,
  },
  flags: {},
});

const send = (op: string, id: number, begun: number, ended: number, more: Partial<CallRecord> = {}): CallRecord => ({
  op,
  kind: 'send',
  user: OWNER,
  begun,
  ended,
  outcome: 'ok',
  body: { id },
  stream: 1,
  ...more,
});

const told = (seq: number, id: number, op: string) => ({
  id: seq * SLOTS + 1,
  type: 'message',
  message: { id, content: `${op} says`, subject: '', flags: [], sender_id: OWNER },
  flags: [],
});

const poll = (asked: number, events: PollRecord['events'], more: Partial<PollRecord> = {}): PollRecord => ({
  asked,
  begun: 1,
  ended: 2,
  outcome: 'ok',
  events,
  code: '',
  ...more,
});

const START = 1 * SLOTS + 4095;

const queueOf = (user: number, polls: readonly PollRecord[]): QueueRecord => ({
  id: `of ${user}`,
  user,
  form: 'all capabilities',
  snapshot: {},
  polls: [...polls],
  stored: {
    user,
    start: 1,
    covers: {},
    shows: null,
    options: {
      eventTypes: null,
      narrow: [],
      capabilities: { bulk_message_deletion: true, user_settings_object: true, linkifier_url_template: true },
    },
  } as unknown as QueueRecord['stored'],
  deleted: false,
  gone: true,
  fresh: undefined,
});

const mail = (id: string, date: number, ops: readonly string[]): MailRecord => ({
  ...{ id, date, ops, user: MEMBER, thread: 't-1-9-1.x' },
});

const GOOD: RunRecord = {
  people: [OWNER, MEMBER, OUTSIDER],
  streams: [{ id: 1, isPrivate: true }],
  log: [entry(1, 1, [joined]), entry(2, 2, [message(11, 'op1')]), entry(3, 3, [message(12, 'op2')])],
  calls: [send('op1', 11, 1, 5), send('op2', 12, 6, 9)],
  queues: [queueOf(MEMBER, [poll(START, [told(2, 11, 'op1')]), poll(2 * SLOTS + 1, [told(3, 12, 'op2')])])],
  mails: [mail('m1', 200_000, ['op1']), mail('m1', 200_000, ['op1']), mail('m2', 320_000, ['op1', 'op2'])],
  messages: [
    { id: 11, content: 'op1 says', reactions: [] },
    { id: 12, content: 'op2 says', reactions: [] },
  ],
  smooth: true,
  now: 1_000_000,
};

const read = (messages: readonly number[], endedMs: number): CallRecord => ({
  ...{ op: 'op3', kind: 'read', user: MEMBER, begun: 10, ended: 11, endedMs, outcome: 'ok', body: {}, messages },
});

const faults: readonly (readonly [string, Partial<RunRecord>, RegExp])[] = [
  [
    'a second mail within a batching period',
    { mails: [mail('m1', 1, ['op1']), mail('m2', 9, ['op2'])] },
    /m2 8 ms after m1/,
  ],
  ['two mails of one id', { mails: [mail('m1', 1, ['op1']), mail('m1', 9, ['op1'])] }, /two mails are m1/],
  [
    'a mail about what was read',
    { calls: [...GOOD.calls, read([11, 12], 199_000)] },
    /9 got m1 about op1, read before[\s\S]*9 got m2 about op1,op2, read before/,
  ],
  [
    'a mail about what was read with all others',
    { calls: [...GOOD.calls, { ...read([], 199_000), kind: 'read all' }] },
    /9 got m1 about op1, read before[\s\S]*9 got m2 about op1,op2, read before/,
  ],
  ['a mail with a message that is none', { mails: [mail('m1', 1, ['op1', 'op9'])] }, /m1 shows op1,op9, not all/],
  [
    'a lost send',
    { log: GOOD.log.slice(0, 2), messages: GOOD.messages.slice(0, 1) },
    /op2 \(send\) was acknowledged and is lost/,
  ],
  ['a send made twice', { log: [...GOOD.log, entry(4, 4, [message(13, 'op1')])] }, /op1 was sent 2 times/],
  [
    'a refused send that is there',
    { calls: [send('op1', 11, 1, 5, { outcome: 'refused' }), GOOD.calls[1]!] },
    /op1 was refused and is there/,
  ],
  [
    'a message without event',
    { messages: [...GOOD.messages, { id: 14, content: 'op9', reactions: [] }] },
    /in the Store and not in the log/,
  ],
  ['an event without message', { messages: GOOD.messages.slice(1) }, /op1 is in the log and not in the Store/],
  ['an id given twice', { log: [...GOOD.log.slice(0, 2), entry(3, 3, [message(11, 'op2')])] }, /id 11 was given twice/],
  [
    'ids that decrease in a conversation',
    { log: [GOOD.log[0]!, entry(2, 2, [message(12, 'op2')]), entry(3, 3, [message(11, 'op1')])] },
    /op1 has id 11 after 12/,
  ],
  [
    'a lower id for what was begun later',
    { calls: [send('op1', 11, 6, 9), send('op2', 12, 1, 5)] },
    /op1 was begun after op2 was answered/,
  ],
  [
    'a call without an answer',
    { calls: [...GOOD.calls, send('op3', 0, 1, 0, { outcome: 'open' })] },
    /op3 \(send\) was never answered/,
  ],
  [
    'a failure where nothing failed',
    { calls: [...GOOD.calls, send('op3', 0, 1, 2, { outcome: 'failed' })] },
    /failed, in a smooth run/,
  ],
  ['a missing event', { queues: [queueOf(MEMBER, [poll(START, [told(3, 12, 'op2')])])] }, /\(op1\) is missing/],
  [
    'an event that never comes',
    { queues: [{ ...queueOf(MEMBER, [poll(START, [told(2, 11, 'op1')])]), fresh: {} }] },
    /never got event 24577 \(op2\)/,
  ],
  [
    'events out of order',
    { queues: [queueOf(MEMBER, [poll(START, [told(3, 12, 'op2'), told(2, 11, 'op1')])])] },
    /event 16385 after 24577/,
  ],
  [
    'an event again after its acknowledgement',
    { queues: [queueOf(MEMBER, [poll(3 * SLOTS, [told(2, 11, 'op1')])])] },
    /event 16385 after 24576/,
  ],
  [
    'an event for somebody without a right to it',
    { queues: [queueOf(OUTSIDER, [poll(START, [told(2, 11, 'op1')])])] },
    /must not get message op1/,
  ],
  [
    'a repeat in the log, told again',
    {
      log: [...GOOD.log, entry(4, 2, [message(11, 'op1')])],
      queues: [queueOf(MEMBER, [poll(START, [told(2, 11, 'op1'), told(3, 12, 'op2'), told(4, 11, 'op1')])])],
    },
    /must not get message op1/,
  ],
  [
    'a queue that ends by itself',
    { queues: [queueOf(MEMBER, [poll(START, [], { outcome: 'refused', code: 'BAD_EVENT_QUEUE_ID' })])] },
    /was refused: BAD_EVENT_QUEUE_ID/,
  ],
  [
    'a poll without an answer',
    { queues: [queueOf(MEMBER, [poll(START, [], { outcome: 'open' })])] },
    /was never answered/,
  ],
  [
    'an audience of another time',
    { log: [GOOD.log[0]!, entry(2, 2, [{ ...joined, mv: 2, join: [OUTSIDER] }, message(11, 'op1')]), GOOD.log[2]!] },
    /message 11 goes to membership 1, which is 2/,
  ],
  [
    'a lost edit',
    { calls: [...GOOD.calls, send('op3', 0, 10, 11, { kind: 'edit', messages: [11] })] },
    /op3 \(edit\) was acknowledged and is lost/,
  ],
  [
    'a deletion that did nothing',
    { calls: [...GOOD.calls, send('op3', 0, 10, 11, { kind: 'delete', messages: [11] })] },
    /11 is deleted and still there/,
  ],
  [
    'a lost reaction',
    { calls: [...GOOD.calls, send('op3', 0, 10, 11, { kind: 'react', messages: [11] })] },
    /the reaction is lost/,
  ],
  [
    'a lost subscription',
    { calls: [...GOOD.calls, send('op3', 0, 10, 11, { kind: 'subscribe', whom: OUTSIDER })] },
    /subscribe of 10 was acknowledged and is lost/,
  ],
  [
    'a fetch that does not show what its user sent',
    { calls: [...GOOD.calls, send('op3', 0, 10, 11, { kind: 'fetch', body: { messages: [] } })] },
    /op3 does not show op1/,
  ],
  [
    'a fetch that shows what is not its user’s',
    {
      calls: [
        ...GOOD.calls,
        send('op3', 0, 10, 11, { kind: 'fetch', user: OUTSIDER, body: { messages: [{ id: 11, flags: [] }] } }),
      ],
    },
    /10 must not see op1/,
  ],
  [
    'a scheduled message that never came',
    { calls: [...GOOD.calls, send('op3', 0, 1, 2, { kind: 'schedule', at: 100 })] },
    /op3 \(schedule\) was acknowledged and is lost/,
  ],
  [
    'a refusal after a join that was answered',
    {
      calls: [
        ...GOOD.calls,
        send('op3', 0, 10, 11, { kind: 'subscribe', whom: MEMBER }),
        send('op4', 0, 12, 13, { user: MEMBER, outcome: 'refused', body: { msg: 'no' } }),
      ],
    },
    /op4 was refused \(no\), begun after op3 was answered/,
  ],
  [
    'a refusal after a join of which a queue told',
    {
      calls: [...GOOD.calls, send('op4', 0, 12, 13, { user: MEMBER, outcome: 'refused', body: { msg: 'no' } })],
      queues: [
        queueOf(MEMBER, [poll(START, [{ id: 8, type: 'subscription', op: 'add', subscriptions: [{ stream_id: 1 }] }])]),
      ],
    },
    /op4 was refused \(no\), begun after he was told/,
  ],
  [
    'a draft that is not listed',
    {
      calls: [send('op3', 0, 1, 2, { kind: 'draft' }), send('op4', 0, 3, 4, { kind: 'drafts', body: { drafts: [] } })],
    },
    /op4 does not show op3 \(draft\)/,
  ],
  [
    'an old name',
    {
      calls: [
        send('op3', 0, 1, 2, { kind: 'rename' }),
        send('op4', 0, 2, 4, { kind: 'me', body: { full_name: 'olaf' } }),
      ],
    },
    /op4 shows olaf, after op3/,
  ],
];

/** Shortly after the last fault. */
t.test('found: a message that nobody is told of in time', async (t) => {
  t.same(checkSoon(GOOD, 0), []);
  const late = { ...GOOD, calls: [...GOOD.calls, send('op3', 0, 1, 2)] };
  t.same(checkSoon(late, 0), ['op3 (send) is not told in time']);
});

t.test('a good run has no problems', async (t) => t.same(checkRun(GOOD), []));

for (const [title, fault, problem] of faults) {
  t.test(`found: ${title}`, async (t) => t.match(checkRun({ ...GOOD, ...fault }).join('\n'), problem));
}
