import t from 'tap';
import type { JsonObject } from '#base';
import { realmActorKey, toEpoch } from '#model';
import { makeOutboxCommand } from '#model/commands';
import { apiError } from '#model/errors';
import { StoreUnavailableError } from '#ports/store';
import {
  type ActorKindDefinition,
  type AnyActorKindDefinition,
  type DeferredRequest,
  START_SLEEPER_TIMERS_COMMAND,
} from '#runtime';
import { ids, type LedgerState, ledger, ledgerKey, REALM, testKinds } from '../../cluster/kinds.js';
import { anyCommand } from '../../support/any-command.js';
import { Gate } from '../../support/gate.js';
import { Harness, settle } from './harness.js';

const key = ledgerKey(1);
const other = ledgerKey(2);
const ops = (h: Harness, of = key): readonly string[] =>
  (h.root(of)?.state as { ops: string[] } | undefined)?.ops ?? [];

t.test('a command for an actor without root is answered by its kind, and creates nothing', async (t) => {
  const h = new Harness();
  await h.take(key);
  t.same(await h.ask(key, 'due'), ledger.makeMissingActorReply(key));
  t.equal(h.root(key), undefined);
});

t.test('a refusal changes nothing', async (t) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'a' });
  t.match(await h.ask(key, 'refuse'), { error: { status: 400 } });
  t.equal(h.root(key)?.version, 1);
  t.same(h.errors, []);
});

t.test(
  "a throwing handler stops only its actor, with a logged error; the actor's other commands are retried",
  async (t) => {
    const h = new Harness();
    await h.take(key, other);
    const boom = h.begin(key, 'boom');
    const add = h.begin(key, 'add', { op: 'a' });
    t.same(await h.ask(other, 'add', { op: 'b' }), { total: 1 });
    await h.clock.advanceAsync(2_000);
    t.same(add.answer(), { total: 1 });
    t.match(boom.answer(), { error: { status: 500 } }, 'the culprit fails for good when it throws again');
    t.same(h.errors, ['actor crashed', 'actor crashed']);
  },
);

t.test('an idle actor leaves memory with an empty outbox, and returns with its state', async (t) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'a' });
  await settle();
  t.equal(h.root(key)?.outbox.length, 1);
  await h.host.passivateIdleActors(0);
  t.equal(h.host.activeActorCount, 0);
  t.equal(h.root(key)?.outbox.length, 0);
  t.same(await h.ask(key, 'add', { op: 'b' }), { total: 2 });
});

t.test('a handed-over partition has no work left, even for actors that wait for each other', async (t) => {
  const h = new Harness();
  await h.take(key, other);
  const gate = h.hold('before:commit');
  const moves = [
    h.begin(key, 'move', { op: 'm', stages: [[2], [1]] }),
    h.begin(other, 'move', { op: 'n', stages: [[1]] }),
  ];
  await settle();
  const lost = h.lose('released', key, other);
  await settle();
  gate.open();
  await settle();
  await lost;
  t.same([ops(h).length, ops(h, other).length], [3, 2]);
  t.same([h.root(key)?.outbox, h.root(other)?.outbox], [[], []]);
  t.ok(moves.every((m) => m.answer() !== undefined));
  t.equal(h.host.activeActorCount, 0);
});

t.test('an actor being handed over answers requests of the actors that it waits for', async (t) => {
  const realm = realmActorKey(REALM);
  const joining: ActorKindDefinition<{ reserved: number }, { last: number }> = {
    ...ids,
    commands: {
      ...ids.commands,
      join: {
        creates: true,
        handle: ({ state }) => ({
          reply: { value: 'joined' },
          state,
          commands: [[makeOutboxCommand({ to: other, name: anyCommand('credit'), args: { op: 'joined' }, caller: 0 })]],
          replyAfterCommands: true,
        }),
      },
    },
  };
  const h = new Harness({ ...testKinds, realm: joining as unknown as AnyActorKindDefinition });
  await h.take(realm, other);
  const gate = h.hold('before:commit');
  const join = h.begin(realm, 'join');
  await settle();
  let over = false;
  void h.lose('released', realm).then(() => (over = true));
  await settle();
  const posts = [h.begin(other, 'post', { op: 'a' }), h.begin(other, 'post', { op: 'b' })];
  gate.open();
  await settle();
  t.ok(over, 'without waiting for its time to be over');
  t.equal(join.answer(), 'joined');
  t.same(
    posts.map((post) => post.answer()),
    [{ id: 1 }, { id: 2 }],
  );
  t.same(ops(h, other), ['a', 'b', 'joined']);
});

t.test('handing over ends in time when a target is away; the next owner continues', async (t) => {
  const h = new Harness();
  await h.take(key);
  h.begin(key, 'move', { op: 'm', stages: [[2]] });
  await settle();
  let over = false;
  void h.lose('released', key).then(() => (over = true));
  await h.clock.advanceAsync(15_000);
  t.ok(over);
  t.equal(h.root(key)?.outbox.length, 1);
  await h.take(key);
  await h.take(other);
  await h.clock.advanceAsync(2_000);
  t.same(ops(h, other), ['m.0.0']);
});

t.test('handing over ends when the actor is fenced meanwhile', async (t) => {
  const h = new Harness();
  await h.take(key);
  const gate = h.hold('before:commit');
  h.begin(key, 'add', { op: 'a' });
  await settle();
  const lost = h.lose('released', key);
  h.store.contents.roots.set(key, { key, epoch: 99 as never, version: 7, state: {}, outbox: [], due: null });
  gate.open();
  await lost;
  t.equal(h.host.activeActorCount, 0);
});

t.test('a partition lost while it is being acquired activates nothing', async (t) => {
  const h = new Harness();
  await h.take(key);
  h.store.gate = (step) => (step === 'after:commit' ? new Promise(() => {}) : undefined);
  h.begin(key, 'add', { op: 'a' });
  await settle();
  await h.lose('lapsed', key);
  const gate = h.hold('before:listActorsToWake');
  const taken = h.take(key);
  await settle();
  await h.lose('lapsed', key);
  gate.open();
  await taken;
  t.equal(h.host.activeActorCount, 0);
});

t.test('work left by an owner is done before the next owner answers', async (t) => {
  for (const atomic of [true, false]) {
    const h = new Harness(testKinds, atomic);
    await h.take(key);
    h.store.gate = (step) => (step === 'after:commit' ? new Promise(() => {}) : undefined);
    h.begin(key, 'add', { op: 'a' });
    await settle();
    h.store.gate = undefined;
    h.newHost();
    await h.take(key);
    await settle();
    t.ok(h.store.contents.parts.get(key)?.get('e/a'), 'record');
    t.equal(h.log.contents.entries(1 as never).length, 1, 'event');
  }
});

t.test('a root written beside the host gets its timer by a command, without being loaded', async (t) => {
  const h = new Harness();
  await h.take(key);
  await h.clock.advanceAsync(20_000);
  const state: LedgerState = { total: 0, ops: [], waiting: 'import' };
  const due = h.clock.now() + 60_000;
  h.store.contents.roots.set(key, { key, epoch: toEpoch(1), version: 1, state, outbox: [], due });
  await h.clock.advanceAsync(30_000);
  t.equal(await h.ask(key, START_SLEEPER_TIMERS_COMMAND), null);
  t.equal(h.host.activeActorCount, 0);
  t.same(ops(h), []);
  await h.clock.advanceAsync(30_000);
  t.same(ops(h), ['fired:import']);
  h.store.gate = (step) => {
    if (step === 'before:listActorsToWake') throw new StoreUnavailableError('away');
  };
  const again = h.begin(key, START_SLEEPER_TIMERS_COMMAND);
  await h.clock.advanceAsync(1_000);
  t.equal(again.answer(), undefined, 'tried again while the Store is away');
  h.store.gate = undefined;
  await h.clock.advanceAsync(20_000);
  t.equal(await again.done, null);
});

t.test('a timer whose command is refused comes again, whether its handler or its inputs refuse', async (t) => {
  for (const place of ['handler', 'inputs']) {
    let refusals = 2;
    const refuseTwice = (): void => {
      if (refusals-- > 0) throw apiError('NO_SUCH_USER');
    };
    const h = new Harness({
      stream: {
        ...queue,
        commands: {
          ...queue.commands,
          due: {
            inputs: async () => (place === 'inputs' ? refuseTwice() : undefined),
            handle: () => {
              if (place === 'handler') refuseTwice();
              return { reply: { value: null }, state: { n: 3 } };
            },
          },
        },
      },
    });
    await h.take(key);
    await h.ask(key, 'until', { at: h.clock.now() + 1_000 });
    await h.clock.advanceAsync(10_000);
    t.match(h.store.contents.roots.get(key), { state: { n: 2 } }, `${place}: refused twice`);
    await h.clock.advanceAsync(5_000);
    t.match(h.store.contents.roots.get(key), { state: { n: 3 }, due: null }, place);
  }
});

t.test('a commit in flight while its partition is acquired again leaves no work undone', async (t) => {
  for (const atomic of [true, false]) {
    const h = new Harness(testKinds, atomic);
    await h.take(key);
    const gate = h.hold('before:commit');
    const sent = h.client.send(key, 'add', { op: 'a' });
    await settle();
    sent.cancel();
    const reading = h.hold('before:loadRoot');
    const taken = h.take(key);
    await settle();
    gate.open();
    await settle();
    t.same(ops(h), ['a'], 'durable after the new tenure has looked for what is undone');
    reading.open();
    await taken;
    await settle();
    await h.host.passivateIdleActors(0);
    t.same(h.root(key)?.outbox, []);
    t.equal(h.log.contents.entries(1 as never).length, 1, 'event');
  }
});

t.test('a handler gets the commands that may not be carried out yet', async (t) => {
  const caused: AnyActorKindDefinition['commands'][string] = {
    read: true,
    creates: true,
    handle: (_view, _args, _inputs, { findPendingCommands }) => ({
      reply: { value: findPendingCommands(anyCommand('credit')).map(({ to }) => to) },
    }),
  };
  const h = new Harness({
    ...testKinds,
    stream: { ...ledger, commands: { ...ledger.commands, caused } } as AnyActorKindDefinition,
  });
  await h.take(key);
  t.same(await h.ask(key, 'caused'), []);
  const gate = h.hold('before:commit');
  h.begin(key, 'move', { op: 'a', stages: [[2]] });
  const before = h.begin(key, 'caused');
  await settle();
  gate.open();
  t.same(await before.done, [other], 'of a commit that is not durable yet');
  await settle();
  t.same(await h.ask(key, 'caused'), [other], 'of one that is: nobody owns the target');
  await h.take(other);
  await h.clock.advanceAsync(1_000);
  t.same(ops(h, other), ['a.0.0']);
  t.same(await h.ask(key, 'caused'), []);
});

/** An owner that is silent from now on; its commit becomes durable when `land` is called. */
function dying(h: Harness): { land: () => Promise<void> } {
  const landing: (() => void)[] = [];
  h.store.gate = (step) => {
    if (step === 'before:commit') return new Promise((resolve) => landing.push(resolve));
    return step === 'after:commit' ? new Promise(() => {}) : undefined;
  };
  const land = async (): Promise<void> => {
    for (const resolve of landing) resolve();
    await settle();
    h.store.gate = undefined;
  };
  return { land };
}

t.test('the last commit of a dying owner is carried out, though the owner could not acknowledge it', async (t) => {
  for (const atomic of [true, false]) {
    const h = new Harness(testKinds, atomic);
    await h.take(key, other);
    const { land } = dying(h);
    const sent = [h.client.send(key, 'add', { op: 'a' }), h.client.send(other, 'schedule', { op: 'b', after: 30_000 })];
    await settle();
    for (const one of sent) one.cancel();
    h.newHost();
    await h.take(key, other);
    await land();
    t.same([ops(h), ops(h, other)], [['a'], ['b']]);
    await h.clock.advanceAsync(31_000);
    t.ok(h.store.contents.parts.get(key)?.get('e/a'), 'record');
    t.same(ops(h, other), ['b', 'fired:b'], 'timer');
    t.equal(h.log.contents.entries(1 as never).length, 3, 'events');
  }
});

t.test('a timer fires once, also when its actor is not in memory or moves', async (t) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'schedule', { op: 's', after: 5_000 });
  await settle();
  await h.host.passivateIdleActors(0);
  await h.clock.advanceAsync(4_000);
  await h.lose('lapsed', key);
  await h.clock.advanceAsync(4_000);
  t.same(ops(h), ['s']);
  await h.take(key);
  await h.clock.advanceAsync(60_000);
  t.same(ops(h), ['s', 'fired:s']);
});

t.test('a timer that fires days late still runs its work, with one error in the log', async (t) => {
  const h = new Harness();
  await h.take(key, other);
  await h.ask(key, 'schedule', { op: 'a', after: 5_000 });
  await h.ask(other, 'schedule', { op: 'b', after: 5_000 });
  await settle();
  h.clock.leap(3 * 86_400_000);
  await h.clock.advanceAsync(1_000);
  t.same(
    [ops(h), ops(h, other)],
    [
      ['a', 'fired:a'],
      ['b', 'fired:b'],
    ],
  );
  t.match(h.errors, [/^work comes days late: /]);
  t.equal(h.errors.length, 1);
});

t.test('an actor that asks for a later time than its kind allows is woken in between', async (t) => {
  const h = new Harness({ ...testKinds, stream: { ...ledger, maxDueDelayMs: 1_000 } });
  await h.take(key);
  await h.ask(key, 'schedule', { op: 's', after: 5_000 });
  await h.clock.advanceAsync(999);
  t.same(ops(h), ['s']);
  await h.clock.advanceAsync(1);
  t.same(ops(h), ['s', 'fired:s']);
});

t.test('an exclusive command keeps its lane until its commands were carried out, also after a reload', async (t) => {
  const h = new Harness();
  await h.take(key);
  h.begin(key, 'hold', { op: 'h1', stages: [[2]] });
  const second = h.begin(key, 'hold', { op: 'h2', stages: [[2]] });
  await settle();
  await h.ask(key, 'add', { op: 'a' });
  t.same(ops(h), ['h1', 'a'], 'other lanes go on');
  await h.lose('lapsed', key);
  await h.take(key);
  await h.clock.advanceAsync(1_000);
  t.same(ops(h), ['h1', 'a']);
  await h.take(other);
  await h.clock.advanceAsync(2_000);
  t.same(second.answer(), { total: 3 });
});

interface QueueState extends JsonObject {
  readonly n: number;
}
const stops: string[] = [];
let parked: DeferredRequest | undefined;
const queue: ActorKindDefinition<QueueState> = {
  name: 'stream',
  commands: {
    open: { creates: true, handle: () => ({ reply: { value: 'open' }, state: { n: 1 } }) },
    until: { creates: true, handle: (_, { at }) => ({ reply: { value: at }, state: { n: 2 }, due: at as number }) },
    due: { handle: () => ({ reply: { value: null }, end: true }) },
    flush: { handle: () => ({ reply: { value: null }, state: { n: 2 } }) },
    close: {
      handle: () => ({
        reply: { value: 'closed' },
        end: true,
        events: [{ t: 'event', to: {}, event: { op: 'closed' } }],
      }),
    },
  },
  makeInitialState: () => ({ n: 0 }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: { status: 404, msg: 'no queue' } }),
  usesDirectory: false,
  loadedParts: [],
  sidecarCommands: ['poll'],
  sidecar: (handle) => ({
    flush: async () => {
      if (handle.state().n === 1) await handle.sendSelf(anyCommand('flush'), {});
    },
    handleCommand: (_name, _args, request) => {
      parked = request;
    },
    onCommitted: () => {},
    onActivationStopped: (reason) => {
      stops.push(reason);
      parked?.reply({ error: { status: 503, msg: 'stopped' } });
    },
    isIdle: () => parked === undefined,
  }),
};

t.test('a sidecar holds polls, which keep its actor in memory and are handed back when it stops', async (t) => {
  const h = new Harness({ stream: queue });
  await h.take(key);
  t.match(await h.ask(key, 'poll'), { error: { status: 404 } });
  await h.ask(key, 'open');
  const poll = h.begin(key, 'poll');
  await settle();
  await h.host.passivateIdleActors(0);
  t.equal(h.host.activeActorCount, 1);
  await h.lose('lapsed', key);
  t.match(await poll.done, { error: { status: 503 } });
  t.same(stops, ['lapsed']);
  parked = undefined;
});

t.test('a sidecar writes its volatile state before its actor is handed over', async (t) => {
  const h = new Harness({ stream: queue });
  await h.take(key);
  await h.ask(key, 'open');
  await h.lose('released', key);
  t.match(h.root(key)?.state, { n: 2 });
  t.equal(h.host.activeActorCount, 0);
});

t.test('an ended actor is removed when its last events are in the log', async (t) => {
  const h = new Harness({ stream: queue });
  await h.take(key);
  await h.ask(key, 'open');
  const gate = new Gate();
  h.log.gate = (step) => (step === 'before:append' ? gate.opened : undefined);
  t.equal(await h.ask(key, 'close'), 'closed');
  await settle();
  t.ok(h.root(key), 'still there');
  gate.open();
  await settle();
  t.equal(h.root(key), undefined);
  t.equal(h.host.activeActorCount, 0);
  t.match(await h.ask(key, 'poll'), { error: { status: 404 } });
});

t.test('an actor that ends by a timer is not brought back by that timer', async (t) => {
  const h = new Harness({ stream: queue });
  await h.take(key);
  await h.ask(key, 'until', { at: h.clock.now() + 1_000 });
  await settle();
  await h.host.passivateIdleActors(0);
  const gate = h.hold('before:commit');
  await h.clock.advanceAsync(2_000);
  t.equal(gate.waiting(), 1, 'it was woken, and its end is being written');
  gate.open();
  await h.clock.advanceAsync(1_000);
  t.equal(h.root(key), undefined);
  t.equal(h.host.activeActorCount, 0);
});

t.test('an event too large for the log fails its command, and nothing else', async (t) => {
  const h = new Harness();
  await h.take(key);
  await h.ask(key, 'add', { op: 'a' });
  const [large, next] = [h.begin(key, 'add', { op: 'x'.repeat(1_100_000) }), h.begin(key, 'add', { op: 'b' })];
  await h.clock.advanceAsync(2_000);
  t.match(large.answer(), { error: { status: 413 } });
  t.same(next.answer(), { total: 2 }, 'what came behind it is handled by a fresh activation');
  t.same(ops(h), ['a', 'b']);
  // Characters of three bytes each.
  t.match(await h.ask(key, 'add', { op: '\u6f22'.repeat(350_000) }), { error: { status: 413 } });
  t.same(ops(h), ['a', 'b']);
});

t.test('a command that fails so leaves nothing in memory, and the activation stays', async (t) => {
  let made = 0;
  const noting: ActorKindDefinition<LedgerState, Set<string>> = {
    ...(ledger as unknown as ActorKindDefinition<LedgerState, Set<string>>),
    makeVolatile: () => {
      made++;
      return new Set();
    },
    takeBack: ({ volatile }, { state }) => void volatile.delete(state!.ops.at(-1)!),
    commands: {
      add: {
        creates: true,
        handle: ({ state, volatile }, { op }: { op: string }) => {
          volatile.add(op);
          return {
            reply: { value: [...volatile].map((one) => one.length) },
            state: { ...state, ops: [...state.ops, op] },
            events: [{ t: 'event', to: {}, event: { op } }],
          };
        },
      },
    },
  };
  for (const [kind, loads] of [
    [noting, 1],
    [{ ...noting, takeBack: undefined } as never, 2],
  ] as const) {
    made = 0;
    const h = new Harness({ ...testKinds, stream: kind });
    await h.take(key);
    await h.ask(key, 'add', { op: 'a' });
    const [large, next] = [h.begin(key, 'add', { op: 'x'.repeat(1_100_000) }), h.begin(key, 'add', { op: 'b' })];
    await h.clock.advanceAsync(2_000);
    t.match(large.answer(), { error: { status: 413 } });
    t.same(next.answer(), loads === 1 ? [1, 1] : [1]);
    t.same(ops(h), ['a', 'b']);
    t.equal(made, loads, loads === 1 ? 'loaded once' : 'without a way to take it back: anew');
  }
});

t.test('such a command of another actor is finished, and does not block its sender', async (t) => {
  const large: ActorKindDefinition<LedgerState> = {
    ...ledger,
    commands: {
      ...ledger.commands,
      credit: {
        creates: true,
        handle: () => ({
          reply: { value: null },
          events: [{ t: 'event', to: {}, event: { text: 'x'.repeat(1_100_000) } }],
        }),
      },
    },
  };
  const h = new Harness({ ...testKinds, stream: large });
  await h.take(key, other);
  await h.ask(other, 'add', { op: 'a' });
  const move = h.begin(key, 'move', { op: 'm', stages: [[2]] });
  await h.clock.advanceAsync(2_000);
  t.same(move.answer(), { total: 1 });
  t.same(await h.ask(other, 'add', { op: 'b' }), { total: 2 });
});
