/** `npm run docs`: writes the generated documents. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { renderWebContractFromWireJson, WEB_CONTRACT_TYPES_FILE_PATH, WIRE_FORMAT_FILE_PATH } from './contract.js';
import { renderGeneratedDocumentsByFile, withCurrentMetricsTable } from './documents.js';

for (const [name, text] of renderGeneratedDocumentsByFile()) {
  await mkdir(dirname(`docs/${name}`), { recursive: true });
  await writeFile(`docs/${name}`, text);
}
const LOGS_AND_METRICS_PAGE_PATH = 'docs/logs-and-metrics.md';
await writeFile(
  LOGS_AND_METRICS_PAGE_PATH,
  withCurrentMetricsTable(await readFile(LOGS_AND_METRICS_PAGE_PATH, 'utf8')),
);
await writeFile(
  WEB_CONTRACT_TYPES_FILE_PATH,
  renderWebContractFromWireJson(await readFile(WIRE_FORMAT_FILE_PATH, 'utf8')),
);
