/**
 * Import and export of a whole organization, in the peer's export format.
 *
 * - `format/` reads and writes the files: archives (unpacked within limits), JSON row by row, fields of a row checked.
 * - `tables/` has a file for each group of tables, with both directions beside each other: organization, people,
 *   streams, groups, personal data, files, messages. `copies.ts` and `flags.ts` turn rows of receivers into the stays
 *   and read states that actors keep; `links.ts` rewrites links inside messages.
 * - `import/`: `read.ts` takes the tables into an `OrganizationDraft`, `run.ts` takes the messages, `write.ts` writes
 *   the roots. `export/` goes the other way.
 *
 * Invariants: an archive is foreign, every value is checked, and nothing outside its folder is read. No process looks
 * at an imported organization before realm 0 lists it, the last step. Every write of an import follows from the export
 * and its reservation alone, so it can be repeated after a crash. Nothing is put into the log: no user gets events or
 * mails of the past. docs/decisions/022-import.md has the reasons.
 *
 * Importers: the command line.
 */
export { type ExportOptions, exportToArchive, exportToFolder } from './export/run.js';
export type { ExportSource } from './export/source.js';
export { ARCHIVE_LIMITS, type ArchiveLimits, unpackArchive } from './format/archive.js';
export { ExchangeProblem } from './format/problem.js';
export { type ImportOptions, type ImportReport, type ImportTarget, runImport } from './import/run.js';
