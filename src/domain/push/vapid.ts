/**
 * The key pair by which push services know this server (VAPID, RFC 8292). It follows from the server secret, so every
 * process of a cluster has the same pair from the first start on, and nothing has to be kept or backed up. A new server
 * secret makes a new pair; it ends all sessions too, and with them the subscriptions.
 */
import { createECDH, createHmac } from 'node:crypto';

/** Both keys as base64url, in the form that browsers and `web-push` take. */
export interface VapidKeys {
  /** Point on P-256, uncompressed. */
  readonly publicKey: string;
  readonly privateKey: string;
}

const VAPID_PRIVATE_KEY_BYTES = 32;

/** @param seed 32 bytes that only this server knows */
export function deriveVapidKeys(seed: Buffer): VapidKeys {
  const pair = createECDH('prime256v1');
  for (let attempt = 0; ; attempt++) {
    const candidate = createHmac('sha256', seed).update(`vapid/${attempt}`).digest();
    try {
      pair.setPrivateKey(candidate);
    } catch {
      // Fewer than one of 2^32 candidates is no private key of the curve.
      continue;
    }
    const privateKey = pair.getPrivateKey();
    const padded = Buffer.concat([Buffer.alloc(VAPID_PRIVATE_KEY_BYTES - privateKey.length), privateKey]);
    return { publicKey: pair.getPublicKey('base64url'), privateKey: padded.toString('base64url') };
  }
}
