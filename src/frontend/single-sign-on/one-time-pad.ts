/**
 * Secrets for API clients whose sign-in goes on in a browser. The client gives a random pad (64 hexadecimal digits).
 * Only that client can read the answer, even if another program takes the redirect.
 */
import { createCipheriv, randomBytes } from 'node:crypto';

const PAD = /^[0-9a-f]{64}$/i;

export const isPad = (text: string): boolean => PAD.test(text);

/** XOR of an API key (32 characters) with the pad, hexadecimal. */
export function encryptWithPad(key: string, pad: string): string {
  const [bytes, mask] = [Buffer.from(key, 'utf8'), Buffer.from(pad, 'hex')];
  if (bytes.byteLength !== mask.byteLength) throw new Error('the pad has another length than the key');
  return Buffer.from(bytes.map((byte, i) => byte ^ mask[i]!)).toString('hex');
}

/** AES-256-GCM under the pad: initialization vector, text and tag, hexadecimal. */
export function encryptForDesktop(text: string, pad: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(pad, 'hex'), iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('hex');
}
