/** Subscriptions of browsers: what a browser may give, and the sealed form that is stored. */

import { createECDH } from 'node:crypto';
import { OutgoingAddressFilter } from '#base';
import type { ServerCryptography } from '#domain/secrets';

/** A subscription of a browser at its push service. */
export interface WebPushSubscription {
  /** Address at the push service. A person who knows it can't push without this server's key. */
  readonly endpoint: string;
  /** Public key of the browser, base64url. */
  readonly p256dh: string;
  /** Secret of the browser that authenticates pushes, base64url. */
  readonly auth: string;
}

/** Maximum length of an endpoint; those of the known push services have fewer than 500 characters. */
export const MAX_PUSH_ENDPOINT_CHARACTERS = 2_048;
const AUTH_SECRET_BYTES = 16;
const PUBLIC_KEY_BYTES = 65;
const BASE64URL_PATTERN = /^[A-Za-z0-9_-]+$/;

/**
 * Endpoints are HTTPS addresses, and no literal address of a special network. Plain HTTP is for a push service of the
 * operator's own, at an address that the operator allows (`--webhook-networks`).
 */
function isAllowedPushEndpoint(endpoint: string, allowed: OutgoingAddressFilter): boolean {
  if (endpoint.length > MAX_PUSH_ENDPOINT_CHARACTERS || !URL.canParse(endpoint)) return false;
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol === 'https:') return allowed.allowsUrlBeforeLookup(url);
  return (
    url.protocol === 'http:' &&
    allowed.allowsUrlBeforeLookup(url) &&
    !PUBLIC_NETWORK_ADDRESSES_FILTER.allowsUrlBeforeLookup(url)
  );
}

const PUBLIC_NETWORK_ADDRESSES_FILTER = new OutgoingAddressFilter('');

/** True for a point on the curve P-256. */
function isP256PublicKey(key: string): boolean {
  const bytes = Buffer.from(key, 'base64url');
  if (!BASE64URL_PATTERN.test(key) || bytes.length !== PUBLIC_KEY_BYTES) return false;
  const own = createECDH('prime256v1');
  own.generateKeys();
  try {
    own.computeSecret(bytes);
    return true;
  } catch {
    return false;
  }
}

/** @returns the name of the field that is wrong; undefined: none */
export function findInvalidSubscriptionField(
  { endpoint, p256dh, auth }: WebPushSubscription,
  allowed: OutgoingAddressFilter,
): 'endpoint' | 'p256dh' | 'auth' | undefined {
  if (!isAllowedPushEndpoint(endpoint, allowed)) return 'endpoint';
  if (!isP256PublicKey(p256dh)) return 'p256dh';
  if (!BASE64URL_PATTERN.test(auth) || Buffer.from(auth, 'base64url').length !== AUTH_SECRET_BYTES) return 'auth';
  return undefined;
}

/** The stored form: sealed, because the endpoint and the secret are between the browser and this server. */
export const sealWebPushSubscription = (
  secrets: ServerCryptography,
  { endpoint, p256dh, auth }: WebPushSubscription,
): { readonly endpointHash: string; readonly sealed: string } => ({
  endpointHash: secrets.hashApiKeyOrToken(`push/${endpoint}`),
  sealed: secrets.seal(JSON.stringify([endpoint, p256dh, auth])),
});

/** @returns undefined if the subscription was sealed under another server secret */
export function unsealWebPushSubscription(
  secrets: ServerCryptography,
  sealed: string,
): WebPushSubscription | undefined {
  const text = secrets.unsealOrUndefined(sealed);
  if (text === undefined) return undefined;
  const [endpoint, p256dh, auth] = JSON.parse(text) as [string, string, string];
  return { endpoint, p256dh, auth };
}
