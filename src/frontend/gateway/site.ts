/**
 * The base URL of an organization, for e-mails and stored texts. Any client can forge the `Host` header, but other
 * users read these texts: a forged header must not lead them to another server.
 */
import { isIP, isIPv4 } from 'node:net';
import { hostNameOfHostHeader, subdomainOfHost } from './realms.js';

export interface SiteUrlOptions {
  readonly scheme: 'http' | 'https';
  /** Host name under which clients reach the server, optionally with a port; 'localhost' where none is configured. */
  readonly externalHost: string;
  /** Address that the server listens on. */
  readonly host: string;
  /** Port that the server listens on; 0: unknown. */
  readonly port: number;
}

const UNNAMED = 'localhost';
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** True for a host name that leads each reader to the reader's own machine, such as localhost. */
const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));

const WELL_FORMED = /^[a-z0-9.\-_]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/;

/** Returns the configured external host name, or else the address that the server listens on. */
function configured({ externalHost, host, port }: SiteUrlOptions): string {
  if (externalHost !== UNNAMED) return externalHost;
  const own = isIP(host) === 0 || EVERY_ADDRESS.includes(host) || isLoopback(host) ? UNNAMED : bracketed(host);
  return port === 0 ? own : `${own}:${port}`;
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/**
 * Returns the base URL of the organization, without trailing slash, from the configuration. Where the configuration
 * says only 'localhost', the Host header is used if it names this machine, or this organization on this machine: the
 * port in the header may be that of a proxy.
 */
export function siteUrlOfRealm(options: SiteUrlOptions, host: string, subdomain: string): string {
  const external = configured(options);
  const name = hostNameOfHostHeader(external);
  if (name === UNNAMED && WELL_FORMED.test(host)) {
    const named = subdomainOfHost(host, external);
    if (named === undefined ? isLoopback(hostNameOfHostHeader(host)) : named === subdomain)
      return `${options.scheme}://${host}`;
  }
  const prefix = subdomain === '' || isIP(name) !== 0 ? '' : `${subdomain}.`;
  return `${options.scheme}://${prefix}${external}`;
}
