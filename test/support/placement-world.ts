/**
 * Simulated cluster of hosts in one process, with keys in memory and one fake clock, and with the faults of hosts:
 * crash, freeze, lost network.
 */
import type { Clock, TimerHandle } from '#base/clock';
import type { Partition } from '#model';
import {
  ALL_PARTITIONS,
  askHostToDrain,
  askHostToServe,
  ClusterPlacement,
  type PartitionSharing,
} from '#ports/placement';
import { MemoryEpochs, RecordingOwner } from '../contract/placement.js';
import { FakeClock } from './fake-clock.js';
import { MemoryKv, MemoryKvServer } from './memory-kv.js';

/**
 * Clock of a simulated host. Timers that come due while the host is frozen fire when it thaws; those of a crashed host
 * never fire.
 */
class HostClock implements Clock {
  constructor(
    private readonly clock: FakeClock,
    private readonly untilThawed: () => Promise<void>,
    private readonly isFrozen: () => boolean,
  ) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  setTimeout(fn: () => void, ms: number): TimerHandle {
    const handle = { cancelled: false, inner: undefined as TimerHandle | undefined };
    handle.inner = this.clock.setTimeout(() => {
      const fire = (): void => {
        if (!handle.cancelled) fn();
      };
      if (this.isFrozen()) void this.untilThawed().then(fire);
      else fire();
    }, ms);
    return handle;
  }

  clearTimeout(handle: TimerHandle): void {
    const own = handle as { cancelled: boolean; inner: TimerHandle };
    own.cancelled = true;
    this.clock.clearTimeout(own.inner);
  }
}

export class SimulatedHost {
  readonly kv: MemoryKv;
  readonly owner: RecordingOwner;
  readonly store: MemoryEpochs;
  readonly placement: ClusterPlacement;
  readonly failures: unknown[] = [];
  /** Warnings logged for the operator. */
  readonly warnings: string[] = [];
  dead = false;
  /** Whether the host was stopped properly. */
  left = false;
  #frozen: Promise<void> | undefined;
  #thaw = (): void => {};

  constructor(
    readonly cluster: SimulatedCluster,
    readonly name: string,
    readonly sharing: PartitionSharing,
  ) {
    this.owner = new RecordingOwner((p, epoch) => this.dead || cluster.checkEpoch(p, epoch));
    this.kv = new MemoryKv(cluster.server);
    this.kv.beforeOperation = () => this.untilThawed();
    this.store = new MemoryEpochs(cluster.epochs);
    const clock = new HostClock(
      cluster.clock,
      () => this.untilThawed(),
      () => this.dead || this.#frozen !== undefined,
    );
    this.placement = new ClusterPlacement(this.kv, clock, this.store, {
      id: name,
      sharing,
      name: `machine/${name}`,
      version: '1',
      address: 'here',
      pingStore: () => this.untilThawed().then(() => this.store.ping()),
      onError: (error) => this.failures.push(error),
      logWarning: (_context, message) => this.warnings.push(message),
    });
  }

  get isAwake(): boolean {
    return !this.dead && this.#frozen === undefined;
  }

  /** Whether the host would answer requests for the partition now. */
  answers(p: Partition): boolean {
    return this.isAwake && this.placement.mayAnswer(p);
  }

  get answering(): Partition[] {
    return this.isAwake ? ALL_PARTITIONS.filter((p) => this.placement.mayAnswer(p)) : [];
  }

  start(): Promise<void> {
    return this.placement.start(this.owner);
  }

  async stop(): Promise<void> {
    await this.placement.stop();
    this.left = true;
  }

  /** Simulates kill -9. */
  crash(): void {
    this.dead = true;
    this.#frozen ??= new Promise(() => {});
  }

  /** Suspends the process without notice, as SIGSTOP does. */
  freeze(): void {
    this.#frozen ??= new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  thaw(): void {
    if (this.dead) return;
    this.#frozen = undefined;
    this.#thaw();
  }

  async untilThawed(): Promise<void> {
    while (this.#frozen) await this.#frozen;
  }
}

export class SimulatedCluster {
  readonly server = new MemoryKvServer();
  readonly epochs = new Map<Partition, number>();
  readonly clock = new FakeClock();
  hosts: SimulatedHost[] = [];
  /** Descriptions of violated placement rules. */
  readonly violations: string[] = [];
  #hostCount = 0;
  readonly #highest = new Map<Partition, number>();

  /** @param sharing partition-sharing rule of the host's version */
  host(sharing: PartitionSharing = 'even'): SimulatedHost {
    const host = new SimulatedHost(this, `h${++this.#hostCount}`, sharing);
    this.hosts.push(host);
    return host;
  }

  /** Connection of an operator's command line, which writes keys without being a host. */
  readonly operatorKv = new MemoryKv(this.server);

  async drain(host: SimulatedHost): Promise<void> {
    await askHostToDrain(this.operatorKv, host.name);
  }

  async undrain(host: SimulatedHost): Promise<void> {
    await askHostToServe(this.operatorKv, host.name);
  }

  async startHosts(n: number): Promise<SimulatedHost[]> {
    const hosts = Array.from({ length: n }, () => this.host());
    await Promise.all(hosts.map((host) => host.start()));
    await this.run(5_000);
    return hosts;
  }

  get living(): SimulatedHost[] {
    return this.hosts.filter(({ dead, left }) => !dead && !left);
  }

  /** Advances the clock in steps and checks the placement rules after each step. */
  async run(ms: number, step = 25): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      await this.clock.advanceAsync(Math.min(step, ms - passed));
      this.check();
    }
  }

  /**
   * Runs until the condition holds.
   * @returns simulated milliseconds that passed
   */
  async until(condition: () => boolean, withinMs = 20_000): Promise<number> {
    for (let ms = 0; ms <= withinMs; ms += 25) {
      if (condition()) return ms;
      await this.run(25);
    }
    throw new Error(`condition did not hold within ${withinMs} ms`);
  }

  /** Callback of a host that acquires a partition: epochs must grow. */
  checkEpoch(p: Partition, epoch: number): void {
    if (epoch <= (this.#highest.get(p) ?? 0)) this.violations.push(`partition ${p} was taken at epoch ${epoch} again`);
    this.#highest.set(p, epoch);
  }

  check(): void {
    // This runs 40 times per simulated second: only hosts that can answer are asked, and none if there is one.
    const awake = this.hosts.filter(({ isAwake }) => isAwake);
    if (awake.length < 2) return;
    for (const p of ALL_PARTITIONS) {
      let count = 0;
      for (const { placement } of awake) if (placement.mayAnswer(p)) count++;
      if (count < 2) continue;
      const names = awake.filter((host) => host.answers(p)).map(({ name }) => name);
      this.violations.push(`partition ${p}: ${names.join()} answer`);
    }
  }

  /** Name of the answering host by partition. */
  owners(): Map<Partition, string> {
    return new Map(ALL_PARTITIONS.flatMap((p) => this.hosts.filter((h) => h.answers(p)).map((h) => [p, h.name])));
  }

  /** Partitions that must move until each of these hosts has an even share and other hosts have none. */
  misplaced(hosts: readonly SimulatedHost[] = this.living): Partition[] {
    const owned = hosts.map(({ answering }) => answering);
    owned.sort((a, b) => b.length - a.length);
    const smaller = Math.floor(ALL_PARTITIONS.length / hosts.length);
    const largerCount = ALL_PARTITIONS.length % hosts.length;
    const kept = new Set(owned.flatMap((of, i) => of.slice(0, i < largerCount ? smaller + 1 : smaller)));
    return ALL_PARTITIONS.filter((p) => !kept.has(p));
  }

  settled(hosts?: readonly SimulatedHost[]): boolean {
    return this.misplaced(hosts).length === 0;
  }
}
