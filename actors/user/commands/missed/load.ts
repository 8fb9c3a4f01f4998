/**
 * Loading of the messages for mails about missed messages: those that were sent to conversations whose batching period
 * is over. A message counts for the conversation to which it was sent, wherever it is now, so no two of these records
 * mail the same message.
 */

import { NoSuchRealmError } from '#directory';
import { sealMailLink } from '#domain/mail';
import {
  makeNarrowQueryPlan,
  placeWhereMessageWasSent,
  type ReadableMessage,
  type ResolvedNarrowTerm,
  type StoredMessage,
  storeNameOfStreamConversation,
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
/**
 * Number of read messages after which further conversations wait for the next run, which follows at once. Deciding
 * about 10,000 messages in one run kept the event loop busy for 200 ms.
 */
const MAX_MESSAGES_BEFORE_FURTHER_CONVERSATION = 1_000;
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

export interface LoadedMissedConversation {
  readonly missedConversationId: string;
  readonly firstMissedMessageId: number;
  /** Unread messages sent to the conversation that notify an absent user by mail, oldest first. */
  readonly messages: readonly ReadableMessage[];
  /** Id of the newest message that was read for the mail. */
  readonly newestReadMessageId: number;
  /** True if there may be further messages. */
  readonly mayHaveFurtherMessages: boolean;
}

/** A conversation in which missed messages are now. */
export interface LoadedMissedPlace {
  readonly place: ConversationPlace;
  /** Messages before the first missed one, oldest first. */
  readonly earlierMessages: readonly ReadableMessage[];
  /** Base URL of the organization, for links. */
  readonly origin: string;
  /** URL that unsubscribes from such mails, encrypted. */
  readonly sealedUnsubscribeUrl: string;
}

export interface MissedMailInputs {
  readonly conversations: readonly LoadedMissedConversation[];
  /** By id of the conversation. */
  readonly places: ReadonlyMap<string, LoadedMissedPlace>;
  /** Presence of the user; null if it could not be read; undefined if none is known. */
  readonly presence: PresenceTimes | null | undefined;
  /** True if the user has accounts in several organizations of the server. */
  readonly hasOtherAccounts: boolean;
}

const NO_MISSED_MAIL_INPUTS: MissedMailInputs = {
  conversations: [],
  places: new Map(),
  presence: null,
  hasOtherAccounts: false,
};

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
  const isMissed = (own: ReadableMessage): boolean =>
    !reader.viewer.flags.isRead(own) &&
    notificationTriggerOfMessage(own, self, context.view.parts, directory) !== undefined;
  const movable = due.filter(([, { stream, editedAt }]) => stream !== 0 && editedAt === undefined);
  const personal = await loadPersonalMessagesSince(Math.min(...movable.map(([, { first }]) => first)), reader);
  const conversations: LoadedMissedConversation[] = [];
  let read = 0;
  for (const [name, of] of due) {
    if (read >= MAX_MESSAGES_BEFORE_FURTHER_CONVERSATION) break;
    const { messages, ...loaded } = await (of.editedAt === undefined
      ? loadMissedConversation(name, of, personal, reader, context, sources)
      : loadEditedMessage(name, of, reader, context, sources));
    conversations.push({ ...loaded, messages: messages.filter(isMissed) });
    read += messages.length;
  }
  const [places, presence, hasOtherAccounts] = await Promise.all([
    loadPlacesOfMissedMessages(due, conversations, self, reader, context, sources),
    loadOwnPresenceTimes(context.realm, self, directory, sources),
    mayHaveOtherAccount(user.deliveryEmail, context.realm, sources),
  ]);
  return { conversations, places, presence, hasOtherAccounts };
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
  for (const realm of others) if (await hasActiveAccount(email, realm, loadDirectory)) return true;
  return false;
}

/** False also for an organization without an actor: one that is just being made, or deleted, is listed. */
async function hasActiveAccount(
  email: string,
  realm: RealmId,
  loadDirectory: ActorInputSources['loadDirectory'],
): Promise<boolean> {
  try {
    return (await loadDirectory(realm)).userByEmail(email)?.isActive === true;
  } catch (error) {
    // As a refusal, the error would end the timer of the user's actor.
    if (error instanceof NoSuchRealmError) return false;
    throw error;
  }
}

/** The conversation in which a message is now. */
export const conversationPlaceOfMessage = ({ body, participants }: StoredMessage): ConversationPlace => ({
  stream: body.stream,
  topic: body.topic,
  participants,
});

const originalConversationIdOfMessage = (realm: RealmId, message: StoredMessage): string =>
  makeMissedConversationId(realm, { ...placeWhereMessageWasSent(message), participants: message.participants });

const narrowTermsOfConversationPlace = ({ stream, topic, participants }: ConversationPlace): ResolvedNarrowTerm[] =>
  stream === 0
    ? [{ is: 'conversation', participants: participants.map(toUserId), negated: false }]
    : [
        { is: 'stream', stream: toStreamId(stream), negated: false },
        { is: 'topic', topic: toComparableTopicKey(topic), negated: false },
      ];

/**
 * Messages that mention the user or have an alert word, in any conversation: those among them that were moved are found
 * so, also in a stream with more messages than are read of it.
 * @param first id of the oldest one; infinite: none is wanted
 */
async function loadPersonalMessagesSince(first: number, reader: UserMessageReader): Promise<ReadableMessage[]> {
  if (first === Number.POSITIVE_INFINITY) return [];
  const found = await Promise.all(
    (['mentioned', 'alerted'] as const).map((is) => {
      const plan = makeNarrowQueryPlan([{ is, negated: false }], reader.viewer, { copies: true });
      return reader.scanNarrow(plan, first - 1, 'newer', MAX_MESSAGES_SCANNED_PER_MAIL);
    }),
  );
  return found.flat();
}

/**
 * Messages that were sent to the conversation since the first missed one, and are elsewhere now.
 * @param name id of the conversation
 */
async function loadMessagesMovedAway(
  name: string,
  { stream, first }: MissedConversation,
  reader: UserMessageReader,
  realm: RealmId,
  { store }: ActorInputSources,
): Promise<ReadableMessage[]> {
  if (stream === 0) return [];
  const conversation = storeNameOfStreamConversation(stream);
  const records = await store.scanMessages({
    realm,
    index: { by: 'conversation', conversation },
    or: [{ index: { by: 'moved', from: conversation } }],
    from: first - 1,
    direction: 'newer',
    limit: MAX_MESSAGES_SCANNED_PER_MAIL,
  });
  const moved = records.map(toStoredMessage).filter((message) => {
    const sent = placeWhereMessageWasSent(message);
    if (sent.stream === message.body.stream && sent.topic === message.body.topic) return false;
    const isSentHere = originalConversationIdOfMessage(realm, message) === name;
    return isSentHere && makeMissedConversationId(realm, conversationPlaceOfMessage(message)) !== name;
  });
  return reader.filterReadableWithHistory(moved, 'none');
}

async function loadMessageIfReceived(
  id: number,
  reader: UserMessageReader,
  realm: RealmId,
  { store }: ActorInputSources,
): Promise<ReadableMessage[]> {
  const [record] = await store.getMessages(realm, [id]);
  return record ? reader.filterReadableWithHistory([toStoredMessage(record)], 'none') : [];
}

/** Loads the message of a record about one message. */
async function loadEditedMessage(
  name: string,
  { first }: MissedConversation,
  reader: UserMessageReader,
  { realm }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<LoadedMissedConversation> {
  return {
    missedConversationId: name,
    firstMissedMessageId: first,
    messages: await loadMessageIfReceived(first, reader, realm, sources),
    newestReadMessageId: first,
    mayHaveFurtherMessages: false,
  };
}

/**
 * Loads the messages that were sent to a conversation since the first missed one.
 * @param personal messages of all conversations among which moved ones may be
 */
async function loadMissedConversation(
  name: string,
  conversation: MissedConversation,
  personal: readonly ReadableMessage[],
  reader: UserMessageReader,
  { realm }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<LoadedMissedConversation> {
  const { first } = conversation;
  const plan = makeNarrowQueryPlan(narrowTermsOfConversationPlace(conversation), reader.viewer, { copies: true });
  const [scanned, firstMessage, moved] = await Promise.all([
    reader.scanNarrow(plan, first - 1, 'newer', MAX_MESSAGES_SCANNED_PER_MAIL),
    loadMessageIfReceived(first, reader, realm, sources),
    loadMessagesMovedAway(name, conversation, reader, realm, sources),
  ]);
  const isCut = scanned.length >= MAX_MESSAGES_SCANNED_PER_MAIL;
  const last = isCut ? scanned.at(-1)!.message.id : Number.POSITIVE_INFINITY;
  const byId = new Map<number, ReadableMessage>();
  for (const own of [...scanned, ...firstMessage, ...moved, ...personal]) {
    const { message } = own;
    if (message.id < first || message.id > last) continue;
    if (originalConversationIdOfMessage(realm, message) === name) byId.set(message.id, own);
  }
  return {
    missedConversationId: name,
    firstMissedMessageId: first,
    messages: [...byId.values()].sort((a, b) => a.message.id - b.message.id),
    newestReadMessageId: Math.max(first, scanned.at(-1)?.message.id ?? 0, ...byId.keys()),
    mayHaveFurtherMessages: isCut,
  };
}

/** Loads what the mails need of the conversations in which the messages are now. */
async function loadPlacesOfMissedMessages(
  due: readonly (readonly [name: string, MissedConversation])[],
  conversations: readonly LoadedMissedConversation[],
  self: UserId,
  reader: UserMessageReader,
  { realm }: CommandInputContext<UserActorState, undefined>,
  { services }: ActorInputSources,
): Promise<ReadonlyMap<string, LoadedMissedPlace>> {
  const { muted } = reader.viewer.directory.preferencesOf(self);
  const starts = new Map<string, { readonly start: StoredMessage; readonly origin: string }>();
  conversations.forEach(({ messages }, i) => {
    for (const { message } of messages) {
      const id = makeMissedConversationId(realm, conversationPlaceOfMessage(message));
      const known = starts.get(id);
      if (!known || message.id < known.start.id) starts.set(id, { start: message, origin: due[i]![1].origin });
    }
  });
  const places = [...starts].map(async ([id, { start, origin }]): Promise<[string, LoadedMissedPlace]> => {
    const place = conversationPlaceOfMessage(start);
    const plan = makeNarrowQueryPlan(narrowTermsOfConversationPlace(place), reader.viewer);
    const older = await reader.scanNarrow(plan, start.id, 'older', MAX_EARLIER_MESSAGES_SHOWN);
    const earlierMessages = older
      .filter(({ message }) => message.body.sent > start.body.sent - MAX_EARLIER_MESSAGE_AGE_SECONDS)
      .filter(({ message }) => !muted.some(({ id }) => id === message.sender))
      .sort((a, b) => a.message.id - b.message.id);
    const link = makeUnsubscribeLink(services.secrets, origin, { realm, user: self, kind: 'missed' });
    return [id, { place, earlierMessages, origin, sealedUnsubscribeUrl: sealMailLink(services.secrets, link) }];
  });
  return new Map(await Promise.all(places));
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
