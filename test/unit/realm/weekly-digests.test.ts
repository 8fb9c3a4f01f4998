import t from 'tap';
import type { JsonObject } from '#base';
import { digestTimeOfDay } from '#domain/notifications';
import { DEFAULT_REALM_SETTINGS, realmActorKey, toRealmId } from '#model';
import type { DirectoryUser } from '#model/records';
import { runDueRealmTasksHandler } from '../../../actors/realm/commands/due.js';
import { findChangedDigestSchedule } from '../../../actors/realm/commands/organization/weekly-digest.js';
import { realmActorKind } from '../../../actors/realm/kind.js';
import { encodeDirectoryRecord, type RealmActorState } from '../../../actors/realm/state.js';
import { RealmMemoryState } from '../../../actors/realm/volatile.js';
import { planDigestHandler } from '../../../actors/user/commands/digest/plan.js';
import { person } from '../../support/person.js';

const DAY_MS = 86_400_000;
const MONDAY = Date.UTC(2026, 0, 5);
const REALM = toRealmId(4);
const KEY = realmActorKey(REALM);
const ORIGIN = 'https://chat.example.com';
const ON = { ...DEFAULT_REALM_SETTINGS, digest_emails_enabled: true, digest_weekday: 0 };
const INITIAL: RealmActorState = { ...realmActorKind.makeInitialState(KEY), settings: ON, directoryVersion: 9 };

/** A user whose settings refuse digests. */
const WANTS_NONE = person(5);

/** Lets the realm's timer fire at its times until a moment. @returns the digests that were planned, by commit */
function runTimer(users: readonly DirectoryUser[], from: RealmActorState, first: number, end: number) {
  const parts = new Map(users.map((user) => [`user/${user.id}`, encodeDirectoryRecord(user)]));
  parts.set(`personal/${WANTS_NONE.id}`, {
    user: WANTS_NONE.id,
    settings: { enable_digest_emails: false },
    alertWords: [],
    muted: [],
  });
  let state = from;
  const commits: { readonly now: number; readonly args: { to: string; at: number; after: number | undefined }[] }[] =
    [];
  let now = first;
  for (;;) {
    const outcome = runDueRealmTasksHandler.handle(
      { state, parts, volatile: new RealmMemoryState(state, parts) },
      {},
      undefined,
      {
        key: KEY,
        realm: REALM,
        now,
        caller: 0,
        client: 'test',
        version: 10,
        findPendingCommands: () => [],
        directory: undefined as never,
      },
    );
    state = outcome.state ?? state;
    const args = (outcome.commands ?? []).flat().map((command) => ({
      to: String(command.to),
      at: Number(command.args.at),
      after: command.after,
    }));
    commits.push({ now, args });
    const { due } = outcome;
    if (due === null || due === undefined || due > end) return { commits, state, due };
    now = Math.max(now, due);
  }
}

const scheduled = (plannedUntil: number): RealmActorState => ({
  ...INITIAL,
  weeklyDigest: { origin: ORIGIN, plannedUntil },
});
const atOf = (user: DirectoryUser): number => MONDAY + digestTimeOfDay(REALM, user.id);

t.test('each user is planned once on the digest day, within a wave of the own time', async (t) => {
  const users = Array.from({ length: 300 }, (_, i) => person(i + 10));
  const { commits, due } = runTimer(users, scheduled(MONDAY - DAY_MS), MONDAY, MONDAY + DAY_MS);
  const planned = commits.flatMap(({ now, args }) => args.map((one) => ({ ...one, now })));
  t.equal(planned.length, users.length);
  t.equal(new Set(planned.map(({ to }) => to)).size, users.length);
  t.same(planned.map(({ at }) => at).sort(), users.map(atOf).sort());
  for (const { at, now, after } of planned) {
    t.ok(at >= now && at < now + 15 * 60_000);
    t.equal(after, 9);
  }
  t.equal(due, MONDAY + 7 * DAY_MS);
});

t.test('bots, deactivated accounts and those who want none are not planned', async (t) => {
  const users = [person(10), person(11, { botType: 1 }), person(12, { isActive: false }), WANTS_NONE];
  const { commits } = runTimer(users, scheduled(MONDAY), MONDAY + DAY_MS - 1, MONDAY + DAY_MS);
  t.same(
    commits.flatMap(({ args }) => args.map(({ at }) => at)),
    [atOf(users[0]!)],
  );
  const deactivated = { ...scheduled(MONDAY), phase: 'deactivated' };
  t.same(runTimer(users, deactivated, MONDAY + DAY_MS - 1, MONDAY + DAY_MS).commits[0]!.args, []);
});

t.test('after a pause one commit plans at most 500 users, and the next follows at once', async (t) => {
  const users = Array.from({ length: 1_200 }, (_, i) => person(i + 10));
  const late = MONDAY + DAY_MS - 1;
  const { commits } = runTimer(users, scheduled(MONDAY), late, late);
  t.same(
    commits.map(({ now, args }) => [now, args.length]),
    [
      [late, 500],
      [late, 500],
      [late, 200],
    ],
  );
  t.equal(new Set(commits.flatMap(({ args }) => args.map(({ to }) => to))).size, users.length);
});

t.test('the schedule begins when digests are turned on or get another day, and not again', async (t) => {
  const off = { ...INITIAL, settings: DEFAULT_REALM_SETTINGS };
  const begun = { origin: ORIGIN, plannedUntil: 5 };
  t.same(findChangedDigestSchedule(off, ON, ORIGIN, 5), begun);
  t.equal(findChangedDigestSchedule(off, ON, undefined, 5), undefined, 'without an address there are no links');
  t.equal(findChangedDigestSchedule(off, DEFAULT_REALM_SETTINGS, ORIGIN, 5), undefined);
  const on = scheduled(3);
  t.equal(findChangedDigestSchedule(on, ON, ORIGIN, 5), undefined);
  t.same(findChangedDigestSchedule(on, { ...ON, digest_weekday: 2 }, ORIGIN, 5), begun);
  t.same(findChangedDigestSchedule({ ...on, settings: DEFAULT_REALM_SETTINGS }, ON, undefined, 5), begun);
  t.same(findChangedDigestSchedule(on, ON, 'https://other.example.com', 5), {
    origin: 'https://other.example.com',
    plannedUntil: 3,
  });
});

t.test('the timer does not fire for digests that are off', async (t) => {
  const { due } = runTimer([], { ...scheduled(MONDAY), settings: DEFAULT_REALM_SETTINGS }, MONDAY, MONDAY);
  t.equal(due, null);
});

t.test('digests that were planned while the clock was ahead end no digests once it is right', async (t) => {
  const users = [person(10), person(11)];
  const { commits, due } = runTimer(users, scheduled(MONDAY + 365 * DAY_MS), MONDAY, MONDAY + DAY_MS);
  const planned = commits.flatMap(({ args }) => args.map(({ at }) => at));
  t.same(planned.sort(), users.map(atOf).sort());
  t.equal(due, MONDAY + 7 * DAY_MS);
});

t.test('a digest of a user from a time when the clock was ahead ends no digests once it is right', async (t) => {
  const ahead = MONDAY + 365 * DAY_MS;
  const args = { at: MONDAY + 60_000, inactiveSince: MONDAY - 5 * DAY_MS, origin: ORIGIN };
  const plan = (record: JsonObject) => {
    const parts = new Map([['weekly-digest/state', record]]);
    return planDigestHandler.handle({ parts } as never, args, undefined, { now: MONDAY } as never);
  };
  const planned = { 'weekly-digest/state': { plan: { ...args, due: args.at } } };
  t.match(plan({ plan: { ...args, at: ahead, due: ahead } }).parts, planned);
  t.match(plan({ plan: null, lastMailed: { plannedAt: ahead, toldUntil: ahead } }).parts, planned);
  const recent = { plannedAt: MONDAY - DAY_MS, toldUntil: MONDAY - DAY_MS };
  t.equal(plan({ plan: null, lastMailed: recent }).parts, undefined, 'a digest of this week still counts');
});
