/**
 * Event-loop budget: sends the largest accepted requests for every operation, with and without an account, and measures
 * for how long each blocks the server's event loop. `npm run budget -- --help` lists the options; docs/performance.md
 * explains the figures.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { API_OPERATIONS, type ApiOperation } from '#frontend/api';
import { basic } from '../api/support/client.js';
import { Random } from '../cluster/scheduler.js';
import type { Answer, Question, Ready, Subject } from './protocol.js';
import { type LargeRequest, largeRequests } from './requests.js';

const LIMIT_MS = 100;
const MIN_SHOWN = 10;
/** Response timeout. A later response counts as missing, except for polls. */
const RESPONSE_TIMEOUT_MS = 20_000;
const POLL_TIMEOUT_MS = 500;
const MAX_RESPONSE_HEAD_BYTES = 256 * 1024;
/** Share of the limit: a request that blocked for less in the first round is not repeated. */
const REPEAT_SHARE = 0.5;

/** Operations that end the organization, so a member calls them and is refused. */
const REALM_ENDING_OPERATIONS = new Set(['deactivate-realm']);
const OPERATIONS_ON_PROTECTED_STREAM = new Set(['get-stream-topics']);

const USAGE = `npm run budget -- [options]
  --seed N          seed of the random choice of texts and values (default 1)
  --operation TEXT  only operations whose id, or method and path, contain TEXT
  --rounds N        measurements of a request that blocks for more than half of the limit; the median counts (default
                    3). A request above the limit is measured up to three times as often and the minimum counts,
                    because other processes only add time
  --seconds N       time limit of the run; the run fails if operations are left (default 300)
  --adapter NAME    HTTP server: uws, node or auto (default)
  --all             print every request that blocked for more than 10 ms
`;

interface Measured {
  readonly operation: ApiOperation;
  readonly title: string;
  readonly account: boolean;
  readonly held: number[];
  readonly probe: number[];
  readonly status: number;
  readonly bytes: number;
}

/** Factor on `--rounds` for requests above the limit. */
const EXTRA_ROUNDS_FACTOR = 3;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Representative blocking time of a request: the median, or the minimum if the median is above the limit. */
const representative = (held: readonly number[], limit: number): number =>
  median(held) > limit ? Math.min(...held) : median(held);

class Server {
  #waiting: ((answer: Answer) => void)[] = [];

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (answer: Answer) => this.#waiting.shift()?.(answer));
    child.on('exit', (code) => {
      for (const waits of this.#waiting.splice(0)) waits({ failed: `the server ended with ${code}` });
    });
  }

  static async start(adapter: string): Promise<{ server: Server; ready: Ready }> {
    const file = fileURLToPath(new URL('server.js', import.meta.url));
    // Options of Node as `npm start` sets them.
    const execArgv = ['--min-semi-space-size=16', '--max-semi-space-size=64'];
    const server = new Server(fork(file, [adapter], { execArgv }));
    const answer = await server.#next();
    if (!('ready' in answer)) throw new Error(JSON.stringify(answer));
    return { server, ready: answer.ready };
  }

  #next(): Promise<Answer> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async ask(question: Question): Promise<Answer> {
    const answer = this.#next();
    this.child.send(question);
    const got = await answer;
    if ('failed' in got) throw new Error(got.failed);
    return got;
  }

  async held(): Promise<number> {
    const answer = await this.ask({ ask: 'held' });
    return 'held' in answer ? answer.held : 0;
  }

  async subject({ id }: ApiOperation): Promise<Subject> {
    const answer = await this.ask({
      ask: 'subject',
      role: REALM_ENDING_OPERATIONS.has(id) ? 'member' : 'owner',
      readsProtected: OPERATIONS_ON_PROTECTED_STREAM.has(id),
    });
    if (!('subject' in answer)) throw new Error('no subject');
    return answer.subject;
  }

  stop(): void {
    this.child.send({ ask: 'stop' });
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class Caller {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #probes = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly port: number) {}

  /**
   * Sends a request. Redirections repeat the query in a header, so long response heads are accepted.
   * @returns HTTP status; 0 without a response in time
   */
  #send(agent: Agent, options: object, body: string | Buffer | undefined, longest: number): Promise<number> {
    return new Promise((resolve) => {
      const req = request(
        { host: '127.0.0.1', port: this.port, agent, maxHeaderSize: MAX_RESPONSE_HEAD_BYTES, ...options },
        (res) => {
          res.resume();
          res.on('end', () => resolve(res.statusCode ?? 0));
          res.on('error', () => resolve(res.statusCode ?? 0));
        },
      );
      req.setTimeout(longest, () => req.destroy());
      req.on('error', () => resolve(0));
      req.end(body);
    });
  }

  async send(
    large: LargeRequest,
    subject: Subject,
    polls: boolean,
  ): Promise<{ status: number; bytes: number; probe: number }> {
    const { path, headers, body } = large.make();
    const bytes = Buffer.byteLength(body ?? '') + path.length;
    const all = {
      host: '127.0.0.1',
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...(large.account ? { authorization: basic(subject.email, subject.key) } : {}),
    };
    let isAnswered = false;
    let probe = 0;
    const probing = (async () => {
      while (!isAnswered) {
        const from = performance.now();
        await this.#send(
          this.#probes,
          { path: '/api/v1/server_settings', headers: { host: '127.0.0.1' } },
          undefined,
          RESPONSE_TIMEOUT_MS,
        );
        probe = Math.max(probe, performance.now() - from);
        await pause(1);
      }
    })();
    const options = { method: large.method, path, headers: all };
    const status = await this.#send(this.#agent, options, body, polls ? POLL_TIMEOUT_MS : RESPONSE_TIMEOUT_MS);
    isAnswered = true;
    await probing;
    return { status, bytes, probe };
  }

  close(): void {
    this.#agent.destroy();
    this.#probes.destroy();
  }
}

interface Options {
  readonly seed: number;
  readonly operation: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly adapter: string;
  readonly all: boolean;
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      operation: { type: 'string', default: '' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '300' },
      adapter: { type: 'string', default: 'auto' },
      all: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const number = (name: 'seed' | 'rounds' | 'seconds'): number => {
    const n = Number(values[name]);
    if (!Number.isSafeInteger(n) || n < 1) throw new Error(`--${name} ${values[name]}: must be an integer from 1`);
    return n;
  };
  const { operation, adapter, all } = values;
  return { seed: number('seed'), rounds: number('rounds'), seconds: number('seconds'), operation, adapter, all };
}

const isPoll = ({ id }: ApiOperation): boolean => id === 'get-events';

class Budget {
  readonly measured: Measured[] = [];
  readonly unanswered: Measured[] = [];
  sent = 0;

  constructor(
    private readonly server: Server,
    private readonly caller: Caller,
    private readonly limit: number,
    private readonly options: Options,
  ) {}

  async #once(large: LargeRequest, subject: Subject, operation: ApiOperation) {
    await this.server.held();
    const sent = await this.caller.send(large, subject, isPoll(operation));
    this.sent++;
    // Work started by the request may run after its response.
    await pause(2);
    return { ...sent, held: await this.server.held() };
  }

  async operation(operation: ApiOperation): Promise<void> {
    let subject = await this.server.subject(operation);
    const random = new Random(this.options.seed + operation.id.length);
    for (const large of largeRequests(operation, subject, random)) {
      const first = await this.#once(large, subject, operation);
      const held = [first.held];
      const probe = [first.probe];
      const { rounds } = this.options;
      while (
        held[0]! > this.limit * REPEAT_SHARE &&
        (held.length < rounds ||
          (representative(held, this.limit) > this.limit && held.length < rounds * EXTRA_ROUNDS_FACTOR))
      ) {
        const next = await this.#once(large, subject, operation);
        held.push(next.held);
        probe.push(next.probe);
      }
      const { status, bytes } = first;
      const { title, account } = large;
      const measured = { operation, title, account, held, probe, status, bytes };
      this.measured.push(measured);
      if (status === 0 && !isPoll(operation)) this.unanswered.push(measured);
      // The request may have removed the account that sent it.
      if (account && (status === 401 || operation.method === 'DELETE') && first.status !== 400) {
        subject = await this.server.subject(operation);
      }
    }
  }
}

function lineOf({ operation, title, account, held, probe, status, bytes }: Measured, limit: number): string {
  const cells = [
    representative(held, limit).toFixed(0).padStart(6),
    median(probe).toFixed(0).padStart(6),
    String(status).padStart(4),
    `${(bytes / 1024).toFixed(0)}`.padStart(7),
  ];
  return `${cells.join(' | ')} | ${operation.method} ${operation.path}${account ? '' : ', without account'}: ${title}`;
}

async function main(options: Options): Promise<boolean> {
  const from = performance.now();
  const { server, ready } = await Server.start(options.adapter);
  const limit = LIMIT_MS * ready.slowness;
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  print(
    `limit: ${LIMIT_MS} ms x ${ready.slowness.toFixed(2)} (calibrated) = ${limit.toFixed(0)} ms; seed ${options.seed}`,
  );
  const chosen = API_OPERATIONS.filter(({ id, method, path }) => `${id} ${method} ${path}`.includes(options.operation));
  const caller = new Caller(ready.port);
  const budget = new Budget(server, caller, limit, options);
  let left = chosen.length;
  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    for (const operation of chosen) {
      if (interrupted || performance.now() - from > options.seconds * 1000) break;
      await budget.operation(operation);
      left--;
    }
  } catch (error) {
    print(`stopped at ${chosen[chosen.length - left]?.id}: ${String(error)}`);
  }
  caller.close();
  server.stop();
  const worst = budget.measured.sort((a, b) => representative(b.held, limit) - representative(a.held, limit));
  const over = worst.filter(({ held }) => representative(held, limit) > limit);
  const shown = options.all
    ? worst.filter(({ held }) => representative(held, limit) > 10)
    : worst.slice(0, Math.max(MIN_SHOWN, over.length));
  print('held ms | probe | code |     KiB | request');
  for (const measured of shown) print(lineOf(measured, limit));
  for (const measured of budget.unanswered) print(`no answer: ${lineOf(measured, limit)}`);
  if (left > 0) print(`incomplete: ${left} of ${chosen.length} operations are left`);
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  print(
    `${budget.sent} requests for ${chosen.length - left} operations in ${seconds} s; ${over.length} above ${limit.toFixed(0)} ms`,
  );
  return over.length === 0 && left === 0 && budget.unanswered.length === 0;
}

try {
  const options = readOptions();
  if (!options) process.stdout.write(USAGE);
  else if (!(await main(options))) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
}
