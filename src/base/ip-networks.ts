/**
 * The networks that outgoing webhooks and the image proxy may connect to. Their URLs come from users, so by default
 * they can't reach hosts of the server's own network: no loopback, private, link-local or other special-purpose
 * address.
 */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';

/** Special-purpose networks (IANA registries of RFC 6890, and multicast). */
const SPECIAL_PURPOSE_NETWORKS: readonly string[] = [
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
  // The network ::/96 contains loopback and the former IPv4-compatible addresses.
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

interface IpNetwork {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Parses one network. @throws Error if the text is no network */
function parseIpNetwork(text: string): IpNetwork {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  const maxPrefix = family === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? maxPrefix : Number(length);
  if (!family || rest.length > 0 || !/^\d*$/.test(length ?? '') || length === '' || prefix > maxPrefix) {
    throw new Error('must be networks such as 10.1.0.0/16 or ::1, separated by commas');
  }
  return { address, prefix, family };
}

/** Parses a list of networks, separated by commas. @throws Error if an entry is no network */
export const parseIpNetworkList = (text: string): readonly IpNetwork[] =>
  text.split(',').flatMap((one) => (one.trim() === '' ? [] : [parseIpNetwork(one.trim())]));

function makeBlockList(networks: readonly IpNetwork[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return list;
}

/** Error of a DNS look-up: no address of the host name is allowed. */
export class ForbiddenAddressError extends Error {
  override name = 'ForbiddenAddressError';
}

/** Filter of IP addresses: special-purpose networks are forbidden unless the configuration allows them. */
export class OutgoingAddressFilter {
  /** Made when it is first needed: Node takes 6 ms to prepare the test for an IPv6 address. */
  #specialNetworks: BlockList | undefined;
  readonly #allowedNetworks: BlockList;

  /** Makes the filter. @param allowed networks that are allowed although they are special; see `parseIpNetworkList` */
  constructor(allowed: string) {
    this.#allowedNetworks = makeBlockList(parseIpNetworkList(allowed));
  }

  /** True if outgoing requests may connect to the address. @param address IPv4 or IPv6 address */
  allowsIpAddress(address: string): boolean {
    const plain = address.replace(/%.*$/, '');
    const family = isIPv4(plain) ? 'ipv4' : isIPv6(plain) ? 'ipv6' : undefined;
    if (!family) return false;
    // BlockList treats an IPv4-mapped IPv6 address as the IPv4 address in it.
    if (this.#allowedNetworks.check(plain, family)) return true;
    this.#specialNetworks ??= makeBlockList(SPECIAL_PURPOSE_NETWORKS.map(parseIpNetwork));
    return !this.#specialNetworks.check(plain, family);
  }

  /**
   * True if outgoing requests may go to this URL: false if its host is a forbidden address. A host name is always
   * allowed by this method; `lookup` checks its addresses.
   */
  allowsUrlBeforeLookup({ hostname }: URL): boolean {
    const literal = hostname.replace(/^\[|\]$/g, '');
    return isIP(literal) === 0 || this.allowsIpAddress(literal);
  }

  /**
   * DNS look-up function for the options of a request. The connection uses exactly the addresses that were checked, so
   * a name that resolves differently the second time (DNS rebinding) gains nothing.
   */
  readonly lookupAllowedAddresses: LookupFunction = (host, options, done) => {
    dnsLookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const [first, ...rest] = error ? [] : found.filter(({ address }) => this.allowsIpAddress(address));
      if (error) done(error, '', 0);
      else if (!first) done(new ForbiddenAddressError(), '', 0);
      else if (options.all) done(null, [first, ...rest]);
      else done(null, first.address, first.family);
    });
  };
}
