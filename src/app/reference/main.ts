/** `npm run docs`: writes the generated documents. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CONTRACT_TYPES_FILE, renderWebContractTypes, WIRE_FORMAT_FILE } from './contract.js';
import { insertMetricsTable, renderGeneratedDocuments } from './documents.js';

for (const [name, text] of renderGeneratedDocuments()) {
  await mkdir(dirname(`docs/${name}`), { recursive: true });
  await writeFile(`docs/${name}`, text);
}
const LOGS_AND_METRICS_FILE = 'docs/logs-and-metrics.md';
await writeFile(LOGS_AND_METRICS_FILE, insertMetricsTable(await readFile(LOGS_AND_METRICS_FILE, 'utf8')));
await writeFile(CONTRACT_TYPES_FILE, renderWebContractTypes(await readFile(WIRE_FORMAT_FILE, 'utf8')));
