import { signal } from '@preact/signals-core';
import { SESSION_CHECK_PATH, type SessionCheck } from '../contract/index.js';
import { type ApiClient, ApiFailure } from './api.js';

/** `visitor`: reads what is public on the web, without an account. */
export type SessionState = 'unknown' | 'signed-in' | 'visitor' | 'signed-out';

/**
 * The session of this browser: a cookie that script can't read.
 *
 *     session.state.value
 *     await session.signIn(email, password)        throws ApiFailure with the text to show
 *     await session.signInByOneTimeLink(token)     a one-time link, `#sign-in/TOKEN`
 *     await session.signOut()
 *     await session.deactivateAccount()
 */
export class SignInSession {
  readonly state = signal<SessionState>('unknown');
  /** Code of the API's error that ended the last session, for an account or organization that is deactivated. */
  readonly endCode = signal('');

  constructor(
    private readonly api: ApiClient,
    /** Begins or ends everything that needs a session. */
    private readonly onChange: (signedIn: boolean, endCode?: string) => void,
    /** Ends the requests that the end of the session would refuse. */
    private readonly onSigningOut: () => void,
  ) {}

  /** The server lets this browser read: as a user, or as a visitor. Asked first, because a refusal is an error. */
  async fetchMayRead(): Promise<boolean> {
    const { signed_in, public_access } = await this.api.callOutsideApi<SessionCheck>('GET', SESSION_CHECK_PATH);
    return signed_in || public_access;
  }

  async signIn(username: string, password: string): Promise<void> {
    await this.api.callOutsideApi('POST', '/web/session', { username, password });
    this.onChange(true);
  }

  async signInByOneTimeLink(token: string): Promise<void> {
    await this.api.callOutsideApi('POST', '/web/session/one-time', { token });
    this.onChange(true);
  }

  async signOut(): Promise<void> {
    this.onSigningOut();
    try {
      await this.api.callOutsideApi('DELETE', '/web/session');
    } catch (error) {
      // A session that has ended already is signed out.
      if (!(error instanceof ApiFailure)) throw error;
    }
    this.onChange(false);
  }

  /** Ends the account of the user, and all of its sessions. @throws ApiFailure when the server refuses */
  async deactivateAccount(): Promise<void> {
    this.onSigningOut();
    await this.api.delete('/users/me', {});
    this.onChange(false, 'USER_DEACTIVATED');
  }
}
