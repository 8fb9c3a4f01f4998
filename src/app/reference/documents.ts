/** Generated documents, made from declarations. A test fails when a committed document is out of date. */
import { SERVER_SETTING_DECLARATIONS } from '#app/config';
import { METRIC_DECLARATIONS, type MetricDeclaration } from '#base/metrics';
import { API_LEVELS, BASE_API_LEVEL } from '#domain/levels';
import { apiOperationsOfLevel } from '#frontend/api';
import { renderImportDirectionsPage } from './directions.js';
import { buildOpenapiDocument } from './openapi.js';
import { renderStateMachinesPage } from './state-machines.js';

function renderConfigurationPage(): string {
  const rows = Object.values(SERVER_SETTING_DECLARATIONS).map((of) => {
    const fallback = of.fallback === undefined || of.fallback === '' ? '' : `\`${of.fallback}\``;
    return `| \`--${of.option} ${of.value}\` | \`${of.env}\` | ${fallback} | ${of.description} |`;
  });
  return [
    '# Configuration',
    '',
    'Made by `npm run docs` from `src/app/config/table.ts`. The command line wins over the environment;',
    '`conclave check-config` shows the values in force.',
    '',
    '| option | environment | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Renders all generated documents: file under docs/ → its text. */
export const renderGeneratedDocumentsByFile = (): ReadonlyMap<string, string> =>
  new Map([
    ['architecture/directions.md', renderImportDirectionsPage()],
    ['configuration.md', renderConfigurationPage()],
    ['state-machines.md', renderStateMachinesPage()],
    ...API_LEVELS.map(({ level }): [string, string] => [
      level === BASE_API_LEVEL ? 'openapi.json' : `openapi-${level}.json`,
      `${JSON.stringify(buildOpenapiDocument(apiOperationsOfLevel(level), level), null, 1)}\n`,
    ]),
  ]);

/** Marks around the table in docs/logs-and-metrics.md. */
const [BEGIN, END] = ['<!-- metrics -->', '<!-- /metrics -->'];
const PROCESS_LABEL_BY_METRIC_PLACE: Readonly<Record<MetricDeclaration['at'], string>> = {
  frontend: 'frontends',
  host: 'actor hosts',
  all: 'all',
};

const renderMetricTableRow = ([name, { type, labels, help, at }]: [string, MetricDeclaration]): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${PROCESS_LABEL_BY_METRIC_PLACE[at]} | ${help} |`;

/** The document with the current table of metrics between its two marks. @throws Error when the marks are missing */
export function withCurrentMetricsTable(document: string): string {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`no ${BEGIN} … ${END}`);
  const rows = (Object.entries(METRIC_DECLARATIONS) as [string, MetricDeclaration][]).map(renderMetricTableRow);
  const table = ['', '', '| metric | type | labels | where | meaning |', '|---|---|---|---|---|', ...rows, '', ''];
  return `${document.slice(0, from)}${BEGIN}${table.join('\n')}${document.slice(to)}`;
}
