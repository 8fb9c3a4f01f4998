#!/usr/bin/env node
/**
 * Start of a bundle (tools/build.mjs): runs the `.cjs` file of the same name with its code cache, which is what V8 made
 * of the file when it was built. A start then takes half the CPU. A cache of another build, another version of Node or
 * other flags of V8 is not used, and nothing else changes.
 */
import { existsSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** Both files begin with the SHA-256 hash of the bundle in a comment, because V8 itself compares only lengths. */
const BUNDLE_HASH_BYTES = 64 + 4;

/**
 * Sizes of the heap are among the flags that V8 compares, although they change no code. V8 reads them only when it
 * makes a heap.
 */
const HEAP_SIZE_FLAG_PATTERN = /^--((?:min|max)[-_](?:semi|old)[-_]space[-_]size)=(\d+)$/;

const heapSizeFlags = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)].flatMap((flag) => {
  const [, name, value] = HEAP_SIZE_FLAG_PATTERN.exec(flag) ?? [];
  return name === undefined ? [] : [{ name, value }];
});

function compileBundle(file: string): Script {
  // All of the bundle is ASCII; as latin1 it takes one byte of memory per character.
  const bytes = readFileSync(file);
  const cacheFile = file.replace(/cjs$/, 'cache');
  const cache = existsSync(cacheFile) ? readFileSync(cacheFile) : Buffer.alloc(0);
  const hash = bytes.subarray(0, BUNDLE_HASH_BYTES);
  const isOfThisBundle = hash.equals(cache.subarray(0, BUNDLE_HASH_BYTES));
  for (const { name } of heapSizeFlags) setFlagsFromString(`--${name}=0`);
  try {
    return new Script(Module.wrap(bytes.toString('latin1')), {
      filename: file,
      ...(isOfThisBundle ? { cachedData: cache.subarray(BUNDLE_HASH_BYTES) } : {}),
    });
  } finally {
    for (const { name, value } of heapSizeFlags) setFlagsFromString(`--${name}=${value}`);
  }
}

const bundle = fileURLToPath(import.meta.url).replace(/js$/, 'cjs');
const require = createRequire(bundle);
// Only Node's own loader reads source maps.
if (process.sourceMapsEnabled) require(bundle);
else {
  const module = { exports: {} };
  compileBundle(bundle).runInThisContext()(module.exports, require, module, bundle, dirname(bundle));
}
