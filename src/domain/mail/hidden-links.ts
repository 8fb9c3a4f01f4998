/**
 * Links in mails grant access to their holder. Mails wait in the Store, which must not hold such secrets: links are
 * sealed there, and unsealed when the mail is sent.
 */
import type { ServerCryptography } from '#domain/secrets';

/** Matches a sealed link in a text: base64 between zero bytes, which names of people and organizations don't have. */
const SEALED_LINK_PATTERN = /\0([A-Za-z0-9+/=]+)\0/g;

/** Seals a link for the text of a mail. */
export const sealMailLink = (secrets: ServerCryptography, url: string): string =>
  `\0${secrets.sealDeterministic(url)}\0`;

/** Unseals the links in the text of a mail. Text that only looks like a sealed link stays as it is. */
export const unsealMailLinks = (secrets: ServerCryptography, text: string): string =>
  text.replace(SEALED_LINK_PATTERN, (found, sealed: string) => {
    try {
      return secrets.unseal(sealed);
    } catch {
      return found;
    }
  });
