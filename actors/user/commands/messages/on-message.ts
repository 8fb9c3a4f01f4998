/**
 * Entrance of commands on one message: the caller's own actor finds the message, checks the caller's access, and
 * redirects to the actor that owns the message.
 */

import { messageOwnerActorKey } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import {
  type MessageViewerContext,
  type ReadableMessage,
  toStoredMessage,
  UserMessageFlagsView,
  UserMessageReader,
} from '#domain/messages';
import { TOPIC_VISIBILITY_POLICY, topicVisibilityPolicyOf } from '#domain/streams';
import { type RealmId, toUserId } from '#model';
import {
  type ActorCommandName,
  type ActorFieldsReply,
  type CallerHasCopyArgs,
  makeRedirectCommand,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { CommandInputContext } from '#runtime';
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
    inputs: ({ message_id }, context, sources) => loadAccessibleMessage(message_id, context, sources),
    handle(_view, args, own, { realm }) {
      if (!own) throw apiError('INVALID_MESSAGES');
      const to = messageOwnerActorKey(realm, own.message);
      return { reply: { forward: makeRedirectCommand({ to, command, args: { ...args, copy: own.copy } }) } };
    },
  };
}
