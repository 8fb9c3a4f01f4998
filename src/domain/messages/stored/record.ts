/**
 * The record of a stored message and its tags: the words under which the Store finds it, beside its conversation and
 * sender. All tags are made here. The functions have no side effects.
 */

import { parseFilePath } from '#domain/files';
import { toTopicKey } from '#domain/streams';
import type { MessageRecord } from '#model/records';
import { stemsOfMessage } from '../search/query.js';
import { type StoredMessage, streamConversationName } from './message.js';

export const messageTag = {
  mentioned: (user: number): string => `@${user}`,
  /**
   * Tag of a message that mentions everybody in a stream (`s12`). A direct message with such a mention has a
   * `mentioned` tag per participant.
   */
  wildcard: (conversation: string): string => `*${conversation}`,
  alerted: (user: number): string => `!${user}`,
  has: (what: 'link' | 'image' | 'attachment'): string => `has:${what}`,
  /** Tag of a message that links to an uploaded file. Readers of any such message may read the file. */
  file: (token: string): string => `file:${token}`,
  resolved: 'resolved',
  /** Tag of a message that is in this conversation now, but was sent to another stream. */
  cameTo: (conversation: string): string => `>${conversation}`,
  /** Tag of a stem in the text, as search/words.ts makes it. */
  word: (stem: string): string => `=${stem}`,
} as const;

export const RESOLVED_TOPIC_PREFIX = '✔ ';

/** All tags of a message except those of its words. */
function tagsWithoutWords({ body, participants, originStream }: StoredMessage): string[] {
  const tags: string[] = [];
  for (const [user, flags] of Object.entries(body.flags)) {
    if (flags.includes('mentioned')) tags.push(messageTag.mentioned(Number(user)));
    if (flags.includes('has_alert_word')) tags.push(messageTag.alerted(Number(user)));
  }
  if (body.wildcard) {
    if (body.stream !== 0) tags.push(messageTag.wildcard(`s${body.stream}`));
    else for (const user of participants) tags.push(messageTag.mentioned(user));
  }
  if (body.has.link) tags.push(messageTag.has('link'));
  if (body.has.image) tags.push(messageTag.has('image'));
  const files = body.files ?? [];
  if (files.length > 0) tags.push(messageTag.has('attachment'));
  for (const path of files) tags.push(messageTag.file(parseFilePath(path)?.token ?? path));
  if (body.stream !== 0 && body.topic.startsWith(RESOLVED_TOPIC_PREFIX)) tags.push(messageTag.resolved);
  if (originStream !== body.stream) tags.push(messageTag.cameTo(`s${body.stream}`));
  return [...new Set(tags)];
}

/** All tags of a message: its facts, and the stems of its words. */
function tagsOfMessage(message: StoredMessage): string[] {
  const tags = tagsWithoutWords(message);
  for (const stem of stemsOfMessage(message)) tags.push(messageTag.word(stem));
  return tags;
}

/**
 * Makes the record of a message. @param direct name of a direct message's conversation: `d` and the key of its set of
 * participants
 */
export function toMessageRecord(message: StoredMessage, direct = ''): MessageRecord {
  const { id, sender, participants, originStream, body } = message;
  const conversation = body.stream === 0 ? direct : streamConversationName(body.stream);
  return {
    id,
    conversation,
    topicKey: toTopicKey(body.topic),
    sender,
    participants,
    movedFrom: originStream === body.stream ? '' : streamConversationName(originStream),
    tags: tagsOfMessage(message),
    body,
  };
}
