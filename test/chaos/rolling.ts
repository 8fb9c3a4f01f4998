/** `npm run rolling -- --help` lists the options; docs/performance.md says what the figures mean. */
import { command, faultsIn } from './command.js';
import { ROLLING_USAGE } from './options.js';
import { type Handover, rolling } from './replace.js';

const inWords = ({ name, startedMs, leftMs, code, slowestMs }: Handover): string =>
  `  ${name}: the new one was ready after ${startedMs.toFixed(0)} ms, the old one ended ${leftMs.toFixed(0)} ms after ` +
  `SIGTERM with ${code}; slowest request meanwhile ${slowestMs.toFixed(0)} ms`;

await command(ROLLING_USAGE, async (options, ends, say) => {
  const { report, handovers, failed } = await rolling(options, ends, say);
  const codes = handovers.filter(({ code }) => code !== 0).map(({ name, code }) => `${name} ended with ${code}`);
  return {
    report,
    more: [...handovers.map(inWords), `failed requests: ${failed}`],
    wrong: [...faultsIn(report), ...codes, ...(failed > 0 ? [`${failed} failed requests`] : [])],
  };
});
