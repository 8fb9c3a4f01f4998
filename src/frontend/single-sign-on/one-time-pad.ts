/**
 * Encryption of the result of a sign-in for API clients that continue the sign-in in a browser. The client gives a
 * random pad (64 hexadecimal digits), so only that client can read the result, even if another program intercepts the
 * redirect.
 */
import { createCipheriv, randomBytes } from 'node:crypto';

const ONE_TIME_PAD_PATTERN = /^[0-9a-f]{64}$/i;

export const isOneTimePad = (text: string): boolean => ONE_TIME_PAD_PATTERN.test(text);

/** Encrypts an API key (32 characters) by XOR with the pad; the result is hexadecimal. */
export function encryptApiKeyWithOneTimePad(key: string, pad: string): string {
  const [bytes, mask] = [Buffer.from(key, 'utf8'), Buffer.from(pad, 'hex')];
  if (bytes.byteLength !== mask.byteLength) throw new Error('the pad has another length than the key');
  return Buffer.from(bytes.map((byte, i) => byte ^ mask[i]!)).toString('hex');
}

/**
 * Encrypts a text by AES-256-GCM with the pad as key; the result is initialization vector, text and tag, hexadecimal.
 */
export function encryptForDesktopClient(text: string, pad: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(pad, 'hex'), iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('hex');
}
