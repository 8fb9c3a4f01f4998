/**
 * Import and export of a whole organization, in the peer's export format.
 *
 * - `format/` reads and writes the files: archives (unpacked within limits), JSON row by row, fields of a row checked.
 * - `tables/` has a file for each group of tables, with both directions beside each other: organization, people,
 *   streams, groups, personal data, files, messages. `copies.ts` and `flags.ts` turn rows of receivers into the stays
 *   and read states that actors keep; `links.ts` rewrites links inside messages.
 * - `import/`: `read.ts` takes the tables into an `ImportedOrganizationDraft`, `run.ts` takes the messages, `write.ts`
 *   writes the roots. Threads (`message-threads.ts`) read files of messages (`message-files.ts`), render and store them
 *   (`message-writer.ts`).
 * - `export/` goes the other way: `run.ts` writes tables and messages, `receiver-rows.ts` rows of receivers, maybe in a
 *   thread. Messages come in the order of their ids, so `flag-cursors.ts` and `present-members.ts` only move forward.
 * - `slack/` turns a Slack export into one of the peer's format first.
 *
 * Invariants: an archive is foreign, every value is checked, and nothing outside its folder is read. No process looks
 * at an imported organization before realm 0 lists it, the last step. Every write of an import follows from the export
 * and its reservation alone, so it can be repeated after a crash. Nothing is put into the log: no user gets events or
 * mails of the past. docs/decisions/022-import.md has the reasons.
 *
 * `export/background.ts` makes the exports that administrators ask for over the API, within a running server.
 *
 * Importers: the command line; src/app/server, for exports in the background.
 */
export { BackgroundExporter } from './export/background.js';
export {
  EXPORT_ARCHIVE_NAME_PATTERN,
  exportOrganizationToArchive,
  exportOrganizationToFolder,
  type OrganizationExportOptions,
} from './export/run.js';
export { type OrganizationExportSource, readExportSource } from './export/source.js';
export { DEFAULT_EXPORT_ARCHIVE_LIMITS, unpackExportArchive } from './format/archive.js';
export type { ExportArchiveLimits } from './format/archive-paths.js';
export { ExportFormatError } from './format/problem.js';
export { sumCountsByReason } from './import/draft.js';
export {
  type OrganizationImportOptions,
  type OrganizationImportReport,
  type OrganizationImportTarget,
  runOrganizationImportOrDryRun,
} from './import/run.js';
export { convertSlackExportToFolder, isSlackExport } from './slack/convert.js';
export { openStoreAt, type StoreLocation } from './store-location.js';
