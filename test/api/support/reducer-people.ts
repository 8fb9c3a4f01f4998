/**
 * The reducer's part for status and presence. Events do not keep presence exact: a report without news changes times
 * without an event. Exact is only which users are not offline, after an event.
 */
import type { State } from './reducer.js';
import type { ApiEvent, ApiUser, Fields } from './types.js';

type ByUser = Readonly<Record<string, Fields>>;

const OFFLINE_SECONDS = 200;

const timesOf = (presence: Fields): number[] =>
  Object.values(presence).map((of) => Number(typeof of === 'object' && of ? (of as Fields).timestamp : of));

/** Keys of active accounts that are not offline. */
export function online(state: State, now: number): string[] {
  const active = new Set((state.realm_users as ApiUser[]).flatMap((user) => [String(user.user_id), user.email]));
  return Object.entries(state.presences as ByUser)
    .filter(([key, presence]) => active.has(key) && Math.max(...timesOf(presence)) >= now - OFFLINE_SECONDS)
    .map(([key]) => key)
    .sort();
}

/** Keeps the statuses of active accounts. */
export function ofActive(state: State): ByUser {
  const active = new Set((state.realm_users as ApiUser[]).map((user) => String(user.user_id)));
  return Object.fromEntries(Object.entries(state.user_status as ByUser).filter(([id]) => active.has(id)));
}

/** New parts of a status replace the old ones; empty parts clear them. */
function statusChanged(before: Fields, { id: _, type: __, user_id: ___, ...given }: ApiEvent): Fields {
  const { away, status_text, emoji_name, emoji_code, reaction_type } = { ...before, ...given } as Fields;
  return {
    ...(away ? { away } : {}),
    ...(status_text ? { status_text } : {}),
    ...(emoji_name ? { emoji_name, emoji_code, reaction_type } : {}),
  };
}

/** @returns undefined for events of other parts. */
export function applyPeople(state: State, event: ApiEvent): State | undefined {
  switch (event.type) {
    case 'presence': {
      const { website } = event.presence as { website: Fields };
      const key = String(event.email ?? event.user_id);
      const slim = {
        active_timestamp: website.status === 'active' ? website.timestamp : 0,
        idle_timestamp: website.timestamp,
      };
      const presence = event.email === undefined ? slim : { aggregated: website, website };
      const presences = { ...(state.presences as ByUser), [key]: presence };
      return { ...state, presences, server_timestamp: event.server_timestamp };
    }
    case 'user_status': {
      const { [String(event.user_id)]: before = {}, ...others } = state.user_status as ByUser;
      const after = statusChanged(before, event);
      const says = Object.keys(after).length > 0;
      return { ...state, user_status: says ? { ...others, [String(event.user_id)]: after } : others };
    }
    default:
      return undefined;
  }
}
