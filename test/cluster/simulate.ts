/**
 * Many seeds of the whole cluster: `npm run simulate -- --seeds 2000 [--from 1]`. One again, with everything that
 * happened: `npm run simulate -- --seed 123 --trace`.
 */
import { parseArgs } from 'node:util';
import type { LogEntry, LogItem } from '#model';
import type { ApiEvent, ApiMessage } from '../api/support/types.js';
import { type ClusterResult, ClusterRun } from './cluster-run.js';
import { beginning } from './genesis.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    /** Stop at the first failing seed. */
    first: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write('npm run simulate -- [--seeds N] [--from N] [--first] [--quiet] | --seed N [--trace]\n');
  process.exit(0);
}

const one = values.seed === undefined ? undefined : Number(values.seed);
const from = one ?? Number(values.from);
const seeds = one === undefined ? Number(values.seeds) : 1;
const EVERY_LINE = 1_000_000;

const itemName = (item: LogItem): string => {
  if (item.t === 'event') return `${item.event.type}/${item.event.op ?? ''}`;
  if (item.t === 'message') return `message ${(item.message as { content: string }).content}`;
  return item.t === 'members' ? `members of ${item.stream} at ${item.mv}: +${item.join} -${item.leave}` : item.t;
};

const told = (event: ApiEvent): string => {
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

const fatal = (error: string): string => `nobody caught: ${error}`;
/** The process that it happened in would have ended. */
const thrown: string[] = [];
process.on('unhandledRejection', (error) => void thrown.push(String((error as Error).stack ?? error)));

const failed: number[] = [];
const sum = { steps: 0, answered: 0, events: 0, faults: 0 };
const start = await beginning();
const begun = performance.now();
const seconds = (): number => (performance.now() - begun) / 1000;
for (let seed = from; seed < from + seeds; seed++) {
  const run = new ClusterRun(seed, start, values.trace ? { keep: EVERY_LINE } : {});
  const finished = await run.run();
  const result: ClusterResult = { ...finished, problems: [...thrown.splice(0).map(fatal), ...finished.problems] };
  for (const name of ['steps', 'answered', 'events', 'faults'] as const) sum[name] += result[name];
  if (one !== undefined) {
    if (values.trace) {
      console.log(result.trace.join('\n'));
      for (const { seq, value } of run.world.log.of(start.realm).slice(start.log.length)) {
        const { actor, groups } = value as unknown as LogEntry;
        const items = groups.map(({ v, p, items: of }) => `${v}.${p}[${of.map(itemName).join(', ')}]`);
        console.log(`log ${seq} ${run.world.scheduler.short(actor)} ${items.join(' ')}`);
      }
      for (const queue of run.queues) {
        console.log(
          `-- queue of ${queue.user}, ${queue.form}, ${JSON.stringify(queue.stored?.covers)} from ${queue.stored?.start}`,
        );
        for (const { asked, outcome, events, code, ended } of queue.polls) {
          console.log(
            `${ended} poll after ${asked}: ${outcome} ${code} ${events.map((event) => told(event)).join(', ')}`,
          );
        }
      }
    }
    console.log(`seed ${seed}: ${result.steps} steps, fingerprint ${result.fingerprint}`);
  }
  if (result.problems.length > 0) {
    failed.push(seed);
    if (!values.quiet) {
      console.log(`seed ${seed} fails; once more: npm run simulate -- --seed ${seed} --trace`);
      for (const problem of result.problems.slice(0, 12)) console.log(`  ${problem}`);
    }
    if (values.first) break;
  }
  const done = seed - from + 1;
  if (done % 100 === 0) console.log(`${done} seeds, ${failed.length} fail, ${seconds().toFixed(0)} s`);
}
const each = seconds() / seeds;
console.log(
  `${seeds} seeds from ${from} in ${seconds().toFixed(1)} s (${(each * 1000).toFixed(0)} ms each): ${sum.steps} steps, ` +
    `${sum.faults} faults, ${sum.answered} calls answered, ${sum.events} events received`,
);
console.log(failed.length === 0 ? 'none failed' : `${failed.length} failed: ${failed.join(' ')}`);
process.exit(failed.length === 0 ? 0 : 1);
