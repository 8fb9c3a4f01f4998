/** Stores the server-secret note in LMDB: table `meta`, key `secret`. */
import { packJsonToBuffer, unpackJson } from './codec.js';
import type { LmdbEnvironment } from './lmdb-environment.js';
import {
  ACCOUNT_ROOT_KEY_RANGE,
  MAX_ACCOUNTS_SAMPLED_FOR_SECRET,
  type ServerSecretCheckNote,
  sealedApiKeysOfAccountState,
} from './secret-note.js';

const SECRET_NOTE_KEY = 'secret';

export function makeLmdbSecretCheckNote(environment: LmdbEnvironment): ServerSecretCheckNote {
  const notes = environment.openTable('meta');
  const stored = (): string | undefined => {
    const bytes = notes.get(SECRET_NOTE_KEY);
    return bytes && (unpackJson(bytes) as string);
  };
  return {
    read: async () => stored(),
    storeUnlessPresent: (check) =>
      environment.runWriteTransaction(() => {
        const before = stored();
        if (before === undefined) notes.put(SECRET_NOTE_KEY, packJsonToBuffer(check));
        return before ?? check;
      }),
    replace: (check) => environment.runWriteTransaction(() => void notes.put(SECRET_NOTE_KEY, packJsonToBuffer(check))),
    async readSealedApiKeys() {
      const accounts = environment.openTable('roots').getRange({
        start: ACCOUNT_ROOT_KEY_RANGE.from,
        end: ACCOUNT_ROOT_KEY_RANGE.below,
        limit: MAX_ACCOUNTS_SAMPLED_FOR_SECRET,
      });
      return [...accounts].flatMap(({ value }) =>
        sealedApiKeysOfAccountState((unpackJson(value) as unknown as [unknown])[0]),
      );
    },
  };
}
