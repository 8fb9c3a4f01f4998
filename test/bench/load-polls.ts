/** Jobs of the load generator that hold many polls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestText } from './connection.js';
import { cpuMs } from './cpu.js';
import { type FanoutRateJob, type FanoutRateResult, type IdleJob, type IdleResult, marker, type Poll } from './jobs.js';

/** After the last message, until what is still missing counts as lost. */
const STRAGGLERS_MS = 5_000;
const OPENED_AT_ONCE = 64;

const pollText = ({ queue, authorization }: Poll, last: number): string =>
  requestText('GET', `/api/v1/events?queue_id=${queue}&last_event_id=${last}`, authorization);

const lastId = (text: string): number | undefined => {
  const id = /"id":(\d+)\}\],"queue_id"/.exec(text);
  return id ? Number(id[1]) : undefined;
};

async function openAll(port: number, count: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < count) {
    const some = Math.min(OPENED_AT_ONCE, count - connections.length);
    connections.push(...(await Promise.all(Array.from({ length: some }, () => Connection.open(port, true)))));
  }
  return connections;
}

/** Requests on as many connections as are under way at once. */
class Senders {
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];

  constructor(
    private readonly port: number,
    private readonly broken: (error: Error) => void,
  ) {}

  async open(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.#add();
  }

  send(request: string): void {
    const free = this.#free.pop();
    if (free) free.write(request);
    else void this.#add().then(() => this.send(request), this.broken);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  async #add(): Promise<void> {
    const connection = await Connection.open(this.port, true);
    connection.onGone = (error) => this.broken(error ?? new Error('connection closed'));
    connection.onAnswer = ({ ok, text }) => {
      if (!ok) this.broken(new Error(`send refused: ${text}`));
      this.#free.push(connection);
    };
    this.#all.push(connection);
    this.#free.push(connection);
  }
}

const quantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;

/** Open loop: the next message is sent when its time has come, and times count from then, so that nothing is omitted. */
export async function fanoutRate(job: FanoutRateJob): Promise<FanoutRateResult> {
  const { polls, sends, everyMs } = job;
  const last = polls.map((poll) => poll.last);
  const told = sends.map(() => 0);
  const ms: (number | null)[] = sends.map(() => null);
  const seen = new Uint8Array(polls.length * sends.length);
  const each = new Float64Array(polls.length * sends.length);
  const [before, after] = marker(0).split('0') as [string, string];
  const marked = new RegExp(`${before}(\\d+)${after}`, 'g');
  let delivered = 0;
  let repeated = 0;
  let begun = 0;
  let broken: (error: Error) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    broken = reject;
  });
  const connections = await openAll(job.port, polls.length);
  const senders = new Senders(job.port, broken);
  await senders.open(4);
  connections.forEach((connection, i) => {
    connection.onGone = (error) => broken(error ?? new Error('connection closed'));
    connection.onAnswer = ({ ok, text }) => {
      const at = performance.now() - begun;
      const id = lastId(text);
      if (!ok || id === undefined) return broken(new Error(`poll refused: ${text}`));
      last[i] = id;
      connection.write(pollText(polls[i]!, id));
      for (const [, number] of text.matchAll(marked)) {
        const n = Number(number);
        const place = i * sends.length + n;
        if (seen[place] === 1) {
          repeated++;
          continue;
        }
        seen[place] = 1;
        each[delivered++] = at - n * everyMs;
        if (++told[n]! === polls.length) ms[n] = at - n * everyMs;
      }
    };
    connection.write(pollText(polls[i]!, last[i]!));
  });
  await sleep(job.settleMs);
  const cpu = cpuMs(job.pids);
  begun = performance.now();
  let sentLateMs = 0;
  const run = async (): Promise<void> => {
    for (let n = 0; n < sends.length; ) {
      const late = performance.now() - begun - n * everyMs;
      if (late < 0) await sleep(-late);
      else {
        sentLateMs = Math.max(sentLateMs, late);
        senders.send(sends[n++]!);
      }
    }
    const until = performance.now() + STRAGGLERS_MS;
    while (delivered < polls.length * sends.length && performance.now() < until) await sleep(10);
  };
  await Promise.race([run(), failure]);
  const spent = cpuMs(job.pids) - cpu;
  for (const connection of connections) connection.close();
  senders.close();
  const sorted = each.subarray(0, delivered).sort();
  const [eachP50, eachP99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  return { ms, eachP50, eachP99, delivered, repeated, sentLateMs, cpuMs: spent, last };
}

export async function idle(job: IdleJob): Promise<IdleResult> {
  const { polls } = job;
  let answers = 0;
  let failed = 0;
  let firstFailure = '';
  const fails = (why: string): void => {
    if (failed++ === 0) firstFailure = why;
  };
  const connections = await openAll(job.port, polls.length);
  const pause = job.spreadMs / polls.length;
  const begun = performance.now();
  for (const [i, connection] of connections.entries()) {
    connection.onGone = (error) => fails(error?.message ?? 'connection closed');
    connection.onAnswer = ({ ok, text }) => {
      answers++;
      const id = lastId(text);
      if (ok && id !== undefined) connection.write(pollText(polls[i]!, id));
      else fails(text);
    };
    const ahead = begun + i * pause - performance.now();
    if (ahead > 5) await sleep(ahead);
    connection.write(pollText(polls[i]!, polls[i]!.last));
  }
  await sleep(job.warmMs);
  answers = 0;
  const cpu = cpuMs(job.pids);
  const from = performance.now();
  await sleep(job.ms);
  const seconds = (performance.now() - from) / 1000;
  const result = { answers, failed, firstFailure, cpuMs: cpuMs(job.pids) - cpu, seconds };
  for (const connection of connections) connection.close();
  return result;
}
