/** Where a call without account comes from, as far as it is counted. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { parseNetworks } from '#domain/webhooks';

/** The eight groups of an IPv6 address, or undefined. */
function groupsOf(address: string): number[] | undefined {
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

/** Without zone; IPv4 in the clothes of IPv6 as what it is. Undefined: no address. */
function plain(text: string): string | undefined {
  const address = text.replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  const groups = groupsOf(address);
  if (!groups) return undefined;
  const mapped = groups.slice(0, 5).every((g) => g === 0) && groups[5] === 0xffff;
  if (!mapped) return address;
  const [high = 0, low = 0] = groups.slice(6);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** As it stands in X-Forwarded-For: perhaps with a port, perhaps in brackets. */
function forwarded(text: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed) return plain(bracketed[1]!);
  return plain(/^[^:]*:\d+$/.test(text) ? text.replace(/:\d+$/, '') : text);
}

/** Whoever has one address of a /64 has all of them. */
function counted(address: string): string {
  const groups = groupsOf(address);
  return groups
    ? `${groups
        .slice(0, 4)
        .map((g) => g.toString(16))
        .join(':')}::/64`
    : address;
}

export class ClientAddresses {
  readonly #trusted: BlockList | undefined;

  /** @param proxies networks whose word is taken for whom they speak; '' for none; see `parseNetworks` */
  constructor(proxies: string) {
    const networks = parseNetworks(proxies);
    if (networks.length === 0) return;
    this.#trusted = new BlockList();
    for (const { address, prefix, family } of networks) this.#trusted.addSubnet(address, prefix, family);
  }

  /** Nobody's word is taken: forwarded addresses need not even be read. */
  get none(): boolean {
    return this.#trusted === undefined;
  }

  /**
   * The network that a call is counted under: of the rightmost address that is no proxy of ours. What stands further left was
   * written by whoever sent it. @param forwardedFor X-Forwarded-For, all of it
   */
  networkOf(peer: string, forwardedFor: string): string {
    let address = plain(peer) ?? peer;
    const hops = forwardedFor === '' ? [] : forwardedFor.split(',');
    while (hops.length > 0 && this.#isTrusted(address)) {
      const hop = forwarded(hops.pop()!.trim());
      if (hop === undefined) break;
      address = hop;
    }
    return counted(address);
  }

  #isTrusted(address: string): boolean {
    const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
    return family !== undefined && this.#trusted?.check(address, family) === true;
  }
}
