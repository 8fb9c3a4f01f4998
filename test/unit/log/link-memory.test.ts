/** Memory of a log that is served to a worker: entries that a reader keeps must not keep their encoded bytes. */
import t from 'tap';
import type { Json } from '#base';
import { toLogSeq, toRealmId } from '#model';
import { LinkEventLog, serveEventLogOverLink } from '#ports/log';
import { collectGarbage } from '../../support/collect-garbage.js';
import { openLinkPair } from '../../support/link-pair.js';
import { MemoryLog } from '../../support/memory-log.js';

const REALM = toRealmId(1);
const ENTRY_COUNT = 128;
const TEXT_BYTES = 256 * 1024;

/** Bytes of buffers outside the heap after a collection. */
function bufferBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

t.test('entries that a reader keeps in memory do not keep what was sent to a worker', async (t) => {
  const { main, worker } = await openLinkPair();
  const log = new MemoryLog();
  serveEventLogOverLink(main, log);
  const kept: Json[] = [];
  const reader = { onTransient: () => undefined, onGap: () => undefined };
  log.subscribe(REALM, toLogSeq(0), { ...reader, onEntry: (_at, value) => void kept.push(value) });
  const linked = new LinkEventLog(worker);
  let received = 0;
  const subscription = linked.subscribe(REALM, toLogSeq(0), { ...reader, onEntry: () => void received++ });
  await subscription.waitUntilCaughtUp();
  const before = bufferBytes();
  for (let i = 0; i < ENTRY_COUNT; i++) {
    await log.append(REALM, { actor: 'stream/1/1', text: String(i).padEnd(TEXT_BYTES, 'x') });
    await subscription.waitUntilCaughtUp();
  }
  t.same([kept.length, received], [ENTRY_COUNT, ENTRY_COUNT]);
  const grown = bufferBytes() - before;
  t.ok(grown < (ENTRY_COUNT * TEXT_BYTES) / 2, `buffers have grown by ${grown} bytes`);
  worker.close();
  await log.close();
});
