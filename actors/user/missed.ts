/**
 * Conversations with messages that the user may have missed: one part each, from the first such message until its mail
 * is sent or not needed. Pure.
 */
import type { JsonObject } from '#base';
import { hashTopic } from '#domain/streams';
import { type ActorParts, directMessageKey, PartTable, parseActorKey, type RealmId, userId } from '#model';

export interface MissedConversation extends JsonObject {
  /** Stream of the conversation; 0: direct messages. */
  readonly stream: number;
  readonly topic: string;
  /** Ids of all participants of direct messages, ascending; [] for a topic. */
  readonly participants: readonly number[];
  /** Id of the first message that may be missed. */
  readonly first: number;
  /** Id of the newest message that came when the mail was about to be made; absent: none. */
  readonly next?: number;
  /** Wall time at which the mail is to be made, ms. */
  readonly due: number;
  /** Base URL of the organization, for links. */
  readonly origin: string;
}

export const MISSED_PART_PREFIX = 'missed/';
export const MISSED_CONVERSATIONS = new PartTable<MissedConversation>(MISSED_PART_PREFIX);

/** Maximum number of conversations with missed messages; further ones are not told by mail. */
export const MAX_MISSED_CONVERSATIONS = 500;

/** Name of a conversation among the user's missed ones. */
export const missedConversationId = (
  realm: RealmId,
  { stream, topic, participants }: Pick<MissedConversation, 'stream' | 'topic' | 'participants'>,
): string =>
  stream === 0
    ? `d${parseActorKey(directMessageKey(realm, participants.map(userId))).rest}`
    : `${stream}/${hashTopic(topic)}`;

/** Wall time of the next mail to be made, ms; null: none. */
export function nextMissedTime(parts: ActorParts): number | null {
  let next: number | null = null;
  for (const { due } of MISSED_CONVERSATIONS.values(parts)) if (next === null || due < next) next = due;
  return next;
}
