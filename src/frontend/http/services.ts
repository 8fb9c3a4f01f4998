/**
 * What the frontend needs of the rest of the server. It never touches the Store: accounts come from the directory
 * replica, everything else from actors.
 */

import type { Clock } from '#base/clock';
import type { Secrets } from '#domain/secrets';
import type { ActorRepeat, ActorReply, Forward } from '#frontend/api';
import type { RealmId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { Blobs } from '#ports/blobs';

/** The part of pino that is used here. */
export interface Log {
  debug(fields: object, msg: string): void;
  info(fields: object, msg: string): void;
  warn(fields: object, msg: string): void;
  error(fields: object, msg: string): void;
}

/** Who calls: an active account of an active organization, as the replica shows it now. */
export interface Caller {
  readonly realm: RealmId;
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
}

/** The organization of a call without credentials. */
export interface AnonymousCaller {
  readonly realm: RealmId;
  readonly directory: DirectoryView;
}

export interface ForwardContext {
  /** Undefined where the operation needs no credentials. */
  readonly caller: Caller | undefined;
  readonly realm: RealmId;
  /** Client name of the request. */
  readonly client: string;
  /** Of the HTTP request: names it in the logs of all processes. */
  readonly requestId: string;
}

export interface Forwarding {
  /**
   * Rejects with ApiError SERVICE_UNAVAILABLE when no owner answers. Any other rejection is answered 500 and logged.
   * After `cancel` it may do either or stay pending.
   */
  readonly reply: Promise<ActorReply | ActorRepeat>;
  /**
   * The client has gone or the deadline passed: nobody waits for the reply any more. Releases a held poll. Does nothing
   * once the reply has settled.
   */
  cancel(): void;
  /**
   * The frontend leaves: a held command is given up, and `reply` resolves with what the operation declared for this
   * (`Forward.released`), at once or as soon as the command would be held.
   */
  release(): void;
}

export interface FrontendServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly blobs: Blobs;
  readonly secrets: Secrets;
  /**
   * Account of an API key (32 characters `[A-Za-z0-9]`, checked before); `username` (where there is one) and `host` are only compared.
   * Synchronous where the replica is at hand. Throws (or rejects with) ApiError: API_KEY_UNKNOWN, ACCOUNT_DEACTIVATED,
   * ORGANIZATION_DEACTIVATED, WRONG_SUBDOMAIN. `host` is the Host header, lower case, or '' when there is none.
   */
  authenticate(username: string | undefined, key: string, host: string): Caller | Promise<Caller>;
  /** Organization that the host names. Throws NONEXISTENT_SUBDOMAIN (or what the handlers want) when there is none. */
  anonymous(host: string): AnonymousCaller | Promise<AnonymousCaller>;
  /** Base URL of the organization with that subdomain, as far as it may depend on the Host header of a request. */
  site(host: string, subdomain: string): string;
  forward(forward: Forward, context: ForwardContext): Forwarding;
  /**
   * Id of the newest message that the caller has a copy of; -1 = none. It shows what this frontend has confirmed to the caller, and
   * what others did as far as the log has come here.
   */
  newestMessage(caller: Caller): number | Promise<number>;
  /** The frontend hears of each API key, by its hash, as soon as the replica of its realm shows that it is revoked. */
  onKeyRevoked(listener: (keyHash: string) => void): void;
  /** The replica as it is now; undefined: none is open. */
  directoryNow(realm: RealmId): DirectoryView | undefined;
  /** Undefined: there is no such organization. */
  directoryOf(realm: RealmId): Promise<DirectoryView | undefined>;
  /** Bring the replica of the realm up to the end of its log. */
  refresh(realm: RealmId): Promise<void>;
  /** Until the replica has applied that realm version: a change is acknowledged after this frontend shows it. */
  waitFor(realm: RealmId, version: number): void | Promise<void>;
}
