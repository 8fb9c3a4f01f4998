/**
 * Sessions of browsers and one-time links: their secrets and their rules. A secret has the form of an API key, so it
 * names its organization. New secrets are random; otherwise the functions have no side effects.
 */
import type { RealmId } from '#model';
import type { AccountSessions, WebSession } from '#model/records';
import type { ServerCryptography } from './secrets.js';

const DAY_MS = 86_400_000;
/** Time without use after which a session ends, ms. */
export const SESSION_IDLE_MS = 30 * DAY_MS;
/** Minimum time between two stored times of a session's use, ms. Storing every use would be a commit per request. */
const NOTED_EVERY_MS = DAY_MS;
const LINK_VALID_MS = 3_600_000;
/** Maximum number of sessions of one account. A further one ends the session that was not used for longest. */
const MAX_SESSIONS = 50;
/** Maximum number of unused one-time links of one account. A further one voids the oldest. */
const MAX_LINKS = 5;

export interface WebSecret {
  /** Secret text that the browser gets: the cookie of a session, or the token of a one-time link. */
  readonly token: string;
  /** Keyed hash of the token, which the directory stores instead of the token. */
  readonly hash: string;
}

/** Hash under which the directory stores a session. @param token token in the session's cookie */
export const sessionHash = (secrets: ServerCryptography, token: string): string => secrets.keyHash(`session/${token}`);
/** Hash under which the directory stores a one-time link. @param token token in the link */
export const signInLinkHash = (secrets: ServerCryptography, token: string): string =>
  secrets.keyHash(`sign-in-link/${token}`);

export function newSessionSecret(secrets: ServerCryptography, realm: RealmId): WebSecret {
  const token = secrets.newApiKey(realm);
  return { token, hash: sessionHash(secrets, token) };
}

export function newSignInLink(secrets: ServerCryptography, realm: RealmId): WebSecret {
  const token = secrets.newApiKey(realm);
  return { token, hash: signInLinkHash(secrets, token) };
}

export const isSessionAlive = ({ used }: WebSession, now: number): boolean => now - used < SESSION_IDLE_MS;

/** True if a use of the session must be stored, because the stored time of the last use is a day old. */
export const isUseToBeNoted = ({ used }: WebSession, now: number): boolean => now - used >= NOTED_EVERY_MS;

/** Sessions and links of an account that have not expired. */
function current(account: AccountSessions, now: number): AccountSessions {
  return {
    ...account,
    sessions: account.sessions.filter((session) => isSessionAlive(session, now)),
    links: account.links.filter(({ expires }) => expires > now),
  };
}

export function withSession(
  account: AccountSessions,
  { hash, client }: { readonly hash: string; readonly client: string },
  now: number,
): AccountSessions {
  const id = account.last + 1;
  const { sessions, ...rest } = current(account, now);
  const kept = [...sessions].sort((a, b) => b.used - a.used || b.id - a.id).slice(0, MAX_SESSIONS - 1);
  const all = [...kept, { id, hash, client, created: now, used: now }].sort((a, b) => a.id - b.id);
  return { ...rest, last: id, sessions: all };
}

/** The account's sessions without those that are to end. @param ends tells whether a session ends */
export function withoutSessions(
  account: AccountSessions,
  ends: (session: WebSession) => boolean,
  now: number,
): AccountSessions {
  const left = current(account, now);
  return { ...left, sessions: left.sessions.filter((session) => !ends(session)) };
}

/**
 * The account's sessions with the time of this use.
 *
 * @returns undefined if the stored time is recent enough, or the session has ended
 */
export function withUse(account: AccountSessions, hash: string, now: number): AccountSessions | undefined {
  const left = current(account, now);
  const session = left.sessions.find((one) => one.hash === hash);
  if (!session || !isUseToBeNoted(session, now)) return undefined;
  return { ...left, sessions: left.sessions.map((one) => (one === session ? { ...one, used: now } : one)) };
}

export function withLink(account: AccountSessions, hash: string, now: number): AccountSessions {
  const left = current(account, now);
  return { ...left, links: [...left.links, { hash, expires: now + LINK_VALID_MS }].slice(-MAX_LINKS) };
}

/** The account's sessions and links without this link; undefined if the link was used, voided or has expired. */
export function spendLink(account: AccountSessions, hash: string, now: number): AccountSessions | undefined {
  const left = current(account, now);
  const links = left.links.filter((link) => link.hash !== hash);
  return links.length < left.links.length ? { ...left, links } : undefined;
}
