/**
 * Organizations that an import makes. Realm 0 reserves number and subdomain first. The import writes the organization's
 * records into the Store (src/app/exchange), and no process reads them before realm 0 lists the organization.
 *
 * One import runs at a time: its process holds a lease, which realm 0 keeps. A process that stood still until another
 * one took over may still write. That does no harm: its writes equal those of its successor, or belong to a number that
 * was dropped. Only the end is decisive, and realm 0 takes it from the holder alone.
 *
 * A drop marks the reservation, then removes records and blobs, then the reservation. So a drop that was killed can be
 * repeated, and no import continues with partly removed records. The mark is the lease of the drop: a second drop is
 * refused while the first lives, so none removes the reservation of an import that began after the first had ended.
 */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import { toRealmId } from '#model';
import type {
  DropRealmImportArgs,
  RealmImportLease,
  RealmImportReservation,
  realmActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryRealmEntry } from '#model/records';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  IMPORT_LEASE_PART_NAME,
  listRealmRecords,
  REALM_ENTRY_PART_PREFIX,
  UNFINISHED_IMPORT_PART_PREFIX,
} from '../../state.js';
import type { RealmCommandHandler } from '../command.js';

/** True if an import that has not ended has reserved the subdomain. */
export const isSubdomainReservedByImport = (parts: ActorParts, subdomain: string): boolean =>
  parts.has(`${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`);

/** Tells the command line whether such an import exists; the list of organizations does not show it. */
export const hasUnfinishedImportHandler: RealmCommandHandler<typeof realmActorCommands.hasUnfinishedImport> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ parts }, { subdomain }) => ({ reply: makeValueReply(isSubdomainReservedByImport(parts, subdomain)) }),
};

const findLease = (parts: ActorParts): RealmImportLease | undefined =>
  (parts.get(IMPORT_LEASE_PART_NAME) as RealmImportLease | null | undefined) ?? undefined;

/** Returns the lease if another process has it, unless the caller has seen that very lease stand still. */
function findLeaseOfOther(
  lease: RealmImportLease | undefined,
  holder: string,
  stale: RealmImportLease | null,
): RealmImportLease | undefined {
  if (!lease || lease.holder === holder) return undefined;
  return stale?.holder === lease.holder && stale.beat === lease.beat ? undefined : lease;
}

const findReservation = (parts: ActorParts, subdomain: string): RealmImportReservation | undefined =>
  parts.get(`${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`) as RealmImportReservation | undefined;

/**
 * Finds the lease of another process that imports this organization, or drops its import. Imports of others don't stand
 * in the way.
 */
function findLeaseOfSameImport(
  parts: ActorParts,
  { subdomain, holder, stale }: DropRealmImportArgs,
): RealmImportLease | undefined {
  const lease = findLeaseOfOther(findLease(parts), holder, stale);
  if (lease?.subdomain === subdomain) return lease;
  return findLeaseOfOther(findReservation(parts, subdomain)?.droppedBy, holder, stale);
}

export const reserveRealmForImportHandler: RealmCommandHandler<typeof realmActorCommands.beginImport> = {
  creates: true,
  lane: 'realms',
  handle({ state, parts }, { subdomain, source, seed, holder, place, stale }, _inputs, { now }) {
    const heldBy = findLeaseOfOther(findLease(parts), holder, stale);
    if (heldBy) return { reply: makeValueReply({ heldBy }) };
    const part = `${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`;
    const known = findReservation(parts, subdomain);
    if (known?.isDropped) throw apiError('IMPORT_DROPPED', { subdomain });
    if (known && known.source !== source) throw apiError('IMPORT_UNFINISHED', { subdomain });
    if ([...listRealmRecords(parts)].some((other) => other.subdomain === subdomain))
      throw apiError('IMPORT_SUBDOMAIN_TAKEN', { subdomain });
    const reserved: RealmImportReservation = known ?? { realm: state.nextRealm, source, seed, begun: now };
    const lease: RealmImportLease = { subdomain, holder, place, beat: 0 };
    return {
      reply: makeValueReply({ reserved }),
      ...(known ? {} : { state: { ...state, nextRealm: state.nextRealm + 1 } }),
      parts: { [part]: reserved as Json, [IMPORT_LEASE_PART_NAME]: lease as Json },
    };
  },
};

export const renewImportLeaseHandler: RealmCommandHandler<typeof realmActorCommands.renewImport> = {
  creates: true,
  lane: 'realms',
  handle({ parts }, { subdomain, holder }) {
    const known = findReservation(parts, subdomain);
    if (known?.droppedBy?.holder === holder) {
      const droppedBy = { ...known.droppedBy, beat: known.droppedBy.beat + 1 };
      return {
        reply: makeValueReply(true),
        parts: { [`${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`]: { ...known, droppedBy } as Json },
      };
    }
    const lease = findLease(parts);
    if (lease?.holder !== holder) return { reply: makeValueReply(false) };
    return {
      reply: makeValueReply(true),
      parts: { [IMPORT_LEASE_PART_NAME]: { ...lease, beat: lease.beat + 1 } as Json },
    };
  },
};

export const releaseImportLeaseHandler: RealmCommandHandler<typeof realmActorCommands.releaseImport> = {
  creates: true,
  lane: 'realms',
  handle: ({ parts }, { holder }) =>
    findLease(parts)?.holder === holder
      ? { reply: makeValueReply(null), parts: { [IMPORT_LEASE_PART_NAME]: null } }
      : { reply: makeValueReply(null) },
};

export const endRealmImportHandler: RealmCommandHandler<typeof realmActorCommands.endImport> = {
  lane: 'realms',
  handle({ parts }, { subdomain, deactivated, holder }) {
    const part = `${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`;
    const reserved = findReservation(parts, subdomain);
    if (findLease(parts)?.holder !== holder) {
      // The command is a repeat: the organization is open already.
      if (!reserved && [...listRealmRecords(parts)].some((realm) => realm.subdomain === subdomain))
        return { reply: makeValueReply(null) };
      throw apiError('IMPORT_TAKEN_OVER', { subdomain });
    }
    if (!reserved) throw apiError('IMPORT_TAKEN_OVER', { subdomain });
    const entry: DirectoryRealmEntry = { id: toRealmId(reserved.realm), subdomain, deactivated };
    return {
      reply: makeValueReply(null),
      parts: {
        [part]: null,
        [IMPORT_LEASE_PART_NAME]: null,
        [`${REALM_ENTRY_PART_PREFIX}${entry.id}`]: encodeDirectoryRecord(entry),
      },
      events: [makeDirectoryLogItem({ realm: entry })],
    };
  },
};

export const markRealmImportDroppedHandler: RealmCommandHandler<typeof realmActorCommands.markImportDropped> = {
  creates: true,
  lane: 'realms',
  handle({ parts }, args) {
    const { subdomain, holder, place } = args;
    const heldBy = findLeaseOfSameImport(parts, args);
    if (heldBy) return { reply: makeValueReply({ heldBy }) };
    const part = `${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`;
    const known = findReservation(parts, subdomain);
    if (!known) return { reply: makeValueReply({ reserved: null }) };
    const droppedBy: RealmImportLease = { subdomain, holder, place, beat: 0, isDrop: true };
    const reserved: RealmImportReservation = { ...known, isDropped: true, droppedBy };
    const endsLease = findLease(parts)?.subdomain === subdomain;
    return {
      reply: makeValueReply({ reserved }),
      parts: { [part]: reserved as Json, ...(endsLease ? { [IMPORT_LEASE_PART_NAME]: null } : {}) },
    };
  },
};

export const dropRealmImportReservationHandler: RealmCommandHandler<typeof realmActorCommands.dropImport> = {
  creates: true,
  lane: 'realms',
  handle({ parts }, args) {
    const { subdomain } = args;
    const heldBy = findLeaseOfSameImport(parts, args);
    if (heldBy) return { reply: makeValueReply({ heldBy }) };
    // A reservation without the mark belongs to an import that began later.
    const dropped = findReservation(parts, subdomain)?.isDropped === true;
    const endsLease = findLease(parts)?.subdomain === subdomain;
    return {
      reply: makeValueReply({ dropped }),
      parts: {
        ...(dropped ? { [`${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`]: null } : {}),
        ...(endsLease ? { [IMPORT_LEASE_PART_NAME]: null } : {}),
      },
    };
  },
};
