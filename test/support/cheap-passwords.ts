/**
 * Loaded before the program (`node --import`, or as the first import of a test): passwords are hashed in no time, so
 * that thousands of accounts can be made. Measured is nothing that hashes passwords; what hashing must do is tested
 * with the real one (`test/unit/secrets`), and so is the program as it is started (`test/clients`).
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const dear = crypto.scrypt;
/** As it is called there: with options. */
type Scrypt = (
  password: crypto.BinaryLike,
  salt: crypto.BinaryLike,
  length: number,
  options: crypto.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => void;

const cheap: Scrypt = (password, salt, length, options, done) =>
  dear(password, salt, length, { ...options, N: 2 }, done);
crypto.scrypt = cheap as typeof crypto.scrypt;
syncBuiltinESMExports();
