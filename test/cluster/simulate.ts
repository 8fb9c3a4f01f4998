/**
 * Command that runs seeds of the simulated cluster: `npm run simulate -- --seeds 2000 [--from 1]`. One seed with its
 * trace: `npm run simulate -- --seed 123 --trace`.
 */
import { parseArgs } from 'node:util';
import type { LogEntry, LogItem } from '#model';
import type { ApiEvent, ApiMessage } from '../api/support/types.js';
import { type ClusterResult, ClusterRun } from './cluster-run.js';
import { makeStartState } from './start-state.js';

const USAGE = `npm run simulate -- [--seeds N] [--from N] [--first] [--quiet] | --seed N [--trace]
  --seeds N  number of seeds (default 200)
  --from N   first seed (default 1)
  --first    stop at the first failing seed
  --quiet    print no problems
  --seed N   run this seed only
  --trace    print its steps, log and queues
`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    /** Whether to stop at the first failing seed. */
    first: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const onlySeed = values.seed === undefined ? undefined : Number(values.seed);
const from = onlySeed ?? Number(values.from);
const seeds = onlySeed === undefined ? Number(values.seeds) : 1;
const MAX_TRACE_LINES = 1_000_000;

const formatItem = (item: LogItem): string => {
  if (item.t === 'event') return `${item.event.type}/${item.event.op ?? ''}`;
  if (item.t === 'message') return `message ${(item.message as { content: string }).content}`;
  return item.t === 'members' ? `members of ${item.stream} at ${item.mv}: +${item.join} -${item.leave}` : item.t;
};

const formatEvent = (event: ApiEvent): string => {
  const {
    id,
    type,
    op = '',
    message,
    messages = '',
    flag = '',
    message_ids = '',
  } = event as ApiEvent & { message?: ApiMessage };
  const text = message ? `${message.id} ${message.content} [${(event.flags as string[]).join()}]` : '';
  return [id, type, op, flag, String(messages), String(message_ids), text].filter((part) => part !== '').join(' ');
};

const formatRejection = (error: string): string => `unhandled rejection: ${error}`;
/** Unhandled rejections. Each would have ended a real process, so the run fails. */
const unhandledRejections: string[] = [];
process.on('unhandledRejection', (error) => void unhandledRejections.push(String((error as Error).stack ?? error)));

const failed: number[] = [];
const sum = { steps: 0, responses: 0, events: 0, faults: 0 };
const startState = await makeStartState();
const startMs = performance.now();
const seconds = (): number => (performance.now() - startMs) / 1000;
for (let seed = from; seed < from + seeds; seed++) {
  const run = new ClusterRun(seed, startState, values.trace ? { maxTraceLines: MAX_TRACE_LINES } : {});
  const finished = await run.run();
  const result: ClusterResult = {
    ...finished,
    problems: [...unhandledRejections.splice(0).map(formatRejection), ...finished.problems],
  };
  for (const name of ['steps', 'responses', 'events', 'faults'] as const) sum[name] += result[name];
  if (onlySeed !== undefined) {
    if (values.trace) {
      console.log(result.trace.join('\n'));
      for (const { seq, value } of run.cluster.log.entriesOfRealm(startState.realm).slice(startState.log.length)) {
        const { actor, groups } = value as unknown as LogEntry;
        const items = groups.map(({ v, p, items: of }) => `${v}.${p}[${of.map(formatItem).join(', ')}]`);
        console.log(`log ${seq} ${run.cluster.scheduler.replaceQueueIds(actor)} ${items.join(' ')}`);
      }
      for (const queue of run.queues) {
        console.log(
          `-- queue of ${queue.user}, ${queue.clientType}, ${JSON.stringify(queue.firstState?.covers)} from ${queue.firstState?.start}`,
        );
        for (const { lastEventId, outcome, events, code, endStep } of queue.polls) {
          console.log(`${endStep} poll after ${lastEventId}: ${outcome} ${code} ${events.map(formatEvent).join(', ')}`);
        }
      }
    }
    console.log(`seed ${seed}: ${result.steps} steps, fingerprint ${result.fingerprint}`);
  }
  if (result.problems.length > 0) {
    failed.push(seed);
    if (!values.quiet) {
      console.log(`seed ${seed} fails; repeat it: npm run simulate -- --seed ${seed} --trace`);
      for (const problem of result.problems.slice(0, 12)) console.log(`  ${problem}`);
    }
    if (values.first) break;
  }
  const done = seed - from + 1;
  if (done % 100 === 0) console.log(`${done} seeds, ${failed.length} fail, ${seconds().toFixed(0)} s`);
}
const secondsPerSeed = seconds() / seeds;
console.log(
  `${seeds} seeds from ${from} in ${seconds().toFixed(1)} s (${(secondsPerSeed * 1000).toFixed(0)} ms each): ${sum.steps} steps, ` +
    `${sum.faults} faults, ${sum.responses} responses, ${sum.events} events received`,
);
console.log(failed.length === 0 ? 'no seed failed' : `${failed.length} seeds failed: ${failed.join(' ')}`);
process.exit(failed.length === 0 ? 0 : 1);
