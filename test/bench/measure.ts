/** The measurements: ours and the bare server by turns, so that a drift of the machine hits both. */
import { Connection, once } from './connection.js';
import type { Face } from './faces.js';
import type { Poll, RateResult } from './jobs.js';
import type { BenchOptions } from './options.js';
import { type Account, meText, presenceText, sendText, usersText } from './prepare.js';
import type { Ceiling, Load } from './processes.js';
import { type Figure, figure } from './report.js';

export interface Bench {
  readonly face: Face;
  readonly ceiling: Ceiling;
  readonly load: Load;
  readonly options: BenchOptions;
}

interface Rates {
  readonly perSecond: number[];
  readonly micros: number[];
}

const rates = (): Rates => ({ perSecond: [], micros: [] });

function add(to: Rates, { count, seconds, cpuMs }: RateResult): void {
  to.perSecond.push(count / seconds);
  to.micros.push((cpuMs * 1000) / count);
}

interface Rate {
  readonly title: string;
  text(authorization: string, stream: string): string;
}

const RATES = {
  me: { title: '`GET /users/me`', text: meText },
  users: { title: '`GET /users`', text: usersText },
  send: { title: '`POST /messages`', text: sendText },
  ping: { title: '`POST /users/me/presence`, ping_only', text: (of) => presenceText(of, true) },
  presence: { title: '`POST /users/me/presence`, slim', text: (of) => presenceText(of, false) },
} as const satisfies Readonly<Record<string, Rate>>;

export type RateCase = keyof typeof RATES;
export const RATE_CASES = Object.keys(RATES) as readonly RateCase[];

export function measureRate(
  bench: Bench,
  what: RateCase,
  accounts: readonly Account[],
  stream: string,
  connections: number,
): Promise<Figure[]> {
  const { title, text } = RATES[what];
  const requests = accounts.map(({ authorization }) => text(authorization, stream));
  return measureRequests(bench, title, requests, connections);
}

/**
 * Requests in a closed loop; the bare server answers what we answered to the first.
 * @param turns each connection goes through the requests, instead of repeating one
 */
export async function measureRequests(
  { face, ceiling, load, options }: Bench,
  title: string,
  requests: readonly string[],
  connections: number,
  turns = false,
): Promise<Figure[]> {
  const sample = await once(face.port, requests[0]!);
  if (!sample.ok) throw new Error(sample.text);
  await ceiling.answers(requests[0]!.startsWith('GET') ? { get: sample.text } : { post: sample.text });
  const run = async (of: { port: number; pids: readonly number[] }, ms: number): Promise<RateResult> => {
    const { port, pids } = of;
    const { warmMs } = options;
    const result = await load.run({ kind: 'rate', port, pids, requests, connections, turns, warmMs, ms });
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.count} failed: ${result.firstFailure}`);
    return result;
  };
  await run(face, options.heatMs);
  if (options.profile === undefined) await run(ceiling, options.heatMs / 2);
  const ours = rates();
  const bare = rates();
  for (let i = 0; i < options.runs; i++) {
    add(ours, await run(face, options.ms));
    if (options.profile === undefined) add(bare, await run(ceiling, options.ms));
  }
  const name = `${title}, ${connections} at once, ${face.name}`;
  return [
    figure(name, 'per second', ours.perSecond, bare.perSecond),
    figure(`${name}: CPU`, 'µs each', ours.micros, bare.micros),
  ];
}

export async function measureFanout(
  { face, ceiling, load, options }: Bench,
  sender: Account,
  stream: string,
  polls: readonly Poll[],
): Promise<Figure[]> {
  const send = sendText(sender.authorization, stream);
  const { port, pids } = face;
  const job = { kind: 'fanout', send, rounds: options.rounds, settleMs: options.settleMs } as const;
  const positions = { ours: polls, bare: polls };
  const ours = { ms: [] as number[], perSecond: [] as number[], micros: [] as number[] };
  const bare = { ms: [] as number[], perSecond: [] as number[], micros: [] as number[] };
  const run = async (side: 'ours' | 'bare', counts: boolean): Promise<void> => {
    const target = side === 'ours' ? { port, pids } : { port: ceiling.port, pids: ceiling.pids };
    const result = await load.run({ ...job, ...target, polls: positions[side] });
    positions[side] = polls.map((poll, i) => ({ ...poll, last: result.last[i]! }));
    if (!counts) return;
    const to = side === 'ours' ? ours : bare;
    const ms = [...result.ms].sort((a, b) => a - b)[Math.floor(result.ms.length / 2)]!;
    to.ms.push(ms);
    to.perSecond.push((polls.length * 1000) / ms);
    to.micros.push((result.cpuMs * 1000) / result.deliveries);
  };
  await run('ours', false);
  const posted = await once(port, send);
  const answer = await pollOnce(port, positions.ours[0]!);
  await ceiling.answers({ post: posted.text, poll: answer });
  // That message waits in every queue.
  const last = Number(/"id":(\d+)\}\],"queue_id"/.exec(answer)![1]);
  positions.ours = polls.map((poll) => ({ ...poll, last }));
  if (options.profile === undefined) await run('bare', false);
  for (let i = 0; i < options.runs; i++) {
    await run('ours', true);
    if (options.profile === undefined) await run('bare', true);
  }
  const name = `one message to ${polls.length} held polls, ${face.name}`;
  return [
    figure(`${name}: until the last answer`, 'ms', ours.ms, bare.ms),
    figure(`${name}: deliveries`, 'per second', ours.perSecond, bare.perSecond),
    figure(`${name}: CPU per delivery`, 'µs', ours.micros, bare.micros),
  ];
}

async function pollOnce(port: number, { authorization, queue, last }: Poll): Promise<string> {
  const path = `/api/v1/events?queue_id=${queue}&last_event_id=${last}`;
  const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`;
  const connection = await Connection.open(port, true);
  try {
    return await new Promise<string>((resolve, reject) => {
      connection.onAnswer = (answer) => (answer.ok ? resolve(answer.text) : reject(new Error(answer.text)));
      connection.onGone = () => reject(new Error('connection closed'));
      connection.write(text);
    });
  } finally {
    connection.close();
  }
}
