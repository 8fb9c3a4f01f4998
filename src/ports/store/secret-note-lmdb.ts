/** Stores the server-secret note in LMDB: table `meta`, key `secret`. */
import { packJson, unpackJson } from './codec.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import { ACCOUNT_KEY_RANGE, MAX_SAMPLED_ACCOUNTS, type ServerSecretNote, sealedKeyOf } from './secret-note.js';

const NAME = 'secret';

export function embeddedSecretNote(environment: LmdbEnvironment): ServerSecretNote {
  const notes = environment.table('meta');
  const stored = (): string | undefined => {
    const bytes = notes.get(NAME);
    return bytes && (unpackJson(bytes) as string);
  };
  return {
    read: async () => stored(),
    make: (check) =>
      environment.transaction(() => {
        const before = stored();
        if (before === undefined) notes.put(NAME, packJson(check));
        return before ?? check;
      }),
    replace: (check) => environment.transaction(() => void notes.put(NAME, packJson(check))),
    async sealedKeys() {
      const accounts = environment
        .table('roots')
        .getRange({ start: ACCOUNT_KEY_RANGE.from, end: ACCOUNT_KEY_RANGE.below, limit: MAX_SAMPLED_ACCOUNTS });
      return [...accounts].flatMap(({ value }) => sealedKeyOf((unpackJson(value) as unknown as [unknown])[0]));
    },
  };
}
