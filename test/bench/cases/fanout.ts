/** One message to many held polls, each on a connection of its own. */
import { type Bench, defineCase } from '../case.js';
import { once } from '../connection.js';
import { figure, HTTP, median } from '../figures.js';
import type { Poll } from '../jobs.js';
import { type Account, makeQueues, makeStream, pollOnce, sendText } from '../prepare.js';

/** Held polls of one account, as of a user with many devices, because accounts are slow to create. */
const QUEUES_EACH = 10;
const STREAM = 'many';

interface Prepared {
  readonly sender: Account;
  readonly polls: readonly Poll[];
}

async function prepare(bench: Bench): Promise<Prepared> {
  const { polls } = bench.options;
  const listeners = await bench.accounts(Math.ceil(polls / QUEUES_EACH));
  await makeStream(bench.face, STREAM, listeners);
  return { sender: listeners[0]!, polls: await makeQueues(bench.face, listeners, polls) };
}

const sides = () => ({ ms: [] as number[], perSecond: [] as number[], micros: [] as number[] });

async function measure({ face, ceiling, load, options }: Bench, { sender, polls }: Prepared) {
  const send = sendText(sender.authorization, STREAM);
  const { port, pids } = face;
  const job = { kind: 'fanout', send, rounds: options.rounds, settleMs: options.settleMs } as const;
  const positions = { ours: polls, bare: polls };
  const results = { ours: sides(), bare: sides() };
  const run = async (side: 'ours' | 'bare', counts: boolean): Promise<void> => {
    const target = side === 'ours' ? { port, pids } : { port: ceiling.port, pids: ceiling.pids };
    const result = await load.run({ ...job, ...target, polls: positions[side] });
    positions[side] = polls.map((poll, i) => ({ ...poll, last: result.last[i]! }));
    if (!counts) return;
    const to = results[side];
    const ms = median(result.ms);
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
  if (options.bare) await run('bare', false);
  for (let i = 0; i < options.runs; i++) {
    await run('ours', true);
    if (options.bare) await run('bare', true);
  }
  const id = `fanout/${polls.length}/${face.name}`;
  const name = `one message to ${polls.length} held polls, ${face.name}`;
  const { ours, bare } = results;
  const beside = (values: readonly number[]) => [{ name: HTTP, values }];
  return [
    figure(`${id}/ms`, `${name}: until the last answer`, 'ms', ours.ms, beside(bare.ms)),
    figure(`${id}/rate`, `${name}: deliveries`, 'per second', ours.perSecond, beside(bare.perSecond)),
    figure(`${id}/cpu`, `${name}: CPU per delivery`, 'µs', ours.micros, beside(bare.micros)),
  ];
}

// The case has a server of its own, because messages of other cases would fill its queues.
export const fanout = defineCase<Prepared>({
  name: 'fanout',
  about: 'one message to --polls held polls',
  server: {},
  prepare,
  measure,
});
