/** Deactivates an organization (realm.md), by an owner or from the command line, and reactivates it. */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import { SERVER_REALM_ID } from '#directory';
import { isOwner } from '#domain/people';
import { type RealmId, realmActorKey, toRealmId } from '#model';
import { makeOutboxCommand, type OutboxCommand, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryRealmEntry } from '#model/records';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import { encodeDirectoryRecord, findUserRecord, listRealmRecords, REALM_ENTRY_PART_PREFIX } from '../../state.js';
import type { RealmCommandHandler } from '../command.js';

const makeRecordRealmActiveStateCommands = (realm: RealmId, deactivated: boolean): OutboxCommand[] => [
  makeOutboxCommand({
    to: realmActorKey(SERVER_REALM_ID),
    name: realmActorCommands.noteActivity,
    args: { realm, deactivated },
    caller: 0,
  }),
];

/**
 * Deactivates the organization: its users are refused from then on, and waiting polls end with the event. The phase
 * follows from `machine.ts`.
 */
export const deactivateRealmHandler: RealmCommandHandler<typeof realmActorCommands.deactivate> = {
  handle({ parts }, _args, _inputs, { caller, realm, version }) {
    const acting = findUserRecord(parts, caller);
    if (caller !== 0 && !(acting && isOwner(acting))) throw apiError('OWNER_REQUIRED');
    return {
      reply: makeSuccessReply(undefined, version),
      events: [
        makeDirectoryLogItem({ deactivated: true }),
        makeEveryoneEventLogItem(version, { type: 'realm', op: 'deactivated', realm_id: realm }),
      ],
      commands: [makeRecordRealmActiveStateCommands(realm, true)],
      replyAfterCommands: true,
    };
  },
};

/** Reactivates the organization; only from the command line. */
export const reactivateRealmHandler: RealmCommandHandler<typeof realmActorCommands.reactivate> = {
  handle: (_view, _args, _inputs, { realm, version }) => ({
    reply: makeSuccessReply(undefined, version),
    events: [makeDirectoryLogItem({ deactivated: false })],
    commands: [makeRecordRealmActiveStateCommands(realm, false)],
    replyAfterCommands: true,
  }),
};

/**
 * Records at realm 0 whether an organization is active. The organization's actor has decided, so the command is never
 * refused. A repeat changes nothing.
 */
export const recordRealmActiveStateHandler: RealmCommandHandler<typeof realmActorCommands.noteActivity> = {
  lane: 'realms',
  handle({ parts }, { realm, deactivated }) {
    const known = [...listRealmRecords(parts)].find(({ id }) => id === toRealmId(realm));
    if (!known || known.deactivated === deactivated) return { reply: makeValueReply(null) };
    const entry: DirectoryRealmEntry = { ...known, deactivated };
    return {
      reply: makeValueReply(null),
      parts: { [`${REALM_ENTRY_PART_PREFIX}${realm}`]: encodeDirectoryRecord(entry) },
      events: [makeDirectoryLogItem({ realm: entry })],
    };
  },
};
