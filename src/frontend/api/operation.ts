/**
 * Declaration of an operation of the HTTP API: method, path, guard, parameters, bounds and `run`. Routing, guard,
 * conversion and validation of parameters, ignored parameters and the generated reference follow from it.
 */

import type { Static, TSchema } from 'typebox';
import type { CachedResponseFields, JsonObject, OutgoingAddressFilter, ResponseFields } from '#base';
import type { ApiLevel } from '#domain/levels';
import type { ServerCryptography } from '#domain/secrets';
import type { ServerLanguage } from '#domain/texts';
import type { ImageProxy } from '#frontend/image-proxy';
import type { IdentityProviders, JwtKeysBySubdomain } from '#frontend/single-sign-on';
import type { Thumbnails } from '#frontend/thumbnails';
import type { SessionCookieScope } from '#frontend/web';
import type { ActorKindName, RawHttpAnswer, RealmId, TextRenderedByFrontend, UserId } from '#model';
import type { AddressedCommand, ActorFieldsReply as ReplyFields, UncheckedAddressedCommand } from '#model/commands';
import type { ApiErrorReply } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { BlobStorage } from '#ports/blobs';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Callers that an operation admits (conventions.md § Roles), checked before parameters; 'none': no credentials needed.
 */
export type OperationCallerGuard =
  | 'none'
  | 'user'
  | 'admin'
  | 'owner'
  | 'human'
  | 'member_human'
  | 'user_group_edit_policy_human'
  | 'non_guest'
  | 'webhook_bot';

/**
 * How the text of a parameter becomes a value (conventions.md § Parameters).
 * - json: JSON text, then checked against the schema with the validator messages;
 * - string: taken verbatim, the schema checks length or enumeration;
 * - uint: decimal text 0 … 4294967295, failing with REQUEST_VARIABLE_INVALID.
 */
type ParameterEncoding = 'json' | 'string' | 'uint';

/**
 * Default bounds of a JSON parameter: values at all levels, and characters. Legitimate lists have some thousand items.
 */
export const DEFAULT_MAX_JSON_PARAMETER_VALUES = 20_000;
export const DEFAULT_MAX_JSON_PARAMETER_CHARACTERS = 1_048_576;
/** Default bound of a text parameter whose schema has no length: enough for names and topics. */
export const DEFAULT_MAX_TEXT_PARAMETER_CHARACTERS = 65_536;
/** Default bound of a body without files, MiB. */
export const DEFAULT_MAX_REQUEST_BODY_MIB = 1;

export interface ParameterDeclaration<S extends TSchema = TSchema> {
  readonly in: 'path' | 'query' | 'form';
  readonly encoding: ParameterEncoding;
  readonly schema: S;
  readonly required: boolean;
  /**
   * Value that the parameter has in a request that lacks it; this value is not validated. Absent parameters without a
   * default are `undefined`.
   */
  readonly default?: Static<S>;
  /** Other names of the parameter; a call with two of the names gets REQUEST_CONFUSING_VAR. */
  readonly aliases?: readonly string[];
  /** First API level with this parameter; at lower levels its name is unknown. Absent: all levels have it. */
  readonly since?: number;
  /** Schema that replaces `schema` at an API level and above. */
  readonly newerSchema?: { readonly since: number; readonly schema: TSchema };
  readonly description?: string;
  /**
   * Maximum of values in the JSON, counting items and keys at all levels; absent: DEFAULT_MAX_JSON_PARAMETER_VALUES.
   * JSON with more values is refused before it is parsed.
   */
  readonly maxValues?: number;
  /**
   * Maximum of characters (UTF-16 units); absent: DEFAULT_MAX_JSON_PARAMETER_CHARACTERS for JSON, the schema's length
   * or DEFAULT_MAX_TEXT_PARAMETER_CHARACTERS for text.
   */
  readonly maxCharacters?: number;
  /** True for the last parameter of a path that takes all remaining segments, with the slashes between them. */
  readonly rest?: true;
}

export type ParameterDeclarations = Readonly<Record<string, ParameterDeclaration>>;

// biome-ignore lint/suspicious/noExplicitAny: only the schema's static type matters for the result
type BaseSchemaValue<P> = P extends ParameterDeclaration<infer S> ? Static<S> : any;
type ParameterSchemaValue<P> =
  | BaseSchemaValue<P>
  | (P extends { newerSchema: { schema: infer S extends TSchema } } ? Static<S> : never);
type ParameterValues<P extends ParameterDeclarations> = {
  readonly [K in keyof P]: P[K] extends { required: true }
    ? ParameterSchemaValue<P[K]>
    : P[K] extends { default: unknown }
      ? ParameterSchemaValue<P[K]>
      : ParameterSchemaValue<P[K]> | undefined;
};

/** A file of a multipart form. */
export interface UploadedFile {
  /** File name as sent, without folders. */
  readonly name: string;
  /** Media type of the file as sent; 'text/plain' when there was none. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Values for push subscriptions of browsers: the key that browsers get, and the check of the addresses they send. */
export interface BrowserPushSubscriptionRules {
  /** Public key of this server, base64url. */
  readonly key: string;
  /** Addresses that a subscription may name. */
  readonly reachable: OutgoingAddressFilter;
}

/** A request after routing, authentication, guard and parameters, with the services that operations use. */
export interface ApiCall<V> {
  readonly params: V;
  readonly realm: RealmId;
  /** Id of the authenticated caller; 0 where the operation needs no credentials, or none were given. */
  readonly caller: UserId;
  /** Replica of the realm's directory, as fresh as this frontend knows it. */
  readonly directory: DirectoryView;
  /** Time of the call, milliseconds since 1970. */
  readonly now: number;
  /** Name of the client program (conventions.md § Client names). */
  readonly clientName: string;
  /** API level at which the client is answered (`#domain/levels`). */
  readonly apiLevel: ApiLevel;
  /** Base URL from the Host header, without trailing slash. Unverified: only for the answer to this client. */
  readonly unverifiedBaseUrl: string;
  /** Base URL of the organization, without trailing slash: for texts that other users read or that are stored. */
  readonly site: string;
  /** Files of the form, in order; 'too large' if together they exceed the bound of one file. */
  readonly files: readonly UploadedFile[] | 'too large';
  /** Bytes of the body, for operations that declare `takesBody`. */
  readonly body: Uint8Array;
  /** Maximum size of one file, MiB. */
  readonly maxFileMib: number;
  readonly blobs: BlobStorage;
  /**
   * Renders a text of the caller as a message, for the arguments of a command.
   * @param newerMentions true if the client knows `@**channel**` and `@**topic**`
   * @returns undefined if the conversation's actor has to render it: long texts
   */
  renderMessageText(content: string, newerMentions: boolean): TextRenderedByFrontend | undefined;
  /** Proxy for pictures of other hosts; undefined: it is turned off. */
  readonly imageProxy: ImageProxy | undefined;
  /** Thumbnails of uploaded pictures; undefined: the pictures themselves are served. */
  readonly thumbnails: Thumbnails | undefined;
  /** Identity providers for single sign-on; undefined if none is configured. */
  readonly identityProviders: IdentityProviders | undefined;
  /** Keys with which services of organizations sign tokens (JWT), by subdomain. */
  readonly jwtKeysBySubdomain: JwtKeysBySubdomain;
  readonly secrets: ServerCryptography;
  /** True if the server serves the web client at `/`, and browsers may have sessions. */
  readonly servesWebClient: boolean;
  /** Language of the browser, for an operation with `page`; that of the organization if the browser names none. */
  readonly pageLanguage: ServerLanguage;
  /** Code of the language that the browser wants, for an operation with `page`; undefined if it names none. */
  readonly browserLanguage: string | undefined;
  /** undefined: push notifications of browsers are turned off. */
  readonly browserPush: BrowserPushSubscriptionRules | undefined;
  /** Notifications are pushed to mobile devices. */
  readonly pushesToMobileDevices: boolean;
  /** Id of the caller's session; undefined where the caller has an API key. */
  readonly callerSessionId: number | undefined;
  /** Scope of the browser's session cookie. Its `secure` is set only for operations with `webClient`. */
  readonly sessionCookieScope: SessionCookieScope;
  /** Query of the request as sent, without the question mark. */
  readonly rawQuery: string;
  /** Value of a request header that the operation declares; '' when absent. */
  header(name: string): string;
  /**
   * Runs a command on the caller's behalf. @returns fields of the actor's answer @throws ActorRefusedError, ApiError
   */
  send<T>(command: ForwardedCommand<T>): Promise<T>;
  /** Id of the newest message that the caller received; -1 if there is none. Only for authenticated callers. */
  newestReceivedMessageId(): number | Promise<number>;
  /** True if the configuration allows streams that are open to the web. */
  readonly webPublicStreams: boolean;
  /** E-mail address of the administrators of the server. */
  readonly administratorEmail: string;
  /** Counts a mail that a caller without an account has sent. @throws ApiError RATE_LIMIT_HIT */
  countMailOfAnonymousCaller(): void;
  /** Counts a download of the file at `path` by a visitor without an account. @throws ApiError RATE_LIMIT_HIT */
  countVisitorFileDownload(path: string): void;
  /** Brings the replica to the end of the realm's log. Must be called before the refusal of an unknown name or id. */
  refresh(realm?: RealmId): Promise<void>;
  /** Directory replica of any organization, for operations without credentials; undefined: no such organization. */
  directoryOf(realm: RealmId): Promise<DirectoryView | undefined>;
  /** Base URL of another organization, without trailing slash. */
  baseUrlOfRealm(realm: RealmId): Promise<string>;
}

/** Options of a command that an operation sends to an actor. */
interface ForwardedCommandOptions {
  /** True if the actor may hold the command for minutes, as in a long poll; the usual deadline doesn't apply. */
  readonly held?: boolean;
  /** Fields of the answer to a `held` command if this frontend shuts down; the client then asks another frontend. */
  readonly onShutdown?: JsonObject;
  /** Heartbeats that the frontend sends for a `held` command while it waits at the actor. */
  readonly keepalive?: PollKeepalive;
  /** Deadline in milliseconds, for work whose own time budget exceeds the usual deadline. */
  readonly deadlineMs?: number;
  /**
   * User on whose behalf the command runs; absent: the caller of the operation. A log-in names the user that it found.
   */
  readonly as?: UserId;
  /** Fields that the frontend adds to the actor's answer. */
  readonly extraFields?: JsonObject;
  /** Second command after success, whose answer becomes the response. `held` is needed if either command waits. */
  readonly followedBy?: ForwardedCommand;
}

/**
 * A command for an actor, whose answer becomes the response body; made by `forwardCommand`. `T`: fields of the answer.
 */
export interface ForwardedCommand<T = unknown> extends AddressedCommand<ReplyFields<T>>, ForwardedCommandOptions {}

/** Checks a command for an actor against its declaration (see model/commands). Returns the same object. */
export const forwardCommand = <K extends ActorKindName, A extends JsonObject, T>(
  of: UncheckedAddressedCommand<K, A, ReplyFields<T>> & ForwardedCommandOptions,
): ForwardedCommand<T> => of as unknown as ForwardedCommand<T>;

/**
 * Heartbeats that the frontend sends by itself for a waiting poll. Heartbeats have event ids. The client's next poll
 * acknowledges such an id and is attached to the command that waits at the actor, instead of sending another one.
 */
export interface PollKeepalive {
  /** Event id that the client has acknowledged with this poll. */
  readonly last: number;
  /** Name of the query parameter that carries the acknowledged event id. */
  readonly parameter: string;
  /** Number of heartbeat ids above `last` that the frontend may use for this command. */
  readonly heartbeatIds: number;
  /** Fields of the heartbeat with id `n` as JSON text, each after a comma. */
  fields(n: number): string;
  /**
   * Fields of the answer in place of a refusal of `last`, if the client has acknowledged a later heartbeat in the
   * meantime; the client then polls with the later id. Undefined if the refusal has another reason and stays.
   */
  answerInsteadOf(refusal: ApiErrorReply): JsonObject | undefined;
}

/** A response made on the frontend from its directory replica. */
export interface ResponseFieldsAnswer {
  /** Fields of the response beside result and msg. */
  readonly fields: ResponseFields;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answer whose fields are encoded already. The operation keeps the object; the frontend sends it as it is. */
interface ReadyAnswer {
  readonly ready: CachedResponseFields;
}

export type OperationOutcome = ForwardedCommand | ResponseFieldsAnswer | ReadyAnswer | RawHttpAnswer;

export interface ApiOperation<P extends ParameterDeclarations = ParameterDeclarations> {
  /** Name of the operation in wire.json, e.g. 'send-message'. */
  readonly id: string;
  readonly method: HttpMethod;
  /** First API level with this operation; clients of lower levels don't find its path. Absent: all levels have it. */
  readonly since?: number;
  /** The path is at the root of the server instead of under /api/v1, for addresses that are opened as links. */
  readonly root?: true;
  /**
   * The operation is a page of a browser: scripts of other origins may neither call nor read it, and its language is
   * that of the browser (`ApiCall.pageLanguage`).
   */
  readonly page?: true;
  /**
   * Path relative to /api/v1 (or the root), with {name} segments; a segment whose parameter is a uint matches digits
   * only.
   */
  readonly path: string;
  readonly guard: OperationCallerGuard;
  /**
   * True if callers without credentials (`caller` 0) are admitted where the organization has public access; for guard
   * 'user'.
   */
  readonly anonymous?: boolean;
  /** True if incoming-webhook bots may call the operation. */
  readonly webhookBots?: boolean;
  /** True if only the web client may call the operation: other sites can't, even in a browser that is signed in. */
  readonly webClient?: true;
  /**
   * A session cookie counts without the header of the web client, because browsers load pictures and open links by
   * themselves. The cookie of a session that has ended is like none.
   */
  readonly bareCookie?: true;
  /** Refusal if the host names no organization, for guard 'none'; absent: NONEXISTENT_SUBDOMAIN. */
  readonly unknownHost?: 'INVALID_SUBDOMAIN';
  /** Credentials are optional, and the query may carry an API key instead (`api_key`). */
  readonly visitors?: true;
  /** An API key in the query (`api_key`) counts, and wins over other credentials: programs add headers of their own. */
  readonly keyInQuery?: true;
  /**
   * Rate limit that counts the calls (conventions.md § Rate limits). Absent: the limit of the caller, or of the network
   * address for callers without an account. polls: a limit apart from other calls. visitors: only callers without an
   * account are counted. none: calls are not counted.
   */
  readonly rateLimit?: 'polls' | 'visitors' | 'none';
  /**
   * Maximum of MiB of a body without files, within the bound of the configuration; absent:
   * DEFAULT_MAX_REQUEST_BODY_MIB.
   */
  readonly maxBodyMib?: number;
  /** True if the body may be a multipart form with files. */
  readonly takesFiles?: true;
  /** True if `run` reads the body itself (`ApiCall.body`), whatever its media type: it is not parsed as a form. */
  readonly takesBody?: true;
  /** Maximum of MiB of an uploaded picture. An upload too large to be read is refused before parameters are checked. */
  readonly pictureMib?: number;
  /**
   * True if large answers are compressed for clients that accept it; by default only answers to GET are. The value is
   * false where the answer holds keys or secret links beside text of other users: the compressed length would give
   * hints at the secret (BREACH).
   */
  readonly compressed?: boolean;
  /** Names of request headers that `run` reads, in lower case. */
  readonly headers?: readonly string[];
  readonly summary: string;
  readonly parameters: P;
  /** Checks the caller before the parameters are read; not called for callers without credentials. @throws ApiError */
  before?(directory: DirectoryView, caller: UserId): void;
  /** Answers the call, or names the command whose answer becomes the response. @throws ApiError */
  run(call: ApiCall<ParameterValues<P>>): OperationOutcome | Promise<OperationOutcome>;
}

/** Returns the declaration unchanged; it serves to infer the types of the parameters. */
export function defineOperation<const P extends ParameterDeclarations>(declaration: ApiOperation<P>): ApiOperation<P> {
  return declaration;
}
