/** Addresses of files that are good for a minute, for whoever has them (realm.md § Uploads and attachments). */

import type { Secrets } from '#domain/secrets';
import { apiError } from '#model/errors';

const VALID_MS = 60_000;

export function temporaryUri(secrets: Secrets, path: string, now: number): string {
  const sealed = secrets.seal(JSON.stringify([path, now + VALID_MS]));
  const token = Buffer.from(sealed, 'base64').toString('base64url');
  return `/user_uploads/temporary/${token}/${encodeURIComponent(nameOf(path))}`;
}

/** The file's path. @throws ApiError */
export function pathOfTemporary(secrets: Secrets, token: string, name: string, now: number): string {
  let opened: readonly [path: string, until: number];
  try {
    opened = JSON.parse(secrets.open(Buffer.from(token, 'base64url').toString('base64'))) as typeof opened;
  } catch {
    throw apiError('FILE_TOKEN');
  }
  const [path, until] = opened;
  if (now > until) throw apiError('FILE_TOKEN');
  if (name !== nameOf(path)) throw apiError('FILE_NAME');
  return path;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
