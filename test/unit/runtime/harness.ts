/** One host with everything in memory, for tests of the runtime. */

import type { Json, JsonObject, Logger } from '#base';
import { NoSuchRealmError } from '#directory';
import { type ActorKey, type Partition, partitionOfActor, type RealmId, toEpoch } from '#model';
import type { DirectoryView } from '#model/records';
import { LocalBus, LocalBusHub } from '#ports/bus';
import type { ActorRoot } from '#ports/store';
import { ActorClient, ActorHost, type AnyActorKindDefinition } from '#runtime';
import type { ActorServices } from '../../../actors/services.js';
import { type LedgerState, testKinds } from '../../cluster/kinds.js';
import { FakeClock, settle } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { MemoryStore } from '../../support/memory-store.js';

export class Harness {
  readonly clock = new FakeClock();
  readonly hub = new LocalBusHub();
  readonly store: MemoryStore;
  readonly log: MemoryLog;
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  readonly client: ActorClient;
  host: ActorHost;
  /** Value of the option for hosts that are made from now on. */
  holdsOutgoingWork = false;
  /** Directory of every organization, for kinds that need one. */
  directory: DirectoryView | undefined;
  /** Organizations whose directory can't be read, because they have no actor. */
  readonly realmsWithoutActor = new Set<RealmId>();
  #hosts = 0;
  #epoch = 0;

  constructor(
    private readonly kinds: Readonly<Record<string, AnyActorKindDefinition>> = testKinds,
    atomicRecords = true,
    private readonly services: (clock: FakeClock) => Partial<ActorServices> = () => ({}),
    joinsCommits = false,
  ) {
    this.log = new MemoryLog({ joinsCommits });
    this.store = new MemoryStore({ atomicRecords });
    this.client = new ActorClient(new LocalBus(this.clock, this.hub, 'client'), this.clock);
    this.host = this.newHost();
  }

  newHost(): ActorHost {
    const noteIn = (lines: string[]) => (_context: object, message: string) => void lines.push(message);
    const logger: Logger = {
      ...{ debug: () => {}, info: () => {} },
      ...{ warn: noteIn(this.warnings), error: noteIn(this.errors) },
    };
    const host = new ActorHost({
      clock: this.clock,
      store: this.store,
      log: this.log,
      bus: new LocalBus(this.clock, this.hub, `host${++this.#hosts}`),
      placement: { start: async () => undefined, mayAnswer: () => true, stop: async () => undefined },
      directory: {
        waitUntilReady: (realm) =>
          this.realmsWithoutActor.has(realm) ? Promise.reject(new NoSuchRealmError()) : undefined,
        currentView: () => this.directory as DirectoryView,
        findOpenReplicaView: () => undefined,
      },
      kinds: this.kinds,
      services: this.services(this.clock),
      holdsOutgoingWork: this.holdsOutgoingWork,
      logger,
    });
    this.host = host;
    return host;
  }

  /** Acquires the partitions of these actors, with a new epoch. */
  async take(...keys: ActorKey[]): Promise<void> {
    const at = toEpoch(++this.#epoch);
    const partitions = [...new Set(keys.map(partitionOfActor))];
    await this.host.take(partitions, new Map(partitions.map((p): [Partition, typeof at] => [p, at])));
  }

  async lose(reason: 'released' | 'lapsed', ...keys: ActorKey[]): Promise<void> {
    await this.host.lose([...new Set(keys.map(partitionOfActor))], reason);
  }

  /** The reply: its value, or `{ error }`. */
  async ask(to: ActorKey, name: string, args: JsonObject = {}): Promise<Json> {
    const reply = await this.client.send(to, name, args).reply;
    return 'value' in reply ? reply.value : (reply as unknown as Json);
  }

  /** Starts asking; `answer()` is undefined until there is one. */
  begin(to: ActorKey, name: string, args: JsonObject = {}): { answer: () => Json | undefined; done: Promise<Json> } {
    let value: Json | undefined;
    const done = this.ask(to, name, args);
    done.then(
      (v) => (value = v),
      () => (value = 'failed'),
    );
    return { answer: () => value, done };
  }

  /** A gate of the Store that is shut: `open` lets everything through that waits there, and from then on. */
  hold(step: string): { open: () => void; waiting: () => number } {
    let shut = true;
    const waiting: (() => void)[] = [];
    this.store.gate = (at) => {
      if (at === step && shut) return new Promise((resolve) => waiting.push(resolve));
    };
    return {
      open: () => {
        shut = false;
        for (const resolve of waiting) resolve();
      },
      waiting: () => waiting.length,
    };
  }

  /** Committed state of a ledger. */
  state(key: ActorKey): LedgerState {
    return this.store.contents.roots.get(key)?.state as unknown as LedgerState;
  }

  root(key: ActorKey): ActorRoot | undefined {
    return this.store.contents.roots.get(key);
  }
}

export { settle };
