/** `npm run rolling -- --help` lists the options; docs/performance.md says what the figures mean. */
import { command, faultsIn } from './command.js';
import { ROLLING_USAGE } from './options.js';
import { type Replacement, rolling } from './replacements.js';

const formatReport = ({ name, startedMs, stopMs, code, slowestMs }: Replacement): string =>
  `  ${name}: the new one was ready after ${startedMs.toFixed(0)} ms, the old one ended ${stopMs.toFixed(0)} ms after ` +
  `SIGTERM with ${code}; slowest request meanwhile ${slowestMs.toFixed(0)} ms`;

await command(ROLLING_USAGE, async (options, ends, say) => {
  const { report, replacements, failed } = await rolling(options, ends, say);
  const codes = replacements.filter(({ code }) => code !== 0).map(({ name, code }) => `${name} ended with ${code}`);
  return {
    report,
    more: [...replacements.map(formatReport), `failed requests: ${failed}`],
    wrong: [...faultsIn(report), ...codes, ...(failed > 0 ? [`${failed} failed requests`] : [])],
  };
});
