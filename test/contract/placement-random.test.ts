/** Random sequences of events: no two hosts ever answer for one partition, epochs grow, and the cluster settles. */
import t from 'tap';
import { SimulatedCluster, type SimulatedHost } from '../support/placement-world.js';
import { picked } from '../support/rounds.js';

const FIRST_SEED = Number(process.env.PLACEMENT_SEED ?? 1);
const ALL = Array.from({ length: Number(process.env.PLACEMENT_SEEDS ?? 25) }, (_, index) => FIRST_SEED + index);
/** Number of seeds that a short run picks. */
const PICKED = process.env.PLACEMENT_SEEDS === undefined ? 10 : ALL.length;
const SEEDS = picked(ALL, PICKED, (seed) => `placement ${seed}`);
const EVENTS = 40;
const MAX_HOSTS = 6;

class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
  }

  below(n: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * n);
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[this.below(from.length)];
  }
}

interface Scenario {
  readonly cluster: SimulatedCluster;
  readonly events: string[];
  readonly drained: Set<SimulatedHost>;
}

async function injectEvent({ cluster, events, drained }: Scenario, random: Random): Promise<void> {
  const { living } = cluster;
  const host = random.pick(living);
  const dice = random.below(100);
  const note = (what: string): void => void events.push(`${cluster.clock.monotonic()} ${what} ${host?.name ?? ''}`);
  if (!host || (dice < 15 && living.length < MAX_HOSTS)) {
    const newcomer = cluster.host();
    events.push(`${cluster.clock.monotonic()} join ${newcomer.name}`);
    void newcomer.start().catch(() => newcomer.crash());
  } else if (dice < 25) {
    note('leave');
    void host.stop();
  } else if (dice < 35) {
    note('crash');
    host.crash();
  } else if (dice < 45) {
    note('freeze');
    host.freeze();
  } else if (dice < 60) {
    note('thaw');
    for (const one of living) one.thaw();
  } else if (dice < 68) {
    note('cut');
    host.kv.cut = true;
  } else if (dice < 72) {
    note('lose replies');
    host.kv.losesReplies = true;
  } else if (dice < 80) {
    note('reconnect all to the keys');
    for (const one of living) restoreNetwork(one);
  } else if (dice < 84) {
    note('store fails');
    host.store.fail = true;
  } else if (dice < 90) {
    note('store works');
    for (const one of living) one.store.fail = false;
  } else if (dice < 94) {
    note('drain');
    drained.add(host);
    await cluster.drain(host);
  } else if (dice < 97) {
    note('undrain');
    drained.delete(host);
    await cluster.undrain(host);
  } else {
    note('cut all off from the keys');
    for (const one of living) one.kv.cut = true;
  }
}

function restoreNetwork(host: SimulatedHost): void {
  host.kv.cut = false;
  host.kv.losesReplies = false;
}

async function restoreAll({ cluster, drained }: Scenario): Promise<void> {
  for (const host of cluster.living) {
    host.thaw();
    restoreNetwork(host);
    host.store.fail = false;
  }
  for (const host of drained) await cluster.undrain(host);
  // Some hosts may still be leaving or joining.
  await cluster.run(25_000, 100);
  if (cluster.living.length === 0) await cluster.host().start();
}

t.test(`${SEEDS.length} random scenarios`, async (t) => {
  let moves = 0;
  for (const seed of SEEDS) {
    const random = new Random(seed);
    const scenario: Scenario = { cluster: new SimulatedCluster(), events: [], drained: new Set() };
    const { cluster } = scenario;
    await cluster.startHosts(1 + random.below(4));
    for (let i = 0; i < EVENTS; i++) {
      await injectEvent(scenario, random);
      await cluster.run(random.pick([0, 20, 300, 1_000, 2_000, 4_000])!, 50);
    }
    await restoreAll(scenario);
    const explain = (): string => `seed ${seed}:\n${scenario.events.join('\n')}`;
    const settled = await cluster.until(() => cluster.settled()).catch(() => undefined);
    if (settled === undefined) t.fail(`does not settle, ${explain()}`);
    if (cluster.violations.length > 0) t.fail(`${cluster.violations.slice(0, 5).join('; ')}, ${explain()}`);
    moves += Math.max(...cluster.epochs.values());
  }
  t.ok(
    moves / SEEDS.length > 3,
    `a partition changes its owner up to ${Math.round(moves / SEEDS.length)} times per scenario`,
  );
});
