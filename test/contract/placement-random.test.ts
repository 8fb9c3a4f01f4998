/** Random sequences of events: no two hosts ever answer for one partition, epochs grow, and the cluster settles. */
import t from 'tap';
import { PlacementWorld, type WorldHost } from '../support/placement-world.js';
import { picked } from '../support/rounds.js';

const FIRST_SEED = Number(process.env.PLACEMENT_SEED ?? 1);
const ALL = Array.from({ length: Number(process.env.PLACEMENT_SEEDS ?? 25) }, (_, index) => FIRST_SEED + index);
/** Number of seeds that a short run picks. */
const PICKED = process.env.PLACEMENT_SEEDS === undefined ? 10 : ALL.length;
const SEEDS = picked(ALL, PICKED, (seed) => `placement ${seed}`);
const EVENTS = 40;
const MOST_HOSTS = 6;

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

interface Story {
  readonly world: PlacementWorld;
  readonly happened: string[];
  readonly drained: Set<WorldHost>;
}

async function happen({ world, happened, drained }: Story, random: Random): Promise<void> {
  const { living } = world;
  const host = random.pick(living);
  const dice = random.below(100);
  const note = (what: string): void => void happened.push(`${world.clock.monotonic()} ${what} ${host?.name ?? ''}`);
  if (!host || (dice < 15 && living.length < MOST_HOSTS)) {
    const newcomer = world.host();
    happened.push(`${world.clock.monotonic()} join ${newcomer.name}`);
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
    note('deaf');
    host.kv.deaf = true;
  } else if (dice < 80) {
    note('all reach the keys');
    for (const one of living) reach(one);
  } else if (dice < 84) {
    note('store away');
    host.store.fail = true;
  } else if (dice < 90) {
    note('store back');
    for (const one of living) one.store.fail = false;
  } else if (dice < 94) {
    note('drain');
    drained.add(host);
    await world.drain(host);
  } else if (dice < 97) {
    note('undrain');
    drained.delete(host);
    await world.undrain(host);
  } else {
    note('nobody reaches the keys');
    for (const one of living) one.kv.cut = true;
  }
}

function reach(host: WorldHost): void {
  host.kv.cut = false;
  host.kv.deaf = false;
}

async function heal({ world, drained }: Story): Promise<void> {
  for (const host of world.living) {
    host.thaw();
    reach(host);
    host.store.fail = false;
  }
  for (const host of drained) await world.undrain(host);
  // Some hosts may still be leaving or joining.
  await world.run(25_000, 100);
  if (world.living.length === 0) await world.host().start();
}

t.test(`${SEEDS.length} random scenarios`, async (t) => {
  let moves = 0;
  for (const seed of SEEDS) {
    const random = new Random(seed);
    const story: Story = { world: new PlacementWorld(), happened: [], drained: new Set() };
    const { world } = story;
    await world.started(1 + random.below(4));
    for (let i = 0; i < EVENTS; i++) {
      await happen(story, random);
      await world.run(random.pick([0, 20, 300, 1_000, 2_000, 4_000])!, 50);
    }
    await heal(story);
    const explain = (): string => `seed ${seed}:\n${story.happened.join('\n')}`;
    const settled = await world.until(() => world.settled()).catch(() => undefined);
    if (settled === undefined) t.fail(`does not settle, ${explain()}`);
    if (world.faults.length > 0) t.fail(`${world.faults.slice(0, 5).join('; ')}, ${explain()}`);
    moves += Math.max(...world.epochs.values());
  }
  t.ok(
    moves / SEEDS.length > 3,
    `a partition changes its owner up to ${Math.round(moves / SEEDS.length)} times per scenario`,
  );
});
