/**
 * New organizations. Realm 0, the server itself, reserves number and subdomain and sends `init` to the new realm, which
 * creates the owner's account and the first streams.
 */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import { emailDomainOfOrigin, USER_ROLE } from '#domain/people';
import {
  makeInitialRealmSettings,
  makeInitialRealmUserSettingDefaults,
  realmActorKey,
  toRealmId,
  toUserId,
} from '#model';
import { makeOutboxCommand, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryRealmEntry } from '#model/records';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  encodeDirectoryRecord,
  listRealmRecords,
  NEW_USER_SETTING_DEFAULTS_PART_NAME,
  REALM_ENTRY_PART_PREFIX,
  type RealmActorState,
  USER_PART_PREFIX,
} from '../../state.js';
import {
  computeHiddenEmailFieldsOfNewUser,
  FIRST_USER_AND_RECIPIENT_ID,
  makeCreateUserCommand,
  makeNewUserRecord,
} from '../accounts/user-record.js';
import type { RealmCommandHandler } from '../command.js';
import { makeInitialStreamsCommit } from '../streams/initial-streams.js';
import { isSubdomainReservedByImport } from './import-realm.js';

/**
 * Replies with the number of the next realm, so that the sender can make keys that name the realm. The number is not
 * reserved: of two senders, `registerNewRealmHandler` refuses the second.
 */
export const readNextRealmIdHandler: RealmCommandHandler<typeof realmActorCommands.peekRealm> = {
  creates: true,
  lane: 'realms',
  handle: ({ state }) => ({ reply: makeValueReply(state.nextRealm) }),
};

/** GET /realm/subdomain/{subdomain}: tells whether an organization has the subdomain. */
export const isSubdomainTakenHandler: RealmCommandHandler<typeof realmActorCommands.subdomainTaken> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ parts }, { subdomain }) => ({
    reply: makeSuccessReply({ taken: [...listRealmRecords(parts)].some((realm) => realm.subdomain === subdomain) }),
  }),
};

/** Registers a new organization at realm 0, if the number is still the next one and the subdomain is free. */
export const registerNewRealmHandler: RealmCommandHandler<typeof realmActorCommands.createRealm> = {
  creates: true,
  lane: 'realms',
  exclusive: true,
  handle({ state, parts }, { realm, ...args }) {
    if (realm !== state.nextRealm) throw apiError('SERVICE_UNAVAILABLE');
    for (const other of listRealmRecords(parts))
      if (other.subdomain === args.subdomain) throw apiError('INVALID_SUBDOMAIN');
    if (isSubdomainReservedByImport(parts, args.subdomain)) throw apiError('INVALID_SUBDOMAIN');
    const entry: DirectoryRealmEntry = { id: toRealmId(realm), subdomain: args.subdomain, deactivated: false };
    return {
      reply: makeValueReply(realm),
      state: { ...state, nextRealm: realm + 1 },
      parts: { [`${REALM_ENTRY_PART_PREFIX}${realm}`]: encodeDirectoryRecord(entry) },
      events: [makeDirectoryLogItem({ realm: entry })],
      commands: [[makeOutboxCommand({ to: realmActorKey(entry.id), name: realmActorCommands.init, args, caller: 0 })]],
      replyAfterCommands: true,
    };
  },
};

/** Initializes a new realm: sets settings, the owner's account, and the first streams unless `origin` is null. */
export const initializeRealmHandler: RealmCommandHandler<typeof realmActorCommands.init> = {
  creates: true,
  handle({ state, parts, volatile }, { subdomain, name, owner, orgType, origin }, _inputs, context) {
    const { now, realm, version } = context;
    const id = toUserId(FIRST_USER_AND_RECIPIENT_ID);
    const userDefaults = makeInitialRealmUserSettingDefaults(orgType);
    const user = makeNewUserRecord({
      id,
      recipient: FIRST_USER_AND_RECIPIENT_ID,
      account: owner,
      role: USER_ROLE.owner,
      now,
      hidden: computeHiddenEmailFieldsOfNewUser(userDefaults, id, emailDomainOfOrigin(origin ?? ''), volatile),
    });
    volatile.indexUserEmails(id, user.email, user.deliveryEmail);
    const bare: RealmActorState = {
      ...state,
      id: realm,
      subdomain,
      created: now,
      settings: { ...makeInitialRealmSettings(orgType), name },
      nextUser: FIRST_USER_AND_RECIPIENT_ID + 1,
      nextRecipient: FIRST_USER_AND_RECIPIENT_ID + 1,
      directoryVersion: version,
    };
    const streams =
      origin === null ? undefined : makeInitialStreamsCommit(bare, user, { parts, volatile }, origin, context);
    const next = streams?.state ?? bare;
    return {
      reply: makeValueReply(null),
      state: next,
      parts: {
        [`${USER_PART_PREFIX}${id}`]: encodeDirectoryRecord(user),
        [NEW_USER_SETTING_DEFAULTS_PART_NAME]: userDefaults,
        ...streams?.parts,
      },
      events: [makeDirectoryLogItem({ user, settings: next.settings, userDefaults }), ...(streams?.events ?? [])],
      commands: [[makeCreateUserCommand(realm, id, owner, version)], ...(streams?.commands ?? [])],
      replyAfterCommands: true,
    };
  },
};
