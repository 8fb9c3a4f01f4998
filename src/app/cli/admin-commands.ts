/** Commands that create, list and change organizations and accounts. */
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import {
  AdminError,
  countAccountsAndStreams,
  createOneTimeSignInUrl,
  createRealmWithOwner,
  createUserAndReturnId,
  deactivateUserWithoutMail,
  deleteRealm,
  forgetUserSignInIdentities,
  InvalidArgumentError,
  listRealms,
  reactivateUser,
  readOrRenewUserApiKey,
  renewUserApiKeyByEmail,
  requireDeletableRealm,
  requireRealmBySubdomain,
  type SystemActorCaller,
  setRateLimitsOfUser,
  setRealmActive,
  setUserManagesBilling,
  setUserPasswordAndEndSessions,
  setUserRole,
} from '#app/admin';
import type { ServerConfig } from '#app/config';
import { formatZuliprc } from '#app/server';
import type { Logger } from '#base';
import { writePrivateFile } from '#base/disk';
import { USER_ROLE } from '#domain/people';
import { siteUrlOfRealm } from '#frontend/gateway';
import { ORGANIZATION_TYPE_NUMBER_BY_NAME, type RealmId } from '#model';
import { runWithActorClient, runWithActorClientOrNewData } from './actors.js';
import type { CliActionsOf } from './command.js';
import { removeOrganizationBesideRunningServer } from './exchange-target.js';

/** Arguments of a change of an organization or of one of its accounts. */
interface RealmChange<O> {
  readonly actors: SystemActorCaller;
  readonly realm: RealmId;
  readonly options: O;
  readonly words: readonly string[];
}

/**
 * Action that changes the organization of `--realm`, or one of its accounts, and prints which one.
 * @param change returns what was done, in words
 */
const makeRealmChangeAction =
  <O extends { readonly realm?: string }>(change: (of: RealmChange<O>) => Promise<string>) =>
  (config: ServerConfig, options: O, logger: Logger, words: readonly string[]): Promise<void> =>
    runWithActorClient(config, logger, async (actors) => {
      const { id: realm, subdomain } = await requireRealmBySubdomain(actors, options.realm);
      const done = await change({ actors, realm, options, words });
      process.stdout.write(`organization ${formatSubdomain(subdomain)}: ${done}\n`);
    });

const formatSubdomain = (subdomain: string): string => subdomain || '(root)';

const ROLE_NUMBER_BY_CLI_NAME: Readonly<Record<string, number>> = { ...USER_ROLE, administrator: USER_ROLE.admin };

/** Options that name the address of an organization, and the file that gets an API key with it. */
interface ZuliprcOptions {
  readonly site?: string;
  readonly zuliprc?: string;
}

/** Base URL of an organization: `--site`, or the configured address with the organization's subdomain. */
const organizationUrlOf = (
  { site }: ZuliprcOptions,
  { externalScheme: scheme, externalHost, host, port }: ServerConfig,
  subdomain: string,
): string => site ?? siteUrlOfRealm({ scheme, externalHost, listenAddress: host, listenPort: port }, '', subdomain);

function parseOrganizationTypeNumber(name: string | undefined): number {
  const type = ORGANIZATION_TYPE_NUMBER_BY_NAME[name ?? 'unspecified'];
  if (type === undefined)
    throw new InvalidArgumentError(`--type is one of ${Object.keys(ORGANIZATION_TYPE_NUMBER_BY_NAME).join(', ')}`);
  return type;
}

/** Checks the place of the file before a change makes a key that is shown once. @throws AdminError */
async function requireWritableZuliprc({ zuliprc }: ZuliprcOptions): Promise<void> {
  if (zuliprc === undefined) return;
  const file = resolve(zuliprc);
  const target = (await stat(file).catch(() => undefined)) ? file : dirname(file);
  await access(target, constants.W_OK).catch((error: Error) => {
    throw new AdminError(`nothing was changed: ${zuliprc} can't be written: ${error.message}`);
  });
}

async function printKeyOrWriteZuliprc(
  options: ZuliprcOptions,
  site: string,
  email: string,
  key: string,
): Promise<void> {
  const { zuliprc } = options;
  if (zuliprc === undefined) process.stdout.write(`${key}\n`);
  else
    await writePrivateFile(zuliprc, formatZuliprc(email, key, site)).catch((error: Error) => {
      // The key is in force, and no other place has it.
      process.stdout.write(`${key}\n`);
      throw new AdminError(`${zuliprc} can't be written, so the key is printed: ${error.message}`);
    });
}

function parseRoleNumber(name: string): number {
  const role = ROLE_NUMBER_BY_CLI_NAME[name];
  if (role === undefined)
    throw new InvalidArgumentError(`${name} is no role: they are ${Object.keys(ROLE_NUMBER_BY_CLI_NAME).join(', ')}`);
  return role;
}

function parseOnOff(word: string): boolean {
  if (word !== 'on' && word !== 'off') throw new InvalidArgumentError(`on or off, not ${word}`);
  return word === 'on';
}

/** Reads the first line of the standard input; undefined if it is empty. @param prompt shown on a terminal */
async function readLineOfStandardInput(prompt: string): Promise<string | undefined> {
  if (process.stdin.isTTY) process.stderr.write(prompt);
  for await (const line of createInterface({ input: process.stdin })) return line;
  return undefined;
}

/** Reads a password: other users of the machine see the options of a command, but not its input. */
async function readPasswordFromStandardInput(): Promise<string> {
  const password = await readLineOfStandardInput('New password: ');
  if (password === undefined) throw new InvalidArgumentError('no password: give it as the first line of the input');
  return password;
}

/** Has the operator type the subdomain again. @throws AdminError for another text, or without a terminal */
async function requireTypedSubdomain(subdomain: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new AdminError('a deletion is confirmed at a terminal, or by --yes: nothing was deleted');
  const wanted = formatSubdomain(subdomain);
  if ((await readLineOfStandardInput(`Type ${wanted} to delete it for good: `))?.trim() !== wanted)
    throw new AdminError('nothing was deleted: another name was typed');
}

export const REALM_AND_USER_COMMAND_ACTIONS: CliActionsOf<'realm' | 'user'> = {
  'realm create': async (config, options, logger) => {
    const { email, name, subdomain = '', type, password } = options;
    const orgType = parseOrganizationTypeNumber(type);
    // Before the data directory is made.
    await requireWritableZuliprc(options);
    await runWithActorClientOrNewData(config, logger, async (actors, secrets) => {
      const origin = organizationUrlOf(options, config, subdomain);
      const { ownerKey } = await createRealmWithOwner(actors, secrets, {
        subdomain,
        name,
        ownerEmail: email,
        ownerName: options['full-name'],
        ownerPassword: password,
        orgType,
        origin,
      });
      await printKeyOrWriteZuliprc(options, origin, email, ownerKey);
    });
  },

  'realm list': (config, _options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      for (const { id, subdomain, deactivated, isBeingDeleted } of await listRealms(actors)) {
        const state = isBeingDeleted ? '\tbeing deleted' : deactivated ? '\tdeactivated' : '';
        process.stdout.write(`${id}\t${formatSubdomain(subdomain)}${state}\n`);
      }
    }),

  'realm deactivate': makeRealmChangeAction(async ({ actors, realm }) => {
    await setRealmActive(actors, realm, false);
    return 'deactivated';
  }),

  'realm reactivate': makeRealmChangeAction(async ({ actors, realm }) => {
    await setRealmActive(actors, realm, true);
    return 'active';
  }),

  'realm delete': (config, { yes }, logger, [subdomain = '']) =>
    runWithActorClient(config, logger, async (actors) => {
      const realm = await requireDeletableRealm(actors, subdomain);
      const say = (text: string): void =>
        void process.stdout.write(`organization ${formatSubdomain(subdomain)}: ${text}\n`);
      // The operator has confirmed a deletion that has begun.
      if (realm.isBeingDeleted) say('its deletion goes on');
      else {
        const { accounts, streams } = await countAccountsAndStreams(actors, realm.id);
        say(`${accounts} accounts, ${streams} streams, with all messages and files`);
        if (!yes) await requireTypedSubdomain(subdomain);
      }
      await deleteRealm(actors, realm, (id) => removeOrganizationBesideRunningServer(config, id));
      say('deleted');
    }),

  'user create': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      const { email, realm } = options;
      const role = parseRoleNumber(options['user-role'] ?? 'member');
      const { id: realmId } = await requireRealmBySubdomain(actors, realm);
      const password = options.password ?? (await readPasswordFromStandardInput());
      const id = await createUserAndReturnId(actors, realmId, { email, name: options['full-name'], password, role });
      process.stdout.write(`${id}\n`);
    }),

  'user key': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      await requireWritableZuliprc(options);
      const { email } = options;
      const { id, subdomain } = await requireRealmBySubdomain(actors, options.realm);
      const key = await readOrRenewUserApiKey(actors, secrets, id, email);
      await printKeyOrWriteZuliprc(options, organizationUrlOf(options, config, subdomain), email, key);
    }),

  'user new-key': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      await requireWritableZuliprc(options);
      const { email } = options;
      const { id, subdomain } = await requireRealmBySubdomain(actors, options.realm);
      const key = await renewUserApiKeyByEmail(actors, secrets, id, email);
      await printKeyOrWriteZuliprc(options, organizationUrlOf(options, config, subdomain), email, key);
    }),

  'user password': makeRealmChangeAction(async ({ actors, realm, options: { email, password } }) => {
    await setUserPasswordAndEndSessions(actors, realm, email, password ?? (await readPasswordFromStandardInput()));
    return `${email} has a new password`;
  }),

  'user forget-identities': makeRealmChangeAction(async ({ actors, realm, options: { email } }) => {
    await forgetUserSignInIdentities(actors, realm, email);
    return `the identities of ${email} are forgotten`;
  }),

  'user sign-in-link': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const { id, subdomain, deactivated } = await requireRealmBySubdomain(actors, options.realm);
      if (deactivated)
        throw new AdminError(`organization ${formatSubdomain(subdomain)} is deactivated: nobody signs in`);
      const page = organizationUrlOf(options, config, subdomain);
      process.stdout.write(`${await createOneTimeSignInUrl(actors, secrets, id, options.email, page)}\n`);
    }),

  'user role': makeRealmChangeAction(async ({ actors, realm, words: [email = '', role = ''] }) => {
    await setUserRole(actors, realm, email, parseRoleNumber(role));
    return `${email} is ${role}`;
  }),

  'user billing': makeRealmChangeAction(async ({ actors, realm, words: [email = '', word = ''] }) => {
    await setUserManagesBilling(actors, realm, email, parseOnOff(word));
    return `${email} manages billing: ${word}`;
  }),

  'user rate-limit': makeRealmChangeAction(async ({ actors, realm, words: [email = '', rules = ''] }) => {
    await setRateLimitsOfUser(actors, realm, email, rules === 'usual' ? null : rules);
    return `${email} has the rate limits ${rules}`;
  }),

  'user deactivate': makeRealmChangeAction(async ({ actors, realm, words: [email = ''] }) => {
    await deactivateUserWithoutMail(actors, realm, email);
    return `${email} is deactivated`;
  }),

  'user reactivate': makeRealmChangeAction(async ({ actors, realm, words: [email = ''] }) => {
    await reactivateUser(actors, realm, email);
    return `${email} is active`;
  }),
};
