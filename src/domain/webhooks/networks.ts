/**
 * Which addresses outgoing webhooks and the image proxy may reach. Their URLs come from users, so by default nothing
 * that only machines beside the server can reach: no loopback, private, link-local or otherwise special address.
 */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';

/** Special-purpose networks (IANA registries of RFC 6890, and multicast). */
const SPECIAL: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Loopback among them, and IPv4 addresses as they were once written.
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** @throws Error for what is no network */
function parseNetwork(text: string): Network {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  const most = family === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? most : Number(length);
  if (!family || rest.length > 0 || !/^\d*$/.test(length ?? '') || length === '' || prefix > most) {
    throw new Error('must be networks such as 10.1.0.0/16 or ::1, separated by commas');
  }
  return { address, prefix, family };
}

/** @throws Error for a text that is no list of networks */
export const parseNetworks = (text: string): readonly Network[] =>
  text.split(',').flatMap((one) => (one.trim() === '' ? [] : [parseNetwork(one.trim())]));

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return list;
}

/** Every address of a name is one that may not be reached. */
export class ForbiddenAddress extends Error {
  override name = 'Forbidden';
}

export class AddressFilter {
  readonly #special = listOf(SPECIAL.map(parseNetwork));
  readonly #allowed: BlockList;

  /** @param allowed networks that may be reached whatever they are; see `parseNetworks` */
  constructor(allowed: string) {
    this.#allowed = listOf(parseNetworks(allowed));
  }

  /** @param address of IP, either family */
  allows(address: string): boolean {
    const plain = address.replace(/%.*$/, '');
    const family = isIPv4(plain) ? 'ipv4' : isIPv6(plain) ? 'ipv6' : undefined;
    if (!family) return false;
    // An IPv4 address in the clothes of IPv6 is what it contains: the lists know that form.
    return this.#allowed.check(plain, family) || !this.#special.check(plain, family);
  }

  /** False for a URL whose host is an address that may not be reached; names are checked when they are looked up. */
  allowsUrl({ hostname }: URL): boolean {
    const literal = hostname.replace(/^\[|\]$/g, '');
    return isIP(literal) === 0 || this.allows(literal);
  }

  /**
   * For the options of a request. The check is part of the connection: a name that leads elsewhere the second time gains
   * nothing.
   */
  readonly lookup: LookupFunction = (host, options, done) => {
    dnsLookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const [first, ...rest] = error ? [] : found.filter(({ address }) => this.allows(address));
      if (error) done(error, '', 0);
      else if (!first) done(new ForbiddenAddress(), '', 0);
      else if (options.all) done(null, [first, ...rest]);
      else done(null, first.address, first.family);
    });
  };
}
