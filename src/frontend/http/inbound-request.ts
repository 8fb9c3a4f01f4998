/** One request of a client: its head, the results of the pipeline's steps, and its lifetime when it has to wait. */
import { memoizeByObject, type RateLimitStatus } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import {
  API_LEVEL_HEADER,
  type ApiLevel,
  BASE_API_LEVEL,
  type ClientApiLevels,
  type LevelTranslator,
  translatorOfLevel,
} from '#domain/levels';
import { clientNameOfRequest } from '#domain/messages';
import type { ApiOperation } from '#frontend/api';
import type { SessionCookieScope } from '#frontend/web';
import {
  type BrowserRequestFacts,
  type BrowserRequestPolicy,
  portInBrowserAddress,
  readBrowserRequestFacts,
} from './browser.js';
import { acceptsGzip } from './compression.js';
import { EMPTY_FORM, type ParsedForm, type UploadMemoryReservation } from './form.js';
import type { OperationCall } from './operation-call.js';
import type { HttpRouteMatch, RoutedOperation } from './route.js';
import type { HttpExchange } from './server.js';
import type { AnonymousCaller, AuthenticatedCaller, ForwardedCommandHandle } from './services.js';

const NO_DECLARED_HEADERS: ReadonlyMap<string, string> = new Map();

type OperationsOfPath = HttpRouteMatch<RoutedOperation>['route']['targetsByMethod'];

/** Lists the headers that an operation reads. A page is in the language of the browser. */
const headersOfOperation = ({ headers = [], page }: ApiOperation): readonly string[] =>
  page ? [...headers, 'accept-language'] : headers;

/** Lists the headers that any operation of the path reads, because a POST may name its operation in the body. */
const declaredHeadersOfPath = memoizeByObject((methods: OperationsOfPath): readonly string[] => [
  ...new Set([...methods.values()].flatMap(({ operation }) => headersOfOperation(operation))),
]);

/**
 * True if some operation of the path is for the web client alone; then the headers of the browser are read in any case.
 */
const hasWebClientOperation = memoizeByObject((methods: OperationsOfPath): boolean =>
  [...methods.values()].some(({ operation }) => operation.webClient === true),
);

/**
 * True if answers of the operation may be compressed; by default only answers to GET, because answers to changes are
 * short.
 */
export const isOperationAnswerCompressible = ({ compressed, method }: ApiOperation): boolean =>
  compressed ?? method === 'GET';

const hasCompressibleOperation = memoizeByObject((methods: OperationsOfPath): boolean =>
  [...methods.values()].some(({ operation }) => isOperationAnswerCompressible(operation)),
);

/** Settings of the frontend that decide which headers are read. */
export interface HeaderReadingPolicy {
  /** True if X-Forwarded-For is read, because some proxy is trusted. */
  readonly readsForwardedFor: boolean;
  /** True if large answers are compressed for clients that accept gzip. */
  readonly compressesAnswers: boolean;
  readonly browserPolicy: BrowserRequestPolicy;
  /** Chooses the API level of each request. */
  readonly apiLevels: ClientApiLevels;
}

/**
 * A request with headers that are read on first use: reading one costs as much as all other work for a small answer.
 */
export class InboundRequest {
  authorization: string;
  host: string;
  form: ParsedForm = EMPTY_FORM;
  /** Index of the request's next step in the pipeline. */
  nextStepIndex = 0;
  /** The operation of the request; known once the body is read. */
  routedOperation: RoutedOperation | undefined;
  /** The organization of the request and, unless `isAnonymous`, the account. */
  identity: AnonymousCaller | undefined;
  isAnonymous = false;
  /** The call that the operation runs with; undefined before the step `run`. */
  operationCall: OperationCall | undefined;
  /** Deadline and clean-up of a request that has to wait; undefined while it has not waited. */
  lifetime: RequestLifetime | undefined;
  /** State of the tightest rate limit under which the request was counted; undefined if it was not counted. */
  rateLimitStatus: RateLimitStatus | undefined;
  /** True for a poll that waits for events: its duration says nothing about the server's speed. */
  isPoll = false;
  /** True once an older request object stands for this request (`rebindToNextPoll`): this object is read no more. */
  isReplacedByOlder = false;
  /** Hash of the API key or of the session that a waiting poll was sent with; '' if there is none. */
  credentialHash = '';
  #userAgent: string | undefined;
  #forwardedFor: string | undefined;
  #headers: ReadonlyMap<string, string> | undefined;
  #apiLevelHeader: string | undefined;
  #apiLevel: ApiLevel | undefined;
  #mayGzipAnswer: boolean | undefined;
  #browserFacts: BrowserRequestFacts | undefined;
  /** Copy of `rateLimitStatus`, for a request object that is reused for the client's later polls. */
  #reusedRateLimitStatus: { -readonly [K in keyof RateLimitStatus]: RateLimitStatus[K] } | undefined;

  /** Makes the request. @param since monotonic time at which the request arrived, ms */
  constructor(
    public exchange: HttpExchange,
    readonly match: HttpRouteMatch<RoutedOperation>,
    public since: number,
    private readonly policy: HeaderReadingPolicy,
  ) {
    this.authorization = exchange.header('authorization');
    this.host = exchange.header('host').toLowerCase();
  }

  /** The authenticated account; undefined for a call without credentials. */
  get account(): AuthenticatedCaller | undefined {
    return this.isAnonymous ? undefined : (this.identity as AuthenticatedCaller | undefined);
  }

  get userAgent(): string {
    this.#userAgent ??= this.exchange.header('user-agent');
    return this.#userAgent;
  }

  /** All lines of X-Forwarded-For; '' where no proxy is trusted. */
  get forwardedFor(): string {
    this.#forwardedFor ??= this.policy.readsForwardedFor ? this.exchange.headerLines('x-forwarded-for') : '';
    return this.#forwardedFor;
  }

  /** Level at which the client is answered. @throws ApiError API_LEVEL_INVALID */
  get apiLevel(): ApiLevel {
    this.#apiLevel ??= this.policy.apiLevels.isOn
      ? this.policy.apiLevels.levelOfRequest(this.apiLevelHeader, clientNameOfRequest(undefined, this.userAgent))
      : BASE_API_LEVEL;
    return this.#apiLevel;
  }

  /** Translation of what this client gets; undefined for a client of the base level. */
  get translator(): LevelTranslator | undefined {
    return translatorOfLevel(this.apiLevel);
  }

  /** Value of the header that names the client's API level; '' where every client gets the base level. */
  get apiLevelHeader(): string {
    this.#apiLevelHeader ??= this.policy.apiLevels.isOn ? this.exchange.header(API_LEVEL_HEADER) : '';
    return this.#apiLevelHeader;
  }

  /** True if the answer may be sent compressed. */
  get mayGzipAnswer(): boolean {
    this.#mayGzipAnswer ??=
      this.policy.compressesAnswers &&
      hasCompressibleOperation(this.match.route.targetsByMethod) &&
      acceptsGzip(this.exchange.header('accept-encoding'));
    return this.#mayGzipAnswer;
  }

  /** Values of the headers that operations of this path declare. */
  get headers(): ReadonlyMap<string, string> {
    if (this.#headers) return this.#headers;
    const names = declaredHeadersOfPath(this.match.route.targetsByMethod);
    this.#headers =
      names.length > 0 ? new Map(names.map((name) => [name, this.exchange.header(name)])) : NO_DECLARED_HEADERS;
    return this.#headers;
  }

  /**
   * Headers that only browsers send. They must be read before the handler has returned, unless `captureHeaders` has
   * read them.
   */
  get browserFacts(): BrowserRequestFacts {
    this.#browserFacts ??= readBrowserRequestFacts(this.exchange, this.host, this.policy.browserPolicy);
    return this.#browserFacts;
  }

  get sessionCookieScope(): SessionCookieScope {
    return { secure: this.browserFacts.usesTls, port: portInBrowserAddress(this.host, this.policy.browserPolicy) };
  }

  /** True if a page of this server sends the request; false also where the headers were not read. */
  get isFromOwnPage(): boolean {
    return this.#browserFacts?.isFromOwnPage === true;
  }

  /** Reads every header that may be needed later: the native server frees the head when the handler returns. */
  captureHeaders(): void {
    void this.userAgent;
    void this.apiLevelHeader;
    void this.forwardedFor;
    void this.headers;
    void this.mayGzipAnswer;
    if (this.authorization === '' || hasWebClientOperation(this.match.route.targetsByMethod)) void this.browserFacts;
  }

  /** Makes this answered request object stand for the client's next poll. */
  rebindToNextPoll(next: InboundRequest): void {
    this.exchange = this.exchange.reuseForNextRequestIfPossible(next.exchange);
    this.since = next.since;
    this.credentialHash = next.credentialHash;
    this.#mayGzipAnswer = next.mayGzipAnswer;
    this.#browserFacts = next.#browserFacts;
    next.isReplacedByOlder = true;
    const { rateLimitStatus } = next;
    // The values are copied into an existing object: a new object would live as long as the poll and be expensive to
    // collect.
    if (!rateLimitStatus) this.rateLimitStatus = undefined;
    else if (!this.#reusedRateLimitStatus) this.rateLimitStatus = this.#reusedRateLimitStatus = { ...rateLimitStatus };
    else {
      this.#reusedRateLimitStatus.limit = rateLimitStatus.limit;
      this.#reusedRateLimitStatus.remaining = rateLimitStatus.remaining;
      this.#reusedRateLimitStatus.reset = rateLimitStatus.reset;
      this.rateLimitStatus = this.#reusedRateLimitStatus;
    }
  }

  /** Frees the input (form, parameters) of a poll that may wait for minutes; only the answer is still to be sent. */
  releaseInput(): void {
    this.exchange.releasePathAndQuery();
    this.authorization = '';
    this.host = '';
    this.#userAgent = '';
    this.#headers = NO_DECLARED_HEADERS;
    this.form = EMPTY_FORM;
    this.identity = undefined;
    this.operationCall = undefined;
  }
}

/**
 * Lifetime of a request that outlives its turn of the event loop: its deadline, and the resources to release at its
 * end.
 */
export class RequestLifetime {
  /** True once the request is answered or aborted; results that arrive later are dropped. */
  isOver = false;
  /** The command that an actor is working on for the request. */
  forwardedCommand: Pick<ForwardedCommandHandle, 'cancel' | 'releaseForShutdown'> | undefined;
  /** Memory of an upload. */
  uploadMemory: UploadMemoryReservation | undefined;
  #deadlineTimer: TimerHandle | undefined;

  constructor(
    readonly request: InboundRequest,
    private readonly owner: RequestLifetimes,
  ) {}

  /** Ends the request because its client has disconnected. */
  readonly handleClientLeft = (): void => {
    this.endRequest();
    this.owner.events.handleClientLeft();
  };

  readonly #handleDeadlinePassed = (): void => this.owner.events.handleDeadlinePassed(this.request);

  /** Starts the deadline, unless one is set already. */
  startDeadlineUnlessSet(ms: number): void {
    if (!this.isOver) this.#deadlineTimer ??= this.owner.clock.setTimeout(this.#handleDeadlinePassed, ms);
  }

  stopDeadline(): void {
    if (this.#deadlineTimer) this.owner.clock.clearTimeout(this.#deadlineTimer);
    this.#deadlineTimer = undefined;
  }

  endRequest(): void {
    this.owner.heldPollLifetimes.delete(this);
    if (this.isOver) return;
    this.isOver = true;
    this.stopDeadline();
    this.forwardedCommand?.cancel();
    this.forwardedCommand = undefined;
    this.uploadMemory?.release();
  }
}

/** Listener that is called when requests that wait have ended. */
export interface RequestLifetimeListener {
  handleDeadlinePassed(request: InboundRequest): void;
  handleClientLeft(): void;
  failRequest(request: InboundRequest, error: unknown): void;
}

/** The lifetimes of all requests of one frontend. */
export class RequestLifetimes {
  /** Polls that an actor holds and that can't be parked in the frontend. */
  readonly heldPollLifetimes = new Set<RequestLifetime>();

  /**
   * Makes an empty set of lifetimes.
   *
   * @param deadlineMs default time limit: from the first promise that a request awaits until the request is answered
   * 503
   */
  constructor(
    readonly clock: Clock,
    readonly events: RequestLifetimeListener,
    private readonly deadlineMs: number,
  ) {}

  findOrCreateLifetime(request: InboundRequest): RequestLifetime {
    if (request.lifetime) return request.lifetime;
    const lifetime = new RequestLifetime(request, this);
    request.lifetime = lifetime;
    request.exchange.setAbortListener(lifetime.handleClientLeft);
    return lifetime;
  }

  /**
   * Calls `next` with the promised value, unless the request ends before. If the promise rejects or `next` throws, the
   * request fails.
   */
  continueAfterPromise<T>(
    request: InboundRequest,
    promise: Promise<T>,
    next: (request: InboundRequest, value: T) => void,
  ): void {
    const lifetime = this.findOrCreateLifetime(request);
    lifetime.startDeadlineUnlessSet(this.deadlineMs);
    promise.then(
      (value) => {
        if (lifetime.isOver) return;
        try {
          next(request, value);
        } catch (error) {
          this.events.failRequest(request, error);
        }
      },
      (error: unknown) => {
        if (!lifetime.isOver) this.events.failRequest(request, error);
      },
    );
  }
}
