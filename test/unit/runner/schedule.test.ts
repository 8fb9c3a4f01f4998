import t, { type Test } from 'tap';
import { runAll, type Scheduled } from '../../runner/schedule.js';

/** A run whose programs end when the test says so, with idle cores by the test's own looks. */
class World {
  readonly running: string[] = [];
  readonly #ends = new Map<string, () => void>();
  #look: (idle: number) => void = () => {};

  async *idle(): AsyncGenerator<number> {
    for (;;) yield await new Promise<number>((resolve) => (this.#look = resolve));
  }

  run = ({ title }: Scheduled): Promise<void> => {
    this.running.push(title);
    return new Promise((resolve) => this.#ends.set(title, resolve));
  };

  async end(title: string): Promise<void> {
    this.#ends.get(title)?.();
    this.running.splice(this.running.indexOf(title), 1);
    await turn();
  }

  async look(idle: number): Promise<void> {
    this.#look(idle);
    await turn();
  }
}

/** The promises of a step are settled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const program = (title: string, load: number, seconds: number): Scheduled => ({ title, load, seconds });

async function begin(programs: readonly Scheduled[], count: number): Promise<{ world: World; done: Promise<void> }> {
  const world = new World();
  const done = runAll(programs, { count, idle: world.idle() }, world.run);
  await turn();
  return { world, done };
}

t.test('the longest programs start first, as many as the cores can carry', async (t: Test) => {
  const programs = [
    program('short', 0.4, 1),
    program('long', 1, 9),
    program('middle', 0.7, 5),
    program('tiny', 0.3, 0),
  ];
  const { world, done } = await begin(programs, 2);
  t.strictSame(world.running, ['long', 'middle', 'tiny'], 'the short one has no room, the tiny one has');
  await world.end('middle');
  t.strictSame(world.running, ['long', 'tiny', 'short']);
  for (const title of ['long', 'tiny', 'short']) await world.end(title);
  await done;
});

t.test('a program whose load is more than all cores starts when it is alone', async (t: Test) => {
  const { world, done } = await begin([program('large', 3, 1), program('small', 0.5, 5)], 2);
  t.strictSame(world.running, ['small']);
  await world.end('small');
  t.strictSame(world.running, ['large']);
  await world.end('large');
  await done;
});

t.test('one program more starts at each look that finds cores idle', async (t: Test) => {
  const { world, done } = await begin(
    ['a', 'b', 'c', 'd'].map((title, n) => program(title, 1, 9 - n)),
    2,
  );
  t.strictSame(world.running, ['a', 'b']);
  await world.look(0.2);
  t.strictSame(world.running, ['a', 'b'], 'the cores are busy');
  await world.look(1.1);
  t.strictSame(world.running, ['a', 'b', 'c']);
  await world.end('a');
  t.strictSame(world.running, ['b', 'c'], 'the loads of the table have no room');
  await world.look(1.1);
  t.strictSame(world.running, ['b', 'c', 'd']);
  for (const title of ['b', 'c', 'd']) await world.end(title);
  await done;
});

t.test('one program in the background runs beside the others, and the rest of them at the end', async (t: Test) => {
  const background = ['x', 'y', 'z'].map((title, n) => ({ ...program(title, 1, 9 - n), inBackground: true }));
  const { world, done } = await begin([program('a', 2, 5), program('b', 2, 4), ...background], 2);
  t.strictSame(world.running.toSorted(), ['a', 'x'], 'it counts as no load');
  await world.end('a');
  t.strictSame(world.running.toSorted(), ['b', 'x']);
  await world.end('b');
  t.strictSame(world.running.toSorted(), ['x', 'y', 'z'], 'no other program waits');
  for (const title of ['x', 'y', 'z']) await world.end(title);
  await done;
});

t.test('the next program in the background follows the one before', async (t: Test) => {
  const background = ['x', 'y'].map((title, n) => ({ ...program(title, 1, 9 - n), inBackground: true }));
  const { world, done } = await begin([program('a', 2, 5), program('b', 2, 4), ...background], 2);
  await world.end('x');
  t.strictSame(world.running.toSorted(), ['a', 'y']);
  for (const title of ['a', 'y', 'b']) await world.end(title);
  await done;
});
