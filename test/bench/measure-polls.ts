/** Messages at a fixed rate to held polls: how long until the last client has each of them. */
import { marker, type Poll } from './jobs.js';
import type { Bench } from './measure.js';
import { type Account, sendText } from './prepare.js';
import { type Figure, figure } from './report.js';

const WARM = 20;

export async function measureFanoutRate(
  { face, load, options }: Bench,
  sender: Account,
  stream: string,
  made: readonly Poll[],
): Promise<Figure[]> {
  const { perSecond, streamMs, settleMs } = options;
  const everyMs = 1000 / perSecond;
  const { port, pids } = face;
  const sends = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => sendText(sender.authorization, stream, ` ${marker(n)}`));
  let polls = made;
  const run = async (count: number) => {
    const result = await load.run({ kind: 'fanout-rate', port, pids, polls, sends: sends(count), everyMs, settleMs });
    if (result.repeated > 0) throw new Error(`${result.repeated} deliveries were repeated`);
    polls = polls.map((poll, i) => ({ ...poll, last: result.last[i]! }));
    return result;
  };
  await run(WARM);
  const count = Math.ceil(streamMs / everyMs);
  const kept = { p50: [], p99: [], most: [], each: [], sent: [], share: [], micros: [], late: [] } as Record<
    string,
    number[]
  >;
  for (let i = 0; i < options.runs; i++) {
    const { ms, delivered, cpuMs, eachP99, sentP99, sentLateMs } = await run(count);
    // What some poll never told of took for ever.
    const sorted = ms.map((of) => of ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
    const at = (q: number): number => sorted[Math.ceil(sorted.length * q) - 1]!;
    kept.p50!.push(at(0.5));
    kept.p99!.push(at(0.99));
    kept.most!.push(at(1));
    kept.each!.push(eachP99);
    kept.sent!.push(sentP99);
    kept.share!.push((100 * delivered) / (count * polls.length));
    kept.micros!.push((cpuMs * 1000) / delivered);
    kept.late!.push(sentLateMs);
  }
  const name = `${perSecond} messages/s to ${polls.length} held polls, ${face.name}`;
  return [
    figure(`${name}: until the last has it, p50`, 'ms', kept.p50!, []),
    figure(`${name}: until the last has it, p99`, 'ms', kept.p99!, []),
    figure(`${name}: until the last has it, most`, 'ms', kept.most!, []),
    figure(`${name}: until each has it, p99`, 'ms', kept.each!, []),
    figure(`${name}: until it is acknowledged, p99`, 'ms', kept.sent!, []),
    figure(`${name}: deliveries that came`, '%', kept.share!, []),
    figure(`${name}: CPU per delivery`, 'µs', kept.micros!, []),
    figure(`${name}: latest send of the generator`, 'ms', kept.late!, []),
  ];
}
