/** Finds the network address under which a call without an account is counted. */

import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { parseIpNetworkList } from '#base';

/** Parses an IPv6 address into its eight groups; undefined for other text. */
function parseIpv6Groups(address: string): number[] | undefined {
  if (!isIPv6(address)) return undefined;
  // The last 32 bits may be written as an IPv4 address.
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const bytes = dotted?.slice(2).map(Number);
  const text =
    dotted && bytes
      ? `${dotted[1]}${((bytes[0]! << 8) | bytes[1]!).toString(16)}:${((bytes[2]! << 8) | bytes[3]!).toString(16)}`
      : address;
  const [before = '', after] = text.split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((g) => Number.parseInt(g, 16)));
  if (after === undefined) return groups(before);
  const [head, tail] = [groups(before), groups(after)];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Normalizes an IP address: strips the zone and unwraps IPv4-mapped IPv6. Undefined for other text. */
function normalizeIpAddress(text: string): string | undefined {
  const address = text.replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  const groups = parseIpv6Groups(address);
  if (!groups) return undefined;
  const mapped = groups.slice(0, 5).every((g) => g === 0) && groups[5] === 0xffff;
  if (!mapped) return address;
  const [high = 0, low = 0] = groups.slice(6);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Parses the address in one entry of X-Forwarded-For, which may have a port or brackets. Undefined for other text. */
function parseForwardedAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed) return normalizeIpAddress(bracketed[1]!);
  return normalizeIpAddress(/^[^:]*:\d+$/.test(text) ? text.replace(/:\d+$/, '') : text);
}

/**
 * Returns the name of the network under which an address is counted. IPv6 counts by /64: a client with one address of a
 * /64 has all of them.
 */
function networkNameOfAddress(address: string): string {
  const groups = parseIpv6Groups(address);
  return groups
    ? `${groups
        .slice(0, 4)
        .map((g) => g.toString(16))
        .join(':')}::/64`
    : address;
}

export class ClientAddressResolver {
  readonly #trustedProxies: BlockList | undefined;

  /**
   * Makes the resolver of client addresses.
   * @param proxies networks whose X-Forwarded-For is trusted, for `parseIpNetworkList`; '': none
   */
  constructor(proxies: string) {
    const networks = parseIpNetworkList(proxies);
    if (networks.length === 0) return;
    this.#trustedProxies = new BlockList();
    for (const { address, prefix, family } of networks) this.#trustedProxies.addSubnet(address, prefix, family);
  }

  /** True if no proxy is trusted, so that X-Forwarded-For need not be read. */
  get trustsNoProxy(): boolean {
    return this.#trustedProxies === undefined;
  }

  /**
   * Returns the network under which a call is counted: that of the rightmost address that is not a trusted proxy.
   * Entries further left could be forged.
   *
   * @param peer address of the connection
   * @param forwardedFor all lines of X-Forwarded-For
   */
  rateLimitedNetworkOf(peer: string, forwardedFor: string): string {
    let address = normalizeIpAddress(peer) ?? peer;
    const hops = forwardedFor === '' ? [] : forwardedFor.split(',');
    while (hops.length > 0 && this.#isTrustedAddress(address)) {
      const hop = parseForwardedAddress(hops.pop()!.trim());
      if (hop === undefined) break;
      address = hop;
    }
    return networkNameOfAddress(address);
  }

  /** True if the other end of a connection is a trusted proxy. @param peer address of the connection */
  isTrustedProxy(peer: string): boolean {
    return this.#isTrustedAddress(normalizeIpAddress(peer) ?? peer);
  }

  #isTrustedAddress(address: string): boolean {
    const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
    return family !== undefined && this.#trustedProxies?.check(address, family) === true;
  }
}
