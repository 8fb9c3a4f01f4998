/**
 * Organizations that an import makes. Realm 0 reserves number and subdomain first. The import writes the organization's
 * records into the Store (src/app/exchange), and no process looks at them before realm 0 lists the organization here.
 */

import { valueReply } from '#actors/shared';
import type { Json } from '#base';
import { realmId } from '#model';
import type { ImportReservation, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { RealmEntry } from '#model/records';
import { directoryLogItem } from '../../log-items.js';
import { type ActorParts, encodeRecord, IMPORT_PART_PREFIX, REALM_PART_PREFIX, realmRecords } from '../../state.js';
import type { RealmCommand } from '../command.js';

/** True if an import that has not ended has reserved the subdomain. */
export const isReservedByImport = (parts: ActorParts, subdomain: string): boolean =>
  parts.has(`${IMPORT_PART_PREFIX}${subdomain}`);

export const beginImportHandler: RealmCommand<typeof realmCommands.beginImport> = {
  creates: true,
  lane: 'realms',
  handle({ state, parts }, { subdomain, source, seed }, _inputs, { now }) {
    const part = `${IMPORT_PART_PREFIX}${subdomain}`;
    const known = parts.get(part) as ImportReservation | undefined;
    if (known) {
      if (known.source !== source) throw apiError('IMPORT_UNFINISHED', { subdomain });
      return { reply: valueReply(known) };
    }
    for (const other of realmRecords(parts)) if (other.subdomain === subdomain) throw apiError('INVALID_SUBDOMAIN');
    const reserved: ImportReservation = { realm: state.nextRealm, source, seed, begun: now };
    return {
      reply: valueReply(reserved),
      state: { ...state, nextRealm: state.nextRealm + 1 },
      parts: { [part]: reserved as Json },
    };
  },
};

export const endImportHandler: RealmCommand<typeof realmCommands.endImport> = {
  lane: 'realms',
  handle({ parts }, { subdomain, deactivated }) {
    const part = `${IMPORT_PART_PREFIX}${subdomain}`;
    const reserved = parts.get(part) as ImportReservation | undefined;
    // A repeat: the organization is open.
    if (!reserved) return { reply: valueReply(null) };
    const entry: RealmEntry = { id: realmId(reserved.realm), subdomain, deactivated };
    return {
      reply: valueReply(null),
      parts: { [part]: null, [`${REALM_PART_PREFIX}${entry.id}`]: encodeRecord(entry) },
      events: [directoryLogItem({ realm: entry })],
    };
  },
};

export const dropImportHandler: RealmCommand<typeof realmCommands.dropImport> = {
  creates: true,
  lane: 'realms',
  handle({ parts }, { subdomain }) {
    if (!isReservedByImport(parts, subdomain)) return { reply: valueReply(false) };
    return { reply: valueReply(true), parts: { [`${IMPORT_PART_PREFIX}${subdomain}`]: null } };
  },
};
