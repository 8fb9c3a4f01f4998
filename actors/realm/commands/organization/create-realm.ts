/**
 * New organizations. Realm 0, the server itself, reserves number and subdomain, then has the new realm made; the new
 * realm makes its owner.
 */

import { success, value } from '#actors/shared';
import type { JsonObject } from '#base';
import { FRESH_ACCOUNT, LAST_RESERVED_USER, mailDomain, ROLE } from '#domain/people';
import { initialRealmSettings, initialUserDefaults, realmId, realmKey, userId, userKey } from '#model';
import type { FirstAccount, OutboxCommand } from '#model/commands';
import { outboxCommand, realmCommands, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser, RealmEntry, UserDefaults } from '#model/records';
import type { RealmState } from '../../state.js';
import { asPart, REALM_PART, realmsOf, USER_DEFAULTS_PART, USER_PART } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import type { RealmVolatile } from '../../volatile.js';
import type { RealmCommand } from '../command.js';
import { hiddenAddress } from '../personal/own-settings.js';
import { initialStreams } from '../streams/initial-streams.js';

/** Of accounts and of their recipients: those before are kept for system bots. */
export const FIRST_USER = LAST_RESERVED_USER + 1;

/** Number of the realm to be made, for keys that name it; reserved by nobody, so callers serialize (one admin at a time). */
export const peekRealm: RealmCommand<typeof realmCommands.peekRealm> = {
  creates: true,
  lane: 'realms',
  handle: ({ state }) => ({ reply: value(state.nextRealm) }),
};

/** GET /realm/subdomain/{subdomain}. */
export const subdomainTaken: RealmCommand<typeof realmCommands.subdomainTaken> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ parts }, { subdomain }) => ({
    reply: success({ taken: [...realmsOf(parts)].some((realm) => realm.subdomain === subdomain) }),
  }),
};

export const createRealm: RealmCommand<typeof realmCommands.createRealm> = {
  creates: true,
  lane: 'realms',
  exclusive: true,
  handle({ state, parts }, { realm, ...args }) {
    if (realm !== state.nextRealm) throw apiError('SERVICE_UNAVAILABLE');
    for (const other of realmsOf(parts)) if (other.subdomain === args.subdomain) throw apiError('INVALID_SUBDOMAIN');
    const entry: RealmEntry = { id: realmId(realm), subdomain: args.subdomain, deactivated: false };
    return {
      reply: value(realm),
      state: { ...state, nextRealm: realm + 1 },
      parts: { [`${REALM_PART}${realm}`]: asPart(entry) },
      events: [tellReplicas({ realm: entry })],
      commands: [[outboxCommand({ to: realmKey(entry.id), name: realmCommands.init, args, caller: 0 })]],
      replyAfterCommands: true,
    };
  },
};

export const init: RealmCommand<typeof realmCommands.init> = {
  creates: true,
  handle({ state, volatile }, { subdomain, name, owner, orgType, origin }, _inputs, context) {
    const { now, realm, version } = context;
    const id = userId(FIRST_USER);
    const userDefaults = initialUserDefaults(orgType);
    const user = newUser({
      id,
      recipient: FIRST_USER,
      account: owner,
      role: ROLE.owner,
      now,
      hidden: hiddenFrom(userDefaults, id, mailDomain(origin ?? ''), volatile),
    });
    volatile.addUser(id, user.email, user.deliveryEmail);
    const bare: RealmState = {
      ...state,
      id: realm,
      subdomain,
      created: now,
      settings: { ...initialRealmSettings(orgType), name },
      nextUser: FIRST_USER + 1,
      nextRecipient: FIRST_USER + 1,
      directoryVersion: version,
    };
    const streams = origin === null ? undefined : initialStreams(bare, user, volatile, origin, context);
    const next = streams?.state ?? bare;
    return {
      reply: value(null),
      state: next,
      parts: { [`${USER_PART}${id}`]: asPart(user), [USER_DEFAULTS_PART]: userDefaults, ...streams?.parts },
      events: [tellReplicas({ user, settings: next.settings, userDefaults }), ...(streams?.events ?? [])],
      commands: [[createUserCommand(realm, id, owner, version)], ...(streams?.commands ?? [])],
      replyAfterCommands: true,
    };
  },
};

/** Whether, and how, a new account's real address is hidden. */
export function hiddenFrom(
  { email_address_visibility: visibility = 1 }: UserDefaults,
  id: number,
  domain: string,
  volatile: RealmVolatile,
): { readonly visibility: number; readonly email: string } | undefined {
  if (visibility === 1) return undefined;
  return { visibility, email: hiddenAddress(id, domain, volatile) };
}

export function newUser(of: {
  readonly id: number;
  readonly recipient: number;
  readonly account: FirstAccount;
  readonly role: number;
  readonly now: number;
  /** Whose real address is hidden has another for the API. */
  readonly hidden?: { readonly visibility: number; readonly email: string } | undefined;
}): DirectoryUser {
  return {
    id: userId(of.id),
    recipient: of.recipient,
    deliveryEmail: of.account.email,
    email: of.hidden?.email ?? of.account.email,
    fullName: of.account.fullName,
    ...FRESH_ACCOUNT,
    role: of.role,
    emailVisibility: of.hidden?.visibility ?? 1,
    joined: of.now,
    keyHash: of.account.keyHash,
  };
}

/** A stream to which an account is subscribed when it is made. */
export interface FirstStream extends JsonObject {
  readonly id: number;
  readonly recipient: number;
  /** Messages up to this id are read. */
  readonly mark: number;
}

export function createUserCommand(
  realm: number,
  user: number,
  account: FirstAccount,
  after: number,
  streams: readonly FirstStream[] = [],
): OutboxCommand {
  const { passwordHash, keySealed } = account;
  return outboxCommand({
    to: userKey(realmId(realm), userId(user)),
    name: userCommands.create,
    args: { passwordHash, keySealed, streams },
    caller: 0,
    after,
  });
}
