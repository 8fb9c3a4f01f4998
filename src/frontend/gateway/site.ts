/**
 * The address of an organization that goes into mails and into what is stored. The `Host` header comes from whoever calls,
 * and what he makes the server write is read by others: a forged one must not lead them elsewhere.
 */
import { isIP, isIPv4 } from 'node:net';
import { hostName, subdomainOf } from './realms.js';

export interface SiteOptions {
  readonly scheme: 'http' | 'https';
  /** Name under which clients reach the server, perhaps with a port; 'localhost' where none is configured. */
  readonly externalHost: string;
  /** Address that the server listens on. */
  readonly host: string;
  /** 0: not known. */
  readonly port: number;
}

const UNNAMED = 'localhost';
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Leads nobody to another machine than his own. */
const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));

const WELL_FORMED = /^[a-z0-9.\-_]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/;

/** What is configured: an external name, else the one address that the server listens on. */
function configured({ externalHost, host, port }: SiteOptions): string {
  if (externalHost !== UNNAMED) return externalHost;
  const own = isIP(host) === 0 || EVERY_ADDRESS.includes(host) || isLoopback(host) ? UNNAMED : bracketed(host);
  return port === 0 ? own : `${own}:${port}`;
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/**
 * Base URL of the organization, without trailing slash. From the configuration; where that only says 'localhost', a Host
 * that names this machine, and if any organization then this one, is taken as it came: its port may be that of a proxy.
 */
export function siteOf(options: SiteOptions, host: string, subdomain: string): string {
  const external = configured(options);
  const name = hostName(external);
  if (name === UNNAMED && WELL_FORMED.test(host)) {
    const named = subdomainOf(host, external);
    if (named === undefined ? isLoopback(hostName(host)) : named === subdomain) return `${options.scheme}://${host}`;
  }
  const prefix = subdomain === '' || isIP(name) !== 0 ? '' : `${subdomain}.`;
  return `${options.scheme}://${prefix}${external}`;
}
