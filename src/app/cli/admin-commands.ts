/** Commands that create, list and change organizations and accounts. */
import { createInterface } from 'node:readline';
import {
  AdminError,
  createOneTimeSignInUrl,
  createRealmWithOwner,
  createUserAndReturnId,
  deactivateUserWithoutMail,
  forgetUserSignInIdentities,
  listRealms,
  reactivateUser,
  readOrRenewUserApiKey,
  renewUserApiKeyByEmail,
  requireRealmIdBySubdomain,
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
import { siteUrlOfRealm as addressOfSite } from '#frontend/gateway';
import { ORGANIZATION_TYPE_NUMBER_BY_NAME, type RealmId } from '#model';
import { runWithActorClient } from './actors.js';
import { CLUSTER_COMMAND_BY_NAME } from './cluster-commands.js';
import type { AdminCommand, AdminCommandAction, CliNonSettingOptions } from './command.js';

const makeArgumentlessCommand = (run: AdminCommandAction): AdminCommand => ({ words: [], run });

/** Command that changes the organization of `--realm`, or one of its accounts. */
const makeRealmChangeCommand = (
  words: readonly string[],
  change: (actors: SystemActorCaller, realm: RealmId, words: readonly string[]) => Promise<void>,
): AdminCommand => ({
  words,
  run: (config, options, logger, given) =>
    runWithActorClient(config, logger, async (actors) =>
      change(actors, await requireRealmIdBySubdomain(actors, options.realm), given),
    ),
});

const ROLE_NUMBER_BY_CLI_NAME: Readonly<Record<string, number>> = { ...USER_ROLE, administrator: USER_ROLE.admin };

function requireOption(options: CliNonSettingOptions, name: string): string {
  const value = options[name];
  if (value === undefined) throw new AdminError(`--${name} is required`);
  return value;
}

const siteUrlFromOptionsOrConfig = (options: CliNonSettingOptions, config: ServerConfig): string =>
  options.site ?? `${config.externalScheme}://${config.externalHost}:${config.port}`;

function parseOrganizationTypeNumber(name: string | undefined): number {
  const type = ORGANIZATION_TYPE_NUMBER_BY_NAME[name ?? 'unspecified'];
  if (type === undefined)
    throw new AdminError(`--type is one of ${Object.keys(ORGANIZATION_TYPE_NUMBER_BY_NAME).join(', ')}`);
  return type;
}

async function printKeyOrWriteZuliprc(
  options: CliNonSettingOptions,
  config: ServerConfig,
  email: string,
  key: string,
): Promise<void> {
  const site = siteUrlFromOptionsOrConfig(options, config);
  if (options.zuliprc === undefined) process.stdout.write(`${key}\n`);
  else await writePrivateFile(options.zuliprc, formatZuliprc(email, key, site));
}

function parseRoleNumber(name: string): number {
  const role = ROLE_NUMBER_BY_CLI_NAME[name];
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
async function readPasswordFromStandardInput(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('New password: ');
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new AdminError('no password: give it as the first line of the input');
}

const ARGUMENTLESS_COMMAND_ACTIONS: Readonly<Record<string, AdminCommandAction>> = {
  'realm create': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const ownerEmail = requireOption(options, 'email');
      const { ownerKey } = await createRealmWithOwner(actors, secrets, {
        subdomain: options.subdomain ?? '',
        name: requireOption(options, 'name'),
        ownerEmail,
        ownerName: requireOption(options, 'full-name'),
        ownerPassword: options.password,
        orgType: parseOrganizationTypeNumber(options.type),
        origin: siteUrlFromOptionsOrConfig(options, config),
      });
      await printKeyOrWriteZuliprc(options, config, ownerEmail, ownerKey);
    }),

  'realm list': (config, _options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      for (const { id, subdomain, deactivated } of await listRealms(actors))
        process.stdout.write(`${id}\t${subdomain || '(root)'}${deactivated ? '\tdeactivated' : ''}\n`);
    }),

  'user create': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      const role = parseRoleNumber(options['user-role'] ?? 'member');
      const id = await createUserAndReturnId(actors, await requireRealmIdBySubdomain(actors, options.realm), {
        email: requireOption(options, 'email'),
        name: requireOption(options, 'full-name'),
        password: requireOption(options, 'password'),
        role,
      });
      process.stdout.write(`${id}\n`);
    }),

  'user key': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const email = requireOption(options, 'email');
      const key = await readOrRenewUserApiKey(
        actors,
        secrets,
        await requireRealmIdBySubdomain(actors, options.realm),
        email,
      );
      await printKeyOrWriteZuliprc(options, config, email, key);
    }),

  'user new-key': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const email = requireOption(options, 'email');
      const key = await renewUserApiKeyByEmail(
        actors,
        secrets,
        await requireRealmIdBySubdomain(actors, options.realm),
        email,
      );
      await printKeyOrWriteZuliprc(options, config, email, key);
    }),

  'user password': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      const email = requireOption(options, 'email');
      const realm = await requireRealmIdBySubdomain(actors, options.realm);
      await setUserPasswordAndEndSessions(
        actors,
        realm,
        email,
        options.password ?? (await readPasswordFromStandardInput()),
      );
    }),

  'user forget-identities': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors) => {
      const email = requireOption(options, 'email');
      await forgetUserSignInIdentities(actors, await requireRealmIdBySubdomain(actors, options.realm), email);
    }),

  'user sign-in-link': (config, options, logger) =>
    runWithActorClient(config, logger, async (actors, secrets) => {
      const email = requireOption(options, 'email');
      const realm = await requireRealmIdBySubdomain(actors, options.realm);
      const page = await findOrganizationBaseUrl(actors, realm, options, config);
      process.stdout.write(`${await createOneTimeSignInUrl(actors, secrets, realm, email, page)}\n`);
    }),
};

/** Base URL of an organization, for people: `--site`, or the configured address with the organization's subdomain. */
async function findOrganizationBaseUrl(
  actors: SystemActorCaller,
  realm: RealmId,
  options: CliNonSettingOptions,
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
    setUserRole(actors, realm, email, parseRoleNumber(role)),
  ),
  'user billing': makeRealmChangeCommand(['EMAIL', 'on|off'], (actors, realm, [email = '', word = '']) =>
    setUserManagesBilling(actors, realm, email, parseOnOff(word)),
  ),
  'user rate-limit': makeRealmChangeCommand(['EMAIL', 'RULES|usual|off'], (actors, realm, [email = '', rules = '']) =>
    setRateLimitsOfUser(actors, realm, email, rules === 'usual' ? null : rules),
  ),
  'user deactivate': makeRealmChangeCommand(['EMAIL'], (actors, realm, [email = '']) =>
    deactivateUserWithoutMail(actors, realm, email),
  ),
  'user reactivate': makeRealmChangeCommand(['EMAIL'], (actors, realm, [email = '']) =>
    reactivateUser(actors, realm, email),
  ),
};

const ADMIN_COMMAND_BY_NAME: Readonly<Record<string, AdminCommand>> = {
  ...Object.fromEntries(
    Object.entries(ARGUMENTLESS_COMMAND_ACTIONS).map(([name, run]) => [name, makeArgumentlessCommand(run)]),
  ),
  ...REALM_AND_USER_CHANGE_COMMANDS,
  ...CLUSTER_COMMAND_BY_NAME,
};

/**
 * Finds the administration command with these words; undefined when none has this name.
 *
 * @throws AdminError for a wrong number of words
 */
export function findAdminCommandRunner(
  words: readonly string[],
): ((config: ServerConfig, options: CliNonSettingOptions, logger: Logger) => Promise<number | void>) | undefined {
  const [group = '', verb = '', ...given] = words;
  const command = ADMIN_COMMAND_BY_NAME[`${group} ${verb}`];
  if (!command) return undefined;
  if (given.length !== command.words.length) {
    throw new AdminError(`usage: conclave ${[group, verb, ...command.words].join(' ')}`);
  }
  return (config, options, logger) => command.run(config, options, logger, given);
}
