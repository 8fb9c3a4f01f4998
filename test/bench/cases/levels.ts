/** Cost of a newer API level: messages to held polls of the newest level, by turns with polls of the base level. */
import { API_LEVELS, BASE_API_LEVEL } from '#domain/levels';
import { type Bench, defineCase } from '../case.js';
import { figure, median } from '../figures.js';
import type { Poll } from '../jobs.js';
import { makeQueues, makeStream, sendText } from '../prepare.js';

/** Held polls of one account, as in the case fanout. */
const QUEUES_EACH = 10;
const NEWEST_API_LEVEL = API_LEVELS.at(-1)!.level;

/** Polls of one level, and the message that reaches them alone. */
interface Side {
  readonly send: string;
  polls: readonly Poll[];
  readonly ms: number[];
  readonly micros: number[];
}

interface Prepared {
  readonly base: Side;
  readonly newest: Side;
}

async function prepareSide(bench: Bench, stream: string, level: number): Promise<Side> {
  const { polls: count } = bench.options;
  const listeners = await bench.accounts(Math.ceil(count / QUEUES_EACH));
  await makeStream(bench.face, stream, listeners);
  const polls = await makeQueues(bench.face, listeners, count, level);
  return { send: sendText(listeners[0]!.authorization, stream), polls, ms: [], micros: [] };
}

const prepare = async (bench: Bench): Promise<Prepared> => ({
  base: await prepareSide(bench, 'base level', BASE_API_LEVEL),
  newest: await prepareSide(bench, 'newest level', NEWEST_API_LEVEL),
});

async function measure({ face, load, options }: Bench, { base, newest }: Prepared) {
  const { port, pids } = face;
  const run = async (side: Side, counts: boolean): Promise<void> => {
    const { rounds, settleMs } = options;
    const result = await load.run({ kind: 'fanout', port, pids, send: side.send, polls: side.polls, rounds, settleMs });
    side.polls = side.polls.map((poll, i) => ({ ...poll, last: result.last[i]! }));
    if (!counts) return;
    side.ms.push(median(result.ms));
    side.micros.push((result.cpuMs * 1000) / result.deliveries);
  };
  for (const side of [base, newest]) await run(side, false);
  for (let i = 0; i < options.runs; i++) {
    // The order changes from run to run, so that neither level profits from what the other one left.
    for (const side of i % 2 === 0 ? [base, newest] : [newest, base]) await run(side, true);
  }
  const id = `levels/${base.polls.length}/${face.name}`;
  const name = `one message to ${base.polls.length} held polls at level ${NEWEST_API_LEVEL}, ${face.name}`;
  const beside = (values: readonly number[]) => [{ name: `level ${BASE_API_LEVEL}`, values }];
  return [
    figure(`${id}/ms`, `${name}: until the last answer`, 'ms', newest.ms, beside(base.ms)),
    figure(`${id}/cpu`, `${name}: CPU per delivery`, 'µs', newest.micros, beside(base.micros)),
  ];
}

// The case has a server of its own, because messages of other cases would fill its queues.
export const levels = defineCase<Prepared>({
  name: 'levels',
  about: 'one message to --polls held polls of the newest API level, by turns with as many of the base level',
  server: {},
  prepare,
  measure,
});
