/**
 * Pages of single sign-on, not part of the API. The browser goes to an identity provider, comes back with a code, and
 * gets a session. If an API client has begun the sign-in with a one-time pad, that client gets the result instead.
 *
 * GET /accounts/login/oidc/ID → provider → GET /accounts/login/oidc/ID/callback → session, mobile or desktop client
 */

import { makeDesktopSignInTokenPage, makeSingleSignOnFailedPage } from '#domain/pages';
import { hashSignInLinkToken, makeSessionToken, makeSignInLinkToken } from '#domain/secrets';
import { pageTextsIn } from '#domain/texts';
import {
  decryptSignInFlow,
  type ExternalIdentity,
  encryptApiKeyWithOneTimePad,
  encryptForDesktopClient,
  encryptSignInFlow,
  hashSignInFlow,
  type IdentityProviderConfig,
  IdentityProviders,
  IdentityProviderUnavailableError,
  isOneTimePad,
  makeExpiredSignInFlowCookie,
  makeSignInFlowCookie,
  makeSignInFlowExpiry,
  type SignInFlow,
  type SignInFlowTarget,
  SingleSignOnRefusedError,
} from '#frontend/single-sign-on';
import { browserAndSystemNameOfUserAgent, isWellFormedSignInToken, makeSessionCookie } from '#frontend/web';
import { type RawHttpAnswer, realmActorKey, toUserId } from '#model';
import { realmActorCommands } from '#model/commands';
import { ActorRefusedError, ApiError, apiError } from '#model/errors';
import { logInAndFetchApiKeyFields, makeTrustedLogInCommand } from '../../log-in.js';
import { NOTE_LOG_IN_REQUEST_HEADERS, reportLogInToUserActor } from '../../note-log-in.js';
import { type ApiCall, type ApiOperation, defineOperation, forwardCommand } from '../../operation.js';
import { declareOptionalTextParameter, declarePathTextParameter } from '../../parameters.js';
import { listUsableIdentityProviders, makeSingleSignOnPath } from '../../providers.js';
import { CONDITIONAL_REQUEST_HEADERS, servePicture } from '../../raw-answers.js';
import { tryStoreProviderAvatar } from './avatar.js';

type SingleSignOnCall = ApiCall<{ readonly provider: string }>;

const isHttpsSite = ({ site }: SingleSignOnCall): boolean => site.startsWith('https:');

/**
 * Returns the redirect URI for the provider. It comes from the configuration, never from a Host header that names
 * another host.
 */
const redirectUriOf = ({ site, params }: SingleSignOnCall): string =>
  `${site}${makeSingleSignOnPath(params.provider)}/callback`;

const makeRedirectAnswer = (location: string, cookies: Readonly<Record<string, string>>): RawHttpAnswer => ({
  status: 302,
  raw: new Uint8Array(0),
  headers: { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...cookies },
});

/** Makes the page of a sign-in that may not go on, for a reason that is no refusal of the API. */
const makeForbiddenPage = (
  { pageLanguage, servesWebClient }: ApiCall<unknown>,
  reason: 'noBrowserClient' | 'signInCancelled' | 'alreadySignedIn',
): RawHttpAnswer => makeSingleSignOnFailedPage(pageLanguage, 403, pageTextsIn(pageLanguage)[reason], servesWebClient);

/** Runs `answer` and turns a refusal into an HTML page. Errors of the server are thrown on. */
async function answerWithRefusalAsPage(
  { servesWebClient, pageLanguage }: ApiCall<unknown>,
  answer: () => RawHttpAnswer | Promise<RawHttpAnswer>,
): Promise<RawHttpAnswer> {
  const fail = (status: number, text: string) =>
    makeSingleSignOnFailedPage(pageLanguage, status, text, servesWebClient);
  try {
    return await answer();
  } catch (error) {
    if (error instanceof IdentityProviderUnavailableError) {
      return fail(503, pageTextsIn(pageLanguage).providerUnavailable);
    }
    if (error instanceof SingleSignOnRefusedError) {
      return fail(400, pageTextsIn(pageLanguage).providerRefused);
    }
    const reply =
      error instanceof ActorRefusedError ? error.reply : error instanceof ApiError ? error.toReply() : undefined;
    if (!reply || reply.status >= 500) throw error;
    return fail(reply.status, reply.msg);
  }
}

/** Finds the identity provider that the call names. @throws ApiError */
function findProviderOrThrow(call: SingleSignOnCall): {
  readonly providers: IdentityProviders;
  readonly config: IdentityProviderConfig;
} {
  const config = listUsableIdentityProviders(call).find(({ id }) => id === call.params.provider);
  if (!config || !call.identityProviders) throw apiError('SINGLE_SIGN_ON_DISABLED');
  return { providers: call.identityProviders, config };
}

/**
 * Returns the target of a sign-in: the browser, or the client that sent a one-time pad.
 * @throws ApiError for a malformed pad, or two pads
 */
function signInTargetOf(mobile: string | undefined, desktop: string | undefined): SignInFlowTarget {
  const pad = mobile ?? desktop;
  if (pad === undefined) return { kind: 'web' };
  if (!isOneTimePad(pad) || (mobile !== undefined && desktop !== undefined)) throw apiError('INVALID_PARAMETERS');
  return { kind: mobile === undefined ? 'desktop' : 'mobile', pad };
}

/** Time for which browsers cache an icon, seconds. */
const ICON_CACHE_SECONDS = 3_600;

const providerPathParameter = { provider: declarePathTextParameter('Id of the provider.') } as const;

const beginSingleSignOnOperation = defineOperation({
  id: 'begin-single-sign-on',
  method: 'GET',
  path: '/accounts/login/oidc/{provider}',
  root: true,
  page: true,
  guard: 'none',
  summary: 'Leads a browser to the sign-in page of a provider.',
  parameters: {
    ...providerPathParameter,
    mobile_flow_otp: declareOptionalTextParameter('query', 'One-time pad of a mobile client, 64 hexadecimal digits.'),
    desktop_flow_otp: declareOptionalTextParameter('query', 'One-time pad of a desktop client, 64 hexadecimal digits.'),
  },
  run: (call) =>
    answerWithRefusalAsPage(call, async () => {
      const { providers } = findProviderOrThrow(call);
      const target = signInTargetOf(call.params.mobile_flow_otp, call.params.desktop_flow_otp);
      if (!call.servesWebClient && target.kind !== 'mobile') {
        return makeForbiddenPage(call, 'noBrowserClient');
      }
      const secrets = IdentityProviders.makeSignInFlowSecrets();
      const flow: SignInFlow = {
        ...secrets,
        realm: call.realm,
        provider: call.params.provider,
        target,
        expires: makeSignInFlowExpiry(call.now),
      };
      const location = await providers.makeSignInUrl(flow.provider, redirectUriOf(call), flow);
      return makeRedirectAnswer(location, {
        'Set-Cookie': makeSignInFlowCookie(flow.state, encryptSignInFlow(call.secrets, flow), isHttpsSite(call)),
      });
    }),
});

/** Signs the account in: begins the session of the browser, or gives the result to the client that began the flow. */
async function signInAndAnswerByTarget(
  call: SingleSignOnCall,
  flow: SignInFlow,
  identity: ExternalIdentity,
  update: boolean,
): Promise<RawHttpAnswer> {
  const { realm, secrets } = call;
  const { target } = flow;
  const session = target.kind === 'web' ? makeSessionToken(secrets, realm) : undefined;
  const link = target.kind === 'desktop' ? makeSignInLinkToken(secrets, realm) : undefined;
  const args = {
    issuer: identity.issuer,
    subject: identity.subject,
    email: identity.email,
    fullName: identity.fullName,
    updateName: update,
    role: identity.role,
    flow: { hash: hashSignInFlow(secrets, flow), expires: flow.expires },
    session: session
      ? { hash: session.hash, client: browserAndSystemNameOfUserAgent(call.header('user-agent')) }
      : null,
    link: link?.hash ?? null,
    origin: call.site,
  };
  const command = realmActorCommands.signInExternally;
  const { user_id, created } = await call.send(forwardCommand({ to: realmActorKey(realm), command, args }));
  const id = toUserId(user_id);
  if (created && identity.avatar !== null) void tryStoreProviderAvatar(call, id, identity.avatar);
  // A desktop client is noted when it exchanges its token for a session.
  if (target.kind !== 'desktop') await reportLogInToUserActor(call, id, target.kind === 'mobile' ? 'mobile' : 'own');
  if (session)
    return makeRedirectAnswer('/', { 'Set-Cookie': makeSessionCookie(session.token, call.sessionCookieScope) });
  const { pad } = target as Extract<SignInFlowTarget, { readonly pad: string }>;
  if (link) return makeDesktopSignInTokenPage(call.pageLanguage, encryptForDesktopClient(link.token, pad));
  await call.refresh();
  const user = call.directory.user(id);
  if (!user) throw apiError('SERVICE_UNAVAILABLE');
  const { api_key, email } = await logInAndFetchApiKeyFields(call, makeTrustedLogInCommand(realm, id), user);
  const query = new URLSearchParams({
    otp_encrypted_api_key: encryptApiKeyWithOneTimePad(api_key, pad),
    email,
    user_id: String(user_id),
    // The client compares this origin with realm_uri, which comes from the Host header, too: a proxy may drop the port.
    realm: call.unverifiedBaseUrl,
  });
  return makeRedirectAnswer(`zulip://login?${query}`, {
    'Set-Cookie': makeExpiredSignInFlowCookie(flow.state, isHttpsSite(call)),
  });
}

const finishSingleSignOnOperation = defineOperation({
  id: 'finish-single-sign-on',
  method: 'GET',
  path: '/accounts/login/oidc/{provider}/callback',
  root: true,
  page: true,
  guard: 'none',
  headers: ['cookie', ...NOTE_LOG_IN_REQUEST_HEADERS],
  summary: 'A browser comes back from a provider: begins its session, or hands the sign-in on to an API client.',
  parameters: {
    ...providerPathParameter,
    code: declareOptionalTextParameter('query', 'From the provider.'),
    state: declareOptionalTextParameter('query', 'From the provider.'),
    iss: declareOptionalTextParameter('query', 'From the provider: its issuer.'),
    session_state: declareOptionalTextParameter('query', 'From the provider; ignored.'),
    error: declareOptionalTextParameter('query', 'From the provider, in place of a code.'),
    error_description: declareOptionalTextParameter('query', 'From the provider; not shown.'),
  },
  run: (call) =>
    answerWithRefusalAsPage(call, async () => {
      const { providers, config } = findProviderOrThrow(call);
      const { state = '', error } = call.params;
      const flow = decryptSignInFlow(call.secrets, call.header('cookie'), state, {
        secure: isHttpsSite(call),
        now: call.now,
      });
      // The flow of this state belongs to another provider or another organization, or this browser has not begun it.
      if (!flow || flow.provider !== config.id || flow.realm !== call.realm) throw apiError('SIGN_IN_FLOW_VOID');
      if (error !== undefined && error !== 'access_denied') throw new SingleSignOnRefusedError(error);
      if (error !== undefined) return makeForbiddenPage(call, 'signInCancelled');
      const identity = await providers.fetchIdentityOfSignIn(config.id, redirectUriOf(call), call.rawQuery, flow);
      return signInAndAnswerByTarget(call, flow, identity, config.update_name);
    }),
});

/** Operation that serves the icon from this host: browsers load nothing from other hosts before the user signs in. */
const iconOperation = defineOperation({
  id: 'get-single-sign-on-icon',
  method: 'GET',
  path: '/accounts/login/oidc/{provider}/icon',
  root: true,
  guard: 'none',
  headers: CONDITIONAL_REQUEST_HEADERS,
  summary: 'The picture on the button of a provider.',
  parameters: providerPathParameter,
  run(call) {
    const icon = listUsableIdentityProviders(call).find(({ id }) => id === call.params.provider)?.icon;
    if (!icon) throw apiError('FILE_NOT_FOUND');
    return servePicture(call, icon, `public, max-age=${ICON_CACHE_SECONDS}`);
  },
});

/** Operation that begins a session with the token that the desktop client has decrypted. */
const signInByDesktopTokenOperation = defineOperation({
  id: 'sign-in-by-token',
  method: 'GET',
  path: '/accounts/login/subdomain/{token}',
  root: true,
  page: true,
  guard: 'none',
  bareCookie: true,
  headers: [...NOTE_LOG_IN_REQUEST_HEADERS, 'sec-fetch-site'],
  summary: 'Sign in by the one-time token of a desktop client; the answer sets the cookie of a session.',
  parameters: { token: declarePathTextParameter('From the page of the sign-in.') },
  run: (call) =>
    answerWithRefusalAsPage(call, async () => {
      const { realm, secrets, params } = call;
      const cause = call.header('sec-fetch-site');
      // Another site or organization must not sign a browser into an account of its choice (login CSRF).
      if (!isWellFormedSignInToken(params.token) || cause === 'cross-site' || cause === 'same-site') {
        throw apiError('SIGN_IN_LINK_VOID');
      }
      // A link in a message is of this site, too. Its reader is signed in.
      if (cause === 'same-origin' && call.caller !== 0) {
        return makeForbiddenPage(call, 'alreadySignedIn');
      }
      const session = makeSessionToken(secrets, realm);
      const args = {
        hash: session.hash,
        client: browserAndSystemNameOfUserAgent(call.header('user-agent')),
        link: hashSignInLinkToken(secrets, params.token),
      };
      const { user_id } = await call.send(
        forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.startSessionByLink, args }),
      );
      await reportLogInToUserActor(call, toUserId(user_id));
      const { secure, port } = call.sessionCookieScope;
      const scope = { secure: secure || call.site.startsWith('https:'), port };
      return makeRedirectAnswer('/', { 'Set-Cookie': makeSessionCookie(session.token, scope) });
    }),
});

export const SINGLE_SIGN_ON_OPERATIONS = [
  beginSingleSignOnOperation,
  finishSingleSignOnOperation,
  iconOperation,
  signInByDesktopTokenOperation,
] as unknown as readonly ApiOperation[];
