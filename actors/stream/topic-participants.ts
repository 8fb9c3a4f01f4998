/** Users who take part in a topic: they wrote or reacted in it, and `@**topic**` mentions them. */
import { NEWEST_ANCHOR_MESSAGE_ID, storeNameOfStreamConversation, toStoredMessage } from '#domain/messages';
import { toComparableTopicKey } from '#domain/streams';
import type { RealmId } from '#model';
import type { StreamTopic } from '#model/commands';
import type { Store } from '#ports/store';

/** Maximum number of a topic's newest messages whose authors and reactions count as taking part. */
const MAX_MESSAGES_OF_PARTICIPANTS = 1_000;

/** Ids of the users who take part in the topic, the writer of the mention among them, in no particular order. */
export async function loadTopicParticipantIds(
  store: Store,
  realm: RealmId,
  { stream, topic }: StreamTopic,
  writer: number,
): Promise<number[]> {
  const records = await store.scanMessages({
    realm,
    index: {
      by: 'topic',
      conversation: storeNameOfStreamConversation(stream),
      topicKey: toComparableTopicKey(topic),
    },
    from: NEWEST_ANCHOR_MESSAGE_ID,
    direction: 'older',
    limit: MAX_MESSAGES_OF_PARTICIPANTS,
  });
  const users = new Set([writer]);
  for (const record of records) {
    const { sender, body } = toStoredMessage(record);
    users.add(sender);
    for (const { user } of body.reactions ?? []) users.add(user);
  }
  return [...users];
}
