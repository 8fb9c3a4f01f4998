/** The table of metrics in docs/logs-and-metrics.md, between two marks. */
import { METRICS, type Metric } from '#base/metrics';

const [BEGIN, END] = ['<!-- metrics -->', '<!-- /metrics -->'];
const WHERE: Readonly<Record<Metric['at'], string>> = { frontend: 'frontends', host: 'actor hosts', all: 'all' };

const rowOf = ([name, { type, labels, help, at }]: [string, Metric]): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${WHERE[at]} | ${help} |`;

/** The document with the table as it is now. @throws when the marks are gone */
export function withMetricsTable(document: string): string {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`no ${BEGIN} … ${END}`);
  const rows = (Object.entries(METRICS) as [string, Metric][]).map(rowOf);
  const table = ['', '', '| metric | type | labels | where | meaning |', '|---|---|---|---|---|', ...rows, '', ''];
  return `${document.slice(0, from)}${BEGIN}${table.join('\n')}${document.slice(to)}`;
}
