/** Parsers of settings: each returns the value, or throws an Error with the reason. */

import { isIPv6 } from 'node:net';
import { parseIpNetworkList } from '#base';
import { ClientApiLevels } from '#domain/levels';
import { hasEmailAddressForm, toCheckedFullName } from '#domain/people';
import { parseRateLimitRules } from '#frontend/limits';

const MAX_PATH_OR_URL_CHARACTERS = 4_096;
const MIN_SECRET_CHARACTERS = 16;
/**
 * Minimum number of different characters in a secret. A generated secret has some 40, and even one typed by hand has
 * more than this.
 */
const MIN_DISTINCT_SECRET_CHARACTERS = 6;
const MAX_NAMESPACE_CHARACTERS = 64;
const MAX_REALM_NAME_CHARACTERS = 40;

const HOST_NAME_PATTERN =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

const isPortNumber = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

function returnIfValid(condition: boolean, reason: string, value: string): string {
  if (condition) return value;
  throw new Error(reason);
}

export function makeOneOfParser<const T extends string>(...allowed: readonly T[]) {
  return (given: string): T => {
    if ((allowed as readonly string[]).includes(given)) return given as T;
    throw new Error(`must be one of ${allowed.join(', ')}`);
  };
}

export function makeIntegerParser(min: number, max: number) {
  return (given: string): number => {
    const n = Number(given);
    if (/^\d+$/.test(given) && n >= min && n <= max) return n;
    throw new Error(`must be an integer from ${min} to ${max}`);
  };
}

const parseExplicitWorkerCount = makeIntegerParser(0, 64);

export const parseWorkerCount = (given: string): number | 'auto' =>
  given === 'auto' ? given : parseExplicitWorkerCount(given);

export function checkNetworkList(given: string): string {
  parseIpNetworkList(given);
  return given;
}

export function checkClientApiLevels(given: string): string {
  ClientApiLevels.fromSetting(given);
  return given;
}

export function checkRateLimitRules(given: string): string {
  parseRateLimitRules(given);
  return given;
}

/** Checks the address to listen on: an IP address or a host name, without a port. */
export const checkListenAddress = (value: string): string =>
  returnIfValid(
    HOST_NAME_PATTERN.test(value) || isIPv6(value),
    'must be an IP address or a host name, without a port',
    value,
  );

/** Checks the host name under which clients reach the server, with an optional port. */
export function checkHostWithOptionalPort(value: string): string {
  const [, host = '', bracketed, port] = /^((?:\[([^\]]*)\])|[^:]*)(?::(.*))?$/.exec(value) ?? [];
  const known = bracketed === undefined ? HOST_NAME_PATTERN.test(host) : isIPv6(bracketed);
  const fits = known && (port === undefined || isPortNumber(port));
  return returnIfValid(fits, 'must be a host name, or host:port, without http:// and without a path', value);
}

export const checkFilePath = (value: string): string =>
  returnIfValid(
    value.trim() !== '' && value.length <= MAX_PATH_OR_URL_CHARACTERS && !value.includes('\0'),
    'must be the path of a file or folder',
    value,
  );

export const checkEmailAddress = (value: string): string =>
  returnIfValid(hasEmailAddressForm(value), 'must be an address such as ann@example.com', value);

export const checkRealmName = (value: string): string =>
  returnIfValid(
    value.trim() !== '' && [...value].length <= MAX_REALM_NAME_CHARACTERS && !/\p{Cc}/u.test(value),
    `must be a name of at most ${MAX_REALM_NAME_CHARACTERS} characters`,
    value,
  );

export const checkOwnerName = (value: string): string => toCheckedFullName(value);

export function checkServerSecretStrength(value: string): string {
  if (value.length < MIN_SECRET_CHARACTERS) throw new Error(`must have at least ${MIN_SECRET_CHARACTERS} characters`);
  if (/change.?me/i.test(value))
    throw new Error('is that of an example: make one with head -c 32 /dev/urandom | base64');
  return returnIfValid(
    new Set(value).size >= MIN_DISTINCT_SECRET_CHARACTERS,
    'can be guessed: make one with head -c 32 /dev/urandom | base64',
    value,
  );
}

export const checkClusterNamespace = (value: string): string =>
  returnIfValid(
    /^[A-Za-z0-9]*$/.test(value) && value.length <= MAX_NAMESPACE_CHARACTERS,
    `must be letters and digits, at most ${MAX_NAMESPACE_CHARACTERS}`,
    value,
  );

/** Checks the address of a service that the server calls by HTTP. */
export function checkWebUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const hasCredentials = url !== undefined && url.username + url.password !== '';
  const isWeb = url !== undefined && /^https?:\/\//.test(value) && !hasCredentials && url.hash === '';
  return returnIfValid(
    isWeb && value.length <= MAX_PATH_OR_URL_CHARACTERS,
    'must be an address that begins with http:// or https://',
    value,
  );
}

/** Checks a token of the header `Authorization: Bearer`. */
export const checkBearerToken = (value: string): string =>
  returnIfValid(/^[A-Za-z0-9._~+/-]{1,1000}=*$/.test(value), 'must consist of letters, digits and ._~+/-=', value);

const formatAllowedSchemes = (schemes: readonly string[]): string => schemes.map((s) => `${s}://`).join(' or ');

/**
 * Checks user, password, host and port of an address `scheme://user:password@host:port`; only the host is required.
 *
 * @returns the unchecked rest of the address
 * @throws Error
 */
function checkServerAddressAndReturnRest(text: string, scheme: string): string {
  const [, account, host = '', port, rest = ''] =
    /^(?:([^@/?#]*)@)?(\[[^\]]*\]|[^:/?#@]*)(?::([^/?#]*))?(.*)$/s.exec(text.slice(`${scheme}://`.length)) ?? [];
  if (account !== undefined) checkUrlCredentialsDecode(account);
  // An encoded path instead of a host names a Unix socket of this machine.
  if (host.startsWith('%2F')) return rest;
  const known = host.startsWith('[') ? isIPv6(host.slice(1, -1)) : HOST_NAME_PATTERN.test(host);
  if (!known) throw new Error('must name a host');
  if (port !== undefined && !isPortNumber(port)) throw new Error('must name a port from 1 to 65535, or none');
  return rest;
}

function checkUrlCredentialsDecode(account: string): void {
  try {
    decodeURIComponent(account);
  } catch {
    throw new Error('has a % in its user or password that must be written %25');
  }
}

/** Makes a parser of server addresses separated by commas, without paths, as NATS takes them. */
export function makeServerListParser(...schemes: readonly string[]) {
  return (value: string): string => {
    const [first] = value.split(',');
    const usual = schemes.find((scheme) => first!.startsWith(`${scheme}://`));
    if (!usual) throw new Error(`must be an address that begins with ${formatAllowedSchemes(schemes)}`);
    for (const one of value.split(',')) {
      const scheme = schemes.find((name) => one.startsWith(`${name}://`));
      const rest = checkServerAddressAndReturnRest(scheme === undefined ? `${usual}://${one}` : one, scheme ?? usual);
      if (rest !== '' && rest !== '/') throw new Error('must end with the host or its port, without a path');
    }
    return value;
  };
}

/** Makes a parser of the address of one server, with options as its query. */
export function makeServerUrlParser(...schemes: readonly string[]) {
  return (value: string): string => {
    const scheme = schemes.find((name) => value.startsWith(`${name}://`));
    if (!scheme) throw new Error(`must be an address that begins with ${formatAllowedSchemes(schemes)}`);
    const rest = checkServerAddressAndReturnRest(value, scheme);
    return returnIfValid(/^\/?(\?.*)?$/s.test(rest), 'must have no path', value);
  };
}

/**
 * Makes a parser of the address of a database; a replica set has several hosts in one address. The driver checks the
 * options.
 */
export function makeDatabaseUrlParser(...schemes: readonly string[]) {
  return (value: string): string => {
    const scheme = schemes.find((name) => value.startsWith(`${name}://`));
    if (!scheme) throw new Error(`must be an address that begins with ${formatAllowedSchemes(schemes)}`);
    const [, account, hosts = '', rest = ''] =
      /^(?:([^@/?]*)@)?([^/?]*)(.*)$/s.exec(value.slice(`${scheme}://`.length)) ?? [];
    if (account !== undefined) checkUrlCredentialsDecode(account);
    for (const host of hosts.split(',')) checkServerAddressAndReturnRest(`${scheme}://${host}`, scheme);
    const [, name = ''] = /^\/([^?]*)/.exec(rest) ?? [];
    return returnIfValid(
      /^[^/\\. "$*<>:|]{0,63}$/.test(name) && /^\/?[^?]*(\?.*)?$/s.test(rest),
      'must end with the name of a database, without / . and other special characters',
      value,
    );
  };
}
