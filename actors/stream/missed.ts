/**
 * Receivers whom a message may notify by mail or push. Their own actors decide. The stream's actor sends such an actor
 * a command only if the message is direct, mentions the user, has one of the user's alert words, or if the user's
 * settings ask for the whole stream.
 */
import { IdSet, type Json, memoizeByObject } from '#base';
import type { StoredMessage } from '#domain/messages';
import { mayNotifyPersonally } from '#domain/notifications';
import { isCurrentStreamMember, toTopicKey } from '#domain/streams';
import { type ActorParts, type RealmId, toUserId, type UserId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import { findStreamMembershipRecord, listStreamSubscriberIds } from './commands/members.js';
import type { MissedMessageNoticeMemory } from './informed.js';

/** Prefix of the part with the users whose subscription asks for mails or pushes of all messages. */
export const NOTIFIED_SUBSCRIBERS_PART_PREFIX = 'notified/';
const NOTIFIED_PART = `${NOTIFIED_SUBSCRIBERS_PART_PREFIX}users`;

interface StoredNotified {
  readonly users: Uint8Array;
}

const decodeNotified = memoizeByObject(({ users }: StoredNotified) => IdSet.decode(users));

function notifiedSubscribers(parts: ActorParts): IdSet {
  const stored = parts.get(NOTIFIED_PART) as StoredNotified | undefined;
  return stored ? decodeNotified(stored) : IdSet.EMPTY;
}

/** Makes the part with the users whose subscription asks for mails or pushes of all messages. */
export const makeNotifiedSubscribersPart = (users: readonly number[]): Record<string, Json> => ({
  [NOTIFIED_PART]: users.length === 0 ? null : { users: IdSet.of(users).encode() },
});

/** Makes the change of parts after a subscription's setting changed; empty if nothing changes. */
export function writeNotifiedSubscriber(parts: ActorParts, user: number, notified: boolean): Record<string, Json> {
  const { ids } = notifiedSubscribers(parts);
  if (ids.includes(user) === notified) return {};
  return makeNotifiedSubscribersPart(notified ? [...ids, user] : ids.filter((id) => id !== user));
}

const NOTHING: readonly OutboxCommand[] = [];

interface MissedContext {
  readonly directory: DirectoryView;
  readonly realm: RealmId;
  readonly now: number;
  readonly origin: string;
  readonly informed: MissedMessageNoticeMemory;
}

/**
 * Calls the listener for each user whom the message may notify, perhaps more than once. `personal`: by a personal
 * trigger, so the settings for such must be on.
 */
export function forEachNotifiableReceiver(
  parts: ActorParts,
  { participants, originStream, body }: StoredMessage,
  directory: DirectoryView,
  listener: (user: number, personal: boolean) => void,
): void {
  if (originStream === 0) {
    for (const id of participants) listener(id, true);
    return;
  }
  for (const id in body.flags) listener(Number(id), true);
  if (body.wildcard) for (const id of listStreamSubscriberIds(parts)) listener(id, true);
  for (const id of directory.notifiedOfStreams()) if (isSubscriber(parts, id)) listener(id, false);
  for (const id of notifiedSubscribers(parts).ids) if (isSubscriber(parts, id)) listener(id, false);
}

/** Makes the commands to the actors of the users whom this new message may notify. */
export function makeMissedMessageCommands(
  parts: ActorParts,
  message: StoredMessage,
  context: MissedContext,
): readonly OutboxCommand[] {
  const { directory } = context;
  let found: Map<number, OutboxCommand> | undefined;
  const consider = (id: number, personal: boolean): void => {
    if (id === message.sender || found?.has(id)) return;
    const command = commandTo(toUserId(id), personal, message, context);
    if (!command) return;
    found ??= new Map();
    found.set(id, command);
  };
  forEachNotifiableReceiver(parts, message, directory, consider);
  return found ? [...found.values()] : NOTHING;
}

const isSubscriber = (parts: ActorParts, user: number): boolean =>
  isCurrentStreamMember(findStreamMembershipRecord(parts, user));

/**
 * Makes the command to the actor of one receiver.
 * @param personal true if the message concerns the user by a personal trigger, such as a mention: the settings for such
 * messages must be on
 */
function commandTo(
  id: UserId,
  personal: boolean,
  { id: message, sender, participants, originStream: stream, body }: StoredMessage,
  { directory, realm, now, origin, informed }: MissedContext,
): OutboxCommand | undefined {
  const user = directory.user(id);
  if (!user?.isActive || user.botType !== null) return undefined;
  const flags = body.flags[id] ?? NO_FLAGS;
  if (flags.includes('read')) return undefined;
  const received = { sender, direct: stream === 0, wildcard: body.wildcard, flags };
  if (personal && !mayNotifyPersonally(received, user, directory)) return undefined;
  if (informed.wasInformed(id, toTopicKey(body.topic), directory, now)) return undefined;
  return makeOutboxCommand({
    to: userActorKey(realm, id),
    name: userActorCommands.missed,
    args: {
      id: message,
      sender,
      stream,
      topic: body.topic,
      participants,
      sent: now,
      wildcard: body.wildcard,
      flags,
      origin,
    },
    caller: 0,
  });
}

const NO_FLAGS: readonly string[] = [];
