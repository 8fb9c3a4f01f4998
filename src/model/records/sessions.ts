/** Sessions of browsers that are signed in, and the one-time links by which an account can sign in. */
import type { UserId } from '#model';

/** A browser that is signed in. Its secret is kept in the cookie of the browser only. */
export interface WebSession {
  /** Number within the account. */
  readonly id: number;
  /** Keyed hash (hex) of the secret. */
  readonly hash: string;
  /** Browser and system as the browser named them at sign-in. */
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Time of the last use, to the day, milliseconds since 1970. */
  readonly used: number;
  /** The browser's subscription to push notifications; absent if it has none. */
  readonly push?: SessionPush;
}

/** The subscription of a browser at its push service. It ends with the session. */
export interface SessionPush {
  /** Keyed hash (hex) of the endpoint: a browser has one subscription, and one session may use it. */
  readonly endpointHash: string;
  /** Endpoint and keys of the browser, encrypted under the server secret. */
  readonly sealed: string;
}

/** A link that signs the account in once. */
export interface SignInLink {
  /** Keyed hash (hex) of the token in the link. */
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The sessions of one account. The realm actor keeps them, so that every frontend can check a cookie by itself. */
export interface AccountSessions {
  readonly user: UserId;
  /** Highest id ever given to a session. */
  readonly last: number;
  readonly sessions: readonly WebSession[];
  readonly links: readonly SignInLink[];
  /** Realm version at which the sessions were ended by a new password or a deactivation; 0: never. */
  readonly endedAt: number;
  /** The account has registered a mobile device at some time; absent: never. */
  readonly devices?: true;
}
