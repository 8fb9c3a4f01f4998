/**
 * Receivers whom a message may notify by mail or push. Their own actors decide. The stream's actor sends such an actor
 * a command only if the message is direct, mentions the user, has one of the user's alert words, is in a topic that the
 * user follows, or if the user's settings ask for the whole stream.
 */
import { IdSet, type Json, memoizeByObject } from '#base';
import { placeWhereMessageWasSent, type StoredMessage } from '#domain/messages';
import { doFollowedTopicsNotify, mayNotifyUser, type NotificationCandidateMessage } from '#domain/notifications';
import { isCurrentStreamMember, toComparableTopicKey } from '#domain/streams';
import { type ActorParts, type RealmId, toUserId, type UserId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryUser, DirectoryView } from '#model/records';
import { findStreamMembershipRecord, listStreamSubscriberIds } from './commands/members.js';
import { type MissedMessageNoticeMemory, NOTICE_STRENGTH, type NoticeStrength } from './informed.js';
import { topicFollowerIdsOf } from './topics.js';

/** Prefix of the part with the users whose subscription asks for mails or pushes of all messages. */
export const NOTIFIED_SUBSCRIBERS_PART_PREFIX = 'notified/';
const NOTIFIED_SUBSCRIBERS_PART_NAME = `${NOTIFIED_SUBSCRIBERS_PART_PREFIX}users`;

interface StoredNotifiedSubscribers {
  readonly users: Uint8Array;
}

const decodeNotifiedSubscribers = memoizeByObject(({ users }: StoredNotifiedSubscribers) => IdSet.decode(users));

function readNotifiedSubscribers(parts: ActorParts): IdSet {
  const stored = parts.get(NOTIFIED_SUBSCRIBERS_PART_NAME) as StoredNotifiedSubscribers | undefined;
  return stored ? decodeNotifiedSubscribers(stored) : IdSet.EMPTY;
}

/** Makes the part with the users whose subscription asks for mails or pushes of all messages. */
export const makeNotifiedSubscribersPart = (users: readonly number[]): Record<string, Json> => ({
  [NOTIFIED_SUBSCRIBERS_PART_NAME]: users.length === 0 ? null : { users: IdSet.fromIds(users).encode() },
});

/** Makes the change of parts after a subscription's setting changed; empty if nothing changes. */
export function makeNotifiedSubscriberChange(parts: ActorParts, user: number, notified: boolean): Record<string, Json> {
  const { ids } = readNotifiedSubscribers(parts);
  if (ids.includes(user) === notified) return {};
  return makeNotifiedSubscribersPart(notified ? [...ids, user] : ids.filter((id) => id !== user));
}

const NO_COMMANDS: readonly OutboxCommand[] = [];

interface MissedMessageContext {
  readonly directory: DirectoryView;
  readonly realm: RealmId;
  readonly nowMs: number;
  readonly origin: string;
  /** Version of the list of subscribers. */
  readonly membershipVersion: number;
  /** Absent for edits: no later look of a receiver's actor would find the message. */
  readonly noticeMemory?: MissedMessageNoticeMemory;
}

/**
 * Calls the listener for each user whom the message may notify, perhaps more than once. `personal`: by a personal
 * trigger, so the settings for such must be on.
 * @param areSubscribersInformed true if a mention of everybody needs no call for each subscriber
 */
export function forEachPossibleNotificationReceiver(
  parts: ActorParts,
  { participants, originStream, body }: StoredMessage,
  directory: DirectoryView,
  listener: (user: number, personal: boolean) => void,
  areSubscribersInformed = false,
): void {
  if (originStream === 0) {
    for (const id of participants) listener(id, true);
    return;
  }
  for (const id in body.flags) listener(Number(id), true);
  if (body.wildcard && !areSubscribersInformed) for (const id of listStreamSubscriberIds(parts)) listener(id, true);
  for (const id of directory.streamNotifiedUserIds()) if (isCurrentSubscriber(parts, id)) listener(id, false);
  for (const id of readNotifiedSubscribers(parts).ids) if (isCurrentSubscriber(parts, id)) listener(id, false);
  for (const id of topicFollowerIdsOf(parts, body.topic)) {
    if (isCurrentSubscriber(parts, id) && doFollowedTopicsNotify(directory.preferencesOf(toUserId(id))))
      listener(id, false);
  }
}

/** Makes the commands to the actors of the users whom this new message may notify. */
export function makeMissedMessageCommands(
  parts: ActorParts,
  message: StoredMessage,
  context: MissedMessageContext,
): readonly OutboxCommand[] {
  const { directory, membershipVersion, noticeMemory, nowMs } = context;
  const { sender, originStream, body } = message;
  const mention =
    body.wildcard && originStream !== 0 && noticeMemory
      ? { sender, topic: toComparableTopicKey(body.topic), membershipVersion, directory }
      : undefined;
  noticeMemory?.forgetAllIfClockWasSetBack(nowMs);
  const areSubscribersInformed = mention !== undefined && noticeMemory!.areAllSubscribersInformed(mention, nowMs);
  let found: Map<number, OutboxCommand> | undefined;
  /** Time until which every considered receiver is informed; 0 if one of them may have to be informed earlier. */
  let informedUntilMs = Number.POSITIVE_INFINITY;
  const consider = (id: number, personal: boolean): void => {
    if (id === sender || found?.has(id)) return;
    const user = toUserId(id);
    const received = messageFromViewOf(user, message);
    const receiver = findPossibleMailReceiver(user, received, personal, directory);
    if (!receiver) {
      if (received.flags.includes('read')) informedUntilMs = 0;
      return;
    }
    const strength = noticeStrengthOf(received);
    const certain = strength === NOTICE_STRENGTH.personal && mayNotifyUser('mail', received, receiver, directory, true);
    const topic = toComparableTopicKey(body.topic);
    if (!noticeMemory?.wasInformedElseRecord(user, topic, { strength, certain }, directory, nowMs)) {
      found ??= new Map();
      found.set(id, makeMissedMessageCommandTo(user, message, received, context));
    }
    if (mention)
      informedUntilMs = Math.min(
        informedUntilMs,
        noticeMemory!.informedUntilMs(user, topic, NOTICE_STRENGTH.wildcard, directory),
      );
  };
  forEachPossibleNotificationReceiver(parts, message, directory, consider, areSubscribersInformed);
  if (mention && !areSubscribersInformed && informedUntilMs > nowMs)
    noticeMemory!.recordAllSubscribersInformed(mention, informedUntilMs);
  return found ? [...found.values()] : NO_COMMANDS;
}

/** Text by which a stored HTML names a user, or with '*' all users. */
const mentionTextInHtml = (user: number | '*'): string => `data-user-id="${user}"`;

/** Calls the listener for each user whom a new text mentions, and whom no earlier text of the message mentioned. */
export function forEachNewlyMentionedUser(
  parts: ActorParts,
  before: StoredMessage,
  after: StoredMessage,
  listener: (user: number) => void,
): void {
  if (after.originStream === 0) return;
  const earlierTexts = (before.body.edits ?? []).map(({ content }) => content?.html ?? '');
  const wasMentioned = (user: number | '*'): boolean =>
    earlierTexts.some((html) => html.includes(mentionTextInHtml(user)));
  for (const [id, flags] of Object.entries(after.body.flags)) {
    const isNew = flags.includes('mentioned') && !before.body.flags[id]?.includes('mentioned');
    if (isNew && !wasMentioned(Number(id))) listener(Number(id));
  }
  if (after.body.wildcard && !before.body.wildcard && !wasMentioned('*'))
    for (const id of listStreamSubscriberIds(parts)) listener(id);
}

/** Makes the commands to the actors of the users whom an edit of a message mentions for the first time. */
export function makeCommandsAfterMentionsAdded(
  parts: ActorParts,
  before: StoredMessage,
  after: StoredMessage,
  context: Omit<MissedMessageContext, 'noticeMemory' | 'membershipVersion'>,
): readonly OutboxCommand[] {
  const found = new Map<number, OutboxCommand>();
  forEachNewlyMentionedUser(parts, before, after, (id) => {
    if (id === after.sender || found.has(id)) return;
    const received = messageFromViewOf(toUserId(id), after);
    if (findPossibleMailReceiver(toUserId(id), received, true, context.directory))
      found.set(id, makeMissedMessageCommandTo(toUserId(id), after, received, context));
  });
  return [...found.values()];
}

const isCurrentSubscriber = (parts: ActorParts, user: number): boolean =>
  isCurrentStreamMember(findStreamMembershipRecord(parts, user));

type ReceivedMessage = NotificationCandidateMessage & { readonly flags: readonly string[] };

/** A message as one of its receivers has it, with the receiver's flags. */
export const messageFromViewOf = (user: UserId, { sender, originStream, body }: StoredMessage): ReceivedMessage => ({
  sender,
  direct: originStream === 0,
  wildcard: body.wildcard,
  flags: body.flags[user] ?? NO_FLAGS,
});

/**
 * The receiver's account, if a mail about the message is possible.
 * @param personal true if the message concerns the user by a personal trigger, such as a mention: the settings for such
 * messages must be on
 */
function findPossibleMailReceiver(
  id: UserId,
  received: ReceivedMessage,
  personal: boolean,
  directory: DirectoryView,
): DirectoryUser | undefined {
  const user = directory.user(id);
  return user && mayNotifyUser('mail', received, user, directory, personal) ? user : undefined;
}

function noticeStrengthOf({ direct, wildcard, flags }: ReceivedMessage): NoticeStrength {
  if (direct || flags.includes('mentioned')) return NOTICE_STRENGTH.personal;
  if (flags.includes('has_alert_word')) return NOTICE_STRENGTH.alertWord;
  return wildcard || flags.includes('wildcard_mentioned') ? NOTICE_STRENGTH.wildcard : NOTICE_STRENGTH.topic;
}

/** Makes the command to the actor of one receiver. */
const makeMissedMessageCommandTo = (
  user: UserId,
  message: StoredMessage,
  { wildcard, flags }: ReceivedMessage,
  { realm, nowMs, origin, noticeMemory }: Omit<MissedMessageContext, 'membershipVersion'>,
): OutboxCommand =>
  makeOutboxCommand({
    to: userActorKey(realm, user),
    name: userActorCommands.missed,
    args: {
      id: message.id,
      sender: message.sender,
      stream: message.body.stream,
      topic: message.body.topic,
      participants: message.participants,
      sent: nowMs,
      wildcard,
      flags,
      origin,
      ...(noticeMemory ? {} : { isEdited: true, sentTo: placeWhereMessageWasSent(message) }),
    },
    caller: 0,
  });

const NO_FLAGS: readonly string[] = [];
