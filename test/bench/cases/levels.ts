/** Cost of a newer API level: messages to waiting polls of the newest level, by turns with polls of the base level. */
import { API_LEVELS, BASE_API_LEVEL } from '#domain/levels';
import { type Bench, defineCase } from '../case.js';
import { makeFigure, median } from '../figures.js';
import type { Poll } from '../jobs.js';
import { makeMessageQueues, makeStream, sendRequest } from '../prepare.js';

/** Number of event queues of one account, as in the case `fanout`. */
const QUEUES_PER_ACCOUNT = 10;
const NEWEST_API_LEVEL = API_LEVELS.at(-1)!.level;

/** Polls of one level, and the request that sends a message to them alone. */
interface LevelSide {
  readonly send: string;
  polls: readonly Poll[];
  readonly ms: number[];
  readonly micros: number[];
}

interface PreparedLevels {
  readonly base: LevelSide;
  readonly newest: LevelSide;
}

async function prepareSide(bench: Bench, stream: string, level: number): Promise<LevelSide> {
  const { polls: count } = bench.options;
  const listeners = await bench.makeAccounts(Math.ceil(count / QUEUES_PER_ACCOUNT));
  await makeStream(bench.face, stream, listeners);
  const polls = await makeMessageQueues(bench.face, listeners, count, level);
  return { send: sendRequest(listeners[0]!.authorization, stream), polls, ms: [], micros: [] };
}

const prepare = async (bench: Bench): Promise<PreparedLevels> => ({
  base: await prepareSide(bench, 'base level', BASE_API_LEVEL),
  newest: await prepareSide(bench, 'newest level', NEWEST_API_LEVEL),
});

async function measure({ face, generator, options }: Bench, { base, newest }: PreparedLevels) {
  const { port, pids } = face;
  const run = async (side: LevelSide, counts: boolean): Promise<void> => {
    const { rounds, settleMs } = options;
    const result = await generator.run({
      kind: 'fanout',
      port,
      pids,
      send: side.send,
      polls: side.polls,
      rounds,
      settleMs,
    });
    side.polls = side.polls.map((poll, i) => ({ ...poll, lastEventId: result.lastEventIds[i]! }));
    if (!counts) return;
    side.ms.push(median(result.ms));
    side.micros.push((result.cpuMs * 1000) / result.deliveries);
  };
  for (const side of [base, newest]) await run(side, false);
  for (let i = 0; i < options.runs; i++) {
    // The order alternates from run to run, so that caches which one level has filled favour neither level.
    for (const side of i % 2 === 0 ? [base, newest] : [newest, base]) await run(side, true);
  }
  const id = `levels/${base.polls.length}/${face.name}`;
  const name = `one message to ${base.polls.length} waiting polls at level ${NEWEST_API_LEVEL}, ${face.name}`;
  const baseLevelOf = (values: readonly number[]) => [{ name: `level ${BASE_API_LEVEL}`, values }];
  return [
    makeFigure(`${id}/ms`, `${name}: time to the last delivery`, 'ms', newest.ms, baseLevelOf(base.ms)),
    makeFigure(`${id}/cpu`, `${name}: CPU per delivery`, 'µs', newest.micros, baseLevelOf(base.micros)),
  ];
}

// The case has a server of its own, because messages of other cases would fill its queues.
export const levels = defineCase<PreparedLevels>({
  name: 'levels',
  about: 'one message to --polls waiting polls of the newest API level, by turns with the base level',
  server: {},
  prepare,
  measure,
});
