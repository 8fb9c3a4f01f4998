/** The server-secret note in LMDB: the table `meta`, key `secret`. */
import { pack, unpack } from './codec.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import { ACCOUNT_KEYS, MAX_ACCOUNTS, type SecretNote, sealedKeyOf } from './secret-note.js';

const NAME = 'secret';

export function embeddedSecretNote(environment: LmdbEnvironment): SecretNote {
  const notes = environment.table('meta');
  const stored = (): string | undefined => {
    const bytes = notes.get(NAME);
    return bytes && (unpack(bytes) as string);
  };
  return {
    read: async () => stored(),
    make: (check) =>
      environment.transaction(() => {
        const before = stored();
        if (before === undefined) notes.put(NAME, pack(check));
        return before ?? check;
      }),
    replace: (check) => environment.transaction(() => void notes.put(NAME, pack(check))),
    async sealedKeys() {
      const accounts = environment
        .table('roots')
        .getRange({ start: ACCOUNT_KEYS.from, end: ACCOUNT_KEYS.below, limit: MAX_ACCOUNTS });
      return [...accounts].flatMap(({ value }) => sealedKeyOf((unpack(value) as unknown as [unknown])[0]));
    },
  };
}
