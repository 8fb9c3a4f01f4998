/** A long history, written straight through the Store while the server is down: 10,000 messages take a second. */
import { skipMessageIdsInAllRealms } from '#app/backup';
import { openStoreAt } from '#app/exchange';
import { NEWEST_ANCHOR_MESSAGE_ID, type StoredMessage, toMessageRecord, toStoredMessage } from '#domain/messages';
import type { Organization } from '../../api/support/organization.js';

const PER_BATCH = 2_000;
/** Numbers of messages that other messages of the organization may take meanwhile. */
const SPARE_IDS = 1_000;
const SECONDS_BETWEEN = 30;

/**
 * Adds copies of the newest messages of an organization. Its server restarts for that. The number at the beginning of
 * each text goes on where the last one ends.
 *
 * @param seeds number of messages to copy, numbered from 0, all in one topic
 * @param count number of all messages in the end
 */
export async function lengthenHistory({ server, realm }: Organization, seeds: number, count: number): Promise<void> {
  await server.restart(async () => {
    const { store, close } = await openStoreAt(server.storeLocation);
    try {
      const scan = { realm, index: { by: 'realm' }, from: NEWEST_ANCHOR_MESSAGE_ID, direction: 'older' } as const;
      const copied = (await store.scanMessages({ ...scan, limit: seeds })).map(toStoredMessage).reverse();
      await skipMessageIdsInAllRealms(store, count + SPARE_IDS);
      const message = (n: number): StoredMessage => {
        const seed = copied[n % seeds]!;
        const { content, html, sent } = seed.body;
        const numbered = (text: string): string => text.replace(/\d+(?=: )/, String(n));
        const later = sent + (n - (n % seeds)) * SECONDS_BETWEEN - count * SECONDS_BETWEEN;
        const body = { ...seed.body, content: numbered(content), html: numbered(html), sent: later };
        return { ...seed, id: copied.at(-1)!.id + 1 + n - seeds, body };
      };
      for (let from = seeds; from < count; from += PER_BATCH) {
        const batch = Array.from({ length: Math.min(PER_BATCH, count - from) }, (_, i) => message(from + i));
        await store.applyRecords(
          batch.map((one) => ({ type: 'message', realm, id: one.id, rev: 1, value: toMessageRecord(one, '') })),
        );
      }
    } finally {
      await close();
    }
  });
}
