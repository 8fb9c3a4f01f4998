/** `npm run chaos -- --help` lists the options; docs/performance.md says what the figures mean. */
import { command, faultsIn } from './command.js';
import { CHAOS_USAGE } from './options.js';
import { chaos } from './run.js';

const MAX_RESUME_MS = 5_000;
/** A host first makes sure that it alone has lost the store. */
const MAX_CUT_RESUME_MS = 12_000;

await command(CHAOS_USAGE, async (options, ends, say) => {
  const report = await chaos(options, ends, say);
  const slow = report.kills.p99 >= MAX_RESUME_MS ? [`deliveries resumed after ${report.kills.p99} ms (p99)`] : [];
  const { p99 } = report.cuts;
  const late = p99 >= MAX_CUT_RESUME_MS ? [`deliveries resumed after ${p99} ms (p99) when a host lost the store`] : [];
  return { report, wrong: [...faultsIn(report), ...slow, ...late] };
});
