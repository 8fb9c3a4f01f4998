import fc from 'fast-check';
import t from 'tap';
import type { EncodedJson } from '#base';
import type { DirectoryChange, RealmDirectory } from '#directory';
import {
  compareByName,
  EncodedStreams,
  encodeStream,
  encodeStreamList,
  estimateWeeklyStreamTraffic,
  mayAccessStream,
  maySeeStreamMetadata,
} from '#domain/streams';
import { toStreamId, toUserId } from '#model';
import type { DirectoryStream } from '#model/records';
import type { RegistrationSnapshotInputs } from '../../../actors/event-queue/snapshot/inputs.js';
import {
  makeStreamSnapshotSection,
  makeSubscriptionsSnapshotSection,
} from '../../../actors/event-queue/snapshot/stream-sections.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const DAY_MS = 86_400_000;
const CREATED_MS = 1_700_000_000_000;

const stream = (id: number, over: Partial<DirectoryStream> = {}): DirectoryStream => ({
  id: toStreamId(id),
  recipient: id,
  name: `stream ${id}`,
  description: '',
  renderedDescription: '',
  created: CREATED_MS / 1_000,
  creator: toUserId(8),
  inviteOnly: false,
  historyPublic: true,
  webPublic: false,
  postPolicy: 1,
  retentionDays: null,
  canRemoveGroup: 2,
  firstMessage: null,
  archived: false,
  isDefault: false,
  ...over,
});

const textOf = (list: unknown): string => Buffer.from((list as EncodedJson).toBytes()).toString();

t.test('a list that leaves streams out equals the list of the others, whatever is left out', async (t) => {
  const names = fc.array(fc.string(), { maxLength: 400 });
  fc.assert(
    fc.property(names, fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), (texts, shown) => {
      const all = texts.map((name, i) => stream(i, { name }));
      const isShown = ({ id }: DirectoryStream): boolean => shown[id % shown.length]!;
      const encoded = new EncodedStreams(all, (one) => encodeStream(one));
      return textOf(encoded.listWhere(isShown)) === textOf(encodeStreamList(all.filter(isShown)));
    }),
    { numRuns: 100 },
  );
  t.pass();
});

t.test('lists of streams share the bytes of the streams that all see', async (t) => {
  const all = Array.from({ length: 300 }, (_, id) => stream(id));
  const encoded = new EncodedStreams(all, (one) => encodeStream(one));
  const first = encoded.listWhere(({ id }) => id !== 5).parts;
  const second = encoded.listWhere(({ id }) => id !== 7).parts;
  const shared = second.filter((part) => first.includes(part)).map(({ byteLength }) => byteLength);
  t.ok(shared.filter((bytes) => bytes > 1_000).length >= 8, 'all chunks but the first');
});

const people = [person(8, { role: 200 }), person(9), person(10, { role: 600 })];
const IDS = [1, 2, 3, 4];
const change: fc.Arbitrary<DirectoryChange> = fc.oneof(
  fc
    .record({
      id: fc.constantFrom(...IDS),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      inviteOnly: fc.boolean(),
      webPublic: fc.boolean(),
      archived: fc.boolean(),
      age: fc.integer({ min: 0, max: 40 }),
    })
    .map(({ id, age, ...over }) => ({ stream: stream(id, { ...over, created: CREATED_MS / 1_000 - age * 86_400 }) })),
  fc.tuple(fc.constantFrom(...IDS), fc.nat(500)).map((count) => ({ traffic: [count] })),
  fc.constant({ user: person(9, { fullName: 'Other' }) }),
);

const inputsOf = (directory: RealmDirectory, user: number, own: number, nowMs: number): RegistrationSnapshotInputs =>
  ({
    user: directory.user(toUserId(user)),
    directory,
    args: { options: { includeSubscribers: false, capabilities: { notification_settings_null: true } } },
    nowMs,
    subscriptions: [{ stream: own, active: true, color: '', muted: false }],
    subscriberIdsByStream: new Map(),
  }) as unknown as RegistrationSnapshotInputs;

/** Encodes the lists stream by stream, without any cache. */
function plainLists({ user, directory, nowMs, subscriptions }: RegistrationSnapshotInputs): [string, string] {
  const live = [...directory.streams()].filter(({ archived }) => !archived).sort(compareByName);
  const own = subscriptions[0]!.stream;
  const never = live.filter((one) => one.id !== own && maySeeStreamMetadata(user, one, false));
  const traffic = (one: DirectoryStream) => ({
    stream_weekly_traffic: estimateWeeklyStreamTraffic(directory.recentMessageCountOf(one.id), one.created, nowMs),
  });
  const shown = live.filter((one) => user.role <= 200 || mayAccessStream(user, one, one.id === own));
  return [textOf(encodeStreamList(never, traffic)), textOf(encodeStreamList(shown))];
}

t.test(
  'the lists of a registration equal fresh ones after changes of streams and counts, and as time passes',
  async (t) => {
    const steps = fc.array(fc.tuple(change, fc.integer({ min: 0, max: 3 * DAY_MS })), { maxLength: 12 });
    fc.assert(
      fc.property(steps, (changes) => {
        const directory = directoryWith({ users: people, streams: IDS.map((id) => stream(id)) });
        let nowMs = CREATED_MS;
        for (const [of, passed] of changes) {
          nowMs += passed;
          directory.applyChange(of);
          for (const { id } of people) {
            const inputs = inputsOf(directory, id, 2, nowMs);
            const [never, shown] = plainLists(inputs);
            if (textOf(makeSubscriptionsSnapshotSection(inputs).never_subscribed) !== never) return false;
            if (textOf(makeStreamSnapshotSection(inputs).streams) !== shown) return false;
          }
        }
        return true;
      }),
      { numRuns: 200 },
    );
    t.pass();
  },
);
