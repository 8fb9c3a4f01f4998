/**
 * Addresses of the image proxy: `/external_content/{digest}/{address in hexadecimal}`. The digest is a keyed hash of
 * the address. So the proxy fetches only addresses that this server has put into its HTML. The functions have no side
 * effects.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum length of a proxied address, bytes: proxies in front of the server refuse request lines above 8 KiB. */
const MAX_PROXIED_ADDRESS_BYTES = 3_500;

const keyedDigestOfAddress = (address: string, key: string): Buffer => createHmac('sha1', key).update(address).digest();

/** Path of an address at the image proxy; undefined if the scheme is not http(s) or the address is too long. */
export function makeImageProxyPath(address: string, key: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const bytes = Buffer.from(address);
  if (bytes.byteLength > MAX_PROXIED_ADDRESS_BYTES) return undefined;
  return `/external_content/${keyedDigestOfAddress(address, key).toString('hex')}/${bytes.toString('hex')}`;
}

/** The proxied address that the two parts of a proxy path name; undefined if the digest is wrong. */
export function openProxiedImageAddress(digest: string, hex: string, key: string): string | undefined {
  if (!/^[0-9a-f]{40}$/.test(digest) || hex.length > 2 * MAX_PROXIED_ADDRESS_BYTES || !/^(?:[0-9a-f]{2})+$/.test(hex))
    return undefined;
  const address = Buffer.from(hex, 'hex').toString();
  return timingSafeEqual(Buffer.from(digest, 'hex'), keyedDigestOfAddress(address, key)) ? address : undefined;
}
