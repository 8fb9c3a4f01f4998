/**
 * Presences: the times at which users were last active and connected (users.md § Presence).
 *
 * Clients report to the presence actor (actors/presence), which keeps the times in memory. `replica.ts` is a process's
 * copy of them: it fetches the changes since its last request. `forms.ts` turns times into the slim and the legacy form
 * of the API, and decides about online, offline and the age at which a user is no longer listed.
 *
 * Invariants: a reply of an older request never replaces newer times. A list is encoded once per change for all
 * readers; for more than 200 users it may be up to a second old. Users who hide their presence are in no list.
 *
 * The presence actor, the snapshot of event queues and the frontend may import this folder.
 */
export {
  formatUserPresenceForApi,
  isPresenceHidden,
  makePresenceEvent,
  PRESENCE_OFFLINE_AFTER_SECONDS,
  type PresenceResponseForm,
  type PresenceTimes,
  toServerTimestampSeconds,
} from './forms.js';
export {
  type FetchPresenceChanges,
  type PresenceChanges,
  PresenceReplica,
  presenceReplicaOfDirectory,
} from './replica.js';
