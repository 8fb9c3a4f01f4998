/**
 * Hook for the memory of a server process, loaded by `node --expose-gc --import`. SIGUSR2 starts a garbage collection;
 * then the hook writes the process's memory into `MEMORY_DIR/<pid>.json`, and a heap snapshot into the same folder if
 * the file `MEMORY_DIR/snapshot` exists.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';

const { MEMORY_DIR } = process.env;
const collect = (globalThis as { gc?: () => void }).gc;

if (MEMORY_DIR !== undefined && collect) {
  process.on('SIGUSR2', () => {
    collect();
    // A second collection frees the memory that finalizers of the first one released.
    setImmediate(() => {
      collect();
      const { rss, heapUsed, external } = process.memoryUsage();
      const path = join(MEMORY_DIR, `${process.pid}.json`);
      writeFileSync(`${path}.part`, JSON.stringify({ rss, heapUsed, external }));
      renameSync(`${path}.part`, path);
      if (existsSync(join(MEMORY_DIR, 'snapshot'))) {
        writeHeapSnapshot(join(MEMORY_DIR, `${process.pid}-${Date.now()}.heapsnapshot`));
      }
    });
  });
}
