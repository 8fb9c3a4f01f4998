/** Jobs of the load generator that hold many polls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection } from '../support/http-connection.js';
import { Connection, requestText } from './connection.js';
import { cpuMs } from './cpu.js';
import {
  type FanoutRateJob,
  type FanoutRateResult,
  type IdleJob,
  type IdleResult,
  type IdleWindow,
  messageMarker,
  type Poll,
} from './jobs.js';

/** Time after the last message until a missing delivery counts as lost, ms. */
const LATE_DELIVERIES_MS = 5_000;
const PARALLEL_OPENS = 64;

const EVENT_ID_KEY = Buffer.from('"id":');
const MARKER_START = messageMarker(0).split('0')[0]!;

/** @returns the number whose digits begin at an offset of the body */
function readNumberAt(body: Buffer, offset: number): number {
  let number = 0;
  for (let i = offset; body[i]! >= 48 && body[i]! <= 57; i++) number = number * 10 + body[i]! - 48;
  return number;
}

/**
 * Client with one connection, which repeats its poll after each answer. It parses only the last event id of an answer,
 * so that the load generator needs little CPU.
 */
class PollingClient {
  onAnswer: (body: Buffer) => void = () => {};
  onFailure: (error: Error) => void = () => {};
  lastEventId: number;
  readonly #before: string;
  readonly #after: string;

  private constructor(
    private readonly http: HttpConnection,
    { queueId, authorization, lastEventId, level }: Poll,
  ) {
    this.lastEventId = lastEventId;
    const text = requestText(
      'GET',
      `/api/v1/events?queue_id=${queueId}&last_event_id=*`,
      authorization,
      undefined,
      level,
    );
    [this.#before, this.#after] = text.split('*') as [string, string];
    http.onGone = (error) => this.onFailure(error ?? new Error('connection closed'));
    http.onAnswer = ({ status, body }) => {
      const id = body.lastIndexOf(EVENT_ID_KEY);
      if (status !== 200 || id < 0) return this.onFailure(new Error(`poll refused: ${status} ${body}`));
      this.lastEventId = readNumberAt(body, id + EVENT_ID_KEY.length);
      this.sendPoll();
      this.onAnswer(body);
    };
  }

  static async open(port: number, polls: readonly Poll[]): Promise<PollingClient[]> {
    const clients: PollingClient[] = [];
    while (clients.length < polls.length) {
      const batch = polls.slice(clients.length, clients.length + PARALLEL_OPENS);
      const opened = batch.map(async (poll) => {
        return new PollingClient(await HttpConnection.open({ host: '127.0.0.1', port, tls: false }, true), poll);
      });
      clients.push(...(await Promise.all(opened)));
    }
    return clients;
  }

  sendPoll(): void {
    this.http.write(this.#before + this.lastEventId + this.#after);
  }

  close(): void {
    this.http.close();
  }
}

/** Pool of connections for sends: a send that finds no idle connection opens another one. */
class SendingConnections {
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  readonly #answered = new Map<Connection, () => void>();

  constructor(
    private readonly port: number,
    private readonly broken: (error: Error) => void,
  ) {}

  async open(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.#add();
  }

  send(request: string, answered: () => void): void {
    // Connections are used in turn, because the server closes a connection that is idle for long.
    const free = this.#free.shift();
    if (free) {
      this.#answered.set(free, answered);
      free.write(request);
    } else void this.#add().then(() => this.send(request, answered), this.broken);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  async #add(): Promise<void> {
    const connection = await Connection.open(this.port, true);
    connection.onGone = (error) => {
      const idle = this.#free.indexOf(connection);
      if (idle >= 0) this.#free.splice(idle, 1);
      else this.broken(error ?? new Error('connection closed'));
    };
    connection.onAnswer = ({ ok, text }) => {
      if (!ok) this.broken(new Error(`send refused: ${text}`));
      this.#answered.get(connection)?.();
      this.#free.push(connection);
    };
    this.#all.push(connection);
    this.#free.push(connection);
  }
}

const quantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;

/**
 * Sends messages in an open loop and measures the time of each delivery from the planned send, so that a slow server
 * does not delay later sends (no coordinated omission).
 */
export async function measureFanout(job: FanoutRateJob): Promise<FanoutRateResult> {
  const { polls, sends, everyMs } = job;
  const deliveriesByMessage = sends.map(() => 0);
  const ms: (number | null)[] = sends.map(() => null);
  const isSeen = new Uint8Array(polls.length * sends.length);
  const deliveryTimes = new Float64Array(polls.length * sends.length);
  let deliveries = 0;
  let repeatedDeliveries = 0;
  let startedAt = 0;
  let broken: (error: Error) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    broken = reject;
  });
  const clients = await PollingClient.open(job.port, polls);
  const senders = new SendingConnections(job.port, broken);
  await senders.open(4);
  clients.forEach((client, i) => {
    client.onFailure = broken;
    client.onAnswer = (body) => {
      const sinceStart = performance.now() - startedAt;
      for (let mark = body.indexOf(MARKER_START); mark >= 0; mark = body.indexOf(MARKER_START, mark + 1)) {
        const n = readNumberAt(body, mark + MARKER_START.length);
        const index = i * sends.length + n;
        if (isSeen[index] === 1) {
          repeatedDeliveries++;
          continue;
        }
        isSeen[index] = 1;
        deliveryTimes[deliveries++] = sinceStart - n * everyMs;
        if (++deliveriesByMessage[n]! === polls.length) ms[n] = sinceStart - n * everyMs;
      }
    };
    client.sendPoll();
  });
  await sleep(job.settleMs);
  const cpu = cpuMs(job.pids);
  startedAt = performance.now();
  let maxSendDelayMs = 0;
  const acknowledgementTimes: number[] = [];
  const run = async (): Promise<void> => {
    for (let n = 0; n < sends.length; ) {
      const late = performance.now() - startedAt - n * everyMs;
      if (late < 0) await sleep(-late);
      else {
        maxSendDelayMs = Math.max(maxSendDelayMs, late);
        const plannedAt = startedAt + n * everyMs;
        senders.send(sends[n]!, () => acknowledgementTimes.push(performance.now() - plannedAt));
        n++;
      }
    }
    const until = performance.now() + LATE_DELIVERIES_MS;
    while (deliveries < polls.length * sends.length && performance.now() < until) await sleep(10);
  };
  await Promise.race([run(), failure]);
  const cpuUsed = cpuMs(job.pids) - cpu;
  for (const client of clients) client.close();
  senders.close();
  const last = clients.map((client) => client.lastEventId);
  const sorted = deliveryTimes.subarray(0, deliveries).sort();
  const [deliveryP50, deliveryP99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  const acknowledgedP99 = quantile(Float64Array.from(acknowledgementTimes).sort(), 0.99);
  return {
    ms,
    acknowledgedP99,
    deliveryP50,
    deliveryP99,
    deliveries: deliveries,
    repeatedDeliveries: repeatedDeliveries,
    maxSendDelayMs,
    cpuMs: cpuUsed,
    lastEventIds: last,
  };
}

export async function idle(job: IdleJob): Promise<IdleResult> {
  const { polls } = job;
  let answers = 0;
  let failed = 0;
  let firstFailure = '';
  const fails = (why: string): void => {
    if (failed++ === 0) firstFailure = why;
  };
  const clients: PollingClient[] = [];
  const begun = performance.now();
  while (clients.length < polls.length) {
    const untilNext = begun + (clients.length * job.spreadMs) / polls.length - performance.now();
    if (untilNext > 0) await sleep(untilNext);
    // Connections are opened in batches just before use, because the server closes an idle connection.
    for (const client of await PollingClient.open(
      job.port,
      polls.slice(clients.length, clients.length + PARALLEL_OPENS),
    )) {
      clients.push(client);
      client.onFailure = (error) => fails(error.message);
      client.onAnswer = () => {
        answers++;
      };
      client.sendPoll();
    }
  }
  await sleep(job.warmUpMs);
  const windows: IdleWindow[] = [];
  for (let i = 0; i < job.windows; i++) {
    answers = 0;
    const cpu = cpuMs(job.pids);
    const from = performance.now();
    await sleep(job.ms);
    windows.push({ answers, cpuMs: cpuMs(job.pids) - cpu, seconds: (performance.now() - from) / 1000 });
  }
  for (const client of clients) client.close();
  return { windows, lastEventIds: clients.map(({ lastEventId }) => lastEventId), failed, firstFailure };
}
