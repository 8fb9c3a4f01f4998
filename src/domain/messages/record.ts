/** The record under which a message is stored. */

import { topicKey } from '#domain/streams';
import type { MessageRecord } from '#model/records';
import { type StoredMessage, streamConversation } from './stored.js';
import { tagsOf } from './tags.js';

/** @param direct conversation of a direct message (`d` and the set of its people) */
export function recordOf(message: StoredMessage, direct = ''): MessageRecord {
  const { id, sender, participants, home, body } = message;
  const conversation = body.stream === 0 ? direct : streamConversation(body.stream);
  return {
    id,
    conversation,
    topicKey: topicKey(body.topic),
    sender,
    participants,
    movedFrom: home === body.stream ? '' : streamConversation(home),
    tags: tagsOf(message),
    body,
  };
}
