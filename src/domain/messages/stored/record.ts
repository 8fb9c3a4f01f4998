/**
 * The record of a stored message and its tags: the words under which the Store finds it, beside its conversation and
 * sender. All tags are made here. Pure.
 */

import { parsePath } from '#domain/files';
import { topicKey } from '#domain/streams';
import type { MessageRecord } from '#model/records';
import { stemsOf } from '../search/query.js';
import { type StoredMessage, streamConversation } from './message.js';

export const tagOf = {
  mentioned: (user: number): string => `@${user}`,
  /** Mentions all of a stream (`s12`). A direct message with a wildcard has a `mentioned` tag per participant. */
  wildcard: (conversation: string): string => `*${conversation}`,
  alerted: (user: number): string => `!${user}`,
  has: (what: 'link' | 'image' | 'attachment'): string => `has:${what}`,
  /** Links to this uploaded file. Readers of any such message may read the file. */
  file: (token: string): string => `file:${token}`,
  resolved: 'resolved',
  /** The message is in this conversation now, but was sent to another stream. */
  cameTo: (conversation: string): string => `>${conversation}`,
  /** A stem, as search/words.ts makes it. */
  word: (stem: string): string => `=${stem}`,
} as const;

export const RESOLVED_PREFIX = '✔ ';

/** All tags of a message except its words. */
export function factTags({ body, participants, originStream }: StoredMessage): string[] {
  const tags: string[] = [];
  for (const [user, flags] of Object.entries(body.flags)) {
    if (flags.includes('mentioned')) tags.push(tagOf.mentioned(Number(user)));
    if (flags.includes('has_alert_word')) tags.push(tagOf.alerted(Number(user)));
  }
  if (body.wildcard) {
    if (body.stream !== 0) tags.push(tagOf.wildcard(`s${body.stream}`));
    else for (const user of participants) tags.push(tagOf.mentioned(user));
  }
  if (body.has.link) tags.push(tagOf.has('link'));
  if (body.has.image) tags.push(tagOf.has('image'));
  const files = body.files ?? [];
  if (files.length > 0) tags.push(tagOf.has('attachment'));
  for (const path of files) tags.push(tagOf.file(parsePath(path)?.token ?? path));
  if (body.stream !== 0 && body.topic.startsWith(RESOLVED_PREFIX)) tags.push(tagOf.resolved);
  if (originStream !== body.stream) tags.push(tagOf.cameTo(`s${body.stream}`));
  return [...new Set(tags)];
}

/** All tags of a record: facts and the stems of its words. */
export function tagsOf(message: StoredMessage): string[] {
  const tags = factTags(message);
  for (const stem of stemsOf(message)) tags.push(tagOf.word(stem));
  return tags;
}

/** @param direct conversation of a direct message: `d` and the key of its set of participants */
export function recordOf(message: StoredMessage, direct = ''): MessageRecord {
  const { id, sender, participants, originStream, body } = message;
  const conversation = body.stream === 0 ? direct : streamConversation(body.stream);
  return {
    id,
    conversation,
    topicKey: topicKey(body.topic),
    sender,
    participants,
    movedFrom: originStream === body.stream ? '' : streamConversation(originStream),
    tags: tagsOf(message),
    body,
  };
}
