/**
 * Memory of an event queue in a server: after its registration, at rest without a poll, and with a waiting poll. `node
 * dist/test/bench/queue-memory-bench.js [--face embedded|cluster] [--queues N] [--users N] [--polls N] [--rest SECONDS]
 * [--snapshots DIR]`, about five minutes. The baseline of all figures is the memory before the first of these queues;
 * each measurement forces a garbage collection. The kernel's memory for sockets is not included. The program prints
 * figures and asserts nothing.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Connection, requestText } from './connection.js';
import { cpuMs } from './cpu.js';
import { type Face, startFace } from './faces.js';
import type { Poll } from './jobs.js';
import type { FaceName } from './options.js';
import { makeAccounts, registerQueues } from './prepare.js';
import { machineText } from './report.js';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    face: text('embedded'),
    queues: text('20000'),
    users: text('100'),
    polls: text('19000'),
    /** Seconds without a poll after which every queue is at rest. */
    rest: text('120'),
    form: text('event_types=["message","reaction","typing"]&fetch_event_types=[]'),
    snapshots: { type: 'string' },
  },
});
const QUEUES = Number(values.queues);
const PARALLEL_REGISTRATIONS = 32;

const say = (line: string): void => {
  process.stdout.write(`[${(performance.now() / 1000).toFixed(0)} s] ${line}\n`);
};

interface ProcessMemory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** Measures the memory of processes with memory-hook.ts. @returns values in the order of `pids` */
async function measureMemory(dir: string, pids: readonly number[], snapshot: boolean): Promise<ProcessMemory[]> {
  if (snapshot) await writeFile(join(dir, 'snapshot'), '');
  else await rm(join(dir, 'snapshot'), { force: true });
  const all: ProcessMemory[] = [];
  for (const pid of pids) {
    const path = join(dir, `${pid}.json`);
    await rm(path, { force: true });
    process.kill(pid, 'SIGUSR2');
    while (!existsSync(path)) await sleep(50);
    all.push(JSON.parse(await readFile(path, 'utf8')) as ProcessMemory);
  }
  return all;
}

/** Keeps one poll waiting per queue: repeats it after each response. @returns a function that stops the polls */
async function holdPolls(face: Face, polls: readonly Poll[]): Promise<() => void> {
  const connections: Connection[] = [];
  let failed = 0;
  for (const poll of polls) {
    let { lastEventId } = poll;
    const connection = await Connection.open(face.port, true);
    const ask = (): void => {
      const path = `/api/v1/events?queue_id=${poll.queueId}&last_event_id=${lastEventId}`;
      connection.write(requestText('GET', path, poll.authorization));
    };
    connection.onAnswer = ({ ok, text }) => {
      const id = /"id":(\d+)\}\],"queue_id"/.exec(text);
      if (id) lastEventId = Number(id[1]);
      if (ok && id) ask();
      else if (failed++ === 0) say(`a poll failed: ${text}`);
    };
    connection.onGone = () => void (failed++ === 0 && say('a poll lost its connection'));
    ask();
    connections.push(connection);
  }
  return () => {
    if (failed > 0) say(`${failed} of ${polls.length} polls failed`);
    for (const connection of connections) connection.close();
  };
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(2)} KiB`;

async function main(dir: string): Promise<void> {
  const hook = new URL('./memory-hook.js', import.meta.url).href;
  const options = {
    nats: process.env.NATS_URL,
    mongodb: process.env.MONGODB_URL,
    node: ['--expose-gc', '--import', hook],
    env: { MEMORY_DIR: dir },
  };
  const face = await startFace(values.face as FaceName, options);
  if (!face) throw new Error('no services: set NATS_URL and MONGODB_URL');
  try {
    const measure = async (): Promise<ProcessMemory[]> => measureMemory(dir, face.pids, values.snapshots !== undefined);
    const accounts = await makeAccounts(face, 1, Number(values.users));
    say(`${accounts.length} accounts`);
    // The first requests compile code and fill caches, whose memory must not count as memory of queues.
    const stopWarmUp = await holdPolls(
      face,
      await registerQueues(face, accounts, 300, PARALLEL_REGISTRATIONS, values.form),
    );
    await sleep(2_000);
    stopWarmUp();
    await sleep(1_000);
    const base = await measure();
    const report = async (what: string, count: number): Promise<void> => {
      const now = await measure();
      const sum = (of: (memory: ProcessMemory) => number): number =>
        now.reduce((total, memory, i) => total + of(memory) - of(base[i]!), 0) / count;
      const each = now.map((memory, i) =>
        kib((memory.heapUsed + memory.external - base[i]!.heapUsed - base[i]!.external) / count),
      );
      say(
        `${what}: heap ${kib(sum((m) => m.heapUsed))} + external ${kib(sum((m) => m.external))} each` +
          ` (by process: ${each.join(', ')}); rss ${kib(sum((m) => m.rss))} each`,
      );
    };
    const begun = performance.now();
    const cpu = cpuMs(face.pids);
    const queues = await registerQueues(face, accounts, QUEUES, PARALLEL_REGISTRATIONS, values.form);
    say(
      `${QUEUES} queues registered in ${((performance.now() - begun) / 1000).toFixed(1)} s, ` +
        `${((cpuMs(face.pids) - cpu) / QUEUES).toFixed(2)} ms of CPU each`,
    );
    await report('just registered', QUEUES);
    await sleep(Number(values.rest) * 1000);
    await report('at rest', QUEUES);
    const polls = queues.slice(0, Number(values.polls));
    const stopPolls = await holdPolls(face, polls);
    await sleep(5_000);
    await report(`${polls.length} polls held`, polls.length);
    stopPolls();
    await sleep(5_000);
    await report('polls just left', QUEUES);
    await sleep(Number(values.rest) * 1000);
    await report('at rest again', QUEUES);
    say(machineText());
  } finally {
    await face.stop();
  }
}

if (values.snapshots !== undefined) await mkdir(values.snapshots, { recursive: true });
const dir = values.snapshots ?? (await mkdtemp(join(tmpdir(), 'conclave-memory-')));
try {
  await main(dir);
} finally {
  if (values.snapshots === undefined) await rm(dir, { recursive: true, force: true });
}
