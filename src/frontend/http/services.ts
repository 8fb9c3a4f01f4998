/**
 * The services that the frontend needs from the rest of the server; implemented by folder gateway. A frontend never
 * touches the Store: accounts come from the directory replica, everything else from actors.
 */
import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import type { ServerCryptography } from '#domain/secrets';
import type { ForwardedCommand } from '#frontend/api';
import type { ActorReply, ActorStartOverReply, RealmId } from '#model';
import type { DirectoryUser, DirectoryView, EndedCredentialKind, WebSession } from '#model/records';
import type { BlobStorage } from '#ports/blobs';

/** An authenticated caller: an active account of an active organization, in the current state of the replica. */
export interface AuthenticatedCaller {
  readonly realm: RealmId;
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  /** The session of the caller's browser; undefined where the caller has an API key. */
  readonly session?: WebSession | undefined;
}

/** The organization of a call without credentials. */
export interface AnonymousCaller {
  readonly realm: RealmId;
  readonly directory: DirectoryView;
}

export interface ForwardedCommandContext {
  /**
   * The authenticated account; undefined where the command has no caller, because the operation needs no credentials.
   */
  readonly caller: AuthenticatedCaller | undefined;
  readonly realm: RealmId;
  /** Name of the client program that sent the request. */
  readonly client: string;
  /** Id of the HTTP request, as it appears in the logs of all processes. */
  readonly requestId: string;
}

/** A command on its way to an actor. */
export interface ForwardedCommandHandle {
  /**
   * The actor's reply. Rejects with ApiError SERVICE_UNAVAILABLE when no owner answers. Any other rejection is answered
   * 500 and logged. After `cancel` the promise may resolve, reject or stay pending.
   */
  readonly reply: Promise<ActorReply | ActorStartOverReply>;
  /**
   * Cancels the command, because the client has disconnected or the deadline has passed. Ends a waiting poll. Has no
   * effect once the reply has settled.
   */
  cancel(): void;
  /**
   * Gives a waiting poll up, because the frontend shuts down: `reply` resolves with the answer that the operation
   * declares for this (`ForwardedCommand.onShutdown`), at once or as soon as the command would have to wait.
   */
  releaseForShutdown(): void;
}

export interface FrontendServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly blobs: BlobStorage;
  readonly secrets: ServerCryptography;
  /**
   * Finds the account of an API key. Synchronous where the replica is open.
   *
   * @param username name that the account must have; undefined: any
   * @param key 32 characters `[A-Za-z0-9]`, checked by the caller
   * @param host the Host header in lower case, '' when absent; must fit the organization
   * @throws ApiError (or rejects with it) API_KEY_UNKNOWN, ACCOUNT_DEACTIVATED, ORGANIZATION_DEACTIVATED,
   * WRONG_SUBDOMAIN
   */
  authenticateApiKey(
    username: string | undefined,
    key: string,
    host: string,
  ): AuthenticatedCaller | Promise<AuthenticatedCaller>;
  /**
   * Finds the account of a browser session, without checking the session's expiry. Synchronous where the replica is
   * open.
   *
   * @param token value of the cookie, 32 characters `[A-Za-z0-9]`, checked by the caller
   * @throws ApiError (or rejects with it) NOT_LOGGED_IN, USER_DEACTIVATED, REALM_DEACTIVATED
   */
  authenticateSession(token: string, host: string): AuthenticatedCaller | Promise<AuthenticatedCaller>;
  /** Records in the background that the caller's session is in use. */
  recordSessionUse(caller: AuthenticatedCaller): void;
  /** Finds the organization that the host names. @throws ApiError (or rejects with it) NONEXISTENT_SUBDOMAIN */
  findAnonymousCaller(host: string): AnonymousCaller | Promise<AnonymousCaller>;
  /**
   * Returns the base URL of the organization with that subdomain.
   *
   * @param host the Host header, used only where it is safe (gateway/site.ts)
   */
  siteUrlOfSubdomain(host: string, subdomain: string): string;
  forwardCommand(forward: ForwardedCommand, context: ForwardedCommandContext): ForwardedCommandHandle;
  /**
   * Id of the newest message that the caller received; -1 if there is none. The id includes every change that this
   * frontend has confirmed to the caller, and changes by others as far as this frontend has read the log.
   */
  newestReceivedMessageId(caller: AuthenticatedCaller): number | Promise<number>;
  /** Calls the listener with the hash of each API key or session that the replica of its realm shows as ended. */
  setCredentialEndedListener(listener: (hash: string, kind: EndedCredentialKind) => void): void;
  /** Returns the replica of a realm's directory if it is open; undefined otherwise. */
  findOpenDirectory(realm: RealmId): DirectoryView | undefined;
  /** Returns the replica of a realm's directory, opened if necessary; undefined if the organization doesn't exist. */
  openDirectoryIfRealmExists(realm: RealmId): Promise<DirectoryView | undefined>;
  /** Brings the replica of the realm up to the end of its log. */
  refreshDirectory(realm: RealmId): Promise<void>;
  /**
   * Waits until the replica has applied that realm version, so that a change is confirmed only after this frontend
   * shows it. Returns undefined if the replica has applied it already.
   */
  waitForDirectoryVersion(realm: RealmId, version: number): void | Promise<void>;
}
