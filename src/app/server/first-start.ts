/** First start of the embedded face: makes an organization with its owner and greets the operator. */
import { join, resolve } from 'node:path';
import { createOneTimeSignInUrl, createRealmWithOwner, listRealms, type SystemActorCaller } from '#app/admin';
import type { ServerConfig } from '#app/config';
import { writePrivateFile } from '#base/disk';
import type { ServerCryptography } from '#domain/secrets';

export interface FirstStartResult {
  /** Path of the file with the owner's credentials. */
  readonly zuliprc: string;
  /** Link that signs the owner in once, within an hour; undefined where the web client is not served. */
  readonly link?: string | undefined;
}

/** Addresses under which operators and users reach the server. */
interface FirstStartAddresses {
  readonly site: string;
  /** Address of the web client; undefined: the web client is not served. */
  readonly page: string | undefined;
}

/** Makes the first organization. @returns undefined when the server has one already */
export async function createFirstOrganizationIfNone(
  config: ServerConfig,
  actors: SystemActorCaller,
  secrets: ServerCryptography,
  { site, page }: FirstStartAddresses,
): Promise<FirstStartResult | undefined> {
  if ((await listRealms(actors)).length > 0) return undefined;
  const email = config.ownerEmail;
  const { realm, ownerKey } = await createRealmWithOwner(actors, secrets, {
    subdomain: '',
    name: config.realmName,
    ownerEmail: email,
    ownerName: config.ownerName,
    ownerPassword: undefined,
    origin: site,
  });
  const zuliprc = resolve(join(config.dataDir, 'owner.zuliprc'));
  await writePrivateFile(zuliprc, formatZuliprc(email, ownerKey, site));
  const link = page === undefined ? undefined : await createOneTimeSignInUrl(actors, secrets, realm, email, page);
  return { zuliprc, link };
}

export const formatZuliprc = (email: string, key: string, site: string): string =>
  `[api]\nemail=${email}\nkey=${key}\nsite=${site}\n`;

/** Quotes a path as one word for a shell. */
const quoteForShell = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/**
 * Text for the terminal at the start. The text contains no key, because journals keep it; its link is void after an
 * hour.
 */
export function formatStartGreeting(first: FirstStartResult | undefined, site: string): string {
  if (!first) return `Conclave serves ${site}\n`;
  return [
    `Conclave serves ${site}`,
    '',
    'A first organization was made.',
    ...(first.link === undefined
      ? []
      : [
          'Open this link in a browser to sign in as its owner; it works once, for one hour:',
          '',
          `  ${first.link}`,
          '',
        ]),
    'Programs log in as its owner with the API key in',
    `  ${first.zuliprc}`,
    '',
    'Send a message to the stream for all:',
    '',
    `  curl -u "$(sed -n 's/^email=//p; s/^key=//p' ${quoteForShell(first.zuliprc)} | paste -s -d : -)" ${site}/api/v1/messages \\`,
    `    -d type=stream -d to=general -d topic=hello --data-urlencode 'content=Hello, **world**'`,
    '',
  ].join('\n');
}
