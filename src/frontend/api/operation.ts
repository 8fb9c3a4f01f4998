/**
 * What an operation of the HTTP API is: declared once (method, path, who may call it, parameters, target), and
 * everything else (routing, role guard, coercion and validation, ignored parameters, the generated reference) follows
 * from the declaration.
 */

import type { Static, TSchema } from 'typebox';
import type { Fields, JsonObject, ReadyFields } from '#base';
import type { Secrets } from '#domain/secrets';
import type { ImageProxy } from '#frontend/image-proxy';
import type { ActorKindName, RawAnswer, RealmId, UserId } from '#model';
import type { AddressedCommand, CommandTo, Fields as ReplyFields } from '#model/commands';
import type { ErrorReply } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { Blobs } from '#ports/blobs';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Guards of conventions.md § Roles, checked before parameters; 'none' = no credentials needed. */
export type Guard =
  | 'none'
  | 'user'
  | 'admin'
  | 'owner'
  | 'human'
  | 'member_human'
  | 'user_group_edit_policy_human'
  | 'non_guest';

/**
 * How the text of a parameter becomes a value (conventions.md § Parameters).
 * - json: JSON text, then checked against the schema with the validator messages;
 * - string: taken verbatim, the schema checks length or enumeration;
 * - uint: decimal text 0 … 4294967295, failing with REQUEST_VARIABLE_INVALID.
 */
export type Encoding = 'json' | 'string' | 'uint';

/** Bounds of every parameter that declares none; legitimate lists have some thousand items. */
export const MAX_VALUES = 20_000;
export const MAX_CHARACTERS = 1_048_576;
/** Of a parameter that is text, where its schema has no length: names and topics; what is long says so. */
export const MAX_TEXT = 65_536;
/** Of a body without files, where an operation declares no other. */
export const MAX_BODY_MIB = 1;

export interface Parameter<S extends TSchema = TSchema> {
  readonly in: 'path' | 'query' | 'form';
  readonly encoding: Encoding;
  readonly schema: S;
  readonly required: boolean;
  /** Value when absent; never validated. Absent parameters without a default are `undefined`. */
  readonly default?: Static<S>;
  /** Other names accepted for it; sending two of them is REQUEST_CONFUSING_VAR. */
  readonly aliases?: readonly string[];
  readonly description?: string;
  /** Most values in its JSON, items and keys at all levels; absent: MOST_VALUES. Beyond it is refused before anything is built. */
  readonly maxValues?: number;
  /** Most characters (UTF-16 units) of its text; absent: MOST_CHARACTERS in JSON, MOST_TEXT or the schema's length in text. */
  readonly maxCharacters?: number;
  /** Last of a path: takes all the segments that are left, with the slashes between them. */
  readonly rest?: true;
}

export type Parameters = Readonly<Record<string, Parameter>>;

// biome-ignore lint/suspicious/noExplicitAny: only the schema's static type matters here
type ValueOf<P> = P extends Parameter<infer S> ? Static<S> : any;
export type Values<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends { required: true }
    ? ValueOf<P[K]>
    : P[K] extends { default: unknown }
      ? ValueOf<P[K]>
      : ValueOf<P[K]> | undefined;
};

/** A file of a multipart form. */
export interface UploadedFile {
  /** As sent, without folders. */
  readonly name: string;
  /** Media type as sent; '' when there was none. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Everything a frontend knows of a request after routing, authentication, guard and parameters. */
export interface Call<V> {
  readonly params: V;
  readonly realm: RealmId;
  /** The authenticated caller; 0 where the operation needs no credentials, or none were given. */
  readonly caller: UserId;
  /** Replica of the realm's directory, as fresh as this frontend knows it. */
  readonly directory: DirectoryView;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Client name of conventions.md § Client names. */
  readonly client: string;
  /** Base URL under which the client says to have reached the server, without trailing slash: for its own eyes only. */
  readonly origin: string;
  /** Base URL of the organization, without trailing slash: for what others read, and for what is kept. */
  readonly site: string;
  /** Files of the form, in order; 'too large' when together they exceed what one file may have. */
  readonly files: readonly UploadedFile[] | 'too large';
  /** Largest file, MiB. */
  readonly maxFileMib: number;
  readonly blobs: Blobs;
  /** Pictures that others host; undefined: none are served. */
  readonly imageProxy: ImageProxy | undefined;
  readonly secrets: Secrets;
  /** As sent, without the question mark. */
  readonly query: string;
  /** A request header that the operation declares; '' when absent. */
  header(name: string): string;
  /** Have an actor carry out a command on the caller's behalf. Gives the fields of its answer; throws its refusal. */
  send<T>(forward: Forward<T>): Promise<T>;
  /** Id of the newest message that the caller has a copy of; -1 = none. Not for operations without credentials. */
  newestMessage(): number | Promise<number>;
  /** The configuration allows streams that are open to the web. */
  readonly webPublicStreams: boolean;
  /** Address of those who run the server. */
  readonly administratorEmail: string;
  /** Somebody without account has a letter sent. @throws ApiError RATE_LIMIT_HIT */
  countMail(): void;
  /** A visitor opens this file. @throws ApiError RATE_LIMIT_HIT */
  countVisit(path: string): void;
  /** Bring the replica up to the end of the realm's log: before saying that a name or id is unknown. */
  refresh(realm?: RealmId): Promise<void>;
  /** Replica of any organization's directory; undefined where there is none. For what needs no account. */
  directoryOf(realm: RealmId): Promise<DirectoryView | undefined>;
  /** `site` of another organization. */
  siteOf(realm: RealmId): Promise<string>;
}

/** How the frontend treats a command, beyond sending it. */
export interface ForwardOptions {
  /** True: the reply may be held for minutes (a poll), beyond the usual deadline. */
  readonly held?: boolean;
  /** With `held`: fields of the answer when the frontend leaves, after which the client asks again elsewhere. */
  readonly onShutdown?: JsonObject;
  /** With `held`: what the frontend answers while nothing comes; the command stays held meanwhile. */
  readonly keepalive?: PollKeepalive;
  /** Milliseconds that the whole may take, where it is more than the usual deadline (work with a budget of its own). */
  readonly deadlineMs?: number;
  /** User on whose behalf the command runs, where the operation itself established it (login). */
  readonly as?: UserId;
  /** Fields that the frontend adds to the actor's answer. */
  readonly extraFields?: JsonObject;
  /** After success, a second command, whose answer counts. Needs `held` where either of the two is held. */
  readonly followedBy?: Forward;
}

/** A command for an actor, whose answer becomes the response body; made by `forward`. `T`: fields of the answer. */
export interface Forward<T = unknown> extends AddressedCommand<ReplyFields<T>>, ForwardOptions {}

/** Checks a command against its declaration (see model/commands). Returns the same object. */
export const forward = <K extends ActorKindName, A extends JsonObject, T>(
  of: CommandTo<K, A, ReplyFields<T>> & ForwardOptions,
): Forward<T> => of as unknown as Forward<T>;

/**
 * Answers that a frontend gives by itself for a held command. They are numbered; the next request to the same actor that says which number it
 * has goes on with the command, instead of sending another one.
 */
export interface PollKeepalive {
  /** What the client has. */
  readonly last: number;
  /** Parameter of the query in which it says so. */
  readonly parameter: string;
  /** Numbers above it that may be given for this command. */
  readonly heartbeatIds: number;
  /** Fields of the answer in JSON, each after a comma. */
  fields(n: number): string;
  /**
   * What the client is told if it has more than `last` by now, and this refusal is about `last`: then it asks again, in a command that says
   * what it has. Undefined: the refusal is about something else.
   */
  answerInsteadOf(refusal: ErrorReply): JsonObject | undefined;
}

/** A response made on the frontend from its directory replica. */
export interface Answer {
  /** Fields beside result and msg. */
  readonly fields: Fields;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The same, with its fields in JSON: kept by the operation, and sent as it is. */
export interface ReadyAnswer {
  readonly ready: ReadyFields;
}

export type Outcome = Forward | Answer | ReadyAnswer | RawAnswer;

export interface Operation<P extends Parameters = Parameters> {
  /** As in wire.json, e.g. 'send-message'. */
  readonly id: string;
  readonly method: Method;
  /** At the root of the server instead of under /api/v1: addresses that are opened as links. */
  readonly root?: true;
  /** A page that people open in a browser: scripts of other origins may neither call nor read it. */
  readonly page?: true;
  /** Relative to /api/v1 (or the root), with {name} segments; a segment whose parameter is a uint matches digits only. */
  readonly path: string;
  readonly guard: Guard;
  /** Guard 'user' only: also without credentials, where the organization has public access; `caller` is 0 then. */
  readonly anonymous?: boolean;
  /** Incoming-webhook bots may call it. */
  readonly webhookBots?: boolean;
  /** Guard 'none' only: refusal where the host names no organization; absent: NONEXISTENT_SUBDOMAIN. */
  readonly unknownHost?: 'INVALID_SUBDOMAIN';
  /** Credentials are optional, and an API key alone may come in the query (`api_key`). */
  readonly visitors?: true;
  /**
   * Where it is counted (conventions.md § Rate limits). Absent: with its caller's calls, without account with those of the address.
   * polls: apart from other calls; visitors: only without account; none: never.
   */
  readonly rateLimit?: 'polls' | 'visitors' | 'none';
  /** Most MiB of a body without files, below that of the server's configuration; absent: MOST_BODY_MIB. */
  readonly maxBodyMib?: number;
  /** Takes files, in a multipart form. */
  readonly takesFiles?: true;
  /** Takes a picture of at most so many MiB: one that is not even read is refused before parameters are looked at. */
  readonly pictureMib?: number;
  /**
   * Large answers are compressed for clients that take them so. Default: those to GET. false: they hold keys or links that work as such, beside
   * text that others may have written, and their length would give hints (BREACH).
   */
  readonly compressed?: boolean;
  /** Request headers that `run` looks at, in lower case. */
  readonly headers?: readonly string[];
  readonly summary: string;
  readonly parameters: P;
  /** Refuses before parameters are looked at; not called without credentials. Throws ApiError. */
  before?(directory: DirectoryView, caller: UserId): void;
  /** Decide where the call goes. Throws ApiError (see errors.ts). */
  run(call: Call<Values<P>>): Outcome | Promise<Outcome>;
}

/** Identity function that infers the parameter types of a declaration. */
export function operation<const P extends Parameters>(declaration: Operation<P>): Operation<P> {
  return declaration;
}
