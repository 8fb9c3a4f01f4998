/** Names, paths, addresses and limits of uploaded files (realm.md § Uploads and attachments). */
import { randomBytes, randomInt } from 'node:crypto';
import type { ServerCryptography } from '#domain/secrets';
import { type RealmId, toRealmId, toUserId, type UserId } from '#model';
import { apiError } from '#model/errors';

/** Limits of the configuration that clients get. */
export interface FileUploadLimits {
  readonly maxFileMib: number;
  /** Space for all files of an organization, MiB; 0: no limit. */
  readonly uploadQuotaMib: number;
}

/** Time after which a file that no message links is deleted, ms: five weeks. */
export const UNLINKED_FILE_LIFETIME_MS = 5 * 7 * 86_400_000;
/** Time after which an upload that was not completed is deleted, ms: one day. */
export const UNFINISHED_UPLOAD_LIFETIME_MS = 86_400_000;

const MAX_FILE_NAME_CHARACTERS = 200;
const MAX_EXTENSION_CHARACTERS = 20;
const FALLBACK_FILE_NAME = 'uploaded-file';

/** A file name in the form for addresses: only letters, digits, `_`, `.` and `-`. */
export function toSafeFileName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-');
  // Names such as `..` would stand for a folder.
  return /^\.*$/.test(plain) ? FALLBACK_FILE_NAME : shortenFileName(plain);
}

/** Shortens a name to MAX_USER_GROUP_NAME_CHARACTERS characters, but keeps its extension. */
function shortenFileName(name: string): string {
  const chars = [...name];
  if (chars.length <= MAX_FILE_NAME_CHARACTERS) return name;
  const dot = chars.lastIndexOf('.');
  const extension = dot > 0 && chars.length - dot <= MAX_EXTENSION_CHARACTERS ? chars.slice(dot) : [];
  return [...chars.slice(0, MAX_FILE_NAME_CHARACTERS - extension.length), ...extension].join('');
}

/** A file name in the form that users see: percent-decoded, without control characters. */
export function toFileDisplayName(written: string): string {
  let name = written;
  try {
    name = decodeURIComponent(written);
  } catch {
    // A name with invalid escapes stays as it is.
  }
  return shortenFileName(name.replace(/\p{Cc}/gu, '')) || FALLBACK_FILE_NAME;
}

const BASE62_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const OWNER_ID_CHARACTERS = 6;
const RANDOM_TOKEN_CHARACTERS = 24;

/**
 * Path of a new file: `{realm}/{1-2 hex digits}/{token}/{name}`. The token begins with the owner's id, which leads to
 * the actor with the file's record without a look-up. Its other 18 characters are random (107 bits).
 */
export function makeFilePath(realm: RealmId, owner: UserId, name: string): string {
  return buildFilePath(realm, owner, name, () => randomInt(62), randomBytes(1)[0]!);
}

/**
 * Makes the path of a file like `makeFilePath`, but from given bytes (at least 19) instead of random ones: the same
 * bytes give the same path. An import derives the bytes, so that its repeat after a crash gives every file the same
 * name.
 */
export const makeFilePathFromBytes = (realm: RealmId, owner: UserId, name: string, bytes: Uint8Array): string => {
  let at = 1;
  return buildFilePath(realm, owner, name, () => bytes[at++]! % 62, bytes[0]!);
};

function buildFilePath(realm: RealmId, owner: UserId, name: string, next: () => number, folder: number): string {
  let token = '';
  for (let n: number = owner; token.length < OWNER_ID_CHARACTERS; n = Math.floor(n / 62))
    token = BASE62_ALPHABET[n % 62] + token;
  while (token.length < RANDOM_TOKEN_CHARACTERS) token += BASE62_ALPHABET[next()];
  return `${realm}/${folder.toString(16)}/${token}/${toSafeFileName(name)}`;
}

interface FilePath {
  readonly realm: RealmId;
  readonly owner: UserId;
  /** Random text that identifies the file within its realm, and begins with its owner's id. */
  readonly token: string;
  readonly name: string;
}

/** Parses the path of an uploaded file. @returns undefined if no file can have this path */
export function parseFilePath(path: string): FilePath | undefined {
  const [, realm, token = '', name = ''] = /^(\d{1,10})\/[0-9a-f]{1,2}\/([0-9A-Za-z]{24})\/([^/]+)$/.exec(path) ?? [];
  if (realm === undefined) return undefined;
  let owner = 0;
  for (let i = 0; i < OWNER_ID_CHARACTERS; i++) owner = owner * 62 + BASE62_ALPHABET.indexOf(token[i]!);
  return { realm: toRealmId(Number(realm)), owner: toUserId(owner), token, name };
}

/** Name of the blob with a file's bytes. */
export const blobNameOfFile = (path: string): string => `uploads/${path}`;

/** Path of a file under the organization's base URL. */
export const fileUriOfPath = (path: string): string => `/user_uploads/${path}`;

/** Validity of a temporary address of a file, ms. */
const TEMPORARY_URI_LIFETIME_MS = 60_000;

/** First item of the sealed data in a temporary address, so that other sealed data is refused there. */
const TEMPORARY_URI_PURPOSE = 'temporary-file';

const fileNameOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Makes an address that gives access to a file for a minute, without credentials. @param now wall time, ms */
export function makeTemporaryFileUri(secrets: ServerCryptography, path: string, now: number): string {
  const sealed = secrets.seal(JSON.stringify([TEMPORARY_URI_PURPOSE, path, now + TEMPORARY_URI_LIFETIME_MS]));
  const token = Buffer.from(sealed, 'base64').toString('base64url');
  return `/user_uploads/temporary/${token}/${encodeURIComponent(fileNameOfPath(path))}`;
}

/**
 * Reads a temporary address of a file. @returns the file's path. @throws ApiError if the address is invalid or has
 * expired
 */
export function requireTemporaryUriFilePath(
  secrets: ServerCryptography,
  token: string,
  name: string,
  now: number,
): string {
  let opened: readonly [purpose: string, path: string, until: number];
  try {
    opened = JSON.parse(secrets.unseal(Buffer.from(token, 'base64url').toString('base64'))) as typeof opened;
  } catch {
    throw apiError('FILE_TOKEN');
  }
  if (opened[0] !== TEMPORARY_URI_PURPOSE) throw apiError('FILE_TOKEN');
  const [, path, until] = opened;
  if (now > until) throw apiError('FILE_TOKEN');
  if (name !== fileNameOfPath(path)) throw apiError('FILE_NAME');
  return path;
}
