/**
 * Receivers with devices to which a message may be pushed. Their own actors decide; few accounts have devices, so the
 * others cost a look into a set.
 */
import type { StoredMessage } from '#domain/messages';
import { mayNotifyUser } from '#domain/notifications';
import { type ActorParts, type RealmId, toUserId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import { listStreamSubscriberIds } from './commands/members.js';
import { FLAGS_DERIVED_FROM_TEXT } from './editing/content.js';
import { forEachNewlyMentionedUser, forEachPossibleNotificationReceiver, messageFromViewOf } from './missed.js';

const NO_COMMANDS: readonly OutboxCommand[] = [];

/** Commands to the actors of the users to whom this new message may be pushed. */
export const makePushDecisionCommands = (
  parts: ActorParts,
  message: StoredMessage,
  directory: DirectoryView,
  realm: RealmId,
): readonly OutboxCommand[] =>
  makeDecisionCommandsFor(message, directory, realm, (listener) =>
    forEachPossibleNotificationReceiver(parts, message, directory, listener),
  );

/** Commands to the actors of the users whom an edit of a message mentions for the first time. */
export const makePushDecisionsAfterMentionsAdded = (
  parts: ActorParts,
  before: StoredMessage,
  after: StoredMessage,
  directory: DirectoryView,
  realm: RealmId,
): readonly OutboxCommand[] =>
  makeDecisionCommandsFor(after, directory, realm, (listener) =>
    forEachNewlyMentionedUser(parts, before, after, (user) => listener(user, true)),
  );

function makeDecisionCommandsFor(
  message: StoredMessage,
  directory: DirectoryView,
  realm: RealmId,
  forEachReceiver: (listener: (user: number, personal: boolean) => void) => void,
): readonly OutboxCommand[] {
  if (!directory.hasAnyPushDevice()) return NO_COMMANDS;
  let found: Map<number, OutboxCommand> | undefined;
  const { id, sender, originStream, body } = message;
  forEachReceiver((receiver, personal) => {
    if (receiver === sender || !directory.hasPushDevice(toUserId(receiver)) || found?.has(receiver)) return;
    const user = directory.user(toUserId(receiver));
    if (!user) return;
    const received = messageFromViewOf(user.id, message);
    if (!mayNotifyUser('push', received, user, directory, personal)) return;
    const { stream, topic } = body;
    const { wildcard, flags } = received;
    const args = { id, sender, stream, topic, wildcard, flags, originStream };
    found ??= new Map();
    found.set(
      receiver,
      makeOutboxCommand({ to: userActorKey(realm, user.id), name: userActorCommands.mayPush, args, caller: 0 }),
    );
  });
  return found ? [...found.values()] : NO_COMMANDS;
}

/**
 * Commands to the actors of those of these users who have devices: notifications of the changed messages may have to
 * go. The actors know what was pushed, and look at these messages again. They get a range of ids, which is as short for
 * a whole topic as for one message.
 */
export function makePushRecheckCommands(
  listUsers: () => readonly number[],
  changed: readonly StoredMessage[],
  directory: DirectoryView,
  realm: RealmId,
): readonly OutboxCommand[] {
  if (!directory.hasAnyPushDevice() || changed.length === 0) return NO_COMMANDS;
  const ids = changed.map(({ id }) => id).sort((a, b) => a - b);
  const args = { first: ids[0]!, last: ids.at(-1)! };
  return listUsers()
    .map(toUserId)
    .filter((user) => directory.hasPushDevice(user))
    .map((user) =>
      makeOutboxCommand({ to: userActorKey(realm, user), name: userActorCommands.pushedChanged, args, caller: 0 }),
    );
}

/** Commands to the actors of the users whom the text of a message mentioned or alerted before an edit only. */
export const makePushRechecksAfterMentionsRemoved = (
  parts: ActorParts,
  before: StoredMessage,
  after: StoredMessage,
  directory: DirectoryView,
  realm: RealmId,
): readonly OutboxCommand[] =>
  makePushRecheckCommands(() => listUsersLosingMention(parts, before, after), [after], directory, realm);

function listUsersLosingMention(parts: ActorParts, before: StoredMessage, after: StoredMessage): number[] {
  if (before.body.wildcard && !after.body.wildcard) return listStreamSubscriberIds(parts);
  return Object.entries(before.body.flags)
    .filter(([id, flags]) =>
      flags.some((flag) => FLAGS_DERIVED_FROM_TEXT.includes(flag) && !after.body.flags[id]?.includes(flag)),
    )
    .map(([id]) => Number(id));
}
