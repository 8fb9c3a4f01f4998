/**
 * Reference: documents generated from declarations, so that they can't contradict the code.
 *
 * `main.ts` is `npm run docs`: it writes the texts of `documents.ts` under docs/ (settings, metrics, `directions.ts`,
 * `openapi.ts`, `state-machines.ts`) and the types of the web client (`contract.ts`).
 * test/unit/reference/documents.test.ts fails when a committed document is out of date, and test/unit/layers.test.ts
 * holds the imports of the source tree to `directions.ts`.
 *
 * To change a generated document, change the declaration that its first lines name, then run `npm run docs`.
 *
 * Importers: tests. Nothing of a running server imports this folder.
 */
export { renderWebContractFromWireJson, WEB_CONTRACT_TYPES_FILE_PATH, WIRE_FORMAT_FILE_PATH } from './contract.js';
export { ONLY_FOLDER_BY_RESTRICTED_IMPORT, SOURCE_WING_RULES } from './directions.js';
export { renderGeneratedDocumentsByFile, withCurrentMetricsTable } from './documents.js';
