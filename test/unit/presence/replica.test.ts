/** Replicas of presences equal the actor's, after any missed update and in any order of answers. */
import fc from 'fast-check';
import t from 'tap';
import type { Json, JsonObject } from '#base';
import { PresenceReplica } from '#domain/presence';
import type { PresenceChangesCursor } from '#model/commands';
import { PresenceMemory } from '../../../actors/presence/presences.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const USERS = 600;
const NOW = 1_700_000_000_000;

interface Change {
  readonly user: number;
  /** null for a forgotten presence. */
  readonly at: number | null;
}

const changes = fc.array(
  fc.record({ user: fc.integer({ min: 8, max: 8 + USERS - 1 }), at: fc.option(fc.integer({ min: 1, max: NOW })) }),
  { maxLength: 60 },
);

function carryOut(presences: PresenceMemory, { user, at }: Change): void {
  if (at === null) presences.removePresenceTimes(user);
  else presences.setPresenceTimes(user, { active: at % 2 === 0 ? null : at, connected: at });
}

const named = (source: string, parts: ReadonlyMap<string, Json> = new Map()): PresenceMemory => {
  const presences = new PresenceMemory(parts);
  presences.activationId = source;
  return presences;
};

const everybody = Array.from({ length: USERS }, (_, i) => i + 8);
const contents = (of: { presenceTimesOf(user: number): unknown }) => everybody.map((user) => of.presenceTimesOf(user));
const directory = directoryWith({ users: everybody.map((id) => person(id)) });

t.test('after a request a replica equals the actor; parts restore the actor', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { maxLength: 8 }), fc.boolean(), async (rounds, restarts) => {
      let actor = named('first');
      const stored = new Map<string, Json>();
      const replica = new PresenceReplica(directory);
      for (const [i, round] of rounds.entries()) {
        for (const change of round) carryOut(actor, change);
        await replica.fetchAtLeastNow(async (known) => actor.listChangesSinceOrAll(known));
        t.same(contents(replica), contents(actor));
        for (const [part, value] of Object.entries(actor.takeUnsavedParts())) {
          if (value === null) stored.delete(part);
          else stored.set(part, value);
        }
        if (restarts) actor = named(`after ${i}`, stored);
      }
      t.same(contents(named('another', stored)), contents(actor));
    }),
    { numRuns: 60 },
  );
});

t.test('answers out of order do no harm', async () => {
  await fc.assert(
    fc.asyncProperty(
      changes,
      changes,
      changes,
      fc.constantFrom([0, 1, 2], [2, 1, 0], [1, 0, 2]),
      async (a, b, c, order) => {
        const actor = named('one');
        const replica = new PresenceReplica(directory);
        for (const change of a) carryOut(actor, change);
        await replica.fetchAtLeastNow(async (known) => actor.listChangesSinceOrAll(known));
        const answers: JsonObject[] = [];
        let known: PresenceChangesCursor | null = null;
        await replica.fetchAndMergeChanges(async (of) => {
          known = of;
          return actor.listChangesSinceOrAll(of);
        });
        for (const round of [b, c, []]) {
          for (const change of round) carryOut(actor, change);
          answers.push(actor.listChangesSinceOrAll(known));
        }
        for (const i of order) await replica.fetchAndMergeChanges(async () => answers[i]!);
        t.same(contents(replica), contents(actor));
      },
    ),
    { numRuns: 60 },
  );
});

t.test('a reader that missed too much gets the whole list', async (t) => {
  const actor = named('busy');
  actor.setPresenceTimes(8, { active: NOW, connected: NOW });
  const known = { source: 'busy', version: actor.version };
  for (let i = 0; i < 10_000; i++) actor.setPresenceTimes(9 + (i % 3), { active: NOW + i, connected: NOW + i });
  t.equal(actor.listChangesSinceOrAll(known).since, null);
  t.same(new Set(actor.listChangesSinceOrAll(known).seen.map(([user]) => user)), new Set([8, 9, 10, 11]));
  const recent = { source: 'busy', version: actor.version - 5 };
  t.match(actor.listChangesSinceOrAll(recent), { since: recent.version, seen: { length: 3 } });
  t.match(actor.listChangesSinceOrAll({ ...recent, source: 'an older one' }), { since: null });
  t.match(
    actor.listChangesSinceOrAll({ ...recent, version: actor.version + 1 }),
    { since: null },
    'a version that never was',
  );
});

t.test('a list is encoded once until it changes, and for many users at most once a second', async (t) => {
  const actor = named('one');
  const replica = new PresenceReplica(directory);
  const ask = async (known: PresenceChangesCursor | null) => actor.listChangesSinceOrAll(known);
  const see = (user: number, at = NOW) => actor.setPresenceTimes(user, { active: at, connected: at });
  see(8);
  await replica.fetchAtLeastNow(ask);
  const first = replica.getOrEncodeList('slim', NOW);
  t.equal(replica.getOrEncodeList('slim', NOW + 5_000), first, 'the same bytes');
  t.not(replica.getOrEncodeList('legacy', NOW), first);
  see(9);
  await replica.fetchAtLeastNow(ask);
  const second = replica.getOrEncodeList('slim', NOW + 5_000);
  t.not(second, first, 'of few people it is exact');
  for (const user of everybody) see(user);
  await replica.fetchAtLeastNow(ask);
  const many = replica.getOrEncodeList('slim', NOW + 10_000);
  see(8, NOW + 10_000);
  await replica.fetchAtLeastNow(ask);
  t.equal(replica.getOrEncodeList('slim', NOW + 10_900), many);
  t.not(replica.getOrEncodeList('slim', NOW + 11_000), many);
  directory.applyChange({ user: person(8, { isActive: false }) });
  const later = Buffer.from(replica.getOrEncodeList('slim', NOW + 20_000).toBytes()).toString();
  t.notOk(later.includes('"8"'), 'a deactivated account is not in it');
  const none = Buffer.from(replica.getOrEncodeList('slim', NOW + 15 * 86_400_000).toBytes()).toString();
  t.equal(none, '{}', 'nor is anybody after two weeks');
});
