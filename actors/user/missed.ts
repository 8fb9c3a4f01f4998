/**
 * Conversations with messages that the user may have missed: one part each, from the first such message until its mail
 * is sent or not needed. A part is about messages that were sent to the conversation, also if they have been moved. The
 * functions have no side effects.
 */
import type { JsonObject } from '#base';
import { hashTopicIgnoringCase } from '#domain/streams';
import {
  ActorPartAccessor,
  type ActorParts,
  directMessageActorKey,
  parseActorKey,
  type RealmId,
  toUserId,
} from '#model';

export interface MissedConversation extends JsonObject {
  /** Stream of the conversation; 0 for direct messages. */
  readonly stream: number;
  readonly topic: string;
  /** Ids of all participants of direct messages, ascending; [] for a topic. */
  readonly participants: readonly number[];
  /** Id of the first message that the user may have missed. */
  readonly first: number;
  /** Id of the newest message that came when the mail was about to be made; absent if there was none. */
  readonly next?: number;
  /** Wall time at which the mail is to be made, ms. */
  readonly due: number;
  /** Base URL of the organization, for links. */
  readonly origin: string;
  /**
   * Wall time at which an edit mentioned the user in the message `first`, ms: the record is about this message alone.
   * Absent: it is about all messages from `first`.
   */
  readonly editedAt?: number;
}

export const MISSED_CONVERSATION_PART_PREFIX = 'missed/';
export const MISSED_CONVERSATION_TABLE = new ActorPartAccessor<MissedConversation>(MISSED_CONVERSATION_PART_PREFIX);

/** Maximum number of conversations with missed messages; further conversations cause no mail. */
export const MAX_MISSED_CONVERSATIONS_PER_USER = 500;

const directConversationIdByParticipants = new WeakMap<readonly number[], string>();

/** Commands about one message share its list of participants: an id cached by list is hashed once for all receivers. */
function makeDirectConversationId(realm: RealmId, participants: readonly number[]): string {
  const known = directConversationIdByParticipants.get(participants);
  if (known !== undefined) return known;
  const id = `d${parseActorKey(directMessageActorKey(realm, participants.map(toUserId))).idWithinRealm}`;
  directConversationIdByParticipants.set(participants, id);
  return id;
}

/** Returns the name of a conversation's part among the user's missed conversations. */
export const makeMissedConversationId = (
  realm: RealmId,
  { stream, topic, participants }: Pick<MissedConversation, 'stream' | 'topic' | 'participants'>,
): string =>
  stream === 0 ? makeDirectConversationId(realm, participants) : `${stream}/${hashTopicIgnoringCase(topic)}`;

/** Returns the name of the part about one message in which an edit has mentioned the user. */
export const makeEditedMessagePartId = (conversation: string, message: number): string =>
  `${conversation}/edited/${message}`;

/** Returns the wall time at which the next mail is to be made, ms; null if there is none. */
export function findNextMissedMailTime(parts: ActorParts): number | null {
  let next: number | null = null;
  for (const { due } of MISSED_CONVERSATION_TABLE.values(parts)) if (next === null || due < next) next = due;
  return next;
}
