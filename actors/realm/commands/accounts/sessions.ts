/**
 * Sessions of browsers. A password, which the user actor has checked, or a one-time link begins a session. The
 * account's owner, a new password, or the deactivation of the account ends it. Every frontend checks sessions by its
 * replica of the directory, so each change is a directory item.
 */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import {
  withoutEndedSessions,
  withoutPushEndpoint,
  withoutSpentSignInLink,
  withSessionAdded,
  withSessionPushSet,
  withSessionsEndedByDeactivation,
  withSessionUseRecorded,
  withSignInLinkAdded,
} from '#domain/secrets';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { AccountSessions, DirectoryUser } from '#model/records';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  findUserRecord,
  listSessionsOfAllAccounts,
  readSessionsOfAccount,
  SESSIONS_PART_PREFIX,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import type { AccountChangeHook, PartialCommit } from './effect.js';
import { makeMailedLinkDeletions } from './mailed-links.js';

/** Makes the change of parts that stores the sessions and sign-in links of an account. */
export const makeStoredSessionsChanges = (
  account: AccountSessions,
): Required<Pick<PartialCommit, 'parts' | 'events'>> => ({
  parts: { [`${SESSIONS_PART_PREFIX}${account.user}`]: encodeDirectoryRecord(account) },
  events: [makeDirectoryLogItem({ session: account })],
});

export const startSessionHandler: RealmCommandHandler<typeof realmActorCommands.startSession> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { checkedAt, ...session }, _inputs, { caller, now, version }) {
    const user = getActingUserOrThrow(parts, caller);
    const before = readSessionsOfAccount(parts, user.id);
    // The password may have been replaced after it was checked.
    if (before.endedAt > checkedAt) throw apiError('AUTHENTICATION_FAILED');
    return {
      ...makeStoredSessionsChanges(withSessionAdded(before, session, now)),
      reply: makeSuccessReply({ user_id: user.id }, version),
    };
  },
};

/**
 * Finds the account of a valid one-time link. The realm actor looks it up, because the replica of a frontend may not
 * show a new link yet.
 *
 * @returns the user, and the sessions and links of the account without this link
 * @throws ApiError SIGN_IN_LINK_VOID
 */
function findAccountOfSignInLinkOrThrow(
  parts: ActorParts,
  link: string,
  now: number,
): { readonly user: DirectoryUser; readonly account: AccountSessions } {
  for (const account of listSessionsOfAllAccounts(parts)) {
    const spent = withoutSpentSignInLink(account, link, now);
    if (spent) return { user: getActingUserOrThrow(parts, spent.user), account: spent };
  }
  throw apiError('SIGN_IN_LINK_VOID');
}

/** Starts a browser session by a one-time link. */
export const startSessionByOneTimeLinkHandler: RealmCommandHandler<typeof realmActorCommands.startSessionByLink> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { link, ...session }, _inputs, { now, version }) {
    const { user, account } = findAccountOfSignInLinkOrThrow(parts, link, now);
    return {
      ...makeStoredSessionsChanges(withSessionAdded(account, session, now)),
      reply: makeSuccessReply({ user_id: user.id }, version),
    };
  },
};

/** Returns the account that a one-time link would sign in. The link stays valid. */
export const readOneTimeSignInLinkHandler: RealmCommandHandler<typeof realmActorCommands.peekSignInLink> = {
  lane: 'read',
  read: true,
  handle({ parts }, { link }, _inputs, { now }) {
    const { user } = findAccountOfSignInLinkOrThrow(parts, link, now);
    return { reply: makeSuccessReply({ user_id: user.id, full_name: user.fullName }) };
  },
};

export const recordSessionUseHandler: RealmCommandHandler<typeof realmActorCommands.noteSessionUse> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { hash }, _inputs, { caller, now, version }) {
    const after = withSessionUseRecorded(readSessionsOfAccount(parts, caller), hash, now);
    return after
      ? { ...makeStoredSessionsChanges(after), reply: makeSuccessReply(undefined, version) }
      : { reply: makeSuccessReply() };
  },
};

export const endOwnSessionHandler: RealmCommandHandler<typeof realmActorCommands.endSession> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { session }, _inputs, { caller, now, version }) {
    const before = readSessionsOfAccount(parts, caller);
    if (!before.sessions.some(({ id }) => id === session)) throw apiError('NO_SUCH_SESSION');
    return {
      ...makeStoredSessionsChanges(withoutEndedSessions(before, ({ id }) => id === session, now)),
      reply: makeSuccessReply(undefined, version),
    };
  },
};

export const endOtherSessionsHandler: RealmCommandHandler<typeof realmActorCommands.endSessions> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { except }, _inputs, { caller, now, version }) {
    return {
      ...makeSessionsAndLinksEnd(parts, withoutOtherSessions(readSessionsOfAccount(parts, caller), except, now)),
      reply: makeSuccessReply(undefined, version),
    };
  },
};

/**
 * A browser keeps its subscription over sessions, so the endpoint is taken from every other session: a browser shows
 * messages of the account that is signed in there now, and of no other one.
 */
export const setSessionPushEndpointHandler: RealmCommandHandler<typeof realmActorCommands.setSessionPush> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { session, push }, _inputs, { caller, now, version }) {
    const after = withSessionPushSet(readSessionsOfAccount(parts, caller), session, push, now);
    if (!after) throw apiError('NO_SUCH_SESSION');
    const changed = new Map<number, AccountSessions>();
    if (push) {
      for (const account of listSessionsOfAllAccounts(parts)) {
        const left = withoutPushEndpoint(account, push.endpointHash);
        if (left) changed.set(account.user, left);
      }
    }
    const own = withSessionPushSet(changed.get(caller) ?? after, session, push, now);
    changed.set(caller, own ?? after);
    const effects = [...changed.values()].map(makeStoredSessionsChanges);
    return {
      parts: Object.assign({}, ...effects.map((effect) => effect.parts)),
      events: effects.flatMap(({ events }) => events),
      reply: makeSuccessReply(undefined, version),
    };
  },
};

/** Conversations tell the account of messages to push from now on. */
export const markAccountHasPushDeviceHandler: RealmCommandHandler<typeof realmActorCommands.notePushDevice> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, _args, _inputs, { caller, version }) {
    const before = readSessionsOfAccount(parts, caller);
    if (before.devices) return { reply: makeSuccessReply() };
    return { ...makeStoredSessionsChanges({ ...before, devices: true }), reply: makeSuccessReply(undefined, version) };
  },
};

export const removeSessionPushEndpointHandler: RealmCommandHandler<typeof realmActorCommands.dropSessionPush> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { user, endpointHash }) {
    const left = withoutPushEndpoint(readSessionsOfAccount(parts, user), endpointHash);
    return left ? { ...makeStoredSessionsChanges(left), reply: makeValueReply(null) } : { reply: makeValueReply(null) };
  },
};

/** Adds a one-time link that signs a person in. Bots get none: they have API keys instead of sessions. */
export const addOneTimeSignInLinkHandler: RealmCommandHandler<typeof realmActorCommands.addSignInLink> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { user_id, hash }, _inputs, { now, version }) {
    const user = findUserRecord(parts, user_id);
    if (!user) throw apiError('NO_SUCH_USER');
    if (!user.isActive) throw apiError('USER_IS_DEACTIVATED');
    if (user.botType !== null) throw apiError('NO_BOTS');
    return {
      ...makeStoredSessionsChanges(withSignInLinkAdded(readSessionsOfAccount(parts, user_id), hash, now)),
      reply: makeSuccessReply(undefined, version),
    };
  },
};

/**
 * Ends the sessions of an account and voids its one-time links. Mailed links that set a password or confirm another
 * address become void, too.
 *
 * @param left the account without the sessions that end
 */
function makeSessionsAndLinksEnd(
  parts: ActorParts,
  left: AccountSessions,
): Required<Pick<PartialCommit, 'parts' | 'events'>> {
  const ended = makeStoredSessionsChanges({ ...left, links: [] });
  return { ...ended, parts: { ...ended.parts, ...makeMailedLinkDeletions(parts, left.user) } };
}

/** @param except id of the session that stays; null: none stays */
const withoutOtherSessions = (account: AccountSessions, except: number | null, now: number): AccountSessions =>
  withoutEndedSessions(account, ({ id }) => id !== except, now);

/**
 * Ends the sessions and links of an account whose password was replaced. A sign-in whose password was checked before
 * `version` starts no session.
 *
 * @param except id of the session that stays; null: none stays
 */
export const makeSessionsAndLinksEndCommit = (
  parts: ActorParts,
  user: number,
  except: number | null,
  { now, version }: { readonly now: number; readonly version: number },
): Required<Pick<PartialCommit, 'parts' | 'events'>> =>
  makeSessionsAndLinksEnd(parts, {
    ...withoutOtherSessions(readSessionsOfAccount(parts, user), except, now),
    endedAt: version,
  });

/** Ends the sessions and links of a deactivated account, as a new password does. */
export const endSessionsOfDeactivatedAccount: AccountChangeHook = (
  { before, after },
  { parts },
  { now, version },
): PartialCommit =>
  before.isActive && !after.isActive && after.botType === null
    ? makeSessionsAndLinksEnd(parts, {
        ...withSessionsEndedByDeactivation(readSessionsOfAccount(parts, after.id), now),
        endedAt: version,
      })
    : {};
