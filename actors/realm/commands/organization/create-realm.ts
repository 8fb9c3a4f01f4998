/**
 * New organizations. Realm 0, the server itself, reserves number and subdomain and sends `init` to the new realm, which
 * creates the owner's account and the first streams.
 */

import { successReply, valueReply } from '#actors/shared';
import { mailDomainOfOrigin, ROLE } from '#domain/people';
import { initialRealmSettings, initialUserDefaults, realmId, realmKey, userId } from '#model';
import { outboxCommand, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { RealmEntry } from '#model/records';
import { directoryLogItem } from '../../log-items.js';
import {
  encodeRecord,
  REALM_PART_PREFIX,
  type RealmState,
  realmRecords,
  USER_DEFAULTS_PART,
  USER_PART_PREFIX,
} from '../../state.js';
import { createUserCommand, emailVisibilityOfNewUser, FIRST_USER_ID, newUserRecord } from '../accounts/user-record.js';
import type { RealmCommand } from '../command.js';
import { createInitialStreams } from '../streams/initial-streams.js';
import { isReservedByImport } from './import-realm.js';

/**
 * Replies with the number of the next realm, so that the sender can make keys that name the realm. The number is not
 * reserved: of two senders, `createRealmHandler` refuses the second.
 */
export const readNextRealmIdHandler: RealmCommand<typeof realmCommands.peekRealm> = {
  creates: true,
  lane: 'realms',
  handle: ({ state }) => ({ reply: valueReply(state.nextRealm) }),
};

/** GET /realm/subdomain/{subdomain}: tells whether an organization has the subdomain. */
export const isSubdomainTakenHandler: RealmCommand<typeof realmCommands.subdomainTaken> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ parts }, { subdomain }) => ({
    reply: successReply({ taken: [...realmRecords(parts)].some((realm) => realm.subdomain === subdomain) }),
  }),
};

/** Registers a new organization at realm 0, if the number is still the next one and the subdomain is free. */
export const createRealmHandler: RealmCommand<typeof realmCommands.createRealm> = {
  creates: true,
  lane: 'realms',
  exclusive: true,
  handle({ state, parts }, { realm, ...args }) {
    if (realm !== state.nextRealm) throw apiError('SERVICE_UNAVAILABLE');
    for (const other of realmRecords(parts))
      if (other.subdomain === args.subdomain) throw apiError('INVALID_SUBDOMAIN');
    if (isReservedByImport(parts, args.subdomain)) throw apiError('INVALID_SUBDOMAIN');
    const entry: RealmEntry = { id: realmId(realm), subdomain: args.subdomain, deactivated: false };
    return {
      reply: valueReply(realm),
      state: { ...state, nextRealm: realm + 1 },
      parts: { [`${REALM_PART_PREFIX}${realm}`]: encodeRecord(entry) },
      events: [directoryLogItem({ realm: entry })],
      commands: [[outboxCommand({ to: realmKey(entry.id), name: realmCommands.init, args, caller: 0 })]],
      replyAfterCommands: true,
    };
  },
};

/** Initializes a new realm: sets settings, the owner's account, and the first streams unless `origin` is null. */
export const initializeRealmHandler: RealmCommand<typeof realmCommands.init> = {
  creates: true,
  handle({ state, volatile }, { subdomain, name, owner, orgType, origin }, _inputs, context) {
    const { now, realm, version } = context;
    const id = userId(FIRST_USER_ID);
    const userDefaults = initialUserDefaults(orgType);
    const user = newUserRecord({
      id,
      recipient: FIRST_USER_ID,
      account: owner,
      role: ROLE.owner,
      now,
      hidden: emailVisibilityOfNewUser(userDefaults, id, mailDomainOfOrigin(origin ?? ''), volatile),
    });
    volatile.addUser(id, user.email, user.deliveryEmail);
    const bare: RealmState = {
      ...state,
      id: realm,
      subdomain,
      created: now,
      settings: { ...initialRealmSettings(orgType), name },
      nextUser: FIRST_USER_ID + 1,
      nextRecipient: FIRST_USER_ID + 1,
      directoryVersion: version,
    };
    const streams = origin === null ? undefined : createInitialStreams(bare, user, volatile, origin, context);
    const next = streams?.state ?? bare;
    return {
      reply: valueReply(null),
      state: next,
      parts: {
        [`${USER_PART_PREFIX}${id}`]: encodeRecord(user),
        [USER_DEFAULTS_PART]: userDefaults,
        ...streams?.parts,
      },
      events: [directoryLogItem({ user, settings: next.settings, userDefaults }), ...(streams?.events ?? [])],
      commands: [[createUserCommand(realm, id, owner, version)], ...(streams?.commands ?? [])],
      replyAfterCommands: true,
    };
  },
};
