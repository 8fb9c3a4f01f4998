/** Sessions of browsers that are signed in, and the one-time links by which an account can sign in. */
import type { UserId } from '#model';

/** A browser that is signed in. The secret of the session is kept only in the cookie of the browser. */
export interface WebSession {
  /** Number of the session within the account. */
  readonly id: number;
  /** Keyed hash (hex) of the session's secret. */
  readonly hash: string;
  /** Names of browser and operating system, by the browser's User-Agent at sign-in. */
  readonly client: string;
  /** Time of the sign-in, milliseconds since 1970. */
  readonly created: number;
  /** Time of the last use, to the day, milliseconds since 1970. */
  readonly used: number;
  /** The browser's subscription to push notifications; absent if it has none. */
  readonly push?: SessionPushSubscription;
}

/** The subscription of a browser at its push service. It ends with the session. */
export interface SessionPushSubscription {
  /** Keyed hash (hex) of the endpoint: a browser has one subscription, and one session may use it. */
  readonly endpointHash: string;
  /** Endpoint and keys of the browser, encrypted under the server secret. */
  readonly sealed: string;
}

/** A link that signs an account in once. */
export interface OneTimeSignInLink {
  /** Keyed hash (hex) of the token in the link. */
  readonly hash: string;
  /** Time at which the link expires, milliseconds since 1970. */
  readonly expires: number;
}

/** The sessions of one account. The realm actor keeps them, so that every frontend can check a cookie by itself. */
export interface AccountSessions {
  readonly user: UserId;
  /** Highest id that any session of the account has had. */
  readonly last: number;
  readonly sessions: readonly WebSession[];
  readonly links: readonly OneTimeSignInLink[];
  /** Realm version at which the sessions were ended by a new password or a deactivation; 0: never. */
  readonly endedAt: number;
  /** The account has registered a mobile device at some time; absent: never. */
  readonly devices?: true;
  /**
   * Keyed hashes of the sessions that the deactivation of the account ended, so that their pages can show the reason.
   * Absent: the account is active, or had no session.
   */
  readonly endedByDeactivation?: readonly string[];
}
