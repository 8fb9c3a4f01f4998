/** Commands that create, list and change organizations and accounts. */
import { createInterface } from 'node:readline';
import {
  AdminError,
  createOneTimeSignInLink,
  createRealm,
  createUser,
  deactivateUser,
  findRealmId,
  forgetUserSignInIdentities,
  listRealms,
  reactivateUser,
  readUserApiKey,
  renewUserApiKey,
  type SystemActorCaller,
  setBillingManager,
  setRealmActive,
  setUserPassword,
  setUserRateLimits,
  setUserRole,
} from '#app/admin';
import type { ServerConfig } from '#app/config';
import { formatZuliprc } from '#app/server';
import type { Logger } from '#base';
import { writePrivateFile } from '#base/disk';
import { USER_ROLE } from '#domain/people';
import { siteUrlOfRealm as addressOfSite } from '#frontend/gateway';
import { ORGANIZATION_TYPES, type RealmId } from '#model';
import { runWithActorClient } from './actors.js';
import { CLUSTER_COMMANDS } from './cluster-commands.js';
import type { AdminCommand, CliCommandAction, CliCommandOptions } from './command.js';

export const ADMIN_COMMAND_OPTIONS = Object.fromEntries(
  ['subdomain', 'name', 'type', 'email', 'full-name', 'password', 'user-role', 'realm', 'zuliprc', 'site'].map(
    (name) => [name, { type: 'string' as const }],
  ),
);

const withoutWords = (run: CliCommandAction): AdminCommand => ({ words: [], run });

/** Command that changes the organization of `--realm`, or one of its accounts. */
const makeRealmChangeCommand = (
  words: readonly string[],
  change: (actors: SystemActorCaller, realm: RealmId, words: readonly string[]) => Promise<void>,
): AdminCommand => ({
  words,
  run: (config, options, logger, given) =>
    runWithActorClient(config, logger, async (actors) =>
      change(actors, await findRealmId(actors, options.realm), given),
    ),
});

const ROLE_NUMBERS_BY_NAME: Readonly<Record<string, number>> = { ...USER_ROLE, administrator: USER_ROLE.admin };

function getRequiredOption(options: CliCommandOptions, name: string): string {
  const value = options[name];
  if (value === undefined) throw new AdminError(`--${name} is required`);
  return value;
}

const siteUrlForOptions = (options: CliCommandOptions, config: ServerConfig): string =>
  options.site ?? `${config.externalScheme}://${config.externalHost}:${config.port}`;

function parseOrganizationType(name: string | undefined): number {
  const type = ORGANIZATION_TYPES[name ?? 'unspecified'];
  if (type === undefined) throw new AdminError(`--type is one of ${Object.keys(ORGANIZATION_TYPES).join(', ')}`);
  return type;
}

async function writeCredentials(
  options: CliCommandOptions,
  config: ServerConfig,
  email: string,
  key: string,
): Promise<void> {
  const site = siteUrlForOptions(options, config);
  if (options.zuliprc === undefined) process.stdout.write(`${key}\n`);
  else await writePrivateFile(options.zuliprc, formatZuliprc(email, key, site));
}

function parseRoleName(name: string): number {
  const role = ROLE_NUMBERS_BY_NAME[name];
  if (role === undefined) throw new AdminError(`no such role: ${name}`);
  return role;
}

function parseOnOff(word: string): boolean {
  if (word !== 'on' && word !== 'off') throw new AdminError(`neither on nor off: ${word}`);
  return word === 'on';
}

/**
 * Reads the first line of the standard input: other users of the machine see the options of a command, but not its
 * input.
 */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('New password: ');
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new AdminError('no password: give it as the first line of the input');
}

const COMMANDS_WITHOUT_ARGUMENTS: Readonly<Record<string, CliCommandAction>> = {
  'realm create': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const ownerEmail = getRequiredOption(options, 'email');
      const { ownerKey } = await createRealm(actors, secrets, {
        subdomain: options.subdomain ?? '',
        name: getRequiredOption(options, 'name'),
        ownerEmail,
        ownerName: getRequiredOption(options, 'full-name'),
        ownerPassword: options.password,
        orgType: parseOrganizationType(options.type),
        origin: siteUrlForOptions(options, config),
      });
      await writeCredentials(options, config, ownerEmail, ownerKey);
    }),

  'realm list': (config, _options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      for (const { id, subdomain, deactivated } of await listRealms(actors))
        process.stdout.write(`${id}\t${subdomain || '(root)'}${deactivated ? '\tdeactivated' : ''}\n`);
    }),

  'user create': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      const role = parseRoleName(options['user-role'] ?? 'member');
      const id = await createUser(actors, await findRealmId(actors, options.realm), {
        email: getRequiredOption(options, 'email'),
        name: getRequiredOption(options, 'full-name'),
        password: getRequiredOption(options, 'password'),
        role,
      });
      process.stdout.write(`${id}\n`);
    }),

  'user key': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const email = getRequiredOption(options, 'email');
      const key = await readUserApiKey(actors, secrets, await findRealmId(actors, options.realm), email);
      await writeCredentials(options, config, email, key);
    }),

  'user new-key': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const email = getRequiredOption(options, 'email');
      const key = await renewUserApiKey(actors, secrets, await findRealmId(actors, options.realm), email);
      await writeCredentials(options, config, email, key);
    }),

  'user password': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      const email = getRequiredOption(options, 'email');
      const realm = await findRealmId(actors, options.realm);
      await setUserPassword(actors, realm, email, options.password ?? (await readPassword()));
    }),

  'user forget-identities': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      const email = getRequiredOption(options, 'email');
      await forgetUserSignInIdentities(actors, await findRealmId(actors, options.realm), email);
    }),

  'user sign-in-link': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const email = getRequiredOption(options, 'email');
      const realm = await findRealmId(actors, options.realm);
      const page = await pageOf(actors, realm, options, config);
      process.stdout.write(`${await createOneTimeSignInLink(actors, secrets, realm, email, page)}\n`);
    }),
};

/** Base URL of an organization, for people: `--site`, or the configured address with the organization's subdomain. */
async function pageOf(
  actors: SystemActorCaller,
  realm: RealmId,
  options: CliCommandOptions,
  config: ServerConfig,
): Promise<string> {
  if (options.site !== undefined) return options.site;
  const subdomain = (await listRealms(actors)).find(({ id }) => id === realm)?.subdomain ?? '';
  const { externalScheme: scheme, externalHost, host, port } = config;
  return addressOfSite({ scheme, externalHost, listenAddress: host, listenPort: port }, '', subdomain);
}

const REALM_AND_USER_CHANGE_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'realm deactivate': makeRealmChangeCommand([], (actors, realm) => setRealmActive(actors, realm, false)),
  'realm reactivate': makeRealmChangeCommand([], (actors, realm) => setRealmActive(actors, realm, true)),
  'user role': makeRealmChangeCommand(['EMAIL', 'ROLE'], (actors, realm, [email = '', role = '']) =>
    setUserRole(actors, realm, email, parseRoleName(role)),
  ),
  'user billing': makeRealmChangeCommand(['EMAIL', 'on|off'], (actors, realm, [email = '', word = '']) =>
    setBillingManager(actors, realm, email, parseOnOff(word)),
  ),
  'user rate-limit': makeRealmChangeCommand(['EMAIL', 'RULES|usual|off'], (actors, realm, [email = '', rules = '']) =>
    setUserRateLimits(actors, realm, email, rules === 'usual' ? null : rules),
  ),
  'user deactivate': makeRealmChangeCommand(['EMAIL'], (actors, realm, [email = '']) =>
    deactivateUser(actors, realm, email),
  ),
  'user reactivate': makeRealmChangeCommand(['EMAIL'], (actors, realm, [email = '']) =>
    reactivateUser(actors, realm, email),
  ),
};

const ADMIN_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  ...Object.fromEntries(Object.entries(COMMANDS_WITHOUT_ARGUMENTS).map(([name, run]) => [name, withoutWords(run)])),
  ...REALM_AND_USER_CHANGE_COMMANDS,
  ...CLUSTER_COMMANDS,
};

/**
 * Finds the administration command with these words; undefined when none has this name.
 *
 * @throws AdminError for a wrong number of words
 */
export function findAdminCommand(
  words: readonly string[],
): ((config: ServerConfig, options: CliCommandOptions, logger: Logger) => Promise<number | void>) | undefined {
  const [group = '', verb = '', ...given] = words;
  const command = ADMIN_COMMANDS[`${group} ${verb}`];
  if (!command) return undefined;
  if (given.length !== command.words.length) {
    throw new AdminError(`usage: conclave ${[group, verb, ...command.words].join(' ')}`);
  }
  return (config, options, logger) => command.run(config, options, logger, given);
}
