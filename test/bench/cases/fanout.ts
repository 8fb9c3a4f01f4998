/** One message to many waiting polls, each on its own connection. */
import { type Bench, defineCase } from '../case.js';
import { requestOnce } from '../connection.js';
import { BARE_HTTP, makeFigure, median } from '../figures.js';
import type { Poll } from '../jobs.js';
import { type Account, makeMessageQueues, makeStream, pollOnce, sendRequest } from '../prepare.js';

/** Number of event queues of one account, like a user with many devices, because accounts are slow to create. */
const QUEUES_PER_ACCOUNT = 10;
const STREAM = 'many';

interface PreparedFanout {
  readonly sender: Account;
  readonly polls: readonly Poll[];
}

async function prepare(bench: Bench): Promise<PreparedFanout> {
  const { polls } = bench.options;
  const listeners = await bench.makeAccounts(Math.ceil(polls / QUEUES_PER_ACCOUNT));
  await makeStream(bench.face, STREAM, listeners);
  return { sender: listeners[0]!, polls: await makeMessageQueues(bench.face, listeners, polls) };
}

const makeSideValues = () => ({ ms: [] as number[], perSecond: [] as number[], micros: [] as number[] });

async function measure({ face, bareHttp, generator, options }: Bench, { sender, polls }: PreparedFanout) {
  const send = sendRequest(sender.authorization, STREAM);
  const { port, pids } = face;
  const job = { kind: 'fanout', send, rounds: options.rounds, settleMs: options.settleMs } as const;
  const positions = { ours: polls, bare: polls };
  const results = { ours: makeSideValues(), bare: makeSideValues() };
  const run = async (side: 'ours' | 'bare', counts: boolean): Promise<void> => {
    const target = side === 'ours' ? { port, pids } : { port: bareHttp.port, pids: bareHttp.pids };
    const result = await generator.run({ ...job, ...target, polls: positions[side] });
    positions[side] = polls.map((poll, i) => ({ ...poll, lastEventId: result.lastEventIds[i]! }));
    if (!counts) return;
    const to = results[side];
    const ms = median(result.ms);
    to.ms.push(ms);
    to.perSecond.push((polls.length * 1000) / ms);
    to.micros.push((result.cpuMs * 1000) / result.deliveries);
  };
  await run('ours', false);
  const posted = await requestOnce(port, send);
  const answer = await pollOnce(port, positions.ours[0]!);
  await bareHttp.setAnswers({ post: posted.text, poll: answer });
  // The posted message is in every queue; this id acknowledges it.
  const lastEventId = Number(/"id":(\d+)\}\],"queue_id"/.exec(answer)![1]);
  positions.ours = polls.map((poll) => ({ ...poll, lastEventId }));
  if (options.measuresBare) await run('bare', false);
  for (let i = 0; i < options.runs; i++) {
    await run('ours', true);
    if (options.measuresBare) await run('bare', true);
  }
  const id = `fanout/${polls.length}/${face.name}`;
  const name = `one message to ${polls.length} waiting polls, ${face.name}`;
  const { ours, bare } = results;
  const ceilingOf = (values: readonly number[]) => [{ name: BARE_HTTP, values }];
  return [
    makeFigure(`${id}/ms`, `${name}: time to the last delivery`, 'ms', ours.ms, ceilingOf(bare.ms)),
    makeFigure(`${id}/rate`, `${name}: deliveries`, 'per second', ours.perSecond, ceilingOf(bare.perSecond)),
    makeFigure(`${id}/cpu`, `${name}: CPU per delivery`, 'µs', ours.micros, ceilingOf(bare.micros)),
  ];
}

// The case has a server of its own, because messages of other cases would fill its queues.
export const fanout = defineCase<PreparedFanout>({
  name: 'fanout',
  about: 'one message to --polls waiting polls',
  server: {},
  prepare,
  measure,
});
