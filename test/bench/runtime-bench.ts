/**
 * Throughput of the actor runtime without HTTP: commands per second through client, local bus, host and Store, for one
 * actor and for a hundred. `node dist/test/bench/runtime-bench.js [SECONDS]`; Node's `--cpu-prof` writes a CPU profile.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#base';
import { REAL_CLOCK as clock } from '#base/clock';
import { type ActorKey, streamActorKey, toRealmId, toStreamId } from '#model';
import type { DirectoryView } from '#model/records';
import { LocalBus, LocalBusHub } from '#ports/bus';
import { type EventLog, LmdbEventLog } from '#ports/log';
import { SingleHostPlacement } from '#ports/placement';
import { LmdbStore, openLmdbEnvironment, type Store } from '#ports/store';
import { ActorClient, ActorHost, type ActorKindDefinition } from '#runtime';
import { MemoryLog } from '../support/memory-log.js';
import { MemoryStore } from '../support/memory-store.js';

interface CounterState extends JsonObject {
  readonly n: number;
}

/** Actor kind whose only command writes a root document, a part and an event, like a message to a stream. */
const counter: ActorKindDefinition<CounterState> = {
  name: 'stream',
  commands: {
    add: {
      creates: true,
      handle: ({ state }, { by }: { by: number } & JsonObject) => ({
        reply: { value: state.n + by },
        state: { n: state.n + by },
        parts: { [`p/${state.n % 100}`]: { n: state.n } },
        events: [{ t: 'event', to: { users: [1] }, event: { type: 'count', n: state.n, text: 'hello' } }],
      }),
    },
  },
  makeInitialState: () => ({ n: 0 }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: { status: 404, msg: '' } }),
  usesDirectory: false,
  loadedParts: [],
};

const logger = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error };
const REALM = toRealmId(1);

async function measure(name: string, store: Store, log: EventLog, actors: number, concurrency: number, ms: number) {
  const hub = new LocalBusHub();
  const bus = new LocalBus(clock, hub);
  const placement = new SingleHostPlacement(store);
  const directory = {
    waitUntilReady: () => undefined,
    currentView: () => undefined as unknown as DirectoryView,
    findOpenReplicaView: () => undefined,
  };
  const services = {};
  const options = { clock, store, log, bus, placement, directory, services, logger, kinds: { stream: counter } };
  const host = new ActorHost(options);
  await host.start();
  const frontend = new LocalBus(clock, hub);
  const client = new ActorClient(frontend, clock);
  const keys = Array.from({ length: actors }, (_, i): ActorKey => streamActorKey(REALM, toStreamId(i + 1)));
  let done = 0;
  let end = performance.now() + ms / 4;
  const worker = async (first: number): Promise<void> => {
    for (let i = first; performance.now() < end; i += concurrency) {
      await client.send(keys[i % actors]!, 'add', { by: 1 }).reply;
      done++;
    }
  };
  const all = (): Promise<unknown> => Promise.all(Array.from({ length: concurrency }, (_, i) => worker(i)));
  await all();
  done = 0;
  const begun = performance.now();
  const cpu = process.cpuUsage();
  end = begun + ms;
  await all();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const rate = Math.round(done / seconds);
  const each = ((user + system) / done).toFixed(1);
  console.log(`${name}\t${actors} actors\tconcurrency ${concurrency}\t${rate}/s\t${each} us CPU each`);
  await host.stop();
  await frontend.close();
  await bus.close();
}

const ms = Number(process.argv[2] ?? 2) * 1000;
const limits = { maxAgeMs: 60_000, maxBytes: 64 * 1024 * 1024 };
for (const actors of [1, 100]) {
  for (const concurrency of [1, 64, 256]) {
    const log = new MemoryLog({ limits: { ...limits, maxBytes: 1_000_000 } });
    await measure('memory', new MemoryStore({ atomicRecords: true }), log, actors, concurrency, ms);
  }
}
for (const actors of [1, 100]) {
  for (const concurrency of [1, 64, 256]) {
    const directory = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
    const embedded = await openLmdbEnvironment(directory);
    const log = await LmdbEventLog.open(embedded, clock, limits);
    await measure('lmdb', new LmdbStore(embedded, clock), log, actors, concurrency, ms);
    await log.close();
    await embedded.close();
    await rm(directory, { recursive: true });
  }
}
process.exit(0);
