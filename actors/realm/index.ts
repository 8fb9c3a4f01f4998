/**
 * The realm actor: one organization. It owns the directory (accounts, streams, groups, settings, profiles,
 * preferences), the rules about them, and the sequence of message ids. Realm 0 is the server itself: it lists the
 * organizations.
 *
 * State: the root (`state.ts`) holds settings and counters; each record of the directory is a part, as are
 * invitations, uploads, counts of mails and data exports (`data-exports.ts`). All of them stay loaded. `volatile.ts`
 * indexes unique names; `sidecar.ts` runs data exports, and returns unused message ids when the actor leaves memory;
 * `machine.ts` has the phases, active and deactivated.
 *
 * Commands: `kind.ts` lists them by area, and each area is a folder of `commands/`. A handler checks the caller
 * (`commands/callers.ts`), then returns parts, log items (`log-items.ts`) and commands to user and stream actors. A
 * change of an account goes through `commands/accounts/account-changes.ts`, where other areas add their effects.
 *
 * Invariants:
 * - Every change of the directory is in the same commit as the log item from which replicas learn it, and only such
 *   commits set `directoryVersion`.
 * - Commands that join, leave or judge by membership share the exclusive lane `directory`. Follow-up commands that
 *   the realm sends to itself have lanes of their own, because the sending lane waits for them.
 * - User actors get commands before stream actors, so a joining user has the stream before its first event.
 * - Message ids are handed out once and ascend; only a crash skips ids.
 *
 * Imported by the server, which registers the kind, and by import and export (src/app/exchange), which write and read
 * the stored form. Other actors use only the commands declared in `#model/commands`.
 */
export { makePasswordInvitationsPart } from './commands/accounts/password-invitations.js';
export { nextDigestPlanningTime } from './commands/organization/weekly-digest.js';
export { realmActorKind } from './kind.js';
export {
  DIRECT_GROUP_RECIPIENT_PART_PREFIX,
  DIRECTORY_RECORD_PART_PREFIXES,
  DIRECTORY_SINGLETON_PART_NAMES,
  type RealmActorState,
  STREAM_TRAFFIC_PART_PREFIX,
} from './state.js';
