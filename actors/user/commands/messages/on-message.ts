/**
 * Entrance of commands on one message: the caller's own actor finds the message, checks that the caller may read it,
 * and redirects to the actor that owns the message, which checks whether the caller may change it.
 */

import { messageOwnerActorKey } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import {
  type MessageViewerContext,
  type ReadableMessage,
  type StoredMessage,
  toStoredMessage,
  UserMessageFlagsView,
  UserMessageReader,
} from '#domain/messages';
import {
  isCurrentStreamMember,
  mayAccessStream,
  streamMemberPartAddress,
  TOPIC_VISIBILITY_POLICY,
  topicVisibilityPolicyOf,
  toStreamMembershipRecord,
} from '#domain/streams';
import { type RealmId, toStreamId, toUserId } from '#model';
import {
  type ActorCommandName,
  type ActorFieldsReply,
  type CallerHasCopyArgs,
  makeRedirectCommand,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser, DirectoryView } from '#model/records';
import { type CommandInputContext, CommandTooEarlyError } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import {
  isSubscribedToStream,
  listPresentAndFormerSubscriptions,
  type UserActorHandler,
  type UserActorState,
} from '../../state.js';

export interface MessageReadingRights {
  readonly reader: UserMessageReader;
  readonly viewer: MessageViewerContext;
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly isSubscribed: (stream: number) => boolean;
  readonly flags: UserMessageFlagsView;
}

/** Rights of the caller to read messages. @throws ApiError if the caller has no account */
export async function loadMessageReadingRights(
  { realm, caller, view }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<MessageReadingRights> {
  const directory = await sources.loadDirectory(realm);
  const user = directory.user(toUserId(caller));
  if (!user) throw apiError('ACCOUNT_DEACTIVATED');
  const viewer = makeMessageViewerContext(view.parts, realm, user, directory);
  const { subscribed, flags } = viewer;
  return {
    reader: new UserMessageReader(sources.store, viewer),
    viewer,
    user,
    directory,
    isSubscribed: subscribed,
    flags,
  };
}

function makeMessageViewerContext(
  parts: ReadonlyMap<string, Json>,
  realm: RealmId,
  user: DirectoryUser,
  directory: DirectoryView,
): MessageViewerContext {
  const own = listPresentAndFormerSubscriptions(parts);
  return {
    realm,
    user,
    directory,
    flags: new UserMessageFlagsView(user.id, parts),
    streams: own.map((of) => of.stream),
    subscribed: (stream) => isSubscribedToStream(parts, stream),
    mutedStreams: new Set(own.filter((of) => of.active && of.muted).map((of) => of.stream)),
    mutesTopic: (stream, topic) => topicVisibilityPolicyOf(parts, stream, topic) === TOPIC_VISIBILITY_POLICY.muted,
    followsTopic: (stream, topic) => topicVisibilityPolicyOf(parts, stream, topic) === TOPIC_VISIBILITY_POLICY.followed,
  };
}

/** The message as the caller sees it; undefined: it is absent, or the caller has no access. */
export async function loadAccessibleMessage(
  id: number,
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<ReadableMessage | undefined> {
  const { reader } = await loadMessageReadingRights(context, sources);
  const [record] = await sources.store.getMessages(context.realm, [id]);
  return record ? reader.findReadableInAnyView(toStoredMessage(record)) : undefined;
}

/** False if the message's stream doesn't know yet that the caller has joined it, and would refuse the caller. */
async function isOwnSubscriptionKnownToStream(
  { body: { stream: id } }: StoredMessage,
  { realm, caller, view }: CommandInputContext<UserActorState, undefined>,
  { store, loadDirectory }: ActorInputSources,
): Promise<boolean> {
  if (id === 0 || !isSubscribedToStream(view.parts, id)) return true;
  const directory = await loadDirectory(realm);
  const user = directory.user(toUserId(caller));
  const stream = directory.stream(toStreamId(id));
  // Streams have no members whose accounts are deactivated, though these accounts keep their subscriptions.
  if (!user?.isActive || !stream || stream.archived || mayAccessStream(user, stream, false)) return true;
  const [part] = await store.getParts([streamMemberPartAddress(realm, id, caller)]);
  return isCurrentStreamMember(toStreamMembershipRecord(part?.value));
}

/** Like `loadAccessibleMessage`, for a change of the message. @throws CommandTooEarlyError */
async function loadMessageToChange(
  id: number,
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<ReadableMessage | undefined> {
  const own = await loadAccessibleMessage(id, context, sources);
  if (own && !(await isOwnSubscriptionKnownToStream(own.message, context, sources))) throw new CommandTooEarlyError();
  return own;
}

/**
 * Makes the handler of a command on one message, which redirects to the actor that owns the message.
 * @param command command of the owning actor; it gets the arguments of the request, and `copy`
 */
export function makeMessageOwnerRedirectHandler<A extends { readonly message_id: number } & JsonObject>(
  command: ActorCommandName<'stream' | 'dm', A & CallerHasCopyArgs, ActorFieldsReply>,
): UserActorHandler<A, ReadableMessage | undefined> {
  return {
    lane: 'read',
    read: true,
    inputs: ({ message_id }, context, sources) => loadMessageToChange(message_id, context, sources),
    handle(_view, args, own, { realm }) {
      if (!own) throw apiError('INVALID_MESSAGES');
      const to = messageOwnerActorKey(realm, own.message);
      return { reply: { forward: makeRedirectCommand({ to, command, args: { ...args, copy: own.copy } }) } };
    },
  };
}
