/** Measurements that several cases make: ours and the bare server by turns, so that a drift of the machine hits both. */
import { type Bench, type Case, defineCase, TEN } from './case.js';
import { once } from './connection.js';
import { type Figure, figure, HTTP } from './figures.js';
import type { RateResult } from './jobs.js';
import type { Account } from './prepare.js';

interface Rates {
  readonly perSecond: number[];
  readonly micros: number[];
}

const rates = (): Rates => ({ perSecond: [], micros: [] });

function add(to: Rates, { count, seconds, cpuMs }: RateResult): void {
  to.perSecond.push(count / seconds);
  to.micros.push((cpuMs * 1000) / count);
}

export interface RateTarget {
  /** Of the figures: `me/64/embedded/rate` and `me/64/embedded/cpu` begin with `me`. */
  readonly id: string;
  readonly title: string;
  /** Used in turn by the connections; all with answers of the same size. */
  readonly requests: readonly string[];
  readonly connections: number;
}

/** Requests of one kind in a closed loop. */
export async function measureRate(bench: Bench, target: RateTarget): Promise<Figure[]> {
  const { face, ceiling, load, options } = bench;
  const { requests, connections } = target;
  const sample = await once(face.port, requests[0]!);
  if (!sample.ok) throw new Error(sample.text);
  await ceiling.answers(requests[0]!.startsWith('GET') ? { get: sample.text } : { post: sample.text });
  const run = async ({ port, pids }: { port: number; pids: readonly number[] }, ms: number): Promise<RateResult> => {
    const result = await load.run({ kind: 'rate', port, pids, requests, connections, warmMs: options.warmMs, ms });
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.count} failed: ${result.firstFailure}`);
    return result;
  };
  await run(face, options.heatMs);
  if (options.bare) await run(ceiling, options.heatMs / 2);
  const ours = rates();
  const bare = rates();
  for (let i = 0; i < options.runs; i++) {
    add(ours, await run(face, options.ms));
    if (options.bare) add(bare, await run(ceiling, options.ms));
  }
  const id = `${target.id}/${connections}/${face.name}`;
  const name = `${target.title}, ${connections} at once, ${face.name}`;
  return [
    figure(`${id}/rate`, name, 'per second', ours.perSecond, [{ name: HTTP, values: bare.perSecond }]),
    figure(`${id}/cpu`, `${name}: CPU`, 'µs each', ours.micros, [{ name: HTTP, values: bare.micros }]),
  ];
}

export interface RateCase extends Pick<Case, 'name' | 'about' | 'faces' | 'server' | 'onlyNamed'> {
  readonly title: string;
  /** Instead of those of `--concurrency`. */
  readonly connections?: readonly number[];
  /** Who asks. [the ten of the stream `ten`] */
  accounts?(bench: Bench): Promise<readonly Account[]>;
  text(authorization: string, stream: string): string;
}

export const rateCase = (of: RateCase): Case =>
  defineCase<readonly Account[]>({
    ...of,
    prepare: (bench) => (of.accounts ? of.accounts(bench) : bench.ten()),
    async measure(bench, accounts) {
      const requests = accounts.map(({ authorization }) => of.text(authorization, TEN));
      const figures: Figure[] = [];
      for (const connections of of.connections ?? bench.options.concurrencies) {
        figures.push(...(await measureRate(bench, { id: of.name, title: of.title, requests, connections })));
      }
      return figures;
    },
  });
