/** Signing in and out with a browser, and the list of one's own sessions. Paths are outside of /api/v1. */
import { newSessionSecret, signInLinkHash } from '#domain/secrets';
import { hasPublicAccess } from '#domain/streams';
import { browserName, isSignInToken, namesSession, noSessionCookie, sessionCookie } from '#frontend/web';
import { realmKey, userId } from '#model';
import { type NewSession, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { passwordLogIn } from '../../log-in.js';
import { LOG_IN_HEADERS, noteLogIn } from '../../note-log-in.js';
import {
  type ApiCall,
  type ApiOperation,
  defineOperation,
  type FieldsAnswer,
  type ForwardedCommand,
  forwardCommand,
} from '../../operation.js';
import { pathIdParameter, textParameter } from '../../parameters.js';

/**
 * Answers with the cookie of a new session. The secret goes into the cookie, and only its hash to the actor.
 *
 * @param command begins the session with this hash
 */
async function withSession(
  call: ApiCall<unknown>,
  command: (session: NewSession) => ForwardedCommand<{ readonly user_id: number }>,
): Promise<FieldsAnswer> {
  const { token, hash } = newSessionSecret(call.secrets, call.realm);
  const { user_id } = await call.send(command({ hash, client: browserName(call.header('user-agent')) }));
  await noteLogIn(call, userId(user_id));
  return { fields: { user_id }, headers: { 'Set-Cookie': sessionCookie(token, call.secure) } };
}

export const signInOperation = defineOperation({
  id: 'web-sign-in',
  method: 'POST',
  path: '/web/session',
  root: true,
  guard: 'none',
  webClient: true,
  headers: LOG_IN_HEADERS,
  summary: 'Sign in with address and password; the answer sets the cookie of a session.',
  parameters: {
    username: textParameter('form', 'Real address of the account.'),
    password: textParameter('form', 'Its password.'),
  },
  async run(call) {
    const { logIn, user } = await passwordLogIn(call);
    const checkedAt = call.directory.version;
    await call.send(logIn);
    // The login guard always refuses, so `user` is set here.
    const { id } = user as DirectoryUser;
    const to = realmKey(call.realm);
    return withSession(call, (session) =>
      forwardCommand({ to, command: realmCommands.startSession, args: { ...session, checkedAt }, as: id }),
    );
  },
});

export const signInOnceOperation = defineOperation({
  id: 'web-sign-in-once',
  method: 'POST',
  path: '/web/session/one-time',
  root: true,
  guard: 'none',
  webClient: true,
  headers: LOG_IN_HEADERS,
  summary: 'Sign in by a one-time link; the answer sets the cookie of a session.',
  parameters: { token: textParameter('form', 'From the link.') },
  async run(call) {
    const { token } = call.params;
    if (!isSignInToken(token)) throw apiError('SIGN_IN_LINK_VOID');
    if (call.directory.deactivated) throw apiError('REALM_DEACTIVATED');
    const link = signInLinkHash(call.secrets, token);
    const to = realmKey(call.realm);
    return withSession(call, (session) =>
      forwardCommand({ to, command: realmCommands.startSessionByLink, args: { ...session, link } }),
    );
  },
});

/** Answers 200 without a session too, because a browser reports a refused request on its console as an error. */
export const getSessionOperation = defineOperation({
  id: 'web-get-session',
  method: 'GET',
  path: '/web/session',
  root: true,
  guard: 'user',
  visitors: true,
  bareCookie: true,
  webClient: true,
  headers: ['cookie'],
  summary: 'Is this browser signed in? The answer removes the cookie of a session that has ended.',
  parameters: {},
  run(call) {
    const signed_in = call.caller !== 0;
    const fields = { signed_in, public_access: hasPublicAccess(call.webPublicStreams, call.directory) };
    const stale = !signed_in && namesSession(call.header('cookie'));
    return { fields, headers: stale ? { 'Set-Cookie': noSessionCookie(call.secure) } : {} };
  },
});

export const signOutOperation = defineOperation({
  id: 'web-sign-out',
  method: 'DELETE',
  path: '/web/session',
  root: true,
  guard: 'human',
  webClient: true,
  summary: 'Sign out: end the session of this browser.',
  parameters: {},
  async run(call) {
    const { realm, session, secure } = call;
    if (session === undefined) throw apiError('NO_SUCH_SESSION');
    await call.send(forwardCommand({ to: realmKey(realm), command: realmCommands.endSession, args: { session } }));
    return { fields: {}, headers: { 'Set-Cookie': noSessionCookie(secure) } };
  },
});

export const getSessionsOperation = defineOperation({
  id: 'web-get-sessions',
  method: 'GET',
  path: '/web/sessions',
  root: true,
  guard: 'human',
  webClient: true,
  summary: "One's own sessions: browser, time of sign-in and of the last use.",
  parameters: {},
  run({ directory, caller, session: own }) {
    const sessions = (directory.sessionsOf(caller)?.sessions ?? []).map(({ id, client, created, used }) => ({
      id,
      client,
      created: Math.floor(created / 1000),
      last_used: Math.floor(used / 1000),
      current: id === own,
    }));
    return { fields: { sessions } };
  },
});

export const endSessionOperation = defineOperation({
  id: 'web-end-session',
  method: 'DELETE',
  path: '/web/sessions/{session_id}',
  root: true,
  guard: 'human',
  webClient: true,
  summary: "End one of one's own sessions.",
  parameters: { session_id: pathIdParameter('The session.') },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmKey(realm), command: realmCommands.endSession, args: { session: params.session_id } }),
});

export const endOtherSessionsOperation = defineOperation({
  id: 'web-end-other-sessions',
  method: 'DELETE',
  path: '/web/sessions',
  root: true,
  guard: 'human',
  webClient: true,
  summary: "End all of one's own sessions but this one.",
  parameters: {},
  run: ({ realm, session = null }) =>
    forwardCommand({ to: realmKey(realm), command: realmCommands.endSessions, args: { except: session } }),
});

export const WEB_OPERATIONS = [
  signInOperation,
  signInOnceOperation,
  getSessionOperation,
  signOutOperation,
  getSessionsOperation,
  endSessionOperation,
  endOtherSessionsOperation,
] as unknown as readonly ApiOperation[];
