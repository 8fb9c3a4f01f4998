/**
 * A conversation tells of a message that may be pushed to the user's devices. It is pushed at once, if the settings say
 * so; later the notification is taken away when the message was read or deleted, or notifies the user no more.
 */
import { makeValueReply } from '#actors/shared';
import { type StoredMessage, toStoredMessage } from '#domain/messages';
import { decidePushNotificationTrigger, isUserAway } from '#domain/notifications';
import { readUserSettingByUserId } from '#domain/people';
import { type PresenceTimes, presenceReplicaOfDirectory } from '#domain/presence';
import { type ActorParts, presenceActorKey, pushActorKey, type UserId } from '#model';
import { makeOutboxCommand, presenceActorCommands, pushActorCommands, type userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import { makePushedMessagesRemoval, withPushedMessageAdded } from '../../pushed.js';
import { type UserCommandHandler, userIdOfUserActorKey } from '../../state.js';
import { listPushTokenPartNames } from '../account/push-tokens.js';
import { loadMessageReadingRights } from '../messages/on-message.js';
import { makeMessageReceiver } from './record.js';

/** undefined: the user is away, or it does not matter. */
type PresenceForPushDecision = PresenceTimes | undefined;

/** Decides whether a message is pushed. Never refuses; a repeat changes nothing. */
export const decidePushOfMessageHandler: UserCommandHandler<typeof userActorCommands.mayPush, PresenceForPushDecision> =
  {
    // Commands of the user need not wait for the presence.
    lane: 'push',
    async inputs(_message, { key, realm }, sources) {
      const directory = await sources.loadDirectory(realm);
      const self = userIdOfUserActorKey(key);
      if (readUserSettingByUserId(directory, self, 'enable_online_push_notifications')) return undefined;
      const replica = presenceReplicaOfDirectory(directory);
      await replica.fetchAtLeastNow((known) =>
        sources.askActor(presenceActorKey(realm), presenceActorCommands.presenceChanges, { known }),
      );
      return replica.presenceTimesOf(self);
    },
    handle({ state, parts }, message, presence, { key, realm, directory, now }) {
      const { id, sender, stream, wildcard, flags, originStream = stream } = message;
      const self = userIdOfUserActorKey(key);
      const nothing = { reply: makeValueReply(null) };
      if (state.pushed?.some(([known]) => known === id)) return nothing;
      const hasBrowser = directory.sessionsOf(self)?.sessions.some(({ push }) => push !== undefined);
      if (!hasBrowser && listPushTokenPartNames(parts).length === 0) return nothing;
      const receiver = makeMessageReceiver(self, message, parts, directory);
      const received = { sender, direct: stream === 0, wildcard, flags };
      const trigger = receiver && decidePushNotificationTrigger(received, receiver, isUserAway(presence, now));
      if (trigger === undefined) return nothing;
      const to = pushActorKey(realm, self);
      return {
        ...nothing,
        state: withPushedMessageAdded(state, id, originStream),
        commands: [
          [makeOutboxCommand({ to, name: pushActorCommands.notify, args: { message: id, trigger }, caller: 0 })],
        ],
      };
    },
  };

/** Messages by id; undefined: deleted, or out of the user's reach. */
type PushedMessagesAsTheyAre = ReadonlyMap<number, StoredMessage | undefined>;

/** Takes away notifications of changed messages that the user can't read now, or that have no reason to notify now. */
export const recheckPushesOfChangedMessagesHandler: UserCommandHandler<
  typeof userActorCommands.pushedChanged,
  PushedMessagesAsTheyAre
> = {
  // A decision about the same message comes first.
  lane: 'push',
  async inputs({ first, last }, context, sources) {
    const { pushed = [] } = context.view.state;
    const ids = pushed.map(([id]) => id).filter((id) => id >= first && id <= last);
    if (ids.length === 0) return new Map();
    const caller = userIdOfUserActorKey(context.key);
    const { reader } = await loadMessageReadingRights({ ...context, caller }, sources);
    const records = await sources.store.getMessages(context.realm, ids);
    const found = records.map((record) => record && reader.findReadableInAnyView(toStoredMessage(record)));
    return new Map((await Promise.all(found)).map((own, i) => [ids[i]!, own?.message]));
  },
  handle({ state, parts }, _args, messages, context) {
    const { directory } = context;
    const self = userIdOfUserActorKey(context.key);
    const mayStay = (message: StoredMessage | undefined): boolean =>
      message !== undefined && doesStoredMessageNotify(message, self, parts, directory);
    const gone = makePushedMessagesRemoval(state, (id) => messages.has(id) && !mayStay(messages.get(id)), context);
    return { reply: makeValueReply(null), ...(gone ? { state: gone.state, commands: [[gone.command]] } : {}) };
  },
};

/** True if a message as it is now has a reason to be pushed to the user while away. */
function doesStoredMessageNotify(
  { sender, body }: StoredMessage,
  self: UserId,
  parts: ActorParts,
  directory: DirectoryView,
): boolean {
  const receiver = makeMessageReceiver(self, body, parts, directory);
  const received = { sender, direct: body.stream === 0, wildcard: body.wildcard, flags: body.flags[self] };
  return receiver !== undefined && decidePushNotificationTrigger(received, receiver, true) !== undefined;
}

/** Messages that may have been pushed were deleted. Never refuses; a repeat changes nothing. */
export const removePushesOfDeletedMessagesHandler: UserCommandHandler<typeof userActorCommands.pushedGone> = {
  handle({ state }, { ids }, _inputs, context) {
    const gone = makePushedMessagesRemoval(state, (id) => ids.includes(id), context);
    if (!gone) return { reply: makeValueReply(null) };
    return { reply: makeValueReply(null), state: gone.state, commands: [[gone.command]] };
  },
};
