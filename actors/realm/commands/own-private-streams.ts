/** Memberships that commands need for the streams they name: whether the caller may use a private one. */
import { readMembership } from '#actors/shared';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../services.js';
import { type RealmState, streamRecord } from '../state.js';
import type { RealmVolatile } from '../volatile.js';

/** Ids of the named private streams that the caller is subscribed to. */
export type OwnPrivateStreams = ReadonlySet<number>;

/** Asks each private stream among the named ones for its members. @param names unknown names are left out */
export async function loadOwnPrivateStreams(
  names: readonly string[],
  { realm, caller, view }: InputContext<RealmState, RealmVolatile>,
  sources: InputSources,
): Promise<OwnPrivateStreams> {
  const named = new Set(names.map((name) => view.volatile.streamByName(name)));
  const ids = [...named].filter((id): id is number => id !== undefined && !!streamRecord(view.parts, id)?.inviteOnly);
  const memberships = await Promise.all(ids.map((id) => readMembership(realm, id, sources)));
  return new Set(ids.filter((_, i) => memberships[i]!.members.includes(caller)));
}
