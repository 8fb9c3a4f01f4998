/** The daily check of a stream's messages by age, over messages that were stored while the clock was ahead. */
import t from 'tap';
import { streamActorKind } from '#actors/stream';
import { toMessageRecord } from '#domain/messages';
import { DEFAULT_REALM_SETTINGS, streamActorKey, toEpoch, toRealmId, toStreamId } from '#model';
import { directoryWith } from '../../support/directory.js';
import { messageBody } from '../../support/message-body.js';
import { until } from '../../support/until.js';
import { Harness } from '../runtime/harness.js';

const DAY = 86_400_000;
const REALM = toRealmId(1);
const KEY = streamActorKey(REALM, toStreamId(4));
/** Number of messages from a clock that was ahead: more than a check looks at in one commit. */
const AHEAD = 700;

t.test('messages from a time when the clock was ahead keep no expired ones behind them', async (t) => {
  const harness = new Harness({ stream: streamActorKind });
  const { clock, store } = harness;
  harness.directory = directoryWith({ settings: { ...DEFAULT_REALM_SETTINGS, message_retention_days: 5 } });
  const message = (id: number, topic: string, sentMs: number) => {
    const body = messageBody({ topic, sent: Math.floor(sentMs / 1_000) });
    const value = toMessageRecord({ id, sender: 8, participants: [], originStream: toStreamId(4), body } as never);
    return { type: 'message', realm: REALM, id, rev: 1, value } as const;
  };
  const now = clock.now();
  const topicPart = (name: string, max: number) =>
    ({ type: 'part', key: KEY, part: `topic/${name}`, rev: 1, value: { name, max } }) as const;
  await store.commit({
    key: KEY,
    epoch: toEpoch(0),
    expected: 0,
    outbox: [],
    due: now + DAY,
    state: { ...streamActorKind.makeInitialState(KEY), watched: true, nextCheck: now + DAY, last: AHEAD + 3 },
    records: [
      ...Array.from({ length: AHEAD }, (_, i) => message(1 + i, 'tides', now + 10 * DAY)),
      message(AHEAD + 1, 'waves', now - 8 * DAY),
      message(AHEAD + 2, 'tides', now - 7 * DAY),
      message(AHEAD + 3, 'winds', now),
      topicPart('tides', AHEAD + 2),
      topicPart('waves', AHEAD + 1),
      topicPart('winds', AHEAD + 3),
    ],
  });
  let longest = 0;
  const scan = store.scanMessages.bind(store);
  store.scanMessages = async (of) => {
    longest = Math.max(longest, of.limit);
    return scan(of);
  };
  const idsLeft = async (): Promise<number[]> => {
    const index = { by: 'conversation', conversation: 's4' } as const;
    return (await scan({ realm: REALM, index, from: -1, direction: 'newer', limit: 9_999 })).map(({ id }) => id);
  };
  const topics = async () =>
    Object.fromEntries((await store.listParts(KEY, 'topic/')).map(({ part, value }) => [part, value]));
  await harness.take(KEY);
  await clock.advanceAsync(DAY);
  await until('the expired ones are gone', async () => (await idsLeft()).length === AHEAD + 1);
  t.equal((await idsLeft()).at(-1), AHEAD + 3);
  await until('the topic of an earlier batch is back', async () => 'topic/tides' in (await topics()));
  t.match(await topics(), { 'topic/tides': { max: AHEAD }, 'topic/winds': { max: AHEAD + 3 } });
  t.notOk('topic/waves' in (await topics()));
  t.ok(longest <= 500, 'one commit looks at a bounded number');
  for (let day = 1; day < 13; day++) await clock.advanceAsync(DAY);
  await until('it expires although they are neither ahead nor expired', async () => !(await idsLeft()).includes(703));
  t.equal((await idsLeft()).length, AHEAD);
  for (let day = 13; day < 17; day++) await clock.advanceAsync(DAY);
  await until('they expire, too', async () => (await idsLeft()).length === 0);
  t.same(await topics(), {});
});
