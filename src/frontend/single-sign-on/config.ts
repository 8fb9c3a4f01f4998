/** Configuration of the identity providers for single sign-on: the value of the setting `oidc`. */

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { parseIpNetworkList } from '#base';
import { type IdentityProviderIcon, readIdentityProviderIcon } from './icon.js';

/** Names of the claims that describe an account; null if a claim is not used. */
export interface IdentityClaimNames {
  readonly email: string;
  readonly full_name: string;
  readonly avatar: string | null;
  readonly role: string | null;
}

export interface IdentityProviderConfig {
  /** Id of the provider, which is part of URLs: `/accounts/login/oidc/ID`. */
  readonly id: string;
  /** Name of the provider, shown on the sign-in page. */
  readonly name: string;
  /** Picture for the provider's button; null: none. */
  readonly icon: IdentityProviderIcon | null;
  readonly issuer: string;
  readonly client_id: string;
  /** Secret of this server at the provider; null for a public OAuth client, which has none. */
  readonly client_secret: string | null;
  readonly scopes: readonly string[];
  readonly claims: IdentityClaimNames;
  /** Roles by value of the role claim; '*' stands for all other values. */
  readonly roles: Readonly<Record<string, number>>;
  /** True if every sign-in updates the account's full name, not only the first sign-in. */
  readonly update_name: boolean;
  /**
   * True if addresses count as verified where the provider sends no `email_verified`. An address with `email_verified`
   * false never counts.
   */
  readonly trust_email: boolean;
  /** Subdomains of the organizations that use the provider; null: all. */
  readonly organizations: readonly string[] | null;
  /** True if the issuer's URL may be without TLS. */
  readonly insecure: boolean;
  /** Networks in which the provider may be, besides the public Internet, separated by commas. */
  readonly networks: string;
}

const ROLE_NUMBER_BY_NAME: Readonly<Record<string, number>> = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
};

const NON_EMPTY_TEXT_SCHEMA = Type.String({ minLength: 1, maxLength: 4_096 });
const NO_ADDITIONAL_PROPERTIES = { additionalProperties: false };

const IDENTITY_PROVIDER_SCHEMA = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9-]{1,32}$' }),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    icon: Type.Optional(NON_EMPTY_TEXT_SCHEMA),
    issuer: NON_EMPTY_TEXT_SCHEMA,
    client_id: NON_EMPTY_TEXT_SCHEMA,
    client_secret: Type.Optional(NON_EMPTY_TEXT_SCHEMA),
    scopes: Type.Optional(Type.Array(NON_EMPTY_TEXT_SCHEMA)),
    claims: Type.Optional(
      Type.Object(
        {
          email: Type.Optional(NON_EMPTY_TEXT_SCHEMA),
          full_name: Type.Optional(NON_EMPTY_TEXT_SCHEMA),
          avatar: Type.Optional(NON_EMPTY_TEXT_SCHEMA),
          role: Type.Optional(NON_EMPTY_TEXT_SCHEMA),
        },
        NO_ADDITIONAL_PROPERTIES,
      ),
    ),
    roles: Type.Optional(Type.Record(Type.String(), Type.Enum(Object.keys(ROLE_NUMBER_BY_NAME)))),
    update_name: Type.Optional(Type.Boolean()),
    trust_email: Type.Optional(Type.Boolean()),
    organizations: Type.Optional(Type.Array(Type.String())),
    insecure: Type.Optional(Type.Boolean()),
    networks: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  },
  NO_ADDITIONAL_PROPERTIES,
);

const IDENTITY_PROVIDERS_SCHEMA = Type.Array(IDENTITY_PROVIDER_SCHEMA, { maxItems: 50 });

type JsonOpening = '[' | '{';

const isJsonText = (given: string, opening: JsonOpening): boolean => given.trimStart().startsWith(opening);

/** @throws Error that names the file and not its content */
function readSettingFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`the file ${path} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/**
 * Reads JSON from the value of a setting and makes something of it.
 * @param given JSON, or the path of a file with it
 * @throws Error with the file, if there is one, and the reason
 */
export function parseJsonSettingOrFile<T>(given: string, opening: JsonOpening, parse: (read: unknown) => T): T {
  if (isJsonText(given, opening)) return parse(parseJsonWithSecrets(given));
  const text = readSettingFile(given);
  try {
    return parse(parseJsonWithSecrets(text));
  } catch (error) {
    throw new Error(`the file ${given}: ${(error as Error).message}`);
  }
}

function parseJsonWithSecrets(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text holds secrets, so the error doesn't contain the parser's message, which quotes the text.
    throw new Error('is not JSON');
  }
}

/** Problem of a JSON value with the place of the key in it; values are left out, because they may be secrets. */
export function describeFirstSchemaProblem(schema: TSchema, read: unknown): string {
  const problems = Value.Errors(schema, read);
  const unknown = problems.find(({ keyword }) => keyword === 'additionalProperties');
  const { instancePath, message, params } = unknown ?? problems[0]!;
  const names = (params as { readonly additionalProperties?: readonly string[] }).additionalProperties ?? [];
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? `entry ${Number(key) + 1}` : key));
  const allowed = (params as { readonly allowedValues?: readonly string[] }).allowedValues;
  const problem = names.length > 0 ? `unknown: ${names.join(', ')}` : message;
  return [...keys, allowed ? `must be one of ${allowed.join(', ')}` : problem].join(': ');
}

function checkIssuerUrl(issuer: string, insecure: boolean): void {
  const plain = URL.canParse(issuer) && /^https?:\/\/[^?#@]*$/.test(issuer);
  if (!plain) throw new Error(`the issuer ${issuer} is not an address without query`);
  const url = new URL(issuer);
  if (url.protocol !== 'https:' && !(insecure && url.protocol === 'http:')) {
    throw new Error(`the issuer ${issuer} does not begin with https:// (for tests: "insecure": true)`);
  }
}

/** Parses the setting `oidc`. @param given JSON, or the path of a file with JSON @throws Error with the reason */
export function parseIdentityProvidersSetting(given: string): readonly IdentityProviderConfig[] {
  const folder = isJsonText(given, '[') ? '.' : dirname(given);
  return parseJsonSettingOrFile(given, '[', (read) => parseIdentityProviders(read, folder));
}

function checkNetworks(id: string, networks: string): void {
  try {
    parseIpNetworkList(networks);
  } catch (error) {
    throw new Error(`networks of the provider ${id}: ${(error as Error).message}`);
  }
}

/** @param folder folder in which the icons are looked for */
function parseIdentityProviders(read: unknown, folder: string): readonly IdentityProviderConfig[] {
  if (!Value.Check(IDENTITY_PROVIDERS_SCHEMA, read))
    throw new Error(`must be a list of providers: ${describeFirstSchemaProblem(IDENTITY_PROVIDERS_SCHEMA, read)}`);
  const ids = new Set(read.map(({ id }) => id));
  if (ids.size < read.length) throw new Error('two providers have the same id');
  return read.map(({ claims = {}, ...of }) => {
    checkIssuerUrl(of.issuer, of.insecure ?? false);
    const networks = [of.networks ?? ''].flat().join(',');
    checkNetworks(of.id, networks);
    const roles = Object.entries(of.roles ?? {}).map(([value, role]) => [value, ROLE_NUMBER_BY_NAME[role]!] as const);
    return {
      ...of,
      icon: of.icon === undefined ? null : readIdentityProviderIcon(of.icon, folder),
      client_secret: of.client_secret ?? null,
      scopes: of.scopes ?? ['openid', 'email', 'profile'],
      claims: {
        email: claims.email ?? 'email',
        full_name: claims.full_name ?? 'name',
        avatar: claims.avatar ?? null,
        role: claims.role ?? null,
      },
      roles: Object.fromEntries(roles),
      update_name: of.update_name ?? false,
      trust_email: of.trust_email ?? false,
      organizations: of.organizations ?? null,
      insecure: of.insecure ?? false,
      networks,
    };
  });
}
