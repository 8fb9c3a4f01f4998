/** Input of the mails about missed messages: the messages of conversations whose batching period is over. */

import { sealMailLink } from '#domain/mail';
import {
  type MessageReader,
  makeNarrowPlan,
  type NarrowTerm,
  type ReadableMessage,
  type StoredMessage,
  toStoredMessage,
} from '#domain/messages';
import { makeUnsubscribeLink } from '#domain/notifications';
import { type PresenceTimes, presenceReplicaOf } from '#domain/presence';
import { type ActorParts, presenceKey, type RealmId, realmId, streamId, type UserId, userId } from '#model';
import { presenceCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../../services.js';
import { MISSED_CONVERSATIONS, type MissedConversation, missedConversationId } from '../../missed.js';
import { type UserState, userIdOfKey } from '../../state.js';
import { loadReadingRights } from '../messages/on-message.js';
import { mailTriggerOf } from './record.js';

/** Maximum number of conversations whose mails are made at a time; the others follow. */
const MAX_CONVERSATIONS = 20;
/** Maximum number of messages of a conversation that are looked at for one mail; later ones come with the next. */
const MAX_SCANNED = 500;
/** Maximum number and age of the messages before the missed ones that a mail shows. */
const MAX_BEFORE = 5;
const MAX_BEFORE_SECONDS = 15 * 60;

/** A conversation as its messages name it. */
export type ConversationPlace = Pick<MissedConversation, 'stream' | 'topic' | 'participants'>;

/** Messages of one conversation that the user received since the first missed one. */
export interface MissedInPlace {
  readonly place: ConversationPlace;
  /** Unread messages that notify an absent user by mail, oldest first. */
  readonly messages: readonly ReadableMessage[];
  /** Messages before the first of them, oldest first. */
  readonly before: readonly ReadableMessage[];
  /** Address that ends such mails, sealed. */
  readonly unsubscribe: string;
}

export interface LoadedConversation {
  readonly name: string;
  readonly first: number;
  readonly places: readonly MissedInPlace[];
  /** Id of the newest message that was looked at. */
  readonly newest: number;
  /** True if there may be further messages. */
  readonly isCut: boolean;
}

export interface MissedInputs {
  readonly conversations: readonly LoadedConversation[];
  /** null: it could not be found out; undefined: none is known. */
  readonly presence: PresenceTimes | null | undefined;
  /** True if the user has accounts in several organizations of the server. */
  readonly hasOtherAccounts: boolean;
}

const NONE: MissedInputs = { conversations: [], presence: null, hasOtherAccounts: false };

/** Loads what the mails that are due need. */
export async function loadMissedInputs(
  context: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<MissedInputs> {
  const now = sources.services.clock.now();
  const due = [...MISSED_CONVERSATIONS.entries(context.view.parts)]
    .filter(([, conversation]) => conversation.due <= now)
    .slice(0, MAX_CONVERSATIONS);
  if (due.length === 0) return NONE;
  const self = userIdOfKey(context.key);
  const directory = await sources.directory(context.realm);
  const user = directory.user(self);
  if (!user) return NONE;
  const { reader } = await loadReadingRights({ ...context, caller: self }, sources);
  const [conversations, presence, hasOtherAccounts] = await Promise.all([
    Promise.all(due.map(([name, of]) => loadConversation(name, of, self, directory, reader, context, sources))),
    loadPresence(context.realm, self, directory, sources),
    hasOtherAccount(user.deliveryEmail, context.realm, sources),
  ]);
  return { conversations, presence, hasOtherAccounts };
}

async function loadPresence(
  realm: RealmId,
  self: UserId,
  directory: DirectoryView,
  { ask }: InputSources,
): Promise<PresenceTimes | null | undefined> {
  const replica = presenceReplicaOf(directory);
  try {
    await replica.sync((known) => ask(presenceKey(realm), presenceCommands.presenceChanges, { known }));
  } catch {
    return null;
  }
  return replica.of(self);
}

/** Maximum number of other organizations in which an account with the same address is looked for. */
const MAX_REALMS = 8;

/** True if the address has an active account in another organization, too, or if there are too many to look. */
async function hasOtherAccount(email: string, own: RealmId, { directory }: InputSources): Promise<boolean> {
  const others: RealmId[] = [];
  for (const { id } of (await directory(realmId(0))).realms()) if (id !== own) others.push(id);
  if (others.length > MAX_REALMS) return true;
  for (const realm of others) if ((await directory(realm)).userByEmail(email)?.isActive) return true;
  return false;
}

const placeOf = ({ body, participants }: StoredMessage): ConversationPlace => ({
  stream: body.stream,
  topic: body.topic,
  participants,
});

const termsOf = ({ stream, topic, participants }: ConversationPlace): NarrowTerm[] =>
  stream === 0
    ? [{ is: 'conversation', participants: participants.map(userId), negated: false }]
    : [
        { is: 'stream', stream: streamId(stream), negated: false },
        { is: 'topic', topic, negated: false },
      ];

async function loadConversation(
  name: string,
  conversation: MissedConversation,
  self: UserId,
  directory: DirectoryView,
  reader: MessageReader,
  context: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<LoadedConversation> {
  const { first } = conversation;
  const places: ConversationPlace[] = [conversation];
  const [record] = await sources.store.getMessages(context.realm, [first]);
  if (record) {
    const now = placeOf(toStoredMessage(record));
    // The message was moved to another topic or stream since.
    if (missedConversationId(context.realm, now) !== name) places.push(now);
  }
  const loaded = await Promise.all(
    places.map((place) => loadPlace(place, first, conversation.origin, self, directory, reader, context, sources)),
  );
  return {
    name,
    first,
    places: loaded.map(({ found }) => found),
    newest: Math.max(first, ...loaded.map(({ newest }) => newest)),
    isCut: loaded.some(({ isCut }) => isCut),
  };
}

async function loadPlace(
  place: ConversationPlace,
  first: number,
  origin: string,
  self: UserId,
  directory: DirectoryView,
  reader: MessageReader,
  { view, realm }: InputContext<UserState, undefined>,
  { services }: InputSources,
): Promise<{ readonly found: MissedInPlace; readonly newest: number; readonly isCut: boolean }> {
  const terms = termsOf(place);
  const copies = makeNarrowPlan(terms, reader.viewer, { copies: true });
  const scanned = await reader.scan(copies, first - 1, 'newer', MAX_SCANNED);
  const messages = scanned.filter((own) => isMissed(own, self, view.parts, directory, reader));
  const start = messages[0]?.message;
  const older = start ? await reader.scan(makeNarrowPlan(terms, reader.viewer), start.id, 'older', MAX_BEFORE) : [];
  const before = older
    .filter(({ message }) => message.body.sent > start!.body.sent - MAX_BEFORE_SECONDS)
    .sort((a, b) => a.message.id - b.message.id);
  const link = makeUnsubscribeLink(services.secrets, origin, {
    realm,
    user: self,
    kind: 'missed',
    stream: place.stream,
  });
  const unsubscribe = sealMailLink(services.secrets, link);
  const newest = scanned.at(-1)?.message.id ?? 0;
  return { found: { place, messages, before, unsubscribe }, newest, isCut: scanned.length >= MAX_SCANNED };
}

function isMissed(
  own: ReadableMessage,
  self: UserId,
  parts: ActorParts,
  directory: DirectoryView,
  { viewer }: MessageReader,
): boolean {
  return !viewer.flags.isRead(own) && triggerOf(own, self, parts, directory) !== undefined;
}

/** The reason to tell the user of a stored message by mail. */
export const triggerOf = ({ message }: ReadableMessage, self: UserId, parts: ActorParts, directory: DirectoryView) => {
  const { sender, body } = message;
  const received = { sender, direct: body.stream === 0, wildcard: body.wildcard, flags: body.flags[self] };
  return mailTriggerOf(received, body, self, parts, directory);
};
