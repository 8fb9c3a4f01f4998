/** Finds the organization that a host name means (conventions.md § Authentication). */
import { isIP } from 'node:net';
import type { DirectoryRealmEntry } from '#model/records';

/** Host name in lower case, without port, brackets and the final dot of a full name. */
export function hostNameOfHostHeader(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host);
  if (bracketed) return bracketed[1]!.toLowerCase();
  return host.replace(/\.?(:\d+)?$/, '').toLowerCase();
}

/** Returns the subdomain in a host name; undefined where there is none (an IP address, localhost, a foreign name). */
export function subdomainOfHost(host: string, externalHost: string): string | undefined {
  const name = hostNameOfHostHeader(host);
  if (name === '' || name === 'localhost' || isIP(name) !== 0) return undefined;
  const external = hostNameOfHostHeader(externalHost);
  if (name === external) return '';
  return name.endsWith(`.${external}`) ? name.slice(0, -external.length - 1) : undefined;
}

/** Finds the organization of a request without credentials; undefined when the host names one that does not exist. */
export function findRealmByHostOrFirst(
  host: string,
  externalHost: string,
  realms: readonly DirectoryRealmEntry[],
): DirectoryRealmEntry | undefined {
  const subdomain = subdomainOfHost(host, externalHost);
  if (subdomain === undefined) return realms[0];
  const named = realms.find((realm) => realm.subdomain === subdomain);
  // Where no organization has the root domain, the external host name stands for the first organization, as an IP
  // address does.
  return named ?? (subdomain === '' ? realms[0] : undefined);
}
