/**
 * Writes the code cache of a bundle beside it: `node tools/code-cache.mjs BUNDLE [ARGUMENTS OF THE PROGRAM]`. With
 * arguments the program runs until it says that it is ready, and the cache has the code of the start too. Threads have
 * none: this file then runs in a thread itself.
 *
 * src/launch.ts reads the cache. Both files wrap the code alike, because V8 compares the lengths.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Script } from 'node:vm';

/** The end of what a server prints at its start. */
const READY = 'Health and metrics:';

const [bundle] = process.argv.splice(2, 1).map((path) => resolve(path));
const bytes = readFileSync(bundle);
const script = new Script(Module.wrap(bytes.toString('latin1')), {
  // Stack traces take the name from the cache, and the build moves the file to `dist` when it is done.
  filename: bundle.replace(/(?<=[\\/]dist)\.\d+(?=[\\/])/, ''),
});

function write() {
  const hash = bytes.subarray(0, bytes.indexOf('*/') + 2);
  const cache = bundle.replace(/cjs$/, 'cache');
  writeFileSync(cache, Buffer.concat([hash, script.createCachedData()]));
  // The program has set a private umask.
  chmodSync(cache, 0o644);
}

const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
if (process.argv.length === 2) {
  write();
  process.exit(0);
} else {
  const print = process.stdout.write;
  process.stdout.write = (text, ...rest) => {
    if (String(text).startsWith(READY)) {
      setImmediate(() => {
        write();
        // Not `exit`, which may wait for a thread of LMDB.
        process.kill(process.pid, 'SIGTERM');
      });
    }
    return print.call(process.stdout, text, ...rest);
  };
}
