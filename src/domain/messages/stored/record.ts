/**
 * The record of a stored message and its tags: the words under which the Store finds it, beside its conversation and
 * sender. All tags are made here. The functions have no side effects.
 */

import { parseFilePath } from '#domain/files';
import { toComparableTopicKey } from '#domain/streams';
import type { MessageRecord } from '#model/records';
import { indexedWordStemsOfMessage } from '../search/query.js';
import { type StoredMessage, storeNameOfStreamConversation } from './message.js';

export const messageIndexTags = {
  mentioned: (user: number): string => `@${user}`,
  /**
   * Tag of a message that mentions everybody in a stream (`s12`). A direct message with such a mention has a
   * `mentioned` tag per participant.
   */
  wildcard: (conversation: string): string => `*${conversation}`,
  alerted: (user: number): string => `!${user}`,
  has: (what: 'link' | 'image' | 'attachment' | 'reaction'): string => `has:${what}`,
  /** Tag of a message that links to the file with this path. Readers of any such message may read the file. */
  file: (path: string): string => `file:${parseFilePath(path)?.token ?? path}`,
  resolved: 'resolved',
  /** Tag of a message that is in this conversation now, but was sent to another stream. */
  cameTo: (conversation: string): string => `>${conversation}`,
  /** Tag of a stem in the text, as search/words.ts makes it. */
  word: (stem: string): string => `=${stem}`,
} as const;

export const RESOLVED_TOPIC_PREFIX = '✔ ';

/** True if the flags that a user got with a message say that it mentions the user, alone or with the topic. */
export const hasMentionFlag = (flags: readonly string[] | undefined): boolean =>
  flags !== undefined && (flags.includes('mentioned') || flags.includes('wildcard_mentioned'));

/** All tags of a message except those of its words. */
function messageTagsExceptWords({ body, participants, originStream }: StoredMessage): string[] {
  const tags: string[] = [];
  for (const user in body.flags) {
    const flags = body.flags[user]!;
    if (hasMentionFlag(flags)) tags.push(messageIndexTags.mentioned(Number(user)));
    if (flags.includes('has_alert_word')) tags.push(messageIndexTags.alerted(Number(user)));
  }
  if (body.wildcard) {
    if (body.stream !== 0) tags.push(messageIndexTags.wildcard(`s${body.stream}`));
    else for (const user of participants) tags.push(messageIndexTags.mentioned(user));
  }
  if (body.has.link) tags.push(messageIndexTags.has('link'));
  if (body.has.image) tags.push(messageIndexTags.has('image'));
  if (body.files && body.files.length > 0) {
    tags.push(messageIndexTags.has('attachment'));
    for (const path of body.files) tags.push(messageIndexTags.file(path));
  }
  if (body.reactions && body.reactions.length > 0) tags.push(messageIndexTags.has('reaction'));
  if (body.stream !== 0 && body.topic.startsWith(RESOLVED_TOPIC_PREFIX)) tags.push(messageIndexTags.resolved);
  if (originStream !== body.stream) tags.push(messageIndexTags.cameTo(`s${body.stream}`));
  return tags.length < 2 ? tags : [...new Set(tags)];
}

/** All tags of a message: its facts, and the stems of its words. */
function allMessageTags(message: StoredMessage, stems: Iterable<string>): string[] {
  const tags = messageTagsExceptWords(message);
  for (const stem of stems) tags.push(messageIndexTags.word(stem));
  return tags;
}

/**
 * Makes the record of a message.
 * @param direct name of a direct message's conversation: `d` and the key of its set of participants
 * @param stems result of `indexedWordStemsOfMessage`
 */
export function toMessageRecord(
  message: StoredMessage,
  direct = '',
  stems: Iterable<string> = indexedWordStemsOfMessage(message.body),
): MessageRecord {
  const { id, sender, participants, originStream, body } = message;
  const conversation = body.stream === 0 ? direct : storeNameOfStreamConversation(body.stream);
  return {
    id,
    conversation,
    topicKey: toComparableTopicKey(body.topic),
    sender,
    participants,
    movedFrom: originStream === body.stream ? '' : storeNameOfStreamConversation(originStream),
    tags: allMessageTags(message, stems),
    body,
  };
}
