/**
 * Determines the id up to which messages are complete in the Store, and waits until the log has their events. Read
 * marks and new events build on both.
 */

import { messageOwnerActorKey } from '#actors/shared';
import {
  DIRECT_MESSAGES_ORIGIN,
  NEWEST_ANCHOR_MESSAGE_ID,
  type StoredMessage,
  toStoredMessage,
} from '#domain/messages';
import type { ActorKey, RealmId } from '#model';
import { conversationActorCommands } from '#model/commands';
import type { MessageIndexCondition } from '#ports/store';
import type { ActorInputSources } from '../../services.js';

export interface NewestMessageIdsOfOrigin {
  readonly originStreamId: number;
  /** Id up to which every message of the origin is in the Store. */
  readonly storeCompleteUpToId: number;
  /** Ids above `storeCompleteUpToId` that are in the Store already. Other ids between them may still come. */
  readonly newerStoredIds: readonly number[];
}

/**
 * Age of a direct message, ms, at which every direct message with a smaller id is in the Store. Ids are assigned before
 * the messages are stored, so one conversation may overtake another, but every command has timed out long before this
 * age.
 */
const STORE_COMPLETE_AGE_MS = 120_000;
const DIRECT_MESSAGE_SCAN_BATCH_SIZE = 64;

export async function readNewestDirectMessageIds(
  realm: RealmId,
  user: number,
  { store, services }: ActorInputSources,
): Promise<NewestMessageIdsOfOrigin> {
  const settledBefore = (services.clock.now() - STORE_COMPLETE_AGE_MS) / 1000;
  const index: MessageIndexCondition = { by: 'participant', user };
  const newer: number[] = [];
  let from = NEWEST_ANCHOR_MESSAGE_ID;
  for (;;) {
    const records = await store.scanMessages({
      realm,
      index,
      from,
      direction: 'older',
      limit: DIRECT_MESSAGE_SCAN_BATCH_SIZE,
    });
    for (const message of records.map(toStoredMessage)) {
      if (message.body.sent < settledBefore)
        return { originStreamId: DIRECT_MESSAGES_ORIGIN, storeCompleteUpToId: message.id, newerStoredIds: newer };
      newer.push(message.id);
    }
    if (records.length < DIRECT_MESSAGE_SCAN_BATCH_SIZE)
      return { originStreamId: DIRECT_MESSAGES_ORIGIN, storeCompleteUpToId: 0, newerStoredIds: newer };
    from = records.at(-1)!.id;
  }
}

/** Age up to which a message's event may still be on its way to the log, ms; normally it takes milliseconds. */
const MAX_EVENT_PUBLISH_DELAY_MS = 60_000;

/**
 * Waits until the log has the events of the recent messages among these. Later events about the messages must come
 * after those.
 */
export async function awaitRecentMessageEventsPublished(
  realm: RealmId,
  messages: readonly StoredMessage[],
  sources: ActorInputSources,
): Promise<void> {
  const since = (sources.services.clock.now() - MAX_EVENT_PUBLISH_DELAY_MS) / 1000;
  const owners = new Set<ActorKey<'stream' | 'dm'>>();
  for (const message of messages) if (message.body.sent >= since) owners.add(messageOwnerActorKey(realm, message));
  await Promise.all([...owners].map((owner) => sources.askActor(owner, conversationActorCommands.awaitPublished, {})));
}
