/**
 * The services that the frontend needs from the rest of the server; implemented by the gateway. A frontend never
 * touches the Store: accounts come from the directory replica, everything else from actors.
 */
import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import type { ServerCryptography } from '#domain/secrets';
import type { ForwardedCommand } from '#frontend/api';
import type { ActorRepeat, ActorReply, RealmId } from '#model';
import type { DirectoryUser, DirectoryView, WebSession } from '#model/records';
import type { Blobs } from '#ports/blobs';

/** An authenticated caller: an active account of an active organization, as the replica shows it now. */
export interface AuthenticatedCaller {
  readonly realm: RealmId;
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  /** The session that the caller's browser has; undefined: the caller has an API key. */
  readonly session?: WebSession | undefined;
}

/** The organization of a call without credentials. */
export interface AnonymousCaller {
  readonly realm: RealmId;
  readonly directory: DirectoryView;
}

export interface ForwardedCommandContext {
  /** The authenticated account; undefined where the operation needs no credentials. */
  readonly caller: AuthenticatedCaller | undefined;
  readonly realm: RealmId;
  /** Name of the client program that sent the request. */
  readonly client: string;
  /** Id of the HTTP request, in the logs of all processes. */
  readonly requestId: string;
}

/** A command on its way to an actor. */
export interface ForwardedCommandHandle {
  /**
   * Rejects with ApiError SERVICE_UNAVAILABLE when no owner answers. Any other rejection is answered 500 and logged.
   * After `cancel` it may do either or stay pending.
   */
  readonly reply: Promise<ActorReply | ActorRepeat>;
  /**
   * The reply is no longer wanted: the client has left, or the deadline passed. Ends a waiting poll. No effect once the
   * reply has settled.
   */
  cancel(): void;
  /**
   * The frontend leaves: a waiting poll is given up, and `reply` resolves with the answer that the operation declares
   * for this (`ForwardedCommand.onShutdown`), at once or as soon as the command would have to wait.
   */
  release(): void;
}

export interface FrontendServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly blobs: Blobs;
  readonly secrets: ServerCryptography;
  /**
   * The account of an API key. Synchronous where the replica is open.
   *
   * @param username compared with the account; undefined: not compared
   * @param key 32 characters `[A-Za-z0-9]`, checked before
   * @param host the Host header in lower case, '' when absent; compared with the organization
   * @throws ApiError (or rejects with it) API_KEY_UNKNOWN, ACCOUNT_DEACTIVATED, ORGANIZATION_DEACTIVATED,
   * WRONG_SUBDOMAIN
   */
  authenticate(
    username: string | undefined,
    key: string,
    host: string,
  ): AuthenticatedCaller | Promise<AuthenticatedCaller>;
  /**
   * The account of a session. Synchronous where the replica is open. Whether the session has expired is not checked.
   *
   * @param token of the cookie, 32 characters `[A-Za-z0-9]`, checked before
   * @throws ApiError (or rejects with it) NOT_LOGGED_IN, ORGANIZATION_DEACTIVATED
   */
  authenticateSession(token: string, host: string): AuthenticatedCaller | Promise<AuthenticatedCaller>;
  /** Notes that the caller's session is in use, some time later. */
  noteSessionUse(caller: AuthenticatedCaller): void;
  /** The organization that the host names. @throws ApiError (or rejects with it) NONEXISTENT_SUBDOMAIN */
  anonymous(host: string): AnonymousCaller | Promise<AnonymousCaller>;
  /**
   * Base URL of the organization with that subdomain.
   *
   * @param host the Host header, used only where it is safe (gateway/site.ts)
   */
  site(host: string, subdomain: string): string;
  forward(forward: ForwardedCommand, context: ForwardedCommandContext): ForwardedCommandHandle;
  /**
   * Id of the newest message that the caller has a copy of; -1: none. It includes every change that this frontend has
   * confirmed to the caller, and changes by others as far as the log has arrived here.
   */
  newestMessage(caller: AuthenticatedCaller): number | Promise<number>;
  /** Calls the listener with the hash of each API key or session that the replica of its realm shows as ended. */
  onCredentialEnded(listener: (hash: string, kind: 'key' | 'session') => void): void;
  /** The replica of a realm's directory if it is open; undefined: it is not. */
  directoryNow(realm: RealmId): DirectoryView | undefined;
  /** The replica of a realm's directory, opened if necessary; undefined: the organization doesn't exist. */
  directoryOf(realm: RealmId): Promise<DirectoryView | undefined>;
  /** Brings the replica of the realm up to the end of its log. */
  refresh(realm: RealmId): Promise<void>;
  /**
   * Waits until the replica has applied that realm version: a change is confirmed only after this frontend shows it.
   * Undefined: it has.
   */
  waitFor(realm: RealmId, version: number): void | Promise<void>;
}
