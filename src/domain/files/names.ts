/** Names and paths of uploaded files (realm.md § Uploads and attachments). */
import { randomBytes, randomInt } from 'node:crypto';
import { type RealmId, realmId, type UserId, userId } from '#model';

const MAX_NAME = 200;
const MAX_EXTENSION = 20;
const NAMELESS = 'uploaded-file';

/** A file's name as it appears in addresses: letters, digits, `_`, `.` and `-`. */
export function safeName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-');
  // Nothing that stands for a folder.
  return /^\.*$/.test(plain) ? NAMELESS : shorten(plain);
}

/** The end says what kind of file it is, so the middle goes. */
function shorten(name: string): string {
  const chars = [...name];
  if (chars.length <= MAX_NAME) return name;
  const dot = chars.lastIndexOf('.');
  const extension = dot > 0 && chars.length - dot <= MAX_EXTENSION ? chars.slice(dot) : [];
  return [...chars.slice(0, MAX_NAME - extension.length), ...extension].join('');
}

/** The name as it is shown: decoded, without what a path or a line of text can't hold. */
export function displayName(given: string): string {
  let name = given;
  try {
    name = decodeURIComponent(given);
  } catch {
    // An escape that is none stays as it is.
  }
  return shorten(name.replace(/\p{Cc}/gu, '')) || NAMELESS;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const OWNER_CHARS = 6;
const TOKEN_CHARS = 24;

/**
 * `{realm}/{1-2 hex digits}/{token}/{name}`. The token begins with its owner's number, so that everybody finds the actor
 * that keeps the record without asking for it; the other 18 characters are random (107 bits).
 */
export function newPath(realm: RealmId, owner: UserId, name: string): string {
  let token = '';
  for (let n: number = owner; token.length < OWNER_CHARS; n = Math.floor(n / 62)) token = ALPHABET[n % 62] + token;
  while (token.length < TOKEN_CHARS) token += ALPHABET[randomInt(62)];
  return `${realm}/${randomBytes(1)[0]!.toString(16)}/${token}/${safeName(name)}`;
}

export interface FilePath {
  readonly realm: RealmId;
  readonly owner: UserId;
  /** Names the file within its realm. */
  readonly token: string;
  readonly name: string;
}

/** undefined: no file can have this path. */
export function parsePath(path: string): FilePath | undefined {
  const [, realm, token = '', name = ''] = /^(\d{1,10})\/[0-9a-f]{1,2}\/([0-9A-Za-z]{24})\/([^/]+)$/.exec(path) ?? [];
  if (realm === undefined) return undefined;
  let owner = 0;
  for (let i = 0; i < OWNER_CHARS; i++) owner = owner * 62 + ALPHABET.indexOf(token[i]!);
  return { realm: realmId(Number(realm)), owner: userId(owner), token, name };
}

/** Where the bytes of an uploaded file are kept. */
export const blobOfFile = (path: string): string => `uploads/${path}`;

/** Address under the organization's base URL. */
export const fileUri = (path: string): string => `/user_uploads/${path}`;
