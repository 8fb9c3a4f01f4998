/**
 * Many waiting polls without events: the time to register their queues, and the CPU of their heartbeats. The ceiling is
 * a bare server with equally many polls, which it answers with the same bytes at the same intervals. Every poll has its
 * own connection, so the limit of open file descriptors bounds the number of polls.
 */
import { readFileSync } from 'node:fs';
import { type Bench, defineCase } from '../case.js';
import { BARE_HTTP, type Figure, makeFigure } from '../figures.js';
import type { IdleWindow, Poll } from '../jobs.js';
import { registerQueues } from '../prepare.js';

const QUEUES_PER_ACCOUNT = 100;
const PARALLEL_REGISTRATIONS = 32;
/** Number of file descriptors that a server needs beside those of the polls. */
const SPARE_DESCRIPTORS = 1_000;
/** Heartbeat interval of the servers, s. */
const HEARTBEAT_SECONDS = Number(process.env.HEARTBEAT_SECONDS ?? 45);
const HEARTBEAT = { ms: HEARTBEAT_SECONDS * 1000, spreadMs: HEARTBEAT_SECONDS * 200 };
/** Mean time between two heartbeats of a poll. */
const MEAN_HEARTBEAT_MS = HEARTBEAT.ms + HEARTBEAT.spreadMs / 2;
/**
 * Warm-up after the last poll: after it, each queue has sent its first heartbeat (the only one of its own), has
 * written its first checkpoint half a minute later, and a further minute has collected the garbage of both. A bare
 * server is warm when each poll has returned once.
 */
const WARM_UP_MS = HEARTBEAT.ms + HEARTBEAT.spreadMs + 30_000 + 60_000;
const BARE_WARM_UP_MS = HEARTBEAT.spreadMs + 1_000;
/** Number of windows. A window is as long as the mean heartbeat interval, so each poll is answered about once in it. */
const WINDOWS = 3;

/** @returns the limit of open file descriptors, which is the same for benchmark, servers and load generator */
function readDescriptorLimit(): number {
  try {
    const limit = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'latin1'));
    return limit ? Number(limit[1]) : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

interface PreparedHeld {
  readonly polls: readonly Poll[];
  readonly seconds: number;
}

async function prepare(bench: Bench): Promise<PreparedHeld> {
  const { face, options } = bench;
  const count = Math.min(options.idlePolls, readDescriptorLimit() - SPARE_DESCRIPTORS);
  const owners = await bench.makeAccounts(Math.ceil(count / QUEUES_PER_ACCOUNT));
  const begun = performance.now();
  const polls = await registerQueues(face, owners, count, PARALLEL_REGISTRATIONS);
  return { polls, seconds: (performance.now() - begun) / 1000 };
}

/** Response with one heartbeat, as the servers send it; all heartbeats have this length. */
const makeHeartbeatAnswer = ({ queueId }: Poll): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n` +
  'Cache-Control: max-age=0, no-cache, no-store, must-revalidate, private\r\nExpires: Thu, 01 Jan 1970 00:00:00 GMT\r\n' +
  'X-RateLimit-Limit: 1000000000\r\nX-RateLimit-Remaining: 999999999\r\nX-RateLimit-Reset: 1795267000\r\n' +
  'X-Request-Id: 0123456789ab0123456789ab-1234\r\n\r\n' +
  `{"result":"success","msg":"","events":[{"type":"heartbeat","id":12345678}],"queue_id":"${queueId}"}\n`;

async function measure(
  { face, bareHttp, generator, options }: Bench,
  { polls, seconds }: PreparedHeld,
): Promise<Figure[]> {
  const job = { kind: 'idle', polls, spreadMs: MEAN_HEARTBEAT_MS, ms: MEAN_HEARTBEAT_MS, windows: WINDOWS } as const;
  type ServerAddress = Pick<Bench['face'], 'port' | 'pids'>;
  const run = async ({ port, pids }: ServerAddress, warmUpMs: number): Promise<readonly IdleWindow[]> => {
    const { windows, failed, firstFailure } = await generator.run({ ...job, port, pids, warmUpMs });
    if (failed > 0) throw new Error(`${failed} polls failed: ${firstFailure}`);
    return windows;
  };
  const ours = await run(face, WARM_UP_MS);
  await bareHttp.setAnswers({ poll: makeHeartbeatAnswer(polls[0]!), heartbeat: HEARTBEAT });
  const bare = options.measuresBare ? await run(bareHttp, BARE_WARM_UP_MS) : [];
  await bareHttp.setAnswers({ heartbeat: null });
  const micros = (windows: readonly IdleWindow[]): number[] => windows.map((of) => (of.cpuMs * 1000) / of.answers);
  const rates = (windows: readonly IdleWindow[]): number[] => windows.map((of) => of.answers / of.seconds);
  const ceilingOf = (values: number[]) => [{ name: BARE_HTTP, values }];
  const id = `held/${options.idlePolls}/${face.name}`;
  const name = `${polls.length} idle polls, ${face.name}`;
  return [
    makeFigure(`${id}/registered`, `${polls.length} queues registered, ${face.name}`, 's', [seconds]),
    makeFigure(`${id}/cpu`, `${name}: CPU per heartbeat`, 'µs', micros(ours), ceilingOf(micros(bare))),
    makeFigure(
      `${id}/rate`,
      `${name}: heartbeats (every ${HEARTBEAT_SECONDS} s)`,
      'per second',
      rates(ours),
      ceilingOf(rates(bare)),
    ),
  ];
}

export const held = defineCase<PreparedHeld>({
  name: 'held',
  about: '--polls idle polls, which get only heartbeats; nine minutes for each face',
  server: {},
  onlyNamed: true,
  prepare,
  measure,
});
