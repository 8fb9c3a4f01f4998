import { totalmem } from 'node:os';
import t from 'tap';
import { messageCacheGenerationMib, readUsableMemoryBytes } from '../../../src/ports/store/store-lmdb-message-cache.js';

const GIB = 2 ** 30;

t.test('the cache takes a share of the memory, within bounds', (t) => {
  t.same(
    [0, 0.25, 1, 2, 4, 8, 64].map((gib) => messageCacheGenerationMib(gib * GIB)),
    [16, 16, 16, 32, 64, 128, 128],
  );
  t.ok(readUsableMemoryBytes() > 0 && readUsableMemoryBytes() <= totalmem());
  t.end();
});
