/** Effects of a report that are too costly for the API suite: large organizations, and the actor's parts. */
import t from 'tap';
import { presenceActorKey, toRealmId } from '#model';
import type { ActorView, CommandContext } from '#runtime';
import { applyPresenceSettingHandler, reportPresenceHandler } from '../../../actors/presence/commands.js';
import { PresenceMemory } from '../../../actors/presence/presences.js';
import type { PresenceActorState } from '../../../actors/presence/state.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const NOW = 1_700_000_000_000;

function actor(people: number, more: Parameters<typeof directoryWith>[0] = {}) {
  const users = Array.from({ length: people }, (_, i) => person(i + 8));
  const directory = directoryWith({ users, ...more });
  const volatile = new PresenceMemory(new Map());
  volatile.activationId = 'this one';
  let state: PresenceActorState = { phase: 'open', made: false };
  const context = (caller: number, now: number): CommandContext => ({
    key: presenceActorKey(toRealmId(1)),
    realm: toRealmId(1),
    now,
    caller,
    client: '',
    version: 1,
    directory,
    findPendingCommands: () => [],
  });
  const view = (): ActorView<PresenceActorState, PresenceMemory> => ({ state, parts: new Map(), volatile });
  const does = (caller: number, now = NOW, status: 'active' | 'idle' = 'active') => {
    const args = { status, pingOnly: true, known: null };
    const outcome = reportPresenceHandler.handle(view(), args, undefined, context(caller, now));
    state = outcome.state ?? state;
    return outcome;
  };
  const turns = (caller: number, on: boolean, at: number) =>
    applyPresenceSettingHandler.handle(view(), { on, at }, undefined, context(caller, at));
  return { directory, volatile, does, turns };
}

t.test('reports are published among up to a hundred active accounts', async (t) => {
  t.equal(actor(100).does(8).transient?.length, 1);
  t.equal(actor(101).does(8).transient, undefined);
  const { directory, does } = actor(101);
  directory.applyChange({ user: person(108, { isActive: false }) });
  t.equal(does(8).transient?.length, 1, 'of 101 accounts, one is deactivated');
  directory.applyChange({ user: person(109, { botType: 1 }) });
  t.equal(does(9).transient, undefined, 'bots are accounts, too');
});

t.test('only the first report of all is written at once', async (t) => {
  const { does, volatile } = actor(3);
  const first = does(8);
  t.same(first.parts, { 'seen/0': [[8, NOW, NOW]] });
  t.notOk(volatile.hasUnsavedChanges);
  for (const [i, caller] of [9, 10, 8].entries()) {
    const { state, parts } = does(caller, NOW + 60_000 * (i + 1), 'idle');
    t.same([state, parts], [undefined, undefined]);
  }
  t.same(volatile.takeUnsavedParts(), {
    'seen/0': [
      [8, NOW, NOW + 180_000],
      [9, 0, NOW + 60_000],
      [10, 0, NOW + 120_000],
    ],
  });
});

t.test('presences from a time when the clock was ahead are corrected with the clock', async (t) => {
  const [ahead, before] = [NOW + 86_400_000, NOW - 60_000];
  const stored = [
    [8, ahead, ahead],
    [9, 0, ahead],
    [10, before, before],
  ];
  const volatile = new PresenceMemory(new Map([['seen/0', stored]]));
  volatile.correctTimesAfter(NOW);
  t.same(
    [8, 9, 10].map((user) => volatile.presenceTimesOf(user)),
    [
      { active: NOW, connected: NOW },
      { active: null, connected: NOW },
      { active: before, connected: before },
    ],
  );
  t.ok(volatile.hasUnsavedChanges);
  const running = actor(2);
  running.does(8, ahead);
  running.does(8, NOW);
  t.same(running.volatile.presenceTimesOf(8), { active: NOW, connected: NOW }, 'also while the actor is in memory');
});

t.test('a late change of the setting reverts nothing', async (t) => {
  const { does, turns, volatile } = actor(2);
  does(8, NOW + 60_000);
  turns(8, true, NOW);
  t.same(volatile.presenceTimesOf(8), { active: NOW + 60_000, connected: NOW + 60_000 });
  t.same(turns(8, false, NOW + 61_000).parts, { 'seen/0': null }, 'the last of a part takes it away');
  t.equal(volatile.presenceTimesOf(8), undefined);
});

t.test('a user hidden by setting is not stored', async (t) => {
  const personal = { user: person(8).id, settings: { presence_enabled: false }, alertWords: [], muted: [] };
  const { does, volatile } = actor(2, { personals: [personal] });
  t.equal(does(8).transient, undefined);
  t.equal(volatile.presenceTimesOf(8), undefined);
});

t.test('a report that arrives after the deactivation of its account is not stored', async (t) => {
  const { directory, does, turns, volatile } = actor(2);
  does(8);
  directory.applyChange({ user: person(8, { isActive: false }) });
  turns(8, false, NOW + 1_000);
  t.equal(does(8, NOW + 2_000).transient, undefined);
  t.equal(volatile.presenceTimesOf(8), undefined);
});
