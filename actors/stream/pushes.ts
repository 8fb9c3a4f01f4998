/**
 * Receivers with devices to which a message may be pushed. Their own actors decide; few accounts have devices, so the
 * others cost a look into a set.
 */
import type { StoredMessage } from '#domain/messages';
import { mayNotifyByPersonalTrigger } from '#domain/notifications';
import { type ActorParts, type RealmId, toUserId, userActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import { forEachNewlyMentionedUser, forEachPossibleNotificationReceiver } from './missed.js';

const NO_COMMANDS: readonly OutboxCommand[] = [];
const NO_FLAGS: readonly string[] = [];

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
  const { id, sender, originStream: stream, body } = message;
  forEachReceiver((receiver, personal) => {
    if (receiver === sender || !directory.hasPushDevice(toUserId(receiver)) || found?.has(receiver)) return;
    const user = directory.user(toUserId(receiver));
    if (!user) return;
    const flags = body.flags[receiver] ?? NO_FLAGS;
    const received = { sender, direct: stream === 0, wildcard: body.wildcard, flags };
    if (personal && !mayNotifyByPersonalTrigger(received, user, directory)) return;
    const args = { id, sender, stream, topic: body.topic, wildcard: body.wildcard, flags };
    found ??= new Map();
    found.set(
      receiver,
      makeOutboxCommand({ to: userActorKey(realm, user.id), name: userActorCommands.mayPush, args, caller: 0 }),
    );
  });
  return found ? [...found.values()] : NO_COMMANDS;
}

/** Commands to the actors of the users whose devices may show notifications of these messages, which are deleted. */
export function makePushRemovalCommands(
  parts: ActorParts,
  messages: readonly StoredMessage[],
  directory: DirectoryView,
  realm: RealmId,
): readonly OutboxCommand[] {
  if (!directory.hasAnyPushDevice()) return NO_COMMANDS;
  const found = new Map<number, Set<number>>();
  for (const message of messages) {
    forEachPossibleNotificationReceiver(parts, message, directory, (user) => {
      if (!directory.hasPushDevice(toUserId(user))) return;
      const ids = found.get(user);
      if (ids) ids.add(message.id);
      else found.set(user, new Set([message.id]));
    });
  }
  return [...found].map(([user, ids]) =>
    makeOutboxCommand({
      to: userActorKey(realm, toUserId(user)),
      name: userActorCommands.pushedGone,
      args: { ids: [...ids] },
      caller: 0,
    }),
  );
}
