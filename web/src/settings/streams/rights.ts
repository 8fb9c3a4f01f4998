/** The reader's permissions for streams; the server decides in the end. */
import { core } from '../../client/index.js';
import { ROLE, type Stream } from '../../core/index.js';

export type StreamKind = 'public' | 'web-public' | 'private-shared' | 'private';

export const mayCreateStreams = (): boolean => listCreatableStreamKinds().length > 0;

/** Kinds of streams that the reader may create. */
export function listCreatableStreamKinds(): readonly StreamKind[] {
  const { me, realm } = core.state;
  const kinds: StreamKind[] = [];
  if (me.isAllowedByPolicyNamed('create_public_stream_policy')) kinds.push('public');
  const isWeb = realm.value.server_web_public_streams_enabled && realm.value.realm_enable_spectator_access;
  if (isWeb && me.isAllowedByPolicyNamed('create_web_public_stream_policy')) kinds.push('web-public');
  if (me.isAllowedByPolicyNamed('create_private_stream_policy')) kinds.push('private-shared', 'private');
  return kinds;
}

export const mayEditAnyStream = (): boolean => core.state.me.isAdmin;

export const maySetStreamRetention = (): boolean => core.state.me.role === ROLE.owner;

/** Whether the reader may subscribe other people to the stream. */
export function maySubscribeOthers(stream: Stream): boolean {
  const { me } = core.state;
  return (
    me.isAllowedByPolicyNamed('invite_to_stream_policy') && (!stream.invite_only || stream.membership === 'subscribed')
  );
}

/** Whether the reader may end the subscriptions of others. */
export function mayRemoveSubscribers(stream: Stream): boolean {
  const { me, people } = core.state;
  return me.isAdmin || people.isInGroupOrSubgroup(me.id, stream.can_remove_subscribers_group_id ?? 0);
}

export function maySubscribeSelf(stream: Stream): boolean {
  const { me } = core.state;
  if (me.id === 0) return false;
  return me.isGuest ? stream.is_web_public : !stream.invite_only;
}

export function findStreamKind(stream: Stream): StreamKind {
  if (stream.is_web_public) return 'web-public';
  if (!stream.invite_only) return 'public';
  return stream.history_public_to_subscribers ? 'private-shared' : 'private';
}

/** The parameters that make a kind. */
export const STREAM_KIND_FLAGS = {
  public: { private: false, web: false, history: true },
  'web-public': { private: false, web: true, history: true },
  'private-shared': { private: true, web: false, history: true },
  private: { private: true, web: false, history: false },
} as const satisfies Record<StreamKind, object>;

/** System groups that may be allowed to remove subscribers. */
export function listRemoverGroups(): readonly { readonly id: number; readonly name: string }[] {
  return [...core.state.people.groupById.value.values()]
    .filter(({ is_system_group, name }) => is_system_group && REMOVER_GROUP_NAMES.has(name))
    .map(({ id, name }) => ({ id, name }));
}

const REMOVER_GROUP_NAMES = new Set([
  '@role:administrators',
  '@role:moderators',
  '@role:fullmembers',
  '@role:members',
  '@role:everyone',
]);
