/**
 * Import and export of a generated organization beside a running server: messages per second, CPU and memory of the
 * command, and the latency of live messages to another organization at the same time.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeExportedOrganization } from '../../support/exported-organization.js';
import { type Bench, defineCase } from '../case.js';
import { requestOnce } from '../connection.js';
import { BARE_HTTP, type Figure, makeFigure } from '../figures.js';
import { messageMarker, type Poll } from '../jobs.js';
import { type Account, makeMessageQueues, makeStream, meRequest, sendRequest } from '../prepare.js';
import { CONCLAVE, runToEnd } from '../processes.js';
import type { ProcessUsage } from '../usage-hook.js';

const STREAM = 'lively';
const POLLS = 20;
/** Number of connections to the bare server. */
const BARE_CONNECTIONS = 64;
/** Length of one window of live traffic. */
const WINDOW_MS = 2_000;
/**
 * Number of live messages from which on a command is not repeated: p99 of fewer would be the slowest one, which any
 * other program of the machine decides.
 */
const MIN_LIVE_MESSAGES = 200;
const COMMAND_TIMEOUT_MS = 3_600_000;
const USAGE_HOOK = new URL('../usage-hook.js', import.meta.url).href;

const DIRECTIONS = ['import', 'export'] as const;
type Direction = (typeof DIRECTIONS)[number];

interface PreparedExchange {
  /** Temporary folder for all files of the case. */
  readonly folder: string;
  /** Accounts of the organization with live messages; the first one sends. */
  readonly accounts: readonly Account[];
}

interface CommandRun extends ProcessUsage {
  readonly seconds: number;
}

/** Values of one direction, one for each run. */
interface DirectionValues {
  /** Runs without live messages. */
  readonly runs: CommandRun[];
  /** p99 of live messages while the command runs, and of equally many messages without the command. */
  readonly busyP99: number[];
  readonly quietP99: number[];
}

async function prepare(bench: Bench): Promise<PreparedExchange> {
  const { people, streams, exchangedMessages: messages } = bench.options;
  const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-exchange-'));
  makeExportedOrganization(join(folder, 'made'), { people, streams, messages, seed: 7 });
  const accounts = await bench.makeAccounts(10);
  await makeStream(bench.face, STREAM, accounts);
  return { folder, accounts };
}

class ExchangeMeasurement {
  #realms = 0;
  #usages = 0;
  #polls: readonly Poll[] = [];
  readonly #bare = { perSecond: [] as number[], micros: [] as number[] };
  readonly #measured: Readonly<Record<Direction, DirectionValues>> = {
    import: { runs: [], busyP99: [], quietP99: [] },
    export: { runs: [], busyP99: [], quietP99: [] },
  };

  constructor(
    private readonly bench: Bench,
    private readonly prepared: PreparedExchange,
  ) {}

  get #sender(): Account {
    return this.prepared.accounts[0]!;
  }

  async measure(): Promise<Figure[]> {
    await this.#registerQueues();
    await this.#measureLiveWindows(() => false);
    for (let i = 0; i < this.bench.options.runs; i++) {
      await this.#measureBare();
      for (const direction of DIRECTIONS) {
        await this.#settleDisk();
        this.#measured[direction].runs.push(await this.#run(direction));
      }
      for (const direction of DIRECTIONS) await this.#measureLive(direction);
    }
    return DIRECTIONS.flatMap((direction) => this.#figuresOf(direction));
  }

  get #exportFolder(): string {
    return join(this.prepared.folder, 'left');
  }

  /**
   * Removes the export, and waits until the disk has all that was written or removed. Otherwise a flush by the server
   * would wait for the command before: up to 0.2 s for some ten seconds after an export of a million messages.
   */
  async #settleDisk(): Promise<void> {
    await rm(this.#exportFolder, { recursive: true, force: true });
    await promisify(execFile)('sync');
  }

  /** Measures the throughput of the bare server, with Conclave's answer to `GET /users/me`. */
  async #measureBare(): Promise<void> {
    const { face, bareHttp, generator, options } = this.bench;
    if (!options.measuresBare) return;
    const request = meRequest(this.#sender.authorization);
    await bareHttp.setAnswers({ get: (await requestOnce(face.port, request)).text });
    const { port, pids } = bareHttp;
    const { warmUpMs, ms } = options;
    const job = { kind: 'rate', port, pids, requests: [request], connections: BARE_CONNECTIONS, warmUpMs, ms } as const;
    const { count, seconds, cpuMs } = await generator.run(job);
    this.#bare.perSecond.push(count / seconds);
    this.#bare.micros.push((cpuMs * 1_000) / count);
  }

  async #run(direction: Direction): Promise<CommandRun> {
    const { folder } = this.prepared;
    const source = join(folder, 'made');
    const argv =
      direction === 'import'
        ? ['import', source, '--subdomain', `moved${++this.#realms}`, '--no-invitations']
        : ['export', this.#exportFolder, '--subdomain', `moved${this.#realms}`];
    const file = join(folder, `usage-${++this.#usages}.json`);
    const env = { ...this.bench.face.commandEnvironment, USAGE_FILE: file };
    const begun = performance.now();
    await runToEnd(['--import', USAGE_HOOK, CONCLAVE, ...argv], env, COMMAND_TIMEOUT_MS);
    const seconds = (performance.now() - begun) / 1_000;
    return { ...(JSON.parse(await readFile(file, 'utf8')) as ProcessUsage), seconds };
  }

  /** New queues for live messages: queues without a poll end after ten minutes, which an import may take. */
  async #registerQueues(): Promise<void> {
    this.#polls = await makeMessageQueues(this.bench.face, this.prepared.accounts, POLLS);
  }

  /** Measures live messages while the command runs, and then in equally many windows without the command. */
  async #measureLive(direction: Direction): Promise<void> {
    await this.#registerQueues();
    const busy: number[][] = [];
    while (busy.flat().length < MIN_LIVE_MESSAGES) {
      await this.#settleDisk();
      let isRunning = true;
      const command = this.#run(direction).finally(() => {
        isRunning = false;
      });
      busy.push(...(await this.#measureLiveWindows(() => isRunning)));
      await command;
    }
    await this.#settleDisk();
    let windows = busy.length;
    const quiet = await this.#measureLiveWindows(() => --windows > 0);
    this.#measured[direction].busyP99.push(p99(busy.flat()));
    this.#measured[direction].quietP99.push(p99(quiet.flat()));
  }

  /**
   * Measures live messages in windows.
   *
   * @param shouldContinue called after each window
   * @returns the times of each window's messages, from the planned send to the last poll, ms
   */
  async #measureLiveWindows(shouldContinue: () => boolean): Promise<number[][]> {
    const { face, generator, options } = this.bench;
    const everyMs = 1_000 / options.perSecond;
    const count = Math.ceil(WINDOW_MS / everyMs);
    const sends = Array.from({ length: count }, (_, n) =>
      sendRequest(this.#sender.authorization, STREAM, ` ${messageMarker(n)}`),
    );
    const windows: number[][] = [];
    do {
      const { port, pids } = face;
      const { settleMs } = options;
      const job = { kind: 'fanout-rate', port, pids, polls: this.#polls, sends, everyMs, settleMs } as const;
      const result = await generator.run(job);
      this.#polls = this.#polls.map((poll, i) => ({ ...poll, lastEventId: result.lastEventIds[i]! }));
      windows.push(result.ms.map((ms) => ms ?? Number.POSITIVE_INFINITY));
    } while (shouldContinue());
    return windows;
  }

  #figuresOf(direction: Direction): Figure[] {
    const { face, options } = this.bench;
    const { exchangedMessages: messages } = options;
    const { runs, busyP99, quietP99 } = this.#measured[direction];
    const id = `exchange/${direction}/${messages}/${face.name}`;
    const name = `${direction} of ${messages.toLocaleString('en-US')} messages, ${face.name}`;
    const valuesOfRuns = (value: (run: CommandRun) => number): number[] => runs.map(value);
    const { perSecond, micros } = this.#bare;
    return [
      makeFigure(
        `${id}/rate`,
        name,
        'messages/s',
        valuesOfRuns(({ seconds }) => messages / seconds),
        [{ name: BARE_HTTP, values: perSecond }],
      ),
      makeFigure(
        `${id}/cpu`,
        `${name}: CPU`,
        'µs each',
        valuesOfRuns(({ cpuMs }) => (cpuMs * 1_000) / messages),
        [{ name: BARE_HTTP, values: micros }],
      ),
      makeFigure(
        `${id}/rss`,
        `${name}: peak RSS, with mapped files`,
        'MB',
        valuesOfRuns(({ rssBytes }) => rssBytes / 1e6),
      ),
      makeFigure(
        `${id}/memory`,
        `${name}: peak memory without files`,
        'MB',
        valuesOfRuns(({ ownBytes }) => ownBytes / 1e6),
      ),
      makeFigure(`${id}/p99`, `${name}: p99 of ${options.perSecond} live messages/s to ${POLLS} polls`, 'ms', busyP99, [
        { name: 'the same without it', values: quietP99 },
      ]),
    ];
  }
}

function p99(ms: readonly number[]): number {
  const sorted = [...ms].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1]!;
}

export const exchange = defineCase<PreparedExchange>({
  name: 'exchange',
  about: '`conclave import` and `export` of --messages messages, and live messages at the same time',
  server: {},
  onlyNamed: true,
  prepare,
  async measure(bench, prepared) {
    try {
      return await new ExchangeMeasurement(bench, prepared).measure();
    } finally {
      await rm(prepared.folder, { recursive: true, force: true });
    }
  },
});
