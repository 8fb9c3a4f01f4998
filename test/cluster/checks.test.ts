/** The checks of the simulated cluster find faults: each test has a hand-written record with one fault. */
import t from 'tap';
import type { ActorKey, LogItem } from '#model';
import { checkDeliveredSoon, checkRun } from './check-run.js';
import type { CallRecord, LoggedEntry, MailRecord, PollRecord, QueueRecord, RunRecord } from './record.js';

const STREAM = 'stream/1/1' as ActorKey;
const OWNER = 8;
const MEMBER = 9;
const OUTSIDER = 10;
const EVENT_ID_SLOTS = 8192;

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

const send = (
  op: string,
  id: number,
  startStep: number,
  endStep: number,
  fields: Partial<CallRecord> = {},
): CallRecord => ({
  op,
  kind: 'send',
  user: OWNER,
  startStep,
  endStep,
  outcome: 'ok',
  body: { id },
  stream: 1,
  ...fields,
});

const messageEvent = (seq: number, id: number, op: string) => ({
  id: seq * EVENT_ID_SLOTS + 1,
  type: 'message',
  message: { id, content: `${op} says`, subject: '', flags: [], sender_id: OWNER },
  flags: [],
});

const poll = (lastEventId: number, events: PollRecord['events'], fields: Partial<PollRecord> = {}): PollRecord => ({
  lastEventId,
  startStep: 1,
  endStep: 2,
  outcome: 'ok',
  events,
  code: '',
  ...fields,
});

const START_EVENT_ID = 1 * EVENT_ID_SLOTS + 4095;

const queueOf = (user: number, polls: readonly PollRecord[]): QueueRecord => ({
  id: `of ${user}`,
  user,
  clientType: 'all capabilities',
  snapshot: {},
  polls: [...polls],
  firstState: {
    user,
    start: 1,
    covers: {},
    shows: null,
    options: {
      eventTypes: null,
      narrow: [],
      capabilities: { bulk_message_deletion: true, user_settings_object: true, linkifier_url_template: true },
    },
  } as unknown as QueueRecord['firstState'],
  isDeletionRequested: false,
  isDeletionConfirmed: true,
  finalState: undefined,
});

const mail = (id: string, date: number, ops: readonly string[]): MailRecord => ({
  ...{ id, date, ops, user: MEMBER, thread: 't-1-9-1.x' },
});

const RUN_WITHOUT_FAULTS: RunRecord = {
  users: [OWNER, MEMBER, OUTSIDER],
  streams: [{ id: 1, isPrivate: true }],
  log: [entry(1, 1, [joined]), entry(2, 2, [message(11, 'op1')]), entry(3, 3, [message(12, 'op2')])],
  calls: [send('op1', 11, 1, 5), send('op2', 12, 6, 9)],
  queues: [
    queueOf(MEMBER, [
      poll(START_EVENT_ID, [messageEvent(2, 11, 'op1')]),
      poll(2 * EVENT_ID_SLOTS + 1, [messageEvent(3, 12, 'op2')]),
    ]),
  ],
  mails: [mail('m1', 200_000, ['op1']), mail('m1', 200_000, ['op1']), mail('m2', 320_000, ['op1', 'op2'])],
  messages: [
    { id: 11, content: 'op1 says', reactions: [] },
    { id: 12, content: 'op2 says', reactions: [] },
  ],
  isGraceful: true,
  now: 1_000_000,
};

const read = (messages: readonly number[], endMs: number): CallRecord => ({
  ...{ op: 'op3', kind: 'read', user: MEMBER, startStep: 10, endStep: 11, endMs, outcome: 'ok', body: {}, messages },
});

const faults: readonly (readonly [string, Partial<RunRecord>, RegExp])[] = [
  [
    'a second mail within a batching period',
    { mails: [mail('m1', 1, ['op1']), mail('m2', 9, ['op2'])] },
    /m2 8 ms after m1/,
  ],
  [
    'two mails of one id',
    { mails: [mail('m1', 1, ['op1']), mail('m1', 9, ['op1'])] },
    /two different mails have id m1/,
  ],
  [
    'a mail about read messages',
    { calls: [...RUN_WITHOUT_FAULTS.calls, read([11, 12], 199_000)] },
    /9 got m1 about op1, all read before[\s\S]*9 got m2 about op1,op2, all read before/,
  ],
  [
    'a mail about messages that were marked as read with all others',
    { calls: [...RUN_WITHOUT_FAULTS.calls, { ...read([], 199_000), kind: 'read all' }] },
    /9 got m1 about op1, all read before[\s\S]*9 got m2 about op1,op2, all read before/,
  ],
  [
    'a mail with a message that does not exist',
    { mails: [mail('m1', 1, ['op1', 'op9'])] },
    /m1 shows op1,op9, not all/,
  ],
  [
    'a lost send',
    { log: RUN_WITHOUT_FAULTS.log.slice(0, 2), messages: RUN_WITHOUT_FAULTS.messages.slice(0, 1) },
    /op2 \(send\) was confirmed and is lost/,
  ],
  [
    'a message sent twice',
    { log: [...RUN_WITHOUT_FAULTS.log, entry(4, 4, [message(13, 'op1')])] },
    /op1 was sent 2 times/,
  ],
  [
    'a refused send whose message is stored',
    { calls: [send('op1', 11, 1, 5, { outcome: 'refused' }), RUN_WITHOUT_FAULTS.calls[1]!] },
    /op1 was refused and is stored/,
  ],
  [
    'a stored message without an event',
    { messages: [...RUN_WITHOUT_FAULTS.messages, { id: 14, content: 'op9', reactions: [] }] },
    /in the Store and not in the log/,
  ],
  [
    'a message event without a stored message',
    { messages: RUN_WITHOUT_FAULTS.messages.slice(1) },
    /op1 is in the log and not in the Store/,
  ],
  [
    'one id of two messages',
    { log: [...RUN_WITHOUT_FAULTS.log.slice(0, 2), entry(3, 3, [message(11, 'op2')])] },
    /id 11 belongs to two messages/,
  ],
  [
    'ids that decrease in a conversation',
    { log: [RUN_WITHOUT_FAULTS.log[0]!, entry(2, 2, [message(12, 'op2')]), entry(3, 3, [message(11, 'op1')])] },
    /op1 has id 11 after 12/,
  ],
  [
    'a lower id of a later send',
    { calls: [send('op1', 11, 6, 9), send('op2', 12, 1, 5)] },
    /op1 was sent after the response to op2/,
  ],
  [
    'a call without a response',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 1, 0, { outcome: 'open' })] },
    /op3 \(send\) has no response/,
  ],
  [
    'a failed call in a run of planned changes',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 1, 2, { outcome: 'failed' })] },
    /failed, in a run of planned changes/,
  ],
  [
    'a missing event',
    { queues: [queueOf(MEMBER, [poll(START_EVENT_ID, [messageEvent(3, 12, 'op2')])])] },
    /\(op1\) is missing/,
  ],
  [
    'an event that is not delivered',
    { queues: [{ ...queueOf(MEMBER, [poll(START_EVENT_ID, [messageEvent(2, 11, 'op1')])]), finalState: {} }] },
    /did not get event 24577 \(op2\)/,
  ],
  [
    'events out of order',
    { queues: [queueOf(MEMBER, [poll(START_EVENT_ID, [messageEvent(3, 12, 'op2'), messageEvent(2, 11, 'op1')])])] },
    /event 16385 after 24577/,
  ],
  [
    'an event that is delivered after its acknowledgement',
    { queues: [queueOf(MEMBER, [poll(3 * EVENT_ID_SLOTS, [messageEvent(2, 11, 'op1')])])] },
    /event 16385 after 24576/,
  ],
  [
    'an event for a user outside its audience',
    { queues: [queueOf(OUTSIDER, [poll(START_EVENT_ID, [messageEvent(2, 11, 'op1')])])] },
    /must not get message op1/,
  ],
  [
    'a repeated log entry that is delivered again',
    {
      log: [...RUN_WITHOUT_FAULTS.log, entry(4, 2, [message(11, 'op1')])],
      queues: [
        queueOf(MEMBER, [
          poll(START_EVENT_ID, [messageEvent(2, 11, 'op1'), messageEvent(3, 12, 'op2'), messageEvent(4, 11, 'op1')]),
        ]),
      ],
    },
    /must not get message op1/,
  ],
  [
    'a queue that ends without a reason',
    { queues: [queueOf(MEMBER, [poll(START_EVENT_ID, [], { outcome: 'refused', code: 'BAD_EVENT_QUEUE_ID' })])] },
    /was refused: BAD_EVENT_QUEUE_ID/,
  ],
  [
    'a poll without a response',
    { queues: [queueOf(MEMBER, [poll(START_EVENT_ID, [], { outcome: 'open' })])] },
    /has no response/,
  ],
  [
    'an audience of an old membership version',
    {
      log: [
        RUN_WITHOUT_FAULTS.log[0]!,
        entry(2, 2, [{ ...joined, mv: 2, join: [OUTSIDER] }, message(11, 'op1')]),
        RUN_WITHOUT_FAULTS.log[2]!,
      ],
    },
    /message 11 goes to membership 1, which is 2/,
  ],
  [
    'a lost edit',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 10, 11, { kind: 'edit', messages: [11] })] },
    /op3 \(edit\) was confirmed and is lost/,
  ],
  [
    'a deletion without effect',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 10, 11, { kind: 'delete', messages: [11] })] },
    /11 is deleted and still stored/,
  ],
  [
    'a lost reaction',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 10, 11, { kind: 'react', messages: [11] })] },
    /the reaction is lost/,
  ],
  [
    'a lost subscription',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 10, 11, { kind: 'subscribe', targetUser: OUTSIDER })] },
    /subscribe of 10 was confirmed and is lost/,
  ],
  [
    'a fetch without a message that its user sent',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 10, 11, { kind: 'fetch', body: { messages: [] } })] },
    /op3 does not show op1/,
  ],
  [
    'a fetch with a message outside its user’s access',
    {
      calls: [
        ...RUN_WITHOUT_FAULTS.calls,
        send('op3', 0, 10, 11, { kind: 'fetch', user: OUTSIDER, body: { messages: [{ id: 11, flags: [] }] } }),
      ],
    },
    /10 must not see op1/,
  ],
  [
    'a scheduled message that was not sent',
    { calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 1, 2, { kind: 'schedule', scheduledS: 100 })] },
    /op3 \(schedule\) was confirmed and is lost/,
  ],
  [
    'a refused send after a confirmed subscription',
    {
      calls: [
        ...RUN_WITHOUT_FAULTS.calls,
        send('op3', 0, 10, 11, { kind: 'subscribe', targetUser: MEMBER }),
        send('op4', 0, 12, 13, { user: MEMBER, outcome: 'refused', body: { msg: 'no' } }),
      ],
    },
    /op4 was refused \(no\), sent after the response to op3/,
  ],
  [
    'a refused send after a subscription event',
    {
      calls: [
        ...RUN_WITHOUT_FAULTS.calls,
        send('op4', 0, 12, 13, { user: MEMBER, outcome: 'refused', body: { msg: 'no' } }),
      ],
      queues: [
        queueOf(MEMBER, [
          poll(START_EVENT_ID, [{ id: 8, type: 'subscription', op: 'add', subscriptions: [{ stream_id: 1 }] }]),
        ]),
      ],
    },
    /op4 was refused \(no\), sent after the subscription event/,
  ],
  [
    'a draft that is not listed',
    {
      calls: [send('op3', 0, 1, 2, { kind: 'draft' }), send('op4', 0, 3, 4, { kind: 'drafts', body: { drafts: [] } })],
    },
    /op4 does not show op3 \(draft\)/,
  ],
  [
    'an old name after a confirmed rename',
    {
      calls: [
        send('op3', 0, 1, 2, { kind: 'rename' }),
        send('op4', 0, 2, 4, { kind: 'me', body: { full_name: 'olaf' } }),
      ],
    },
    /op4 shows olaf, after op3/,
  ],
];

t.test('found: a message that is not in the log in time after the last fault', async (t) => {
  t.same(checkDeliveredSoon(RUN_WITHOUT_FAULTS, 0), []);
  const late = { ...RUN_WITHOUT_FAULTS, calls: [...RUN_WITHOUT_FAULTS.calls, send('op3', 0, 1, 2)] };
  t.same(checkDeliveredSoon(late, 0), ['op3 (send) is not in the log in time']);
});

t.test('a run without faults has no problems', async (t) => t.same(checkRun(RUN_WITHOUT_FAULTS), []));

for (const [title, fault, problem] of faults) {
  t.test(`found: ${title}`, async (t) => t.match(checkRun({ ...RUN_WITHOUT_FAULTS, ...fault }).join('\n'), problem));
}
