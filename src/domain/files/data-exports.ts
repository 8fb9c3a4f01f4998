/**
 * Paths of data exports (realm.md § Data export). An archive needs no log-in: the random part of its address protects
 * it.
 */
import { randomBytes } from 'node:crypto';
import type { RealmId } from '#model';

/** Bytes of the random part; their base64url form has 24 characters. */
const TOKEN_BYTES = 18;
/** Bytes of the random part of the archive's name, which tells the archives of an organization apart. */
const NAME_BYTES = 4;

/** Path of a new archive: `{realm}/{token}/{name}`. */
export const makeDataExportPath = (realm: RealmId): string =>
  `${realm}/${randomBytes(TOKEN_BYTES).toString('base64url')}/conclave-export-${randomBytes(NAME_BYTES).toString('hex')}.tar.gz`;

/** Path of the archive of a further attempt at an export. The archives of two attempts never have one path. */
export const dataExportPathOfAttempt = (path: string, attempt: number): string =>
  path.replace(/(?:-try\d+)?\.tar\.gz$/, `-try${attempt}.tar.gz`);

/** Name of the archive: the last part of its path. */
export const fileNameOfDataExport = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Name of the blob with the archive. */
export const blobNameOfDataExport = (path: string): string => `exports/${path}`;

/** Path of the archive under the organization's base URL. */
export const dataExportUriOfPath = (path: string): string => `/user_avatars/exports/${path}`;
