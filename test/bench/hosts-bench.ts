/**
 * Throughput and CPU of a cluster with several actor hosts, compared with a cluster of one host. Both clusters run at
 * the same time and are measured by turns. Requests go to ten streams, so that all hosts have work. On a machine with
 * few cores, the ratio shows the overhead of more hosts. The program prints figures and asserts nothing.
 *
 *   node dist/test/bench/hosts-bench.js [--hosts 3] [--runs 5] [--seconds 3] [--concurrency 64]
 */
import { parseArgs } from 'node:util';
import { type Face, startFace } from './faces.js';
import { makeFigure } from './figures.js';
import type { RateResult } from './jobs.js';
import { makeAccounts, makeStream, meRequest, sendRequest } from './prepare.js';
import { LoadGenerator } from './processes.js';
import { figureTable, machineText } from './report.js';

const STREAMS = 10;

interface MeasuredCluster {
  readonly face: Face;
  readonly requests: Readonly<Record<'send' | 'me', readonly string[]>>;
}

async function startCluster(hosts: number): Promise<MeasuredCluster> {
  const { NATS_URL: nats, MONGODB_URL: mongodb } = process.env;
  const face = await startFace('cluster', { hosts, nats, mongodb, profile: undefined });
  if (!face) throw new Error('NATS_URL and MONGODB_URL are not set (see deploy/dev/services)');
  const accounts = await makeAccounts(face, 1, STREAMS);
  for (let i = 0; i < STREAMS; i++) await makeStream(face, `stream ${i}`, accounts);
  return {
    face,
    requests: {
      send: accounts.map(({ authorization }, i) => sendRequest(authorization, `stream ${i}`)),
      me: accounts.map(({ authorization }) => meRequest(authorization)),
    },
  };
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { hosts: text, runs: text, seconds: text, concurrency: text } });
  const [hosts, runs, seconds, connections] = [
    values.hosts ?? '3',
    values.runs ?? '5',
    values.seconds ?? '3',
    values.concurrency ?? '64',
  ].map(Number) as [number, number, number, number];
  const load = new LoadGenerator();
  const clusters: MeasuredCluster[] = [];
  try {
    clusters.push(await startCluster(hosts), await startCluster(1));
    const run = async (
      { face: { port, pids }, requests }: MeasuredCluster,
      what: 'send' | 'me',
      ms: number,
    ): Promise<RateResult> => {
      const job = { kind: 'rate', port, pids, requests: requests[what], connections, warmUpMs: 250, ms } as const;
      const result = await load.run(job);
      if (result.failed > 0) throw new Error(`${result.failed} of ${result.count} failed: ${result.firstFailure}`);
      return result;
    };
    const figures = [];
    for (const what of ['send', 'me'] as const) {
      for (const side of clusters) await run(side, what, 2_000);
      const rates = clusters.map(() => ({ perSecond: [] as number[], micros: [] as number[] }));
      for (let i = 0; i < runs; i++) {
        for (const [s, side] of clusters.entries()) {
          const { count, seconds: took, cpuMs } = await run(side, what, seconds * 1000);
          rates[s]!.perSecond.push(count / took);
          rates[s]!.micros.push((cpuMs * 1000) / count);
        }
      }
      const name = `${what === 'send' ? '`POST /messages`' : '`GET /users/me`'}, ${connections} at once, ${hosts} hosts against one`;
      const [many, one] = rates as [(typeof rates)[0], (typeof rates)[0]];
      figures.push(makeFigure('', name, 'per second', many.perSecond, [{ name: 'one host', values: one.perSecond }]));
      figures.push(makeFigure('', `${name}: CPU`, 'µs each', many.micros, [{ name: 'one host', values: one.micros }]));
    }
    process.stdout.write(`${figureTable(figures, false)}\n\n${machineText()}; ${runs} runs\n`);
  } finally {
    await load.stop();
    for (const { face } of clusters) await face.stop();
  }
}

await main();
