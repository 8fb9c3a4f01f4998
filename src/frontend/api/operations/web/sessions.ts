/**
 * Operations for signing in and out with a browser, and for the list of the caller's sessions. Their paths are outside
 * of /api/v1.
 */
import { hashSignInLinkToken, makeSessionToken } from '#domain/secrets';
import { mayReadAnyStreamAnonymously } from '#domain/streams';
import {
  browserAndSystemNameOfUserAgent,
  hasSessionCookie,
  isWellFormedSignInToken,
  makeExpiredSessionCookie,
  makeSessionCookie,
} from '#frontend/web';
import { realmActorKey, toUserId } from '#model';
import { type NewWebSession, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { makePasswordLoginRequest } from '../../log-in.js';
import { NOTE_LOG_IN_REQUEST_HEADERS, reportLogInToUserActor } from '../../note-log-in.js';
import {
  type ApiCall,
  type ApiOperation,
  defineOperation,
  type ForwardedCommand,
  forwardCommand,
  type ResponseFieldsAnswer,
} from '../../operation.js';
import { declarePathIdParameter, declareRequiredTextParameter } from '../../parameters.js';

/**
 * Begins a session and answers with its cookie. The secret goes into the cookie, and only its hash to the actor.
 *
 * @param command makes the command that begins the session with this hash
 */
async function startSessionAndAnswerWithCookie(
  call: ApiCall<unknown>,
  command: (session: NewWebSession) => ForwardedCommand<{ readonly user_id: number }>,
): Promise<ResponseFieldsAnswer> {
  const { token, hash } = makeSessionToken(call.secrets, call.realm);
  const { user_id } = await call.send(
    command({ hash, client: browserAndSystemNameOfUserAgent(call.header('user-agent')) }),
  );
  await reportLogInToUserActor(call, toUserId(user_id));
  return { fields: { user_id }, headers: { 'Set-Cookie': makeSessionCookie(token, call.sessionCookieScope) } };
}

export const signInByPasswordOperation = defineOperation({
  id: 'web-sign-in',
  method: 'POST',
  path: '/web/session',
  root: true,
  guard: 'none',
  webClient: true,
  headers: NOTE_LOG_IN_REQUEST_HEADERS,
  summary: 'Sign in with address and password; the answer sets the cookie of a session.',
  parameters: {
    username: declareRequiredTextParameter('form', 'Real address of the account.'),
    password: declareRequiredTextParameter('form', 'Its password.'),
  },
  async run(call) {
    const { logIn, user } = await makePasswordLoginRequest(call);
    const checkedAt = call.directory.version;
    await call.send(logIn);
    // The log-in command is refused for every unknown address, so `user` is set after its success.
    const { id } = user as DirectoryUser;
    const to = realmActorKey(call.realm);
    return startSessionAndAnswerWithCookie(call, (session) =>
      forwardCommand({ to, command: realmActorCommands.startSession, args: { ...session, checkedAt }, as: id }),
    );
  },
});

/** @throws ApiError */
function hashTokenOfOneTimeLinkOrThrow({ params, directory, secrets }: ApiCall<{ readonly token: string }>): string {
  if (!isWellFormedSignInToken(params.token)) throw apiError('SIGN_IN_LINK_VOID');
  if (directory.deactivated) throw apiError('REALM_DEACTIVATED');
  return hashSignInLinkToken(secrets, params.token);
}

export const signInByOneTimeLinkOperation = defineOperation({
  id: 'web-sign-in-once',
  method: 'POST',
  path: '/web/session/one-time',
  root: true,
  guard: 'none',
  webClient: true,
  headers: NOTE_LOG_IN_REQUEST_HEADERS,
  summary: 'Sign in by a one-time link; the answer sets the cookie of a session.',
  parameters: { token: declareRequiredTextParameter('form', 'From the link.') },
  async run(call) {
    const link = hashTokenOfOneTimeLinkOrThrow(call);
    const to = realmActorKey(call.realm);
    return startSessionAndAnswerWithCookie(call, (session) =>
      forwardCommand({ to, command: realmActorCommands.startSessionByLink, args: { ...session, link } }),
    );
  },
});

/** Lets the client ask the reader before a link replaces the session of another account (login CSRF). */
export const getOneTimeLinkAccountOperation = defineOperation({
  id: 'web-get-one-time-account',
  method: 'POST',
  path: '/web/session/one-time/account',
  root: true,
  guard: 'none',
  webClient: true,
  summary: 'Account that a one-time link would sign in; the link stays unused.',
  parameters: { token: declareRequiredTextParameter('form', 'From the link.') },
  run: (call) =>
    forwardCommand({
      to: realmActorKey(call.realm),
      command: realmActorCommands.peekSignInLink,
      args: { link: hashTokenOfOneTimeLinkOrThrow(call) },
    }),
});

/**
 * Operation that answers 200 without a session too, because a browser reports a refused request on its console as an
 * error.
 */
export const getSignedInStatusOperation = defineOperation({
  id: 'web-get-session',
  method: 'GET',
  path: '/web/session',
  root: true,
  guard: 'user',
  visitors: true,
  bareCookie: true,
  webClient: true,
  headers: ['cookie'],
  summary: 'Is this browser signed in, and as whom? The answer removes the cookie of a session that has ended.',
  parameters: {},
  run(call) {
    const { caller: user_id, sessionCookieScope: scope } = call;
    const signed_in = user_id !== 0;
    const public_access = mayReadAnyStreamAnonymously(call.webPublicStreams, call.directory);
    const fields = { signed_in, user_id, public_access };
    const stale = !signed_in && hasSessionCookie(call.header('cookie'), scope);
    return { fields, headers: stale ? { 'Set-Cookie': makeExpiredSessionCookie(scope) } : {} };
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
    const { realm, callerSessionId, sessionCookieScope } = call;
    if (callerSessionId === undefined) throw apiError('NO_SUCH_SESSION');
    await call.send(
      forwardCommand({
        to: realmActorKey(realm),
        command: realmActorCommands.endSession,
        args: { session: callerSessionId },
      }),
    );
    return { fields: {}, headers: { 'Set-Cookie': makeExpiredSessionCookie(sessionCookieScope) } };
  },
});

export const getOwnSessionsOperation = defineOperation({
  id: 'web-get-sessions',
  method: 'GET',
  path: '/web/sessions',
  root: true,
  guard: 'human',
  webClient: true,
  summary: "One's own sessions: browser, time of sign-in and of the last use.",
  parameters: {},
  run({ directory, caller, callerSessionId: own }) {
    const sessions = (directory.sessionsOf(caller)?.sessions ?? []).map(({ id, client, created, used, push }) => ({
      id,
      client,
      created: Math.floor(created / 1000),
      last_used: Math.floor(used / 1000),
      current: id === own,
      push: push !== undefined,
    }));
    return { fields: { sessions } };
  },
});

export const endOwnSessionByIdOperation = defineOperation({
  id: 'web-end-session',
  method: 'DELETE',
  path: '/web/sessions/{session_id}',
  root: true,
  guard: 'human',
  webClient: true,
  summary: "End one of one's own sessions.",
  parameters: { session_id: declarePathIdParameter('The session.') },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.endSession,
      args: { session: params.session_id },
    }),
});

export const endOtherOwnSessionsOperation = defineOperation({
  id: 'web-end-other-sessions',
  method: 'DELETE',
  path: '/web/sessions',
  root: true,
  guard: 'human',
  webClient: true,
  summary: "End all of one's own sessions but this one.",
  parameters: {},
  run: ({ realm, callerSessionId = null }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.endSessions,
      args: { except: callerSessionId },
    }),
});

export const WEB_SESSION_OPERATIONS = [
  signInByPasswordOperation,
  signInByOneTimeLinkOperation,
  getOneTimeLinkAccountOperation,
  getSignedInStatusOperation,
  signOutOperation,
  getOwnSessionsOperation,
  endOwnSessionByIdOperation,
  endOtherOwnSessionsOperation,
] as unknown as readonly ApiOperation[];
