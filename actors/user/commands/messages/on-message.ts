/**
 * Entrance of commands on one message: the caller's own actor finds the message, checks the caller's access, and
 * redirects to the actor that owns the message.
 */

import { owningActorKey } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { MessageReader, type MessageViewer, type ReadableMessage, toStoredMessage, UserFlags } from '#domain/messages';
import { TOPIC_POLICY, topicPolicyOf } from '#domain/streams';
import { type RealmId, userId } from '#model';
import { type CallerCopyArgs, type Command, type FieldsReply, redirectCommand } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../../services.js';
import { isSubscribed, subscriptionsOf, type UserHandler, type UserState } from '../../state.js';

export interface ReadingRights {
  readonly reader: MessageReader;
  readonly viewer: MessageViewer;
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly subscribed: (stream: number) => boolean;
  readonly flags: UserFlags;
}

/** Rights of the caller to read messages. @throws ApiError if the caller has no account */
export async function loadReadingRights(
  { realm, caller, view }: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<ReadingRights> {
  const directory = await sources.directory(realm);
  const user = directory.user(userId(caller));
  if (!user) throw apiError('ACCOUNT_DEACTIVATED');
  const viewer = viewerOf(view.parts, realm, user, directory);
  const { subscribed, flags } = viewer;
  return { reader: new MessageReader(sources.store, viewer), viewer, user, directory, subscribed, flags };
}

function viewerOf(
  parts: ReadonlyMap<string, Json>,
  realm: RealmId,
  user: DirectoryUser,
  directory: DirectoryView,
): MessageViewer {
  const own = subscriptionsOf(parts);
  return {
    realm,
    user,
    directory,
    flags: new UserFlags(user.id, parts),
    streams: own.map((of) => of.stream),
    subscribed: (stream) => isSubscribed(parts, stream),
    mutedStreams: new Set(own.filter((of) => of.active && of.muted).map((of) => of.stream)),
    mutesTopic: (stream, topic) => topicPolicyOf(parts, stream, topic) === TOPIC_POLICY.muted,
  };
}

/** The message as the caller sees it; undefined: it is absent, or the caller has no access. */
export async function accessibleMessage(
  id: number,
  context: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<ReadableMessage | undefined> {
  const { reader } = await loadReadingRights(context, sources);
  const [record] = await sources.store.getMessages(context.realm, [id]);
  return record ? reader.access(toStoredMessage(record)) : undefined;
}

/**
 * Makes the handler of a command on one message, which redirects to the actor that owns the message.
 * @param command command of the owning actor; it gets the arguments of the request, and `copy`
 */
export function redirectToMessageOwner<A extends { readonly message_id: number } & JsonObject>(
  command: Command<'stream' | 'dm', A & CallerCopyArgs, FieldsReply>,
): UserHandler<A, ReadableMessage | undefined> {
  return {
    lane: 'read',
    read: true,
    inputs: ({ message_id }, context, sources) => accessibleMessage(message_id, context, sources),
    handle(_view, args, own, { realm }) {
      if (!own) throw apiError('INVALID_MESSAGES');
      const to = owningActorKey(realm, own.message);
      return { reply: { forward: redirectCommand({ to, command, args: { ...args, copy: own.copy } }) } };
    },
  };
}
