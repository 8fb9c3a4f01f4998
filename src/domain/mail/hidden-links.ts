/**
 * Links in mails grant access to their holder. Mails wait in the Store, which must not hold such secrets: links are
 * sealed there, and unsealed when the mail is sent.
 */
import type { ServerCryptography } from '#domain/secrets';

/** Sealed texts are base64. Names of people and organizations have no zero bytes. */
const HIDDEN = /\0([A-Za-z0-9+/=]+)\0/g;

/** A sealed link, for the text of a mail. */
export const sealMailLink = (secrets: ServerCryptography, url: string): string =>
  `\0${secrets.sealDeterministic(url)}\0`;

/** The text with its links unsealed. Text that only looks like a sealed link stays as it is. */
export const unsealMailLinks = (secrets: ServerCryptography, text: string): string =>
  text.replace(HIDDEN, (found, sealed: string) => {
    try {
      return secrets.open(sealed);
    } catch {
      return found;
    }
  });
