/** `npm run chaos -- --help` lists the options; docs/performance/chaos.md says what the figures mean. */
import { faultsIn, runFromCommandLine } from './command.js';
import { CHAOS_USAGE } from './options.js';
import { runChaos } from './run.js';

const MAX_RESUME_MS = 5_000;
/** Limit for store cuts, longer than for kills: a host first verifies that other hosts still reach the store. */
const MAX_CUT_RESUME_MS = 12_000;

await runFromCommandLine(CHAOS_USAGE, async (options, cleanup, log) => {
  const report = await runChaos(options, cleanup, log);
  const slow = report.kills.p99 >= MAX_RESUME_MS ? [`deliveries resumed after ${report.kills.p99} ms (p99)`] : [];
  const { p99 } = report.cuts;
  const late = p99 >= MAX_CUT_RESUME_MS ? [`deliveries resumed after ${p99} ms (p99) when a host lost the store`] : [];
  return { report, violations: [...faultsIn(report), ...slow, ...late] };
});
