/** Deactivates an organization (realm.md), by an owner or from the command line, and reactivates it. */

import { successReply, valueReply } from '#actors/shared';
import { SERVER_REALM_ID } from '#directory';
import { isOwner } from '#domain/people';
import { type RealmId, realmId, realmKey } from '#model';
import { type OutboxCommand, outboxCommand, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { RealmEntry } from '#model/records';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import { encodeRecord, REALM_PART_PREFIX, realmRecords, userRecord } from '../../state.js';
import type { RealmCommand } from '../command.js';

const toServer = (realm: RealmId, deactivated: boolean): OutboxCommand[] => [
  outboxCommand({
    to: realmKey(SERVER_REALM_ID),
    name: realmCommands.noteActivity,
    args: { realm, deactivated },
    caller: 0,
  }),
];

/**
 * Deactivates the organization: its users are refused from then on, and waiting polls end with the event. The phase
 * follows from `machine.ts`.
 */
export const deactivateRealmHandler: RealmCommand<typeof realmCommands.deactivate> = {
  handle({ parts }, _args, _inputs, { caller, realm, version }) {
    const acting = userRecord(parts, caller);
    if (caller !== 0 && !(acting && isOwner(acting))) throw apiError('OWNER_REQUIRED');
    return {
      reply: successReply(undefined, version),
      events: [
        directoryLogItem({ deactivated: true }),
        everyoneEventItem(version, { type: 'realm', op: 'deactivated', realm_id: realm }),
      ],
      commands: [toServer(realm, true)],
      replyAfterCommands: true,
    };
  },
};

/** Reactivates the organization; only from the command line. */
export const reactivateRealmHandler: RealmCommand<typeof realmCommands.reactivate> = {
  handle: (_view, _args, _inputs, { realm, version }) => ({
    reply: successReply(undefined, version),
    events: [directoryLogItem({ deactivated: false })],
    commands: [toServer(realm, false)],
    replyAfterCommands: true,
  }),
};

/**
 * Records at realm 0 whether an organization is active. The organization's actor has decided, so the command is never
 * refused. A repeat changes nothing.
 */
export const recordRealmActivityHandler: RealmCommand<typeof realmCommands.noteActivity> = {
  lane: 'realms',
  handle({ parts }, { realm, deactivated }) {
    const known = [...realmRecords(parts)].find(({ id }) => id === realmId(realm));
    if (!known || known.deactivated === deactivated) return { reply: valueReply(null) };
    const entry: RealmEntry = { ...known, deactivated };
    return {
      reply: valueReply(null),
      parts: { [`${REALM_PART_PREFIX}${realm}`]: encodeRecord(entry) },
      events: [directoryLogItem({ realm: entry })],
    };
  },
};
