/**
 * Memory of an event queue: in use, idle without a poll, and with a waiting poll. `node
 * dist/test/bench/queue-memory-bench.js [--face embedded|cluster] [--queues N] [--users N] [--polls N] [--rest SECONDS]
 * [--snapshots DIR]`; some five minutes. It asserts nothing. Figures are differences to the servers before the first of
 * these queues was made, after forced collections. Sockets in the kernel are in none of them.
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
import { machine } from './report.js';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    face: text('embedded'),
    queues: text('20000'),
    users: text('100'),
    polls: text('19000'),
    /** Seconds without a poll after which every queue should be at rest. */
    rest: text('120'),
    form: text('event_types=["message","reaction","typing"]&fetch_event_types=[]'),
    snapshots: { type: 'string' },
  },
});
const QUEUES = Number(values.queues);
const AT_ONCE = 32;

const say = (line: string): void => {
  process.stdout.write(`[${(performance.now() / 1000).toFixed(0)} s] ${line}\n`);
};

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** Memory of each process, in the order of `pids`. */
async function memoryOf(dir: string, pids: readonly number[], snapshot: boolean): Promise<Memory[]> {
  if (snapshot) await writeFile(join(dir, 'snapshot'), '');
  else await rm(join(dir, 'snapshot'), { force: true });
  const all: Memory[] = [];
  for (const pid of pids) {
    const path = join(dir, `${pid}.json`);
    await rm(path, { force: true });
    process.kill(pid, 'SIGUSR2');
    while (!existsSync(path)) await sleep(50);
    all.push(JSON.parse(await readFile(path, 'utf8')) as Memory);
  }
  return all;
}

/** Holds one poll per queue, and repeats it after each response. @returns function that stops the polls */
async function hold(face: Face, polls: readonly Poll[]): Promise<() => void> {
  const connections: Connection[] = [];
  let failed = 0;
  for (const poll of polls) {
    let { last } = poll;
    const connection = await Connection.open(face.port, true);
    const ask = (): void => {
      const path = `/api/v1/events?queue_id=${poll.queue}&last_event_id=${last}`;
      connection.write(requestText('GET', path, poll.authorization));
    };
    connection.onAnswer = ({ ok, text }) => {
      const id = /"id":(\d+)\}\],"queue_id"/.exec(text);
      if (id) last = Number(id[1]);
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
  const here = new URL('./memory-hook.js', import.meta.url).href;
  const options = {
    nats: process.env.NATS_URL,
    mongodb: process.env.MONGODB_URL,
    node: ['--expose-gc', '--import', here],
    env: { MEMORY_DIR: dir },
  };
  const face = await startFace(values.face as FaceName, options);
  if (!face) throw new Error('no services: set NATS_URL and MONGODB_URL');
  try {
    const measure = async (): Promise<Memory[]> => memoryOf(dir, face.pids, values.snapshots !== undefined);
    const accounts = await makeAccounts(face, 1, Number(values.users));
    say(`${accounts.length} accounts`);
    // Compiling and filling caches at the first requests must not count as memory of queues.
    const warm = await hold(face, await registerQueues(face, accounts, 300, AT_ONCE, values.form));
    await sleep(2_000);
    warm();
    await sleep(1_000);
    const base = await measure();
    const tell = async (what: string, count: number): Promise<void> => {
      const now = await measure();
      const sum = (of: (memory: Memory) => number): number =>
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
    const queues = await registerQueues(face, accounts, QUEUES, AT_ONCE, values.form);
    say(
      `${QUEUES} queues registered in ${((performance.now() - begun) / 1000).toFixed(1)} s, ` +
        `${((cpuMs(face.pids) - cpu) / QUEUES).toFixed(2)} ms of CPU each`,
    );
    await tell('just registered', QUEUES);
    await sleep(Number(values.rest) * 1000);
    await tell('at rest', QUEUES);
    const polls = queues.slice(0, Number(values.polls));
    const held = await hold(face, polls);
    await sleep(5_000);
    await tell(`${polls.length} polls held`, polls.length);
    held();
    await sleep(5_000);
    await tell('polls just left', QUEUES);
    await sleep(Number(values.rest) * 1000);
    await tell('at rest again', QUEUES);
    say(machine());
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
