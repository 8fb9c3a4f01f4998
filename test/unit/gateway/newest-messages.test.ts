import t from 'tap';
import type { NewestMessageTrackingState } from '#domain/messages';
import { type ActorKey, type LogItem, toUserId } from '#model';
import { RealmNewestMessageCache } from '../../../src/frontend/gateway/newest-messages.js';

const ME = toUserId(8);
const STREAM = 3;
const OTHER = 4;
const ACTOR = 'stream/1/3' as ActorKey;

const said = (id: number, stream = STREAM): LogItem =>
  ({ t: 'message', to: { stream, mv: 1 }, message: { common: { id, stream_id: stream } }, flags: {} }) as LogItem;
const told = (id: number, users: readonly number[]): LogItem =>
  ({ t: 'message', to: { users }, message: { common: { id } }, flags: {} }) as unknown as LogItem;
const event = (of: object): LogItem => ({ t: 'event', to: {}, event: of }) as unknown as LogItem;
const deleted = (message_id: number, stream_id?: number) => event({ type: 'delete_message', message_id, stream_id });
const moved = (message_ids: readonly number[], stream_id: number, new_stream_id: number) =>
  event({ type: 'update_message', message_ids, stream_id, new_stream_id });
const members = (over: object): LogItem =>
  ({ t: 'members', stream: STREAM, mv: 2, last: 0, join: [], leave: [], ...over }) as LogItem;

function world() {
  const room = { usedEntries: 0 };
  const newest = new RealmNewestMessageCache(room);
  let version = 0;
  let asked = 0;
  const log = (...items: LogItem[]): void => {
    const group = { v: ++version, p: 0, items };
    newest.onLogEntry(version, { actor: ACTOR, groups: [group] }, [group]);
  };
  /** The contents of the Store. */
  const stored: { id: number; streams: (number | null)[] } = { id: 10, streams: [STREAM, 0] };
  const ask = (): Promise<NewestMessageTrackingState> => {
    asked++;
    return Promise.resolve({ ...stored });
  };
  const load = () => newest.loadNewestMessageId(ME, ask);
  return { newest, room, log, stored, load, asked: () => asked };
}

t.test('the newest message is asked for once, then follows the log', async (t) => {
  const { newest, log, load } = world();
  t.equal(newest.findCachedNewestMessageId(ME), undefined);
  t.equal(await load(), 10);
  t.equal(newest.findCachedNewestMessageId(ME), 10);
  log(said(11));
  t.equal(newest.findCachedNewestMessageId(ME), 11);
  log(said(12, OTHER));
  t.equal(newest.findCachedNewestMessageId(ME), 11, 'a stream that he is not in');
  log(told(13, [8, 9]), told(14, [9, 10]));
  t.equal(newest.findCachedNewestMessageId(ME), 13, 'his direct messages, not those of others');
});

t.test('a new subscriber counts new messages, and a user who leaves keeps the old ones', async (t) => {
  const { newest, log, load, stored } = world();
  stored.streams = [];
  await load();
  log(said(11));
  log(members({ join: [8], last: 11 }));
  t.equal(newest.findCachedNewestMessageId(ME), 10, 'what was there before is not his');
  log(said(12));
  log(members({ leave: [8], last: 12, mv: 3 }), said(13));
  t.equal(newest.findCachedNewestMessageId(ME), 12);
  log(members({ join: [8], last: 13, mv: 4, silent: [8] }), said(14));
  t.equal(newest.findCachedNewestMessageId(ME), 12, 'a bot that is called instead has no copies');
  log(members({ join: [8], last: 14, after: 12, mv: 5 }));
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'with copies of what came before: how far they go is asked');
});

t.test('deleting or moving the newest message makes it unknown', async (t) => {
  for (const gone of [deleted(11, STREAM), moved([5, 11], STREAM, OTHER)]) {
    const { newest, log, load, stored, room } = world();
    await load();
    log(said(11), gone);
    t.equal(newest.findCachedNewestMessageId(ME), undefined);
    t.equal(room.usedEntries, 0, 'and nothing of it is kept');
    stored.id = 9;
    t.equal(await load(), 9);
    t.equal(newest.findCachedNewestMessageId(ME), 9);
  }
  const { newest, log, load } = world();
  await load();
  log(said(11), deleted(10, STREAM));
  t.equal(newest.findCachedNewestMessageId(ME), 11, 'an older one does not matter');
  log(told(12, [8]));
  t.equal(newest.findCachedNewestMessageId(ME), 12);
  log(deleted(12));
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'nor does it matter where it was');
});

t.test('the newest message is asked for again if it is older than the first look, or moved in', async (t) => {
  const { newest, log, load } = world();
  await load();
  log(said(11), said(12), deleted(12, STREAM));
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'whether 11 is still there is not known here');
  await load();
  log(moved([7], OTHER, STREAM));
  t.equal(newest.findCachedNewestMessageId(ME), undefined);
});

t.test('during a move between streams no value is kept', async (t) => {
  const { newest, log, load, asked } = world();
  await load();
  log(moved([7], OTHER, STREAM), { t: 'carrying', from: OTHER, to: STREAM, done: false });
  t.equal(newest.findCachedNewestMessageId(ME), undefined);
  await load();
  t.equal(newest.findCachedNewestMessageId(ME), undefined);
  log({ t: 'carrying', from: OTHER, to: STREAM, done: true });
  await load();
  t.equal(newest.findCachedNewestMessageId(ME), 10);
  log({ t: 'carrying', from: OTHER, to: STREAM, done: true });
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'the end of one that began before anybody looked');
  await load();
  t.equal(newest.findCachedNewestMessageId(ME), 10);
  t.equal(asked(), 4);
});

t.test('an id given to the user counts from then on, though the log does not show it yet', async (t) => {
  const { newest, log, load, stored } = world();
  await load();
  newest.expectLogChange(ME, ACTOR, 2);
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'he sent 11 and deleted it again');
  t.equal(await load(), 10);
  log(said(11));
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'the log still says that it is there');
  log(deleted(11, STREAM));
  t.equal(await load(), 10);
  t.equal(newest.findCachedNewestMessageId(ME), 10);
  newest.expectLogChange(ME, ACTOR, 3);
  newest.expectLogChange(toUserId(9), ACTOR, 4);
  stored.id = 20;
  log(said(20));
  t.equal(newest.findCachedNewestMessageId(ME), 20, 'others may still wait');
});

t.test('log entries during the request are applied to its answer', async (t) => {
  const { newest, log, stored } = world();
  const slowly = async (meanwhile: () => void): Promise<number> => {
    let answer: (known: NewestMessageTrackingState) => void = () => {};
    const loading = newest.loadNewestMessageId(
      ME,
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const before = { ...stored };
    meanwhile();
    answer(before);
    return loading;
  };
  t.equal(await slowly(() => log(said(11), told(12, [8]))), 12);
  t.equal(newest.findCachedNewestMessageId(ME), 12);
  newest.forgetAllUsers();
  t.equal(await slowly(() => log(deleted(10, STREAM))), 10, 'it was there when he asked');
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'but is not kept');
  await slowly(() => log(members({ leave: [8] })));
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'whether the answer has seen him leave is not known');
  await slowly(() => newest.expectLogChange(ME, ACTOR, 99));
  t.equal(newest.findCachedNewestMessageId(ME), undefined);
  newest.onLogGap();
  await slowly(() => newest.onLogGap());
  t.equal(newest.findCachedNewestMessageId(ME), undefined, 'something was lost');
  await slowly(() => {});
  t.equal(newest.findCachedNewestMessageId(ME), 10);
});

t.test('a failed request leaves nothing behind', async (t) => {
  const { newest, room, load } = world();
  await t.rejects(newest.loadNewestMessageId(ME, () => Promise.reject(new Error('away'))));
  t.equal(newest.findCachedNewestMessageId(ME), undefined);
  t.equal(room.usedEntries, 0);
  await load();
  t.ok(room.usedEntries > 0);
  newest.forgetAllUsers();
  t.equal(room.usedEntries, 0);
});
