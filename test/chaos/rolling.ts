/** `npm run rolling -- --help` lists the options; docs/performance.md says what the figures mean. */
import { faultsIn, runCommandLine } from './command.js';
import { ROLLING_USAGE } from './options.js';
import { type Replacement, runRolling } from './replacements.js';

const formatReport = ({ name, startedMs, stopMs, code, slowestMs }: Replacement): string =>
  `  ${name}: the new one was ready after ${startedMs.toFixed(0)} ms, the old one ended ${stopMs.toFixed(0)} ms after ` +
  `SIGTERM with ${code}; slowest request meanwhile ${slowestMs.toFixed(0)} ms`;

await runCommandLine(ROLLING_USAGE, async (options, cleanup, log) => {
  const { report, replacements, failed } = await runRolling(options, cleanup, log);
  const codes = replacements.filter(({ code }) => code !== 0).map(({ name, code }) => `${name} ended with ${code}`);
  return {
    report,
    more: [...replacements.map(formatReport), `failed requests: ${failed}`],
    wrong: [...faultsIn(report), ...codes, ...(failed > 0 ? [`${failed} failed requests`] : [])],
  };
});
