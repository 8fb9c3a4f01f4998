/**
 * Whether the server secret is the one under which the Store was written. A process with another one would refuse
 * everybody's API key, and seal new ones that no other process can open: it does not start.
 */
import { ConfigError } from '#app/config';
import type { Secrets } from '#domain/secrets';
import type { SecretNote } from '#ports/store';

/** Made by the first process. @param what is stored under it, for the message. @throws ConfigError when it is another one */
export async function checkSecret(note: SecretNote, secrets: Secrets, what: string): Promise<void> {
  if ((await judged(note, secrets, what)) === 'own') return;
  if ((await note.make(secrets.check)) !== secrets.check) throw mismatch(what);
}

/** Changes nothing. @returns whether the Store knows the secret yet. @throws ConfigError when it is another one */
export async function judged(note: SecretNote, secrets: Secrets, what: string): Promise<'own' | 'none yet'> {
  const stored = await note.read();
  if (stored === secrets.check) return 'own';
  if (stored !== undefined) throw mismatch(what);
  const keys = await note.sealedKeys();
  const readable = keys.filter((sealed) => secrets.tryOpen(sealed) !== undefined).length;
  // Processes with different secrets may have worked on it together: the one that sealed most of it is the right one.
  if (readable * 2 < keys.length) throw mismatch(what);
  return 'none yet';
}

export const mismatch = (what: string): ConfigError =>
  new ConfigError(
    `${what} was written under another server secret than this process was given: give it the same as all others ` +
      `(CONCLAVE_SECRET, or the file secret in a data directory). If it was changed on purpose: conclave secret changed`,
  );
