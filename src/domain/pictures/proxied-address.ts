/**
 * Addresses of the image proxy: `/external_content/{digest}/{address in hexadecimal}`. The digest, a keyed hash of the
 * address, keeps the proxy from fetching for strangers what no message of this server shows. Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Bytes of an address, at most: proxies in front of the server refuse request lines above 8 KiB. */
const MAX_ADDRESS = 3_500;

const digestOf = (address: string, key: string): Buffer => createHmac('sha1', key).update(address).digest();

/** Undefined for what the proxy doesn't fetch: other schemes than those of the web, and very long addresses. */
export function imageProxyPath(address: string, key: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const bytes = Buffer.from(address);
  if (bytes.byteLength > MAX_ADDRESS) return undefined;
  return `/external_content/${digestOf(address, key).toString('hex')}/${bytes.toString('hex')}`;
}

/** The address that the two parts of such a path name; undefined unless this server signed it. */
export function verifiedAddress(digest: string, hex: string, key: string): string | undefined {
  if (!/^[0-9a-f]{40}$/.test(digest) || hex.length > 2 * MAX_ADDRESS || !/^(?:[0-9a-f]{2})+$/.test(hex))
    return undefined;
  const address = Buffer.from(hex, 'hex').toString();
  return timingSafeEqual(Buffer.from(digest, 'hex'), digestOf(address, key)) ? address : undefined;
}
