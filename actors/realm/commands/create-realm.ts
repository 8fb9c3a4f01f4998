/**
 * New organizations. Realm 0, the server itself, reserves number and subdomain, then has the new realm made; the new
 * realm makes its owner.
 */
import { apiError } from '../../../src/api/errors.js';
import { realmId, realmKey, userId, userKey } from '../../../src/core/index.js';
import type { DirectoryUser, RealmEntry } from '../../../src/directory/index.js';
import { DEFAULT_REALM_SETTINGS, LAST_RESERVED_USER, ROLE } from '../../../src/people/index.js';
import type { OutboxCommand } from '../../../src/runtime/index.js';
import { value } from '../../shared/replies.js';
import { asPart, REALM_PART, type RealmState, realmsOf, USER_PART } from '../state.js';
import type { RealmCommand } from './command.js';

/** Account data as prepared by the command line: nothing in it is secret in clear. */
export interface NewAccount {
  readonly email: string;
  readonly fullName: string;
  readonly passwordHash: string | null;
  readonly keyHash: string;
  readonly keySealed: string;
  readonly [key: string]: string | null;
}

/** Of accounts and of their recipients: those before are kept for system bots. */
export const FIRST_USER = LAST_RESERVED_USER + 1;

/** Number of the realm to be made, for keys that name it; reserved by nobody, so callers serialize (one admin at a time). */
export const peekRealm: RealmCommand<Record<string, never>> = {
  creates: true,
  lane: 'realms',
  handle: ({ state }) => ({ reply: value(state.nextRealm) }),
};

export const createRealm: RealmCommand<{
  readonly realm: number;
  readonly subdomain: string;
  readonly name: string;
  readonly owner: NewAccount;
}> = {
  creates: true,
  lane: 'realms',
  exclusive: true,
  handle({ state, parts }, { realm, subdomain, name, owner }) {
    if (realm !== state.nextRealm) throw apiError('SERVICE_UNAVAILABLE');
    for (const other of realmsOf(parts)) if (other.subdomain === subdomain) throw apiError('INVALID_SUBDOMAIN');
    const entry: RealmEntry = { id: realmId(realm), subdomain, deactivated: false };
    return {
      reply: value(realm),
      state: { ...state, nextRealm: realm + 1 },
      parts: { [`${REALM_PART}${realm}`]: asPart(entry) },
      events: [{ t: 'directory', change: { realm: entry as never } }],
      commands: [[{ to: realmKey(entry.id), name: 'init', args: { subdomain, name, owner }, caller: 0 }]],
      replyAfterCommands: true,
    };
  },
};

export const init: RealmCommand<{ readonly subdomain: string; readonly name: string; readonly owner: NewAccount }> = {
  creates: true,
  handle({ state, volatile }, { subdomain, name, owner }, _inputs, { now, realm, version }) {
    const id = userId(FIRST_USER);
    const user = newUser({ id, recipient: FIRST_USER, account: owner, role: ROLE.owner, now, canCreateUsers: true });
    volatile.addUser(id, user.email);
    const next: RealmState = {
      ...state,
      id: realm,
      subdomain,
      created: now,
      settings: { ...DEFAULT_REALM_SETTINGS, name },
      nextUser: FIRST_USER + 1,
      nextRecipient: FIRST_USER + 1,
      directoryVersion: version,
    };
    return {
      reply: value(null),
      state: next,
      parts: { [`${USER_PART}${id}`]: asPart(user) },
      events: [{ t: 'directory', change: { user: user as never } }],
      commands: [[createUserCommand(realm, id, owner, version)]],
      replyAfterCommands: true,
    };
  },
};

export function newUser(of: {
  readonly id: number;
  readonly recipient: number;
  readonly account: NewAccount;
  readonly role: number;
  readonly now: number;
  readonly canCreateUsers: boolean;
}): DirectoryUser {
  return {
    id: userId(of.id),
    recipient: of.recipient,
    deliveryEmail: of.account.email,
    email: of.account.email,
    fullName: of.account.fullName,
    role: of.role,
    isActive: true,
    isBillingAdmin: false,
    botType: null,
    botOwner: null,
    timezone: '',
    avatarSource: 'G',
    avatarVersion: 1,
    emailVisibility: 1,
    joined: of.now,
    canCreateUsers: of.canCreateUsers,
    keyHash: of.account.keyHash,
    pastRoles: [],
  };
}

export function createUserCommand(realm: number, user: number, account: NewAccount, after: number): OutboxCommand {
  const { passwordHash, keySealed } = account;
  return {
    to: userKey(realmId(realm), userId(user)),
    name: 'create',
    args: { passwordHash, keySealed },
    caller: 0,
    after,
  };
}
