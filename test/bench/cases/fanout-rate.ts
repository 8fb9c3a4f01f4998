/** Messages at a fixed rate to held polls: how long until the last client has each of them. */
import { type Bench, defineCase } from '../case.js';
import { figure } from '../figures.js';
import { marker, type Poll } from '../jobs.js';
import { type Account, makeQueues, makeStream, sendText } from '../prepare.js';

const POLLS = 500;
const QUEUES_EACH = 10;
const STREAM = 'lively';
const WARM = 20;

interface Prepared {
  readonly sender: Account;
  readonly polls: readonly Poll[];
}

async function prepare(bench: Bench): Promise<Prepared> {
  const count = Math.min(POLLS, bench.options.polls);
  const listeners = await bench.accounts(Math.ceil(count / QUEUES_EACH));
  await makeStream(bench.face, STREAM, listeners);
  return { sender: listeners[0]!, polls: await makeQueues(bench.face, listeners, count) };
}

async function measure({ face, load, options }: Bench, { sender, polls: made }: Prepared) {
  const { perSecond, streamMs, settleMs, runs } = options;
  const everyMs = 1000 / perSecond;
  const { port, pids } = face;
  const sends = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => sendText(sender.authorization, STREAM, ` ${marker(n)}`));
  let polls = made;
  const run = async (count: number) => {
    const result = await load.run({ kind: 'fanout-rate', port, pids, polls, sends: sends(count), everyMs, settleMs });
    if (result.repeated > 0) throw new Error(`${result.repeated} deliveries were repeated`);
    polls = polls.map((poll, i) => ({ ...poll, last: result.last[i]! }));
    return result;
  };
  await run(WARM);
  const count = Math.ceil(streamMs / everyMs);
  const results: Awaited<ReturnType<typeof run>>[] = [];
  for (let i = 0; i < runs; i++) results.push(await run(count));
  // A message that some poll never delivered counts as infinitely slow.
  const sorted = results.map(({ ms }) => ms.map((of) => of ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b));
  const last = (q: number): number[] => sorted.map((ms) => ms[Math.ceil(ms.length * q) - 1]!);
  const of = (value: (result: (typeof results)[number]) => number): number[] => results.map(value);
  const id = `fanout-rate/${polls.length}/${face.name}`;
  const name = `${perSecond} messages/s to ${polls.length} held polls, ${face.name}`;
  return [
    figure(`${id}/p50`, `${name}: until the last has it, p50`, 'ms', last(0.5)),
    figure(`${id}/p99`, `${name}: until the last has it, p99`, 'ms', last(0.99)),
    figure(`${id}/most`, `${name}: until the last has it, most`, 'ms', last(1)),
    figure(
      `${id}/each-p99`,
      `${name}: until each has it, p99`,
      'ms',
      of(({ eachP99 }) => eachP99),
    ),
    figure(
      `${id}/sent-p99`,
      `${name}: until it is acknowledged, p99`,
      'ms',
      of(({ sentP99 }) => sentP99),
    ),
    figure(
      `${id}/share`,
      `${name}: deliveries that came`,
      '%',
      of((r) => (100 * r.delivered) / (count * polls.length)),
    ),
    figure(
      `${id}/cpu`,
      `${name}: CPU per delivery`,
      'µs',
      of((r) => (r.cpuMs * 1000) / r.delivered),
    ),
    figure(
      `${id}/late`,
      `${name}: latest send of the generator`,
      'ms',
      of(({ sentLateMs }) => sentLateMs),
    ),
  ];
}

// The case has a server of its own, because messages of other cases would fill its queues.
export const fanoutRate = defineCase<Prepared>({
  name: 'fanout-rate',
  about: '--per-second messages a second to 500 held polls, open loop',
  server: {},
  prepare,
  measure,
});
