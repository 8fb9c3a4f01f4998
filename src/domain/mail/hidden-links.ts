/**
 * Links in mails open something for whoever has them. Mails wait in the Store, where nothing does that: there links are
 * sealed, and opened when the mail goes out.
 */
import type { Secrets } from '#domain/secrets';

/** Sealed texts are base64. Names of people and organizations have no zero bytes. */
const HIDDEN = /\0([A-Za-z0-9+/=]+)\0/g;

/** To be put into the text of a mail. */
export const hiddenLink = (secrets: Secrets, url: string): string => `\0${secrets.sealDeterministic(url)}\0`;

/** The text as it is sent. What only looks like a hidden link stays as it is. */
export const withLinks = (secrets: Secrets, text: string): string =>
  text.replace(HIDDEN, (found, sealed: string) => {
    try {
      return secrets.open(sealed);
    } catch {
      return found;
    }
  });
