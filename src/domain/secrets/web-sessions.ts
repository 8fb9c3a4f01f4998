/**
 * Sessions of browsers and one-time links: their secrets and their rules. A secret has the form of an API key, so it
 * names its organization. New secrets are random; otherwise the functions have no side effects.
 */
import type { RealmId } from '#model';
import type { AccountSessions, SessionPushSubscription, WebSession } from '#model/records';
import type { ServerCryptography } from './secrets.js';

const DAY_MS = 86_400_000;
/** Time without use after which a session ends, ms. */
export const SESSION_IDLE_LIFETIME_MS = 30 * DAY_MS;
/** Minimum time between two stored times of a session's use, ms. Storing every use would be a commit per request. */
const MIN_SESSION_USE_RECORD_INTERVAL_MS = DAY_MS;
const SIGN_IN_LINK_LIFETIME_MS = 3_600_000;
/** Maximum number of sessions of one account. A further one ends the session that was not used for longest. */
const MAX_SESSIONS_PER_ACCOUNT = 50;
/** Maximum number of unused one-time links of one account. A further one voids the oldest. */
const MAX_SIGN_IN_LINKS_PER_ACCOUNT = 5;

export interface SecretTokenWithHash {
  /** Secret text that the browser gets: the cookie of a session, or the token of a one-time link. */
  readonly token: string;
  /** Keyed hash of the token, which the directory stores instead of the token. */
  readonly hash: string;
}

/** Hash under which the directory stores a session. @param token token in the session's cookie */
export const hashSessionToken = (secrets: ServerCryptography, token: string): string =>
  secrets.hashApiKeyOrToken(`session/${token}`);
/** Hash under which the directory stores a one-time link. @param token token in the link */
export const hashSignInLinkToken = (secrets: ServerCryptography, token: string): string =>
  secrets.hashApiKeyOrToken(`sign-in-link/${token}`);

export function makeSessionToken(secrets: ServerCryptography, realm: RealmId): SecretTokenWithHash {
  const token = secrets.makeRandomApiKey(realm);
  return { token, hash: hashSessionToken(secrets, token) };
}

export function makeSignInLinkToken(secrets: ServerCryptography, realm: RealmId): SecretTokenWithHash {
  const token = secrets.makeRandomApiKey(realm);
  return { token, hash: hashSignInLinkToken(secrets, token) };
}

export const isSessionUnexpired = ({ used }: WebSession, now: number): boolean => now - used < SESSION_IDLE_LIFETIME_MS;

/** True if a use of the session must be stored, because the stored time of the last use is a day old. */
export const isSessionUseToBeRecorded = ({ used }: WebSession, now: number): boolean =>
  Math.abs(now - used) >= MIN_SESSION_USE_RECORD_INTERVAL_MS;

/** Sessions and links of an account that have not expired. A change after a reactivation forgets the ended ones. */
function withoutExpiredSessionsAndLinks(
  { endedByDeactivation: _ended, ...account }: AccountSessions,
  now: number,
): AccountSessions {
  return {
    ...account,
    sessions: account.sessions.filter((session) => isSessionUnexpired(session, now)),
    links: account.links.filter(({ expires }) => expires > now),
  };
}

export function withSessionAdded(
  account: AccountSessions,
  { hash, client }: { readonly hash: string; readonly client: string },
  now: number,
): AccountSessions {
  const id = account.last + 1;
  const { sessions, ...rest } = withoutExpiredSessionsAndLinks(account, now);
  const kept = [...sessions].sort((a, b) => b.used - a.used || b.id - a.id).slice(0, MAX_SESSIONS_PER_ACCOUNT - 1);
  const all = [...kept, { id, hash, client, created: now, used: now }].sort((a, b) => a.id - b.id);
  return { ...rest, last: id, sessions: all };
}

/** The account's sessions without those that are to end. @param ends tells whether a session ends */
export function withoutEndedSessions(
  account: AccountSessions,
  ends: (session: WebSession) => boolean,
  now: number,
): AccountSessions {
  const left = withoutExpiredSessionsAndLinks(account, now);
  return { ...left, sessions: left.sessions.filter((session) => !ends(session)) };
}

/** The account without sessions, and with the hashes of those that its deactivation ends. */
export function withSessionsEndedByDeactivation(account: AccountSessions, now: number): AccountSessions {
  const left = withoutExpiredSessionsAndLinks(account, now);
  const hashes = left.sessions.map(({ hash }) => hash);
  return { ...left, sessions: [], ...(hashes.length > 0 ? { endedByDeactivation: hashes } : {}) };
}

/**
 * The account's sessions with the time of this use.
 *
 * @returns undefined if the stored time is recent enough, or the session has ended
 */
export function withSessionUseRecorded(
  account: AccountSessions,
  hash: string,
  now: number,
): AccountSessions | undefined {
  const left = withoutExpiredSessionsAndLinks(account, now);
  const session = left.sessions.find((one) => one.hash === hash);
  if (!session || !isSessionUseToBeRecorded(session, now)) return undefined;
  return { ...left, sessions: left.sessions.map((one) => (one === session ? { ...one, used: now } : one)) };
}

/** @param push null: the browser gets no push notifications any more @returns undefined if the session has ended */
export function withSessionPushSet(
  account: AccountSessions,
  id: number,
  push: SessionPushSubscription | null,
  now: number,
): AccountSessions | undefined {
  const left = withoutExpiredSessionsAndLinks(account, now);
  if (!left.sessions.some((session) => session.id === id)) return undefined;
  const changed = left.sessions.map((session): WebSession => {
    if (session.id !== id) return session;
    const { push: _before, ...rest } = session;
    return push ? { ...rest, push } : rest;
  });
  return { ...left, sessions: changed };
}

/** @returns undefined if no session of the account pushes to this endpoint */
export function withoutPushEndpoint(account: AccountSessions, endpointHash: string): AccountSessions | undefined {
  const isThere = ({ push }: WebSession): boolean => push?.endpointHash === endpointHash;
  if (!account.sessions.some(isThere)) return undefined;
  const sessions = account.sessions.map((session): WebSession => {
    const { push: _before, ...rest } = session;
    return isThere(session) ? rest : session;
  });
  return { ...account, sessions };
}

export function withSignInLinkAdded(account: AccountSessions, hash: string, now: number): AccountSessions {
  const left = withoutExpiredSessionsAndLinks(account, now);
  return {
    ...left,
    links: [...left.links, { hash, expires: now + SIGN_IN_LINK_LIFETIME_MS }].slice(-MAX_SIGN_IN_LINKS_PER_ACCOUNT),
  };
}

/** The account's sessions and links without this link; undefined if the link was used, voided or has expired. */
export function withoutSpentSignInLink(
  account: AccountSessions,
  hash: string,
  now: number,
): AccountSessions | undefined {
  const left = withoutExpiredSessionsAndLinks(account, now);
  const links = left.links.filter((link) => link.hash !== hash);
  return links.length < left.links.length ? { ...left, links } : undefined;
}
