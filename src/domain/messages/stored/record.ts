/** The words under which the Store finds messages beside their conversation and sender: one vocabulary, made here. */

import { parsePath } from '#domain/files';
import { topicKey } from '#domain/streams';
import type { MessageRecord } from '#model/records';
import { stemsOf } from '../search/query.js';
import { type StoredMessage, streamConversation } from './message.js';

export const tagOf = {
  mentioned: (user: number): string => `@${user}`,
  /** Mentions everybody in this conversation (`s12`; direct messages mention their participants one by one). */
  wildcard: (conversation: string): string => `*${conversation}`,
  alerted: (user: number): string => `!${user}`,
  has: (what: 'link' | 'image' | 'attachment'): string => `has:${what}`,
  /** Links this uploaded file: finds those whose readers may read the file. */
  file: (token: string): string => `file:${token}`,
  resolved: 'resolved',
  /** Was sent to another stream than the one where it is now. */
  cameTo: (conversation: string): string => `>${conversation}`,
  /** A stem, as search/ makes them. */
  word: (stem: string): string => `=${stem}`,
} as const;

export const RESOLVED_PREFIX = '✔ ';

/** All tags of a message, but for its words. */
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

/** What a record is indexed by. */
export function tagsOf(message: StoredMessage): string[] {
  const tags = factTags(message);
  for (const stem of stemsOf(message)) tags.push(tagOf.word(stem));
  return tags;
}

/** @param direct conversation of a direct message (`d` and the set of its people) */
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
