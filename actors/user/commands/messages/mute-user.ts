/**
 * POST /users/me/muted_users/{id}: the caller's own actor marks the unread messages of that user as read, then
 * redirects to the realm actor, which stores the mute and publishes it (events.md § Order within one action).
 */

import { makeMessagesReadEvents } from '#actors/shared';
import {
  DIRECT_MESSAGES_ORIGIN,
  MAX_LISTED_UNREAD_MESSAGES,
  planMarkingMessagesRead,
  type ReadableMessage,
  type StoredMessage,
  UnreadMessageScan,
  UserMessageFlagsView,
} from '#domain/messages';
import { MAX_MUTED_USERS_PER_USER } from '#domain/people';
import { realmActorKey, toUserId } from '#model';
import { makeRedirectCommand, realmActorCommands, type userActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { listPresentAndFormerSubscriptions, type UserActorState, type UserCommandHandler } from '../../state.js';

export const markReadAndRedirectMuteHandler: UserCommandHandler<
  typeof userActorCommands.muteUser,
  readonly ReadableMessage[]
> = {
  // The lane is separate, because the reads of this command may take long and must not keep other commands waiting.
  lane: 'mute-user',
  inputs: ({ muted_user_id }, context, sources) => loadUnreadMessagesOfSender(muted_user_id, context, sources),
  handle({ parts }, args, found, { directory, caller, realm }) {
    const { muted_user_id } = args;
    if (muted_user_id === caller) throw apiError('CANNOT_MUTE_SELF');
    const target = directory.user(toUserId(muted_user_id));
    if (!target || target.botType !== null) throw apiError('NO_SUCH_USER');
    const { muted } = directory.preferencesOf(toUserId(caller));
    if (muted.some(({ id }) => id === muted_user_id)) throw apiError('USER_ALREADY_MUTED');
    checkParameterItemCount('muted_users', muted.length + 1, MAX_MUTED_USERS_PER_USER);
    const flags = new UserMessageFlagsView(caller, parts);
    const read = planMarkingMessagesRead(flags, found);
    return {
      reply: { forward: makeRedirectCommand({ to: realmActorKey(realm), command: realmActorCommands.muteUser, args }) },
      ...(read.changed.length > 0 ? { parts: read.parts, events: makeMessagesReadEvents(caller, read.changed) } : {}),
    };
  },
};

/** Unread messages of one sender, from the oldest on; at most about as many as a registration contains. */
async function loadUnreadMessagesOfSender(
  sender: number,
  { realm, caller, view }: CommandInputContext<UserActorState, undefined>,
  { store }: ActorInputSources,
): Promise<ReadableMessage[]> {
  const flags = new UserMessageFlagsView(caller, view.parts);
  const scan = new UnreadMessageScan(store, realm, caller);
  const origins = [
    DIRECT_MESSAGES_ORIGIN,
    ...listPresentAndFormerSubscriptions(view.parts).flatMap((own) => (own.active ? [own.stream] : [])),
  ];
  const excepted = await scan.loadMessagesUnreadBelowReadMark(
    flags.allUnreadExceptionIds(),
    flags.makePersonalCopyLookup(),
  );
  const found: StoredMessage[] = excepted.filter((message) => message.sender === sender);
  const floor = Math.min(...origins.map((origin) => flags.readStateOf(origin).mark));
  for await (const batch of scan.scanOriginalCopiesUpwards({ by: 'sender', sender }, floor)) {
    found.push(...batch.filter((message) => !flags.isRead({ message, copy: true, gained: false })));
    if (found.length >= MAX_LISTED_UNREAD_MESSAGES) break;
  }
  const once = new Map(found.map((message) => [message.id, message]));
  return [...once.values()].map((message) => ({ message, copy: true, gained: false }));
}
