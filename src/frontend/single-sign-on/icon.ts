/** Pictures of identity providers: files of the operator, which this server serves itself. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { detectPictureFormat } from '#domain/pictures';

export interface IdentityProviderIcon {
  readonly bytes: Uint8Array;
  /** Media type, by the first bytes of the file. */
  readonly type: string;
  /** Hash of the bytes. */
  readonly tag: string;
}

const MAX_ICON_BYTES = 131_072;

/** Reads the icon of a provider. @param path path of the file, from `folder` on @throws Error with the reason */
export function readIdentityProviderIcon(path: string, folder: string): IdentityProviderIcon {
  if (/^https?:/i.test(path)) throw new Error(`the icon ${path} is an address; it must be the path of a file`);
  const file = resolve(folder, path);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Error(`the icon ${file} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (bytes.byteLength > MAX_ICON_BYTES) throw new Error(`the icon ${path} is larger than ${MAX_ICON_BYTES} bytes`);
  const format = detectPictureFormat(bytes);
  if (!format) throw new Error(`the icon ${path} is no picture (PNG, JPEG, GIF or WebP)`);
  return { bytes, type: `image/${format}`, tag: createHash('sha256').update(bytes).digest('hex').slice(0, 32) };
}
