import type { JsonObject } from '#base';
import type { ApiLevel } from '#domain/levels';
import { clientNameOfRequest } from '#domain/messages';
import type { ServerCryptography } from '#domain/secrets';
import {
  interfaceLanguageOfBrowser,
  type ServerLanguage,
  serverLanguageOfBrowser,
  serverLanguageOfSetting,
} from '#domain/texts';
import type {
  ApiCall,
  BrowserPushSubscriptionRules,
  ForwardedCommand,
  OperationOutcome,
  UploadedFile,
} from '#frontend/api';
import type { ImageProxy } from '#frontend/image-proxy';
import type { IdentityProviders, JwtKeysBySubdomain } from '#frontend/single-sign-on';
import type { Thumbnails } from '#frontend/thumbnails';
import type { SessionCookieScope } from '#frontend/web';
import { type ActorReply, type RealmId, type TextRenderedByFrontend, toUserId, type UserId } from '#model';
import type { DirectoryView } from '#model/records';
import type { BlobStorage } from '#ports/blobs';
import type { RateLimitedRequest } from './call-limiter.js';
import type { ParsedForm } from './form.js';
import type { FormFields } from './form-urlencoded.js';
import type { FrontendOptions } from './options.js';
import type { AnonymousCaller, AuthenticatedCaller, FrontendServices } from './services.js';

// biome-ignore lint/suspicious/noExplicitAny: an operation declares the type of its parameters, the table of operations cannot
type AnyParameterValues = any;

/** The part of an HTTP request that operations may read; implemented by InboundRequest. */
interface OperationRequest extends RateLimitedRequest {
  readonly form: ParsedForm;
  readonly host: string;
  readonly userAgent: string;
  readonly apiLevel: ApiLevel;
  readonly sessionCookieScope: SessionCookieScope;
  /** Values of the request headers that the operations of the path declare. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Services that the calls of all requests share. */
export interface OperationCallServices {
  readonly options: FrontendOptions;
  readonly services: FrontendServices;
  sendAndAwaitFields(forward: ForwardedCommand, call: OperationCall): Promise<JsonObject>;
}

/** Caller id of calls without credentials, which have no account. */
const ANONYMOUS_CALLER_ID = toUserId(0);

const NO_BODY = new Uint8Array(0);

const NO_JWT_KEYS: JwtKeysBySubdomain = {};

/** A request in the form that its operation gets, and the result of running the operation. */
export class OperationCall implements ApiCall<AnyParameterValues> {
  readonly realm: RealmId;
  readonly caller: UserId;
  readonly directory: DirectoryView;
  /** The outcome that the operation returned; undefined until the operation has run. */
  outcome: OperationOutcome | undefined;
  /** The actor's reply; undefined where the operation answers without an actor. */
  actorReply: ActorReply | undefined;
  attemptNumber = 1;

  /**
   * Makes the call of an operation.
   * @param account undefined where the operation needs no credentials, or none were sent
   * @param queryFields fields of the query
   * @param ignored names of parameters that the operation does not know
   */
  constructor(
    readonly request: OperationRequest,
    identity: AnonymousCaller,
    readonly account: AuthenticatedCaller | undefined,
    readonly params: AnyParameterValues,
    private readonly queryFields: FormFields,
    readonly ignored: readonly string[] | undefined,
    private readonly context: OperationCallServices,
  ) {
    this.realm = identity.realm;
    this.caller = account ? account.user.id : ANONYMOUS_CALLER_ID;
    this.directory = identity.directory;
  }

  get clientName(): string {
    const { form, userAgent } = this.request;
    return clientNameOfRequest(form.fields.get('client') ?? this.queryFields.get('client'), userAgent);
  }

  get apiLevel(): ApiLevel {
    return this.request.apiLevel;
  }

  get unverifiedBaseUrl(): string {
    const { scheme = 'http', externalHost = 'localhost' } = this.context.options;
    const { host } = this.request;
    // The origin becomes part of answers, so only text that can be a host name or an address passes.
    return `${scheme}://${/^[a-z0-9.\-_]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/.test(host) ? host : externalHost}`;
  }

  get site(): string {
    return this.context.services.siteUrlOfSubdomain(this.request.host, this.directory.subdomain);
  }

  get files(): readonly UploadedFile[] | 'too large' {
    return this.request.form.files;
  }

  get body(): Uint8Array {
    return this.request.form.body ?? NO_BODY;
  }

  get maxFileMib(): number {
    return this.context.options.maxFileMib ?? DEFAULT_MAX_UPLOADED_FILE_MIB;
  }

  get blobs(): BlobStorage {
    return this.context.services.blobs;
  }

  get browserPush(): BrowserPushSubscriptionRules | undefined {
    return this.context.options.browserPush;
  }

  get servesWebClient(): boolean {
    return this.context.options.areSessionsAllowed ?? false;
  }

  get pageLanguage(): ServerLanguage {
    const { default_language } = this.directory.settings;
    return serverLanguageOfBrowser(this.header('accept-language'), serverLanguageOfSetting(default_language));
  }

  get browserLanguage(): string | undefined {
    return interfaceLanguageOfBrowser(this.header('accept-language'));
  }

  get pushesToMobileDevices(): boolean {
    return this.context.options.pushesToDevices ?? false;
  }

  renderMessageText(content: string, newerMentions: boolean): TextRenderedByFrontend | undefined {
    const { directory, site, caller } = this;
    const { messageRenderer } = this.context.options;
    return messageRenderer?.renderInFrontendIfShort(content, directory, site, caller, newerMentions);
  }

  get imageProxy(): ImageProxy | undefined {
    return this.context.options.imageProxy;
  }

  get thumbnails(): Thumbnails | undefined {
    return this.context.options.thumbnails;
  }

  get identityProviders(): IdentityProviders | undefined {
    return this.context.options.identityProviders;
  }

  get jwtKeysBySubdomain(): JwtKeysBySubdomain {
    return this.context.options.tokenKeys ?? NO_JWT_KEYS;
  }

  get secrets(): ServerCryptography {
    return this.context.services.secrets;
  }

  get callerSessionId(): number | undefined {
    return this.account?.session?.id;
  }

  get sessionCookieScope(): SessionCookieScope {
    return this.request.sessionCookieScope;
  }

  get rawQuery(): string {
    return this.request.exchange.query;
  }

  header(name: string): string {
    return this.request.headers.get(name) ?? '';
  }

  send<T>(forward: ForwardedCommand<T>): Promise<T> {
    return this.context.sendAndAwaitFields(forward, this) as Promise<T>;
  }

  newestReceivedMessageId(): number | Promise<number> {
    if (!this.account) throw new Error('a call without an account asks for its newest message');
    return this.context.services.newestReceivedMessageId(this.account);
  }

  get administratorEmail(): string {
    const { administratorEmail, externalHost = 'localhost' } = this.context.options;
    return administratorEmail ?? `admin@${externalHost.replace(/:\d+$/, '')}`;
  }

  get webPublicStreams(): boolean {
    return this.context.options.webPublicStreams ?? false;
  }

  get now(): number {
    return this.context.services.clock.now();
  }

  countMailOfAnonymousCaller(): void {
    this.context.options.callRateLimiter?.countAnonymousMail(this.request);
  }

  countVisitorFileDownload(path: string): void {
    this.context.options.callRateLimiter?.countAnonymousFileDownload(this.request, path);
  }

  refresh(realm = this.realm): Promise<void> {
    return this.context.services.refreshDirectory(realm);
  }

  directoryOf(realm: RealmId): Promise<DirectoryView | undefined> {
    return this.context.services.openDirectoryIfRealmExists(realm);
  }

  async baseUrlOfRealm(realm: RealmId): Promise<string> {
    const directory = await this.directoryOf(realm);
    return this.context.services.siteUrlOfSubdomain(this.request.host, (directory ?? this.directory).subdomain);
  }
}

/** Default maximum size of an uploaded file, MiB. */
export const DEFAULT_MAX_UPLOADED_FILE_MIB = 25;
