/** Recent direct conversations of a user (register.md, `recent_private_conversations`). */
import type { RealmId } from '#model';
import type { MessageReadStore } from '#ports/store';
import { toStoredMessage } from '../stored/message.js';
import { NEWEST_ANCHOR_MESSAGE_ID } from './fetch.js';

/** Maximum number of the user's newest direct messages that are read for the list. */
const MAX_SCANNED_DIRECT_MESSAGES = 1_000;

interface RecentDirectConversation {
  readonly max_message_id: number;
  /** Ids of the other participants, ascending; [] for messages to oneself. */
  readonly user_ids: readonly number[];
}

/** The user's recent direct conversations, newest first. */
export async function listRecentDirectConversations(
  store: MessageReadStore,
  realm: RealmId,
  user: number,
): Promise<RecentDirectConversation[]> {
  const records = await store.scanMessages({
    realm,
    index: { by: 'participant', user },
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: MAX_SCANNED_DIRECT_MESSAGES,
  });
  const found = new Map<string, RecentDirectConversation>();
  for (const record of records) {
    const { id, participants } = toStoredMessage(record);
    const user_ids = participants.filter((one) => one !== user).sort((a, b) => a - b);
    const key = user_ids.join();
    if (!found.has(key)) found.set(key, { max_message_id: id, user_ids });
  }
  return [...found.values()];
}
