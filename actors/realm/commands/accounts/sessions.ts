/**
 * Sessions of browsers. A password, which the user actor has checked, or a one-time link begins a session. The
 * account's owner, a new password, or the deactivation of the account ends it. Every frontend checks sessions by its
 * replica of the directory, so each change is a directory item.
 */

import { successReply } from '#actors/shared';
import { spendLink, withLink, withoutSessions, withSession, withUse } from '#domain/secrets';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { AccountSessions } from '#model/records';
import { directoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  accountSessionsOf,
  encodeRecord,
  SESSIONS_PART,
  sessionsOf,
  userRecord,
} from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import type { AccountEffect, CommitEffect } from './effect.js';
import { voidedMailLinks } from './mailed-links.js';

/** Stores the sessions and links of an account. */
export const storedSessions = (account: AccountSessions): Required<Pick<CommitEffect, 'parts' | 'events'>> => ({
  parts: { [`${SESSIONS_PART}${account.user}`]: encodeRecord(account) },
  events: [directoryLogItem({ session: account })],
});

export const startSessionHandler: RealmCommand<typeof realmCommands.startSession> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { checkedAt, ...session }, _inputs, { caller, now, version }) {
    const user = requireActingUser(parts, caller);
    const before = sessionsOf(parts, user.id);
    // The password may have been replaced after it was checked.
    if (before.endedAt > checkedAt) throw apiError('AUTHENTICATION_FAILED');
    return { ...storedSessions(withSession(before, session, now)), reply: successReply({ user_id: user.id }, version) };
  },
};

/**
 * Starts a browser session by a one-time link. The realm actor looks the link up, because the replica of a frontend may
 * not show a new link yet.
 */
export const startSessionByLinkHandler: RealmCommand<typeof realmCommands.startSessionByLink> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { link, ...session }, _inputs, { now, version }) {
    for (const account of accountSessionsOf(parts)) {
      const spent = spendLink(account, link, now);
      if (!spent) continue;
      requireActingUser(parts, spent.user);
      return {
        ...storedSessions(withSession(spent, session, now)),
        reply: successReply({ user_id: spent.user }, version),
      };
    }
    throw apiError('SIGN_IN_LINK_VOID');
  },
};

export const noteSessionUseHandler: RealmCommand<typeof realmCommands.noteSessionUse> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { hash }, _inputs, { caller, now, version }) {
    const after = withUse(sessionsOf(parts, caller), hash, now);
    return after ? { ...storedSessions(after), reply: successReply(undefined, version) } : { reply: successReply() };
  },
};

export const endSessionHandler: RealmCommand<typeof realmCommands.endSession> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { session }, _inputs, { caller, now, version }) {
    const before = sessionsOf(parts, caller);
    if (!before.sessions.some(({ id }) => id === session)) throw apiError('NO_SUCH_SESSION');
    return {
      ...storedSessions(withoutSessions(before, ({ id }) => id === session, now)),
      reply: successReply(undefined, version),
    };
  },
};

export const endSessionsHandler: RealmCommand<typeof realmCommands.endSessions> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { except }, _inputs, { caller, now, version }) {
    const before = sessionsOf(parts, caller);
    if (!before.sessions.some(({ id }) => id !== except)) return { reply: successReply() };
    return {
      ...storedSessions(withoutSessions(before, ({ id }) => id !== except, now)),
      reply: successReply(undefined, version),
    };
  },
};

/** Adds a one-time link that signs a person in. Bots get none: they have API keys instead of sessions. */
export const addSignInLinkHandler: RealmCommand<typeof realmCommands.addSignInLink> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { user_id, hash }, _inputs, { now, version }) {
    const user = userRecord(parts, user_id);
    if (!user) throw apiError('NO_SUCH_USER');
    if (!user.isActive) throw apiError('USER_IS_DEACTIVATED');
    if (user.botType !== null) throw apiError('NO_BOTS');
    return {
      ...storedSessions(withLink(sessionsOf(parts, user_id), hash, now)),
      reply: successReply(undefined, version),
    };
  },
};

/**
 * Ends the sessions of an account whose password was replaced or that was deactivated, and voids its one-time links and
 * those that were mailed: to another address, and to set a password.
 * A password that was checked before `version` starts no session afterwards.
 *
 * @param except id of the session that stays; null: none stays
 */
export function endAllSessions(
  parts: ActorParts,
  user: number,
  except: number | null,
  { now, version }: { readonly now: number; readonly version: number },
): Required<Pick<CommitEffect, 'parts' | 'events'>> {
  const left = withoutSessions(sessionsOf(parts, user), ({ id }) => id !== except, now);
  const ended = storedSessions({ ...left, links: [], endedAt: version });
  return { ...ended, parts: { ...ended.parts, ...voidedMailLinks(parts, user) } };
}

export const sessionEffect: AccountEffect = ({ before, after }, { parts }, context) =>
  before.isActive && !after.isActive && after.botType === null ? endAllSessions(parts, after.id, null, context) : {};
