/**
 * Throughput and CPU of a request in a closed loop, which several cases measure. Conclave and the bare programs are
 * measured by turns, so that a change of the machine's speed affects all of them.
 */
import { BARE_NATS, BARE_STORE } from './bare-programs.js';
import { type Bench, type Case, defineCase, SHARED_STREAM } from './case.js';
import { requestOnce } from './connection.js';
import { BARE_HTTP, type BareValues, type Figure, makeFigure } from './figures.js';
import type { RateResult } from './jobs.js';
import type { Account } from './prepare.js';

interface RateValues {
  readonly perSecond: number[];
  readonly cpuMicros: number[];
}

const makeRateValues = (): RateValues => ({ perSecond: [], cpuMicros: [] });

function addResult(to: RateValues, { count, seconds, cpuMs }: RateResult): void {
  to.perSecond.push(count / seconds);
  to.cpuMicros.push((cpuMs * 1000) / count);
}

export interface RateTarget {
  /** Prefix of the ids of the figures: `me` in `me/64/embedded/rate` and `me/64/embedded/cpu`. */
  readonly id: string;
  readonly title: string;
  /** Requests of the connections, one for each in turn; their responses have equal sizes. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Whether each connection cycles through the requests, instead of repeating one. */
  readonly cycles?: boolean;
  /** Whether the request is a command to an actor, which costs a round trip through NATS on the cluster face. */
  readonly isActorCommand?: boolean;
  /** Bytes of the message that is stored before the response. */
  readonly storedBytes?: number;
}

interface MeasuredProgram {
  readonly name: string;
  readonly run: (ms: number) => Promise<RateResult>;
}

const bodyOfAnswer = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

/** @returns the bare programs that do the minimum of the work for a request and its response */
async function bareProgramsFor(
  bench: Bench,
  target: RateTarget,
  answer: string,
  http: MeasuredProgram,
): Promise<MeasuredProgram[]> {
  const { face, bare, options } = bench;
  if (!options.measuresBare) return [];
  const { requests, connections: concurrency, isActorCommand = false, storedBytes } = target;
  const { warmUpMs } = options;
  const sides = [http];
  if (isActorCommand && face.name === 'cluster') {
    const [requestBytes, responseBytes] = [bodyOfAnswer(requests[0]!), bodyOfAnswer(answer)].map((text) =>
      Buffer.byteLength(text),
    ) as [number, number];
    const runRoundTrips = await bare.roundTrips(requestBytes, responseBytes);
    sides.push({ name: BARE_NATS, run: (ms) => runRoundTrips({ concurrency, warmUpMs, ms }) });
  }
  if (storedBytes !== undefined) {
    const writes = bare.writes(face.name, storedBytes);
    sides.push({ name: BARE_STORE[face.name], run: (ms) => writes({ concurrency, warmUpMs, ms }) });
  }
  return sides;
}

/** Measures requests in a closed loop. @returns the figures `rate` and `cpu` */
export async function measureRate(bench: Bench, target: RateTarget): Promise<Figure[]> {
  const { face, bareHttp, generator, options } = bench;
  const { requests, connections, cycles = false } = target;
  const sampleAnswer = await requestOnce(face.port, requests[0]!);
  if (!sampleAnswer.ok) throw new Error(sampleAnswer.text);
  await bareHttp.setAnswers(requests[0]!.startsWith('GET') ? { get: sampleAnswer.text } : { post: sampleAnswer.text });
  const runAgainst = async (
    { port, pids }: { port: number; pids: readonly number[] },
    ms: number,
  ): Promise<RateResult> => {
    const { warmUpMs } = options;
    const result = await generator.run({ kind: 'rate', port, pids, requests, connections, cycles, warmUpMs, ms });
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.count} failed: ${result.firstFailure}`);
    return result;
  };
  const conclave: MeasuredProgram = { name: face.name, run: (ms) => runAgainst(face, ms) };
  const bare = await bareProgramsFor(bench, target, sampleAnswer.text, {
    name: BARE_HTTP,
    run: (ms) => runAgainst(bareHttp, ms),
  });
  await conclave.run(options.firstWarmUpMs);
  for (const side of bare) await side.run(options.firstWarmUpMs / 2);
  const programs = [conclave, ...bare].map((side) => ({ ...side, rates: makeRateValues() }));
  for (let i = 0; i < options.runs; i++) for (const side of programs) addResult(side.rates, await side.run(options.ms));
  const [{ rates: conclaveRates }, ...others] = programs as [(typeof programs)[0], ...typeof programs];
  const id = `${target.id}/${connections}/${face.name}`;
  const name = `${target.title}, ${connections} at once, ${face.name}`;
  const ceilingsOf = (of: (rates: RateValues) => readonly number[]): BareValues[] =>
    others.map((side) => ({ name: side.name, values: of(side.rates) }));
  return [
    makeFigure(
      `${id}/rate`,
      name,
      'per second',
      conclaveRates.perSecond,
      ceilingsOf(({ perSecond }) => perSecond),
    ),
    makeFigure(
      `${id}/cpu`,
      `${name}: CPU`,
      'µs each',
      conclaveRates.cpuMicros,
      ceilingsOf(({ cpuMicros }) => cpuMicros),
    ),
  ];
}

/** Case that measures one kind of request with `measureRate`. */
export interface RateCase
  extends Pick<Case, 'name' | 'about' | 'faces' | 'server' | 'onlyNamed'>,
    Pick<RateTarget, 'title' | 'isActorCommand'> {
  /** Concurrencies of the case, in place of `--concurrency`. */
  readonly connections?: readonly number[];
  /** Creates the accounts that send the requests. [the subscribers of `SHARED_STREAM`] */
  makeAccounts?(bench: Bench): Promise<readonly Account[]>;
  makeRequest(authorization: string, stream: string): string;
  /** Bytes of the message that a request stores. */
  storedBytes?(bench: Bench, account: Account): Promise<number>;
}

export const rateCase = (of: RateCase): Case =>
  defineCase<readonly Account[]>({
    ...of,
    prepare: (bench) => (of.makeAccounts ? of.makeAccounts(bench) : bench.sharedSubscribers()),
    async measure(bench, accounts) {
      const requests = accounts.map(({ authorization }) => of.makeRequest(authorization, SHARED_STREAM));
      const storedBytes = of.storedBytes && (await of.storedBytes(bench, accounts[0]!));
      const target: Omit<RateTarget, 'connections'> = {
        ...{ id: of.name, title: of.title, requests },
        ...(of.isActorCommand === undefined ? {} : { isActorCommand: of.isActorCommand }),
        ...(storedBytes === undefined ? {} : { storedBytes }),
      };
      const figures: Figure[] = [];
      for (const connections of of.connections ?? bench.options.concurrencies) {
        figures.push(...(await measureRate(bench, { ...target, connections })));
      }
      return figures;
    },
  });
