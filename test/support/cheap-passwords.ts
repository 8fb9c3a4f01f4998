/**
 * Makes password hashing cheap (scrypt cost N = 2), so that a test can create thousands of accounts. Load it before the
 * program: with `node --import`, or as the first import of a test. No measurement includes hashing; the real function
 * is tested in `test/unit/secrets` and by the started program in `test/clients`.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const realScrypt = crypto.scrypt;
/** Overload of `crypto.scrypt` with options, which is the one that the program calls. */
type Scrypt = (
  password: crypto.BinaryLike,
  salt: crypto.BinaryLike,
  length: number,
  options: crypto.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => void;

const cheapScrypt: Scrypt = (password, salt, length, options, done) =>
  realScrypt(password, salt, length, { ...options, N: 2 }, done);
crypto.scrypt = cheapScrypt as typeof crypto.scrypt;
syncBuiltinESMExports();
