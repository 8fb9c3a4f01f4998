/** Indexes of the Store on MongoDB. */
import type { Db } from 'mongodb';

const TOMBSTONE_SECONDS = 3_600;

/** Those that are missing. */
export async function createIndexes(db: Db): Promise<void> {
  const tombstones = { key: { gone: 1 }, expireAfterSeconds: TOMBSTONE_SECONDS } as const;
  await db.collection('roots').createIndexes([{ key: { partition: 1, sleeper: 1 } }]);
  await db.collection('parts').createIndexes([tombstones]);
  await db
    .collection('messages')
    .createIndexes([
      { key: { realm: 1, conversation: 1, id: 1 } },
      { key: { realm: 1, conversation: 1, topicKey: 1, id: 1 } },
      { key: { realm: 1, sender: 1, id: 1 } },
      { key: { realm: 1, participants: 1, id: 1 } },
      { key: { realm: 1, tags: 1, id: 1 } },
      { key: { realm: 1, movedFrom: 1, id: 1 } },
      tombstones,
    ]);
}
