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
  readonly listenAddress: string;
  /** Port that the server listens on; 0: unknown. */
  readonly listenPort: number;
}

const DEFAULT_EXTERNAL_HOST = 'localhost';
const WILDCARD_ADDRESSES = ['0.0.0.0', '::'];

/** True for a host name that leads each reader to the reader's own machine, such as localhost. */
const isLoopbackHost = (name: string): boolean =>
  name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));

const SAFE_HOST_HEADER_PATTERN = /^[a-z0-9.\-_]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/;

/** Returns the configured external host name, or else the address that the server listens on. */
function externalHostOrListenAddress({ externalHost, listenAddress, listenPort }: SiteUrlOptions): string {
  if (externalHost !== DEFAULT_EXTERNAL_HOST) return externalHost;
  const own =
    isIP(listenAddress) === 0 || WILDCARD_ADDRESSES.includes(listenAddress) || isLoopbackHost(listenAddress)
      ? DEFAULT_EXTERNAL_HOST
      : bracketAddressIfIpv6(listenAddress);
  return listenPort === 0 ? own : `${own}:${listenPort}`;
}

const bracketAddressIfIpv6 = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/**
 * Returns the base URL of the organization, without trailing slash, from the configuration. Where the configuration
 * says only 'localhost', the Host header is used if it names this machine, or this organization on this machine: the
 * port in the header may be that of a proxy.
 */
export function siteUrlOfRealm(options: SiteUrlOptions, host: string, subdomain: string): string {
  const external = externalHostOrListenAddress(options);
  const name = hostNameOfHostHeader(external);
  if (name === DEFAULT_EXTERNAL_HOST && SAFE_HOST_HEADER_PATTERN.test(host)) {
    const named = subdomainOfHost(host, external);
    if (named === undefined ? isLoopbackHost(hostNameOfHostHeader(host)) : named === subdomain)
      return `${options.scheme}://${host}`;
  }
  const prefix = subdomain === '' || isIP(name) !== 0 ? '' : `${subdomain}.`;
  return `${options.scheme}://${prefix}${external}`;
}
