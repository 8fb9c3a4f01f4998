/**
 * Receivers whom a message may notify by mail or push. Their own actors decide. This actor sends them a command only if
 * the message is direct, mentions them, has one of their alert words, or if their settings ask for the whole stream.
 */
import { IdSet, type Json, memoizeByObject } from '#base';
import type { StoredMessage } from '#domain/messages';
import { mayNotifyPersonally } from '#domain/notifications';
import { isCurrentMember, toTopicKey } from '#domain/streams';
import { type ActorParts, type RealmId, type UserId, userId, userKey } from '#model';
import { type OutboxCommand, outboxCommand, userCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import { listMemberIds, storedMember } from './commands/members.js';
import type { InformedReceivers } from './informed.js';

/** Part with the users whose subscription asks for mails or pushes of all messages. */
export const NOTIFIED_PART_PREFIX = 'notified/';
const NOTIFIED_PART = `${NOTIFIED_PART_PREFIX}users`;

interface StoredNotified {
  readonly users: Uint8Array;
}

const decodeNotified = memoizeByObject(({ users }: StoredNotified) => IdSet.decode(users));

function notifiedSubscribers(parts: ActorParts): IdSet {
  const stored = parts.get(NOTIFIED_PART) as StoredNotified | undefined;
  return stored ? decodeNotified(stored) : IdSet.EMPTY;
}

/** The part after a subscription's setting changed; none if nothing changes. */
export function writeNotifiedSubscriber(parts: ActorParts, user: number, notified: boolean): Record<string, Json> {
  const { ids } = notifiedSubscribers(parts);
  if (ids.includes(user) === notified) return {};
  const next = notified ? [...ids, user] : ids.filter((id) => id !== user);
  return { [NOTIFIED_PART]: next.length === 0 ? null : { users: IdSet.of(next).encode() } };
}

const NOTHING: readonly OutboxCommand[] = [];

interface MissedContext {
  readonly directory: DirectoryView;
  readonly realm: RealmId;
  readonly now: number;
  readonly origin: string;
  readonly informed: InformedReceivers;
}

/** Commands to the actors of the users whom this new message may notify. */
export function missedMessageCommands(
  parts: ActorParts,
  message: StoredMessage,
  context: MissedContext,
): readonly OutboxCommand[] {
  const { directory } = context;
  let found: Map<number, OutboxCommand> | undefined;
  const consider = (id: number, personal: boolean): void => {
    if (id === message.sender || found?.has(id)) return;
    const command = commandTo(userId(id), personal, message, context);
    if (!command) return;
    found ??= new Map();
    found.set(id, command);
  };
  if (message.originStream === 0) for (const id of message.participants) consider(id, true);
  else {
    for (const id in message.body.flags) consider(Number(id), true);
    if (message.body.wildcard) for (const id of listMemberIds(parts)) consider(id, true);
    for (const id of directory.notifiedOfStreams()) if (isSubscriber(parts, id)) consider(id, false);
    for (const id of notifiedSubscribers(parts).ids) if (isSubscriber(parts, id)) consider(id, false);
  }
  return found ? [...found.values()] : NOTHING;
}

const isSubscriber = (parts: ActorParts, user: number): boolean => isCurrentMember(storedMember(parts, user));

/** @param personal the message concerns the user by a personal trigger: the settings for such must be on */
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
  return outboxCommand({
    to: userKey(realm, id),
    name: userCommands.missed,
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
