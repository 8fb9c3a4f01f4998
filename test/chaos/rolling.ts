/** `npm run rolling -- --help` lists the options; docs/performance/chaos.md says what the figures mean. */
import { faultsIn, runFromCommandLine } from './command.js';
import { ROLLING_USAGE } from './options.js';
import { type Handover, runRolling } from './replace.js';

const formatHandover = ({ name, startedMs, leftMs, code, slowestMs }: Handover): string =>
  `  ${name}: the new process was ready after ${startedMs.toFixed(0)} ms, the old process ended ${leftMs.toFixed(0)} ms ` +
  `after SIGTERM with ${code}; slowest request meanwhile ${slowestMs.toFixed(0)} ms`;

await runFromCommandLine(ROLLING_USAGE, async (options, cleanup, log) => {
  const { report, handovers, failed } = await runRolling(options, cleanup, log);
  const codes = handovers.filter(({ code }) => code !== 0).map(({ name, code }) => `${name} ended with ${code}`);
  return {
    report,
    extraLines: [...handovers.map(formatHandover), `failed requests: ${failed}`],
    violations: [...faultsIn(report), ...codes, ...(failed > 0 ? [`${failed} failed requests`] : [])],
  };
});
