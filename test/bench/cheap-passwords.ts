/**
 * Loaded before the program into servers that the bench starts (`node --import`): passwords are hashed in no time, so that
 * thousands of accounts can be made. Nothing that is measured hashes passwords.
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
