/** Memberships that commands need for the streams they name. */
import { askStreamForSubscribers } from '#actors/shared';
import type { StreamSubscribersReply } from '#model/commands';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../services.js';
import { findStreamRecord, type RealmActorState } from '../state.js';
import type { RealmMemoryState } from '../volatile.js';

/** Ids of the named private streams that the caller is subscribed to. */
export type OwnPrivateStreamIds = ReadonlySet<number>;

/** Asks each private stream among the named ones for its members. @param names unknown names are left out */
export async function loadOwnPrivateStreamIdsByNames(
  names: readonly string[],
  { realm, caller, view }: CommandInputContext<RealmActorState, RealmMemoryState>,
  sources: ActorInputSources,
): Promise<OwnPrivateStreamIds> {
  const named = new Set(names.map((name) => view.volatile.findStreamIdByName(name)));
  const ids = [...named].filter(
    (id): id is number => id !== undefined && !!findStreamRecord(view.parts, id)?.inviteOnly,
  );
  const memberships = await Promise.all(ids.map((id) => askStreamForSubscribers(realm, id, sources)));
  return new Set(ids.filter((_, i) => memberships[i]!.members.includes(caller)));
}

/** Members of the stream that a command names; undefined for a stream that does not exist. */
export async function loadSubscribersOfArgsStream(
  { stream_id }: { readonly stream_id: number },
  { realm, view }: CommandInputContext<RealmActorState, RealmMemoryState>,
  sources: ActorInputSources,
): Promise<StreamSubscribersReply | undefined> {
  return findStreamRecord(view.parts, stream_id) && askStreamForSubscribers(realm, stream_id, sources);
}
