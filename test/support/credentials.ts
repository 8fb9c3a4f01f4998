/** Credentials of a user, as files and requests have them. */
import { readFileSync } from 'node:fs';

export interface Account {
  readonly email: string;
  readonly key: string;
}

/** Reads the account and site from a zuliprc file. */
export function readZuliprc(file: string): Account & { readonly site: string } {
  const text = readFileSync(file, 'utf8');
  const of = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  return { email: of('email'), key: of('key'), site: of('site') };
}

/** @returns the Authorization header of HTTP basic authentication */
export const basic = (email: string, key: string): string =>
  `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
