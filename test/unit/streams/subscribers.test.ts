import t from 'tap';
import { EncodedJson, type Json, type JsonObject } from '#base';
import { toRealmId, toUserId, userActorKey } from '#model';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { RegistrationSnapshotInputs } from '../../../actors/event-queue/snapshot/inputs.js';
import { makeSubscriptionsSnapshotSection } from '../../../actors/event-queue/snapshot/stream-sections.js';
import {
  addSubscriptionsHandler,
  endSubscriptionsHandler,
  listSubscriptionsHandler,
} from '../../../actors/user/commands/streams/subscriptions.js';
import { doItemsFitIntoLog } from '../../../src/runtime/pack-entries.js';
import { person } from '../../support/person.js';

const stream = (id: number): DirectoryStream =>
  ({ id, name: `stream ${id}`, inviteOnly: false, historyPublic: true, archived: false, recipient: id }) as never;
const people = [person(10), person(11, { isActive: false }), person(12)];
const directory = {
  user: (id: number) => people.find((one) => one.id === id),
  recentMessageCountOf: () => 0,
  stream,
  streams: () => [stream(1), stream(2), stream(3)],
  streamsVersion: 1,
  preferencesOf: () => ({ settings: {} }),
  settings: {},
} as unknown as DirectoryView;
const own = (id: number, active: boolean): JsonObject => ({ stream: id, active, color: '#000000', muted: false });
const members = [10, 11, 12];
const key = userActorKey(toRealmId(1), toUserId(10));
const context = { key, directory, caller: 10, now: 0, realm: toRealmId(1) } as never;
/** Of a list as it is, or encoded. */
const lists = (shown: unknown): unknown[] => {
  const list = shown instanceof EncodedJson ? JSON.parse(Buffer.from(shown.toBytes()).toString()) : shown;
  return (list as JsonObject[]).map((one) => one.subscribers);
};

t.test('deactivated accounts are in no list of subscribers', async (t) => {
  const parts = new Map<string, Json>([['sub/1', own(1, true)]]);
  const subscribers = new Map([1, 2, 3].map((id) => [id, members]));
  const reply = listSubscriptionsHandler.handle(
    { parts } as never,
    { include_subscribers: true },
    subscribers,
    context,
  ).reply;
  const fields = `{"result":"success"${Buffer.concat((reply as unknown as { ok: Uint8Array[] }).ok)}}`;
  t.same(lists(JSON.parse(fields).subscriptions), [[10, 12]]);

  const sections = makeSubscriptionsSnapshotSection({
    user: people[0],
    directory,
    args: { options: { includeSubscribers: true, capabilities: { notification_settings_null: true } } },
    subscriptions: [own(1, true), own(2, false)],
    subscriberIdsByStream: subscribers,
  } as unknown as RegistrationSnapshotInputs);
  for (const name of ['subscriptions', 'unsubscribed', 'never_subscribed']) {
    t.same(lists(sections[name]), [[10, 12]], name);
  }
});

t.test('joining many large streams is published in several events, each of which fits into the log', async (t) => {
  const joined = [1, 2, 3].map((id) => ({ stream: stream(id), subscribers: Array(50_000).fill(12), color: null }));
  const args = { streams: joined } as never;
  const { events = [] } = addSubscriptionsHandler.handle(
    { parts: new Map() } as never,
    args,
    undefined as never,
    context,
  );
  const told = events.map((item) => {
    const { event } = item as unknown as { event: { type: string; subscriptions: { stream_id: number }[] } };
    return [event.type, ...event.subscriptions.map((one) => one.stream_id)];
  });
  t.same(told, [
    ['subscription', 1],
    ['subscription', 2],
    ['subscription', 3],
  ]);
});

t.test('joining and leaving thousands of streams is published in events that fit into the log', async (t) => {
  const ids = Array.from({ length: 3_000 }, (_, i) => i + 1);
  const described = (id: number) => ({ ...stream(id), description: 'd'.repeat(1_000) });
  const joined = ids.map((id) => ({ stream: described(id), subscribers: [10], color: null }));
  const joining = addSubscriptionsHandler.handle(
    { parts: new Map() } as never,
    { streams: joined } as never,
    undefined as never,
    context,
  );
  const left = ids.map((id) => ({ id, name: `${id} ${'n'.repeat(400)}` }));
  const parts = new Map(ids.map((id) => [`sub/${id}`, own(id, true)]));
  const leaving = endSubscriptionsHandler.handle({ parts } as never, { streams: left }, undefined as never, context);
  for (const { events = [] } of [joining, leaving]) {
    t.ok(doItemsFitIntoLog(events));
    const told = events.flatMap((item) => {
      const { event } = item as unknown as { event: { subscriptions: { stream_id: number }[] } };
      return event.subscriptions.map(({ stream_id }) => stream_id);
    });
    t.same(told, ids, 'each once, in order');
  }
});
