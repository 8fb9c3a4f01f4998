/** `npm run docs`: writes the generated documents. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CONTRACT_TYPES, renderContractTypes, WIRE_FORMAT } from './contract.js';
import { insertMetricsTable, renderDocuments } from './documents.js';

for (const [name, text] of renderDocuments()) {
  await mkdir(dirname(`docs/${name}`), { recursive: true });
  await writeFile(`docs/${name}`, text);
}
const LOGS_AND_METRICS = 'docs/logs-and-metrics.md';
await writeFile(LOGS_AND_METRICS, insertMetricsTable(await readFile(LOGS_AND_METRICS, 'utf8')));
await writeFile(CONTRACT_TYPES, renderContractTypes(await readFile(WIRE_FORMAT, 'utf8')));
