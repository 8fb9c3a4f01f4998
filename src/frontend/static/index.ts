/**
 * Folder static holds the files of the program itself that answers of the API refer to, under `/static/`: the logo
 * (`drawings.ts`), the table of Unicode emoji and pictures of the product's own emoji (`files.ts`).
 *
 * Files are made on first use and kept. A picture needs a library that may have no build for the platform, so the
 * library is loaded on first use and a failure is not cached. Importers: `frontend/api` and
 * `frontend/web`.
 */
export { drawLogoMarkPng, getOrMakeStaticFile } from './files.js';
