/**
 * Measurements that several cases make: ours and the bare server by turns, so that a drift of the machine hits both.
 */
import { NATS, STORE } from './bare.js';
import { type Bench, type Case, defineCase, TEN } from './case.js';
import { once } from './connection.js';
import { type Bare, type Figure, figure, HTTP } from './figures.js';
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
  /** Prefix of the ids of the figures: `me` in `me/64/embedded/rate` and `me/64/embedded/cpu`. */
  readonly id: string;
  readonly title: string;
  /** Requests that the connections use in turn; their responses have equal sizes. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Whether each connection cycles through the requests, instead of repeating one. */
  readonly turns?: boolean;
  /** Whether the request is a command to an actor, which costs a round trip through NATS on the cluster face. */
  readonly command?: boolean;
  /** Bytes of the message that is stored before the response. */
  readonly stored?: number;
}

interface Side {
  readonly name: string;
  readonly run: (ms: number) => Promise<RateResult>;
}

const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

/** The bare sides with which a request and its response are compared. */
async function bareSides(bench: Bench, target: RateTarget, answer: string, http: Side): Promise<Side[]> {
  const { face, bare, options } = bench;
  if (!options.bare) return [];
  const { requests, connections: concurrency, command = false, stored } = target;
  const { warmMs } = options;
  const sides = [http];
  if (command && face.name === 'cluster') {
    const [there, back] = [bodyOf(requests[0]!), bodyOf(answer)].map((text) => Buffer.byteLength(text)) as [
      number,
      number,
    ];
    const trips = await bare.roundTrips(there, back);
    sides.push({ name: NATS, run: (ms) => trips({ concurrency, warmMs, ms }) });
  }
  if (stored !== undefined) {
    const writes = bare.writes(face.name, stored);
    sides.push({ name: STORE[face.name], run: (ms) => writes({ concurrency, warmMs, ms }) });
  }
  return sides;
}

/** Requests of one kind in a closed loop. */
export async function measureRate(bench: Bench, target: RateTarget): Promise<Figure[]> {
  const { face, ceiling, load, options } = bench;
  const { requests, connections, turns = false } = target;
  const sample = await once(face.port, requests[0]!);
  if (!sample.ok) throw new Error(sample.text);
  await ceiling.answers(requests[0]!.startsWith('GET') ? { get: sample.text } : { post: sample.text });
  const at = async ({ port, pids }: { port: number; pids: readonly number[] }, ms: number): Promise<RateResult> => {
    const { warmMs } = options;
    const result = await load.run({ kind: 'rate', port, pids, requests, connections, turns, warmMs, ms });
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.count} failed: ${result.firstFailure}`);
    return result;
  };
  const ours: Side = { name: face.name, run: (ms) => at(face, ms) };
  const bare = await bareSides(bench, target, sample.text, { name: HTTP, run: (ms) => at(ceiling, ms) });
  await ours.run(options.heatMs);
  for (const side of bare) await side.run(options.heatMs / 2);
  const sides = [ours, ...bare].map((side) => ({ ...side, rates: rates() }));
  for (let i = 0; i < options.runs; i++) for (const side of sides) add(side.rates, await side.run(options.ms));
  const [{ rates: own }, ...others] = sides as [(typeof sides)[0], ...typeof sides];
  const id = `${target.id}/${connections}/${face.name}`;
  const name = `${target.title}, ${connections} at once, ${face.name}`;
  const beside = (of: (rates: Rates) => readonly number[]): Bare[] =>
    others.map((side) => ({ name: side.name, values: of(side.rates) }));
  return [
    figure(
      `${id}/rate`,
      name,
      'per second',
      own.perSecond,
      beside(({ perSecond }) => perSecond),
    ),
    figure(
      `${id}/cpu`,
      `${name}: CPU`,
      'µs each',
      own.micros,
      beside(({ micros }) => micros),
    ),
  ];
}

export interface RateCase
  extends Pick<Case, 'name' | 'about' | 'faces' | 'server' | 'onlyNamed'>,
    Pick<RateTarget, 'title' | 'command'> {
  /** Concurrencies of the case, in place of `--concurrency`. */
  readonly connections?: readonly number[];
  /** Accounts that send the requests. Default: the ten of the stream `ten`. */
  accounts?(bench: Bench): Promise<readonly Account[]>;
  text(authorization: string, stream: string): string;
  /** Bytes of the message that a request stores. */
  stored?(bench: Bench, account: Account): Promise<number>;
}

export const rateCase = (of: RateCase): Case =>
  defineCase<readonly Account[]>({
    ...of,
    prepare: (bench) => (of.accounts ? of.accounts(bench) : bench.ten()),
    async measure(bench, accounts) {
      const requests = accounts.map(({ authorization }) => of.text(authorization, TEN));
      const stored = of.stored && (await of.stored(bench, accounts[0]!));
      const target = {
        ...{ id: of.name, title: of.title, requests },
        ...(of.command === undefined ? {} : { command: of.command }),
        ...(stored === undefined ? {} : { stored }),
      };
      const figures: Figure[] = [];
      for (const connections of of.connections ?? bench.options.concurrencies) {
        figures.push(...(await measureRate(bench, { ...target, connections })));
      }
      return figures;
    },
  });
