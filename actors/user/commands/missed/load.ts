/** Loading of the messages for mails about missed messages: those of conversations whose batching period is over. */

import { sealMailLink } from '#domain/mail';
import {
  makeNarrowQueryPlan,
  type ReadableMessage,
  type ResolvedNarrowTerm,
  type StoredMessage,
  toStoredMessage,
  type UserMessageReader,
} from '#domain/messages';
import { makeUnsubscribeLink } from '#domain/notifications';
import type { PresenceTimes } from '#domain/presence';
import { toComparableTopicKey } from '#domain/streams';
import { type ActorParts, type RealmId, toRealmId, toStreamId, toUserId, type UserId } from '#model';
import type { DirectoryView } from '#model/records';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { MISSED_CONVERSATION_TABLE, type MissedConversation, makeMissedConversationId } from '../../missed.js';
import { loadOwnPresenceTimes } from '../../own-presence.js';
import { type UserActorState, userIdOfUserActorKey } from '../../state.js';
import { loadMessageReadingRights } from '../messages/on-message.js';
import { decideMailTrigger } from './record.js';

/** Maximum number of conversations whose mails are made at a time; further ones follow later. */
const MAX_CONVERSATIONS_MAILED_AT_ONCE = 20;
/** Maximum number of messages of a conversation that are read for one mail; later messages come with the next mail. */
const MAX_MESSAGES_SCANNED_PER_MAIL = 500;
/**
 * Maximum number of earlier messages that a mail shows before the missed ones; MAX_EARLIER_MESSAGE_AGE_SECONDS is their
 * maximum age.
 */
const MAX_EARLIER_MESSAGES_SHOWN = 5;
const MAX_EARLIER_MESSAGE_AGE_SECONDS = 15 * 60;

/** A conversation in the form in which its messages name it. */
export type ConversationPlace = Pick<MissedConversation, 'stream' | 'topic' | 'participants'>;

/** Messages of one conversation that the user received since the first missed message. */
export interface MissedMessagesOfPlace {
  readonly place: ConversationPlace;
  /** Unread messages that notify an absent user by mail, oldest first. */
  readonly messages: readonly ReadableMessage[];
  /** Messages before the first of `messages`, oldest first. */
  readonly earlierMessages: readonly ReadableMessage[];
  /** URL that unsubscribes from such mails, encrypted. */
  readonly sealedUnsubscribeUrl: string;
}

export interface LoadedMissedConversation {
  readonly missedConversationId: string;
  readonly firstMissedMessageId: number;
  readonly missedMessagesByPlace: readonly MissedMessagesOfPlace[];
  /** Id of the newest message that was read for the mail. */
  readonly newestReadMessageId: number;
  /** True if there may be further messages. */
  readonly mayHaveFurtherMessages: boolean;
}

export interface MissedMailInputs {
  readonly conversations: readonly LoadedMissedConversation[];
  /** Presence of the user; null if it could not be read; undefined if none is known. */
  readonly presence: PresenceTimes | null | undefined;
  /** True if the user has accounts in several organizations of the server. */
  readonly hasOtherAccounts: boolean;
}

const NO_MISSED_MAIL_INPUTS: MissedMailInputs = { conversations: [], presence: null, hasOtherAccounts: false };

/** Loads the data that the mails which are due need. */
export async function loadMissedMailInputs(
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<MissedMailInputs> {
  const now = sources.services.clock.now();
  const due = [...MISSED_CONVERSATION_TABLE.entries(context.view.parts)]
    .filter(([, conversation]) => conversation.due <= now)
    .slice(0, MAX_CONVERSATIONS_MAILED_AT_ONCE);
  if (due.length === 0) return NO_MISSED_MAIL_INPUTS;
  const self = userIdOfUserActorKey(context.key);
  const directory = await sources.loadDirectory(context.realm);
  const user = directory.user(self);
  if (!user) return NO_MISSED_MAIL_INPUTS;
  const { reader } = await loadMessageReadingRights({ ...context, caller: self }, sources);
  const [conversations, presence, hasOtherAccounts] = await Promise.all([
    Promise.all(due.map(([name, of]) => loadMissedConversation(name, of, self, directory, reader, context, sources))),
    loadOwnPresenceTimes(context.realm, self, directory, sources),
    mayHaveOtherAccount(user.deliveryEmail, context.realm, sources),
  ]);
  return { conversations, presence, hasOtherAccounts };
}

/** Maximum number of other organizations in which the server searches for an account with the same address. */
const MAX_REALMS_SEARCHED_FOR_ACCOUNT = 8;

/**
 * True if the address has an active account in another organization, too, or if there are too many organizations to
 * search.
 */
async function mayHaveOtherAccount(
  email: string,
  own: RealmId,
  { loadDirectory }: ActorInputSources,
): Promise<boolean> {
  const others: RealmId[] = [];
  for (const { id } of (await loadDirectory(toRealmId(0))).realms()) if (id !== own) others.push(id);
  if (others.length > MAX_REALMS_SEARCHED_FOR_ACCOUNT) return true;
  for (const realm of others) if ((await loadDirectory(realm)).userByEmail(email)?.isActive) return true;
  return false;
}

const conversationPlaceOfMessage = ({ body, participants }: StoredMessage): ConversationPlace => ({
  stream: body.stream,
  topic: body.topic,
  participants,
});

const narrowTermsOfConversationPlace = ({ stream, topic, participants }: ConversationPlace): ResolvedNarrowTerm[] =>
  stream === 0
    ? [{ is: 'conversation', participants: participants.map(toUserId), negated: false }]
    : [
        { is: 'stream', stream: toStreamId(stream), negated: false },
        { is: 'topic', topic: toComparableTopicKey(topic), negated: false },
      ];

async function loadMissedConversation(
  name: string,
  conversation: MissedConversation,
  self: UserId,
  directory: DirectoryView,
  reader: UserMessageReader,
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<LoadedMissedConversation> {
  const { first, editedAt } = conversation;
  const isAboutOneMessage = editedAt !== undefined;
  const maxMessages = isAboutOneMessage ? 1 : MAX_MESSAGES_SCANNED_PER_MAIL;
  const places: ConversationPlace[] = [conversation];
  const [record] = await sources.store.getMessages(context.realm, [first]);
  if (record) {
    const now = conversationPlaceOfMessage(toStoredMessage(record));
    // The message was moved to another topic or stream in the meantime.
    if (makeMissedConversationId(context.realm, now) !== makeMissedConversationId(context.realm, conversation))
      places.push(now);
  }
  const loaded = await Promise.all(
    places.map((place) =>
      loadMissedMessagesOfPlace(
        place,
        first,
        maxMessages,
        conversation.origin,
        self,
        directory,
        reader,
        context,
        sources,
      ),
    ),
  );
  const missed = loaded.map(({ found }) => found);
  const only = (own: ReadableMessage): boolean => !isAboutOneMessage || own.message.id === first;
  return {
    missedConversationId: name,
    firstMissedMessageId: first,
    missedMessagesByPlace: missed.map((of) => ({ ...of, messages: of.messages.filter(only) })),
    newestReadMessageId: Math.max(first, ...loaded.map(({ newest }) => newest)),
    mayHaveFurtherMessages: !isAboutOneMessage && loaded.some(({ isCut }) => isCut),
  };
}

async function loadMissedMessagesOfPlace(
  place: ConversationPlace,
  first: number,
  maxMessages: number,
  origin: string,
  self: UserId,
  directory: DirectoryView,
  reader: UserMessageReader,
  { view, realm }: CommandInputContext<UserActorState, undefined>,
  { services }: ActorInputSources,
): Promise<{ readonly found: MissedMessagesOfPlace; readonly newest: number; readonly isCut: boolean }> {
  const terms = narrowTermsOfConversationPlace(place);
  const copies = makeNarrowQueryPlan(terms, reader.viewer, { copies: true });
  const scanned = await reader.scanNarrow(copies, first - 1, 'newer', maxMessages);
  const messages = scanned.filter((own) => isMissedMessage(own, self, view.parts, directory, reader));
  const start = messages[0]?.message;
  const older = start
    ? await reader.scanNarrow(makeNarrowQueryPlan(terms, reader.viewer), start.id, 'older', MAX_EARLIER_MESSAGES_SHOWN)
    : [];
  const before = older
    .filter(({ message }) => message.body.sent > start!.body.sent - MAX_EARLIER_MESSAGE_AGE_SECONDS)
    .sort((a, b) => a.message.id - b.message.id);
  const link = makeUnsubscribeLink(services.secrets, origin, {
    realm,
    user: self,
    kind: 'missed',
    stream: place.stream,
  });
  const unsubscribe = sealMailLink(services.secrets, link);
  const newest = scanned.at(-1)?.message.id ?? 0;
  return {
    found: { place, messages, earlierMessages: before, sealedUnsubscribeUrl: unsubscribe },
    newest,
    isCut: scanned.length >= maxMessages,
  };
}

function isMissedMessage(
  own: ReadableMessage,
  self: UserId,
  parts: ActorParts,
  directory: DirectoryView,
  { viewer }: UserMessageReader,
): boolean {
  return !viewer.flags.isRead(own) && notificationTriggerOfMessage(own, self, parts, directory) !== undefined;
}

/** Returns the reason to notify the user of a stored message by mail; undefined if there is none. */
export const notificationTriggerOfMessage = (
  { message }: ReadableMessage,
  self: UserId,
  parts: ActorParts,
  directory: DirectoryView,
) => {
  const { sender, body } = message;
  const received = { sender, direct: body.stream === 0, wildcard: body.wildcard, flags: body.flags[self] };
  return decideMailTrigger(received, body, self, parts, directory);
};
