/**
 * The `authenticate` step of the pipeline: from credentials (conventions.md § Authentication) to an account or an
 * organization. Credentials are an API key, or the session cookie of a browser (browser.ts); a key wins.
 */
import { isSessionUnexpired, isSessionUseToBeRecorded } from '#domain/secrets';
import { mayReadAnyStreamAnonymously } from '#domain/streams';
import type { ApiOperation } from '#frontend/api';
import { ApiError, apiError } from '#model/errors';
import type { RequestFormPolicy } from './form.js';
import { parseUrlencodedForm } from './form-urlencoded.js';
import type { InboundRequest } from './inbound-request.js';
import type { AnonymousCaller, AuthenticatedCaller, FrontendServices } from './services.js';

interface ApiKeyCredentials {
  readonly username: string;
  /** API key of the account: 32 characters `[A-Za-z0-9]`. */
  readonly apiKey: string;
}

const API_KEY_PATTERN = /^[A-Za-z0-9]{32}$/;

/** Returns the key if it is well-formed. @throws ApiError API_KEY_MALFORMED */
function checkApiKeyWellFormed(key: string): string {
  if (!API_KEY_PATTERN.test(key)) throw apiError('API_KEY_MALFORMED');
  return key;
}

/**
 * Parses the Authorization header.
 * @param header Authorization; '' when absent
 * @throws ApiError NOT_LOGGED_IN, AUTH_HEADER, AUTH_SCHEME, API_KEY_MALFORMED, in this order
 */
export function parseAuthorizationHeader(header: string): ApiKeyCredentials {
  const words = header.trim();
  if (words === '') throw apiError('NOT_LOGGED_IN');
  const space = words.indexOf(' ');
  const blank = space < 0 ? words.search(/\s/) : space;
  const payload = blank < 0 ? '' : words.slice(blank).trim();
  if (payload === '' || payload.includes(' ')) throw apiError('AUTH_HEADER');
  if (words.slice(0, blank).toLowerCase() !== 'basic') throw apiError('AUTH_SCHEME');
  const text = decodeBase64OrEmpty(payload);
  const colon = text.indexOf(':');
  if (colon < 0 || text.includes(':', colon + 1) || text.includes('\ufffd')) throw apiError('AUTH_HEADER');
  return { username: text.slice(0, colon).trim(), apiKey: checkApiKeyWellFormed(text.slice(colon + 1).trim()) };
}

/**
 * Decodes base64; returns '' for other text. Node skips foreign characters, so the check compares lengths; a regular
 * expression costs four times as much.
 */
function decodeBase64OrEmpty(payload: string): string {
  const padding = payload.endsWith('==') ? 2 : payload.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length === (payload.length / 4) * 3 - padding ? bytes.toString('utf8') : '';
}

/** Errors for a refused API key in the query, by the error that the same key gets in the Authorization header. */
const QUERY_KEY_ERROR_BY_HEADER_ERROR = {
  API_KEY_MALFORMED: 'QUERY_KEY_MALFORMED',
  API_KEY_UNKNOWN: 'QUERY_KEY_UNKNOWN',
  ACCOUNT_DEACTIVATED: 'USER_DEACTIVATED',
  ORGANIZATION_DEACTIVATED: 'REALM_DEACTIVATED',
} as const;

function rethrowAsQueryKeyError(error: unknown): never {
  const name =
    error instanceof ApiError
      ? QUERY_KEY_ERROR_BY_HEADER_ERROR[error.reason as keyof typeof QUERY_KEY_ERROR_BY_HEADER_ERROR]
      : undefined;
  throw name === undefined ? error : apiError(name);
}

/** Callers that the operations of a path admit, before the body has said which operation is meant. */
type CallerPolicyOfPath = Pick<RequestFormPolicy, 'admitsVisitors' | 'takesKeyInQuery'>;

/** Caller whose account or organization is known. */
export type KnownCaller = AuthenticatedCaller | AnonymousCaller;

const keyInQueryOf = ({ exchange }: InboundRequest): string | undefined =>
  parseUrlencodedForm(exchange.query).get('api_key');

const isFromOwnWebClient = ({ browserFacts }: InboundRequest): boolean =>
  browserFacts.isFromWebClient && browserFacts.isSameOrigin;

const isNonexistentSubdomainError = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'NONEXISTENT_SUBDOMAIN';

const isEndedSessionError = (error: unknown): boolean =>
  error instanceof ApiError && (error.reason === 'NOT_LOGGED_IN' || error.reason === 'USER_DEACTIVATED');

export class Authenticator {
  readonly #callersByAuthorization: AuthenticatedCallerCache;
  readonly #callersBySessionToken: AuthenticatedCallerCache;

  /**
   * Makes the authenticator.
   * @param publicAccess true if the server allows organizations to be read without an account
   */
  constructor(
    private readonly services: FrontendServices,
    private readonly publicAccess: boolean,
  ) {
    this.#callersByAuthorization = new AuthenticatedCallerCache(services);
    this.#callersBySessionToken = new AuthenticatedCallerCache(services);
  }

  /**
   * Finds the account of the request or, for a call without credentials (`request.anonymous`), its organization.
   *
   * @throws ApiError, or rejects
   */
  identifyCaller(request: InboundRequest, operation: ApiOperation): AnonymousCaller | Promise<AnonymousCaller> {
    const { guard, visitors, keyInQuery } = operation;
    const { authorization, host } = request;
    if (operation.webClient && !isFromOwnWebClient(request)) throw apiError('NOT_FROM_WEB_CLIENT');
    const bare = authorization === '';
    const key = keyInQuery || (visitors && bare) ? keyInQueryOf(request) : undefined;
    if (bare && key === undefined && (guard !== 'none' || operation.bareCookie)) {
      const { sessionToken, isFromWebClient, expectedUserId } = request.browserFacts;
      if (sessionToken !== '' && operation.bareCookie)
        return this.#identifyBySessionOrAsVisitor(request, operation, sessionToken);
      if (sessionToken !== '' && isFromWebClient)
        return this.#authenticateLiveSession(sessionToken, host, expectedUserId);
    }
    return this.#identifyByKeyOrHost(request, operation, key);
  }

  #identifyByKeyOrHost(
    request: InboundRequest,
    operation: ApiOperation,
    key: string | undefined,
  ): AnonymousCaller | Promise<AnonymousCaller> {
    const { guard, visitors, anonymous } = operation;
    const { authorization, host } = request;
    const bare = authorization === '';
    if (guard === 'none' || (visitors && bare && key === undefined)) {
      request.isAnonymous = true;
      return this.#findRealmOfHost(host, operation);
    }
    if (bare && anonymous) {
      request.isAnonymous = true;
      return this.#findPublicRealmOfHost(host);
    }
    return key === undefined
      ? this.#authenticateByAuthorization(authorization, host)
      : this.#authenticateByQueryKey(key, host);
  }

  /**
   * Checks, before a body is read, that an account or an admitted visitor sends the request.
   *
   * @param policy says whether some operation of the path is open to visitors of organizations with public access
   * @returns the caller where it is known at once; otherwise a promise that rejects with the refusal
   */
  checkCallerBeforeBody(request: InboundRequest, policy: CallerPolicyOfPath): KnownCaller | Promise<unknown> {
    const { authorization, host } = request;
    const key = policy.takesKeyInQuery ? keyInQueryOf(request) : undefined;
    if (key !== undefined) return this.#authenticateByQueryKey(key, host);
    const {
      sessionToken = '',
      isFromWebClient = false,
      expectedUserId = 0,
    } = authorization === '' ? request.browserFacts : {};
    const bySession = sessionToken !== '' && isFromWebClient;
    return bySession
      ? this.#authenticateLiveSession(sessionToken, host, expectedUserId)
      : this.#identifyByKeyOrPublicHost(request, policy.admitsVisitors);
  }

  #identifyByKeyOrPublicHost(
    { authorization, host }: InboundRequest,
    visitors: boolean,
  ): KnownCaller | Promise<unknown> {
    return visitors && authorization === ''
      ? this.#findPublicRealmOfHost(host)
      : this.#authenticateByAuthorization(authorization, host);
  }

  /** @param expectedUserId account that the page shows; 0 for any */
  #authenticateLiveSession(
    token: string,
    host: string,
    expectedUserId: number,
  ): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    const known = this.#callersBySessionToken.findStillValidCaller(token, host);
    if (known) return this.#checkSessionAndRecordUse(known, expectedUserId);
    const caller = this.services.authenticateSession(token, host);
    if (caller instanceof Promise) return caller.then((found) => this.#checkSessionAndRecordUse(found, expectedUserId));
    this.#callersBySessionToken.addCaller(token, host, caller);
    return this.#checkSessionAndRecordUse(caller, expectedUserId);
  }

  /**
   * Returns the caller unless the session has expired or is another account's: a page that was opened before a sign-in
   * must not act for the account that has signed in.
   * @throws ApiError NOT_LOGGED_IN, SESSION_CHANGED
   */
  #checkSessionAndRecordUse(caller: AuthenticatedCaller, expectedUserId: number): AuthenticatedCaller {
    const now = this.services.clock.now();
    const session = caller.session!;
    if (!isSessionUnexpired(session, now)) throw apiError('NOT_LOGGED_IN');
    if (expectedUserId !== 0 && expectedUserId !== caller.user.id) throw apiError('SESSION_CHANGED');
    if (isSessionUseToBeRecorded(session, now)) this.services.recordSessionUse(caller);
    return caller;
  }

  /** Finds the account of a session cookie. A browser whose session has ended gets the rights of a visitor. */
  async #identifyBySessionOrAsVisitor(
    request: InboundRequest,
    operation: ApiOperation,
    token: string,
  ): Promise<AnonymousCaller> {
    try {
      return await this.#authenticateLiveSession(token, request.host, 0);
    } catch (error) {
      if (!isEndedSessionError(error)) throw error;
      return this.#identifyByKeyOrHost(request, operation, undefined);
    }
  }

  #authenticateByAuthorization(
    authorization: string,
    host: string,
  ): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    const known = this.#callersByAuthorization.findStillValidCaller(authorization, host);
    if (known) return known;
    const { username, apiKey } = parseAuthorizationHeader(authorization);
    const caller = this.services.authenticateApiKey(username, apiKey, host);
    if (!(caller instanceof Promise)) this.#callersByAuthorization.addCaller(authorization, host, caller);
    return caller;
  }

  /** Finds the account of an API key in the query: URLs of files and webhooks may carry the key alone. */
  #authenticateByQueryKey(key: string, host: string): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    try {
      const caller = this.services.authenticateApiKey(undefined, checkApiKeyWellFormed(key), host);
      return caller instanceof Promise ? caller.catch(rethrowAsQueryKeyError) : caller;
    } catch (error) {
      return rethrowAsQueryKeyError(error);
    }
  }

  /** Finds the organization of a call to an operation that needs no account. */
  #findRealmOfHost(host: string, { unknownHost }: ApiOperation): AnonymousCaller | Promise<AnonymousCaller> {
    const organization = this.services.findAnonymousCaller(host);
    if (!unknownHost || !(organization instanceof Promise)) return organization;
    return organization.catch((error: unknown) => {
      throw isNonexistentSubdomainError(error) ? apiError(unknownHost) : error;
    });
  }

  /**
   * Finds the organization that a visitor without an account may read. Rejects with NOT_LOGGED_IN where it has no
   * public access.
   */
  async #findPublicRealmOfHost(host: string): Promise<AnonymousCaller> {
    if (!this.publicAccess) throw apiError('NOT_LOGGED_IN');
    try {
      const organization = await this.services.findAnonymousCaller(host);
      if (mayReadAnyStreamAnonymously(this.publicAccess, organization.directory)) return organization;
    } catch (error) {
      if (!isNonexistentSubdomainError(error)) throw error;
    }
    throw apiError('NOT_LOGGED_IN');
  }
}

interface CachedCaller {
  readonly host: string;
  readonly directoryVersion: number;
  readonly caller: AuthenticatedCaller;
}

const MAX_CACHED_CALLERS = 20_000;
/**
 * Maximum of characters of a header in the cache; only an attacker that wants to fill the memory sends a longer one.
 */
const MAX_CACHED_HEADER_LENGTH = 512;

/**
 * Cache of callers by Authorization header, or by the secret of a session. An entry is valid only while the realm's
 * replica is the same object at the same version, so the cache never admits more than authentication would: everything
 * that ends a right (another key, an ended session, a deactivated account or organization, another role) is a change of
 * the directory.
 */
export class AuthenticatedCallerCache {
  #callersByCredential = new Map<string, CachedCaller>();

  constructor(private readonly services: Pick<FrontendServices, 'findOpenDirectory'>) {}

  get callerCount(): number {
    return this.#callersByCredential.size;
  }

  findStillValidCaller(authorization: string, host: string): AuthenticatedCaller | undefined {
    const known = this.#callersByCredential.get(authorization);
    if (!known || known.host !== host) return undefined;
    const { caller, directoryVersion } = known;
    const { directory } = caller;
    if (directory.version === directoryVersion && this.services.findOpenDirectory(caller.realm) === directory)
      return caller;
    this.#callersByCredential.delete(authorization);
    return undefined;
  }

  /** Caches a caller. Must be called in the turn of the event loop in which the caller was authenticated. */
  addCaller(authorization: string, host: string, caller: AuthenticatedCaller): void {
    if (authorization.length > MAX_CACHED_HEADER_LENGTH || host.length > MAX_CACHED_HEADER_LENGTH) return;
    if (this.#callersByCredential.size >= MAX_CACHED_CALLERS) this.#callersByCredential = new Map();
    this.#callersByCredential.set(authorization, { host, directoryVersion: caller.directory.version, caller });
  }
}
