/**
 * The presence actor: one per organization. It knows when each user was last active and connected.
 *
 * State: memory (`presences.ts`) is the only complete copy. Parts (`seen/`) hold the times of 256 users each. The
 * sidecar (`sidecar.ts`) writes changes once a minute and before the actor leaves memory. Without phases.
 *
 * Commands (`commands.ts`): `report` comes from clients once a minute; `presences` and `presenceChanges` are reads,
 * with a cursor, so that an asking process gets only changes; `switched` comes from the realm actor when a user changes
 * the setting `presence_enabled`, or is deactivated; `flush` comes from the sidecar.
 *
 * Invariants: a report changes memory only, except for the first one, which creates the root. A crash loses at most one
 * minute, which the next reports restore. A cursor of another activation counts as none.
 *
 * Importers: src/app, which hosts the kind.
 */
export { presenceActorKind } from './kind.js';
