/** First start of the embedded face: makes an organization with its owner and greets the operator. */
import { join, resolve } from 'node:path';
import { type ActorCaller, createRealm, listRealms } from '#app/admin';
import type { Config } from '#app/config';
import { writePrivateFile } from '#base/disk';
import type { ServerCryptography } from '#domain/secrets';

export interface FirstStartResult {
  /** Path of the file with the owner's credentials. */
  readonly zuliprc: string;
}

/** Makes the first organization. @returns undefined when the server has one already */
export async function createFirstOrganization(
  config: Config,
  actors: ActorCaller,
  secrets: ServerCryptography,
  site: string,
): Promise<FirstStartResult | undefined> {
  if ((await listRealms(actors)).length > 0) return undefined;
  const email = config.ownerEmail;
  const { ownerKey } = await createRealm(actors, secrets, {
    subdomain: '',
    name: config.realmName,
    ownerEmail: email,
    ownerName: config.ownerName,
    ownerPassword: undefined,
    origin: site,
  });
  const zuliprc = resolve(join(config.dataDir, 'owner.zuliprc'));
  await writePrivateFile(zuliprc, formatZuliprc(email, ownerKey, site));
  return { zuliprc };
}

export const formatZuliprc = (email: string, key: string, site: string): string =>
  `[api]\nemail=${email}\nkey=${key}\nsite=${site}\n`;

/** Quotes a path as one word for a shell. */
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** Text for the terminal at the start. It contains no key, because journals keep it. */
export function formatStartGreeting(first: FirstStartResult | undefined, site: string): string {
  if (!first) return `Conclave serves ${site}\n`;
  return [
    `Conclave serves ${site}`,
    '',
    'A first organization was made. Its owner logs in with the API key in',
    `  ${first.zuliprc}`,
    '',
    'Send a message to the stream for all:',
    '',
    `  curl -u "$(sed -n 's/^email=//p; s/^key=//p' ${quoted(first.zuliprc)} | paste -s -d : -)" ${site}/api/v1/messages \\`,
    `    -d type=stream -d to=general -d topic=hello --data-urlencode 'content=Hello, **world**'`,
    '',
  ].join('\n');
}
