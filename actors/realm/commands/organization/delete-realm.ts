/**
 * Deletion of an organization, from the command line (src/app/cli/exchange-target.ts). The organization's actor
 * decides: its phase `deleted` refuses every other command, so nothing brings the organization back. Realm 0 then marks
 * the entry, and all processes forget the organization. The command line removes the stored data, and the entry last.
 * So a deletion that was killed can be repeated, and the subdomain stays reserved until all data are removed. The
 * number is never used again.
 */

import { makeValueReply } from '#actors/shared';
import { SERVER_REALM_ID } from '#directory';
import { realmActorKey, toRealmId } from '#model';
import { makeOutboxCommand, realmActorCommands } from '#model/commands';
import { makeDirectoryLogItem } from '../../log-items.js';
import { encodeDirectoryRecord, findRealmRecord, REALM_ENTRY_PART_PREFIX } from '../../state.js';
import type { RealmCommandHandler } from '../command.js';

/** Begins the deletion. The phase follows from `machine.ts`. A repeat sends the mark again. */
export const deleteRealmHandler: RealmCommandHandler<typeof realmActorCommands.deleteRealm> = {
  handle: (_view, _args, _inputs, { realm }) => ({
    reply: makeValueReply(null),
    commands: [
      [
        makeOutboxCommand({
          to: realmActorKey(SERVER_REALM_ID),
          name: realmActorCommands.noteDeletion,
          args: { realm },
          caller: 0,
        }),
      ],
    ],
    replyAfterCommands: true,
  }),
};

/** Marks the entry of an organization that is being deleted. The organization's actor has decided. */
export const recordRealmDeletionHandler: RealmCommandHandler<typeof realmActorCommands.noteDeletion> = {
  lane: 'realms',
  handle({ parts }, { realm }) {
    const known = findRealmRecord(parts, realm);
    if (!known || known.isBeingDeleted) return { reply: makeValueReply(null) };
    const entry = { ...known, id: toRealmId(realm), deactivated: true, isBeingDeleted: true } as const;
    return {
      reply: makeValueReply(null),
      parts: { [`${REALM_ENTRY_PART_PREFIX}${realm}`]: encodeDirectoryRecord(entry) },
      events: [makeDirectoryLogItem({ realm: entry })],
    };
  },
};

/** Removes the entry of an organization whose data are removed. A repeat changes nothing. */
export const removeDeletedRealmEntryHandler: RealmCommandHandler<typeof realmActorCommands.endDeletion> = {
  lane: 'realms',
  handle: ({ parts }, { realm }) =>
    findRealmRecord(parts, realm)?.isBeingDeleted
      ? { reply: makeValueReply(null), parts: { [`${REALM_ENTRY_PART_PREFIX}${realm}`]: null } }
      : { reply: makeValueReply(null) },
};
