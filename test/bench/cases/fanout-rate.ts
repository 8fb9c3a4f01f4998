/** Messages at a fixed rate to waiting polls, in an open loop: the time until all clients have a message. */
import { type Bench, defineCase } from '../case.js';
import { makeFigure } from '../figures.js';
import { messageMarker, type Poll } from '../jobs.js';
import { type Account, makeMessageQueues, makeStream, sendRequest } from '../prepare.js';

const POLLS = 500;
const QUEUES_PER_ACCOUNT = 10;
const STREAM = 'lively';
const WARM_UP_MESSAGES = 20;

interface PreparedFanoutRate {
  readonly sender: Account;
  readonly polls: readonly Poll[];
}

async function prepare(bench: Bench): Promise<PreparedFanoutRate> {
  const count = Math.min(POLLS, bench.options.polls);
  const listeners = await bench.makeAccounts(Math.ceil(count / QUEUES_PER_ACCOUNT));
  await makeStream(bench.face, STREAM, listeners);
  return { sender: listeners[0]!, polls: await makeMessageQueues(bench.face, listeners, count) };
}

async function measure({ face, generator, options }: Bench, { sender, polls: made }: PreparedFanoutRate) {
  const { perSecond, fanoutRateMs, settleMs, runs } = options;
  const everyMs = 1000 / perSecond;
  const { port, pids } = face;
  const sends = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => sendRequest(sender.authorization, STREAM, ` ${messageMarker(n)}`));
  let polls = made;
  const run = async (count: number) => {
    const result = await generator.run({
      kind: 'fanout-rate',
      port,
      pids,
      polls,
      sends: sends(count),
      everyMs,
      settleMs,
    });
    if (result.repeatedDeliveries > 0) throw new Error(`${result.repeatedDeliveries} deliveries were repeated`);
    polls = polls.map((poll, i) => ({ ...poll, lastEventId: result.lastEventIds[i]! }));
    return result;
  };
  await run(WARM_UP_MESSAGES);
  const count = Math.ceil(fanoutRateMs / everyMs);
  const results: Awaited<ReturnType<typeof run>>[] = [];
  for (let i = 0; i < runs; i++) results.push(await run(count));
  // A message with a missing delivery counts as infinitely slow.
  const sorted = results.map(({ ms }) => ms.map((of) => of ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b));
  const quantileOfRuns = (q: number): number[] => sorted.map((ms) => ms[Math.ceil(ms.length * q) - 1]!);
  const valueOfRuns = (value: (result: (typeof results)[number]) => number): number[] => results.map(value);
  const id = `fanout-rate/${polls.length}/${face.name}`;
  const name = `${perSecond} messages/s to ${polls.length} waiting polls, ${face.name}`;
  return [
    makeFigure(`${id}/p50`, `${name}: time to the last delivery, p50`, 'ms', quantileOfRuns(0.5)),
    makeFigure(`${id}/p99`, `${name}: time to the last delivery, p99`, 'ms', quantileOfRuns(0.99)),
    makeFigure(`${id}/most`, `${name}: time to the last delivery, maximum`, 'ms', quantileOfRuns(1)),
    makeFigure(
      `${id}/each-p99`,
      `${name}: time of each delivery, p99`,
      'ms',
      valueOfRuns(({ deliveryP99 }) => deliveryP99),
    ),
    makeFigure(
      `${id}/sent-p99`,
      `${name}: time to the response of the send, p99`,
      'ms',
      valueOfRuns(({ acknowledgedP99 }) => acknowledgedP99),
    ),
    makeFigure(
      `${id}/share`,
      `${name}: deliveries that arrived`,
      '%',
      valueOfRuns((r) => (100 * r.deliveries) / (count * polls.length)),
    ),
    makeFigure(
      `${id}/cpu`,
      `${name}: CPU per delivery`,
      'µs',
      valueOfRuns((r) => (r.cpuMs * 1000) / r.deliveries),
    ),
    makeFigure(
      `${id}/late`,
      `${name}: maximum delay of a send by the load generator`,
      'ms',
      valueOfRuns(({ maxSendDelayMs }) => maxSendDelayMs),
    ),
  ];
}

// The case has a server of its own, because messages of other cases would fill its queues.
export const fanoutRate = defineCase<PreparedFanoutRate>({
  name: 'fanout-rate',
  about: '--per-second messages a second to 500 waiting polls, in an open loop',
  server: {},
  prepare,
  measure,
});
