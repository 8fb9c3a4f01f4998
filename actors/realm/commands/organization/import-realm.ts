/**
 * Organizations that an import makes. Realm 0 reserves number and subdomain first. The import writes the organization's
 * records into the Store (src/app/exchange), and no process reads them before realm 0 lists the organization.
 */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import { toRealmId } from '#model';
import type { RealmImportReservation, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryRealmEntry } from '#model/records';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  listRealmRecords,
  REALM_ENTRY_PART_PREFIX,
  UNFINISHED_IMPORT_PART_PREFIX,
} from '../../state.js';
import type { RealmCommandHandler } from '../command.js';

/** True if an import that has not ended has reserved the subdomain. */
export const isSubdomainReservedByImport = (parts: ActorParts, subdomain: string): boolean =>
  parts.has(`${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`);

export const reserveRealmForImportHandler: RealmCommandHandler<typeof realmActorCommands.beginImport> = {
  creates: true,
  lane: 'realms',
  handle({ state, parts }, { subdomain, source, seed }, _inputs, { now }) {
    const part = `${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`;
    const known = parts.get(part) as RealmImportReservation | undefined;
    if (known) {
      if (known.source !== source) throw apiError('IMPORT_UNFINISHED', { subdomain });
      return { reply: makeValueReply(known) };
    }
    for (const other of listRealmRecords(parts)) if (other.subdomain === subdomain) throw apiError('INVALID_SUBDOMAIN');
    const reserved: RealmImportReservation = { realm: state.nextRealm, source, seed, begun: now };
    return {
      reply: makeValueReply(reserved),
      state: { ...state, nextRealm: state.nextRealm + 1 },
      parts: { [part]: reserved as Json },
    };
  },
};

export const endRealmImportHandler: RealmCommandHandler<typeof realmActorCommands.endImport> = {
  lane: 'realms',
  handle({ parts }, { subdomain, deactivated }) {
    const part = `${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`;
    const reserved = parts.get(part) as RealmImportReservation | undefined;
    // The command is a repeat: the organization is open already.
    if (!reserved) return { reply: makeValueReply(null) };
    const entry: DirectoryRealmEntry = { id: toRealmId(reserved.realm), subdomain, deactivated };
    return {
      reply: makeValueReply(null),
      parts: { [part]: null, [`${REALM_ENTRY_PART_PREFIX}${entry.id}`]: encodeDirectoryRecord(entry) },
      events: [makeDirectoryLogItem({ realm: entry })],
    };
  },
};

export const dropRealmImportReservationHandler: RealmCommandHandler<typeof realmActorCommands.dropImport> = {
  creates: true,
  lane: 'realms',
  handle({ parts }, { subdomain }) {
    if (!isSubdomainReservedByImport(parts, subdomain)) return { reply: makeValueReply(false) };
    return { reply: makeValueReply(true), parts: { [`${UNFINISHED_IMPORT_PART_PREFIX}${subdomain}`]: null } };
  },
};
