import { signal } from '@preact/signals-core';
import { type ApiClient, ApiFailure } from './api.js';

/** `visitor`: reads what is public on the web, without an account. */
export type SessionState = 'unknown' | 'signed-in' | 'visitor' | 'signed-out';

/** Whether the server refused, other than because another account's session has replaced this one. */
const isRefusal = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.code !== 'SESSION_CHANGED';

/**
 * The session of this browser: a cookie that script can't read.
 *
 *     session.state.value
 *     await session.signIn(email, password)        throws ApiFailure with the text to show
 *     await session.signInByOneTimeLink(token)     a one-time link, `#sign-in/TOKEN`
 *     await session.signOut()                      throws if the browser is still signed in
 *     await session.deactivateAccount()
 */
export class SignInSession {
  readonly state = signal<SessionState>('unknown');
  /** Code of the API's error that ended the last session, for an account or organization that is deactivated. */
  readonly endCode = signal('');

  constructor(
    private readonly api: ApiClient,
    /** Called when the session begins or ends. */
    private readonly onChange: (signedIn: boolean, endCode?: string) => void,
    /** Called before the session ends: suspends requests that would be refused then, and lets refusals pass. */
    private readonly onSigningOut: () => void,
  ) {}

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
      if (!isRefusal(error)) throw error;
    }
    this.onChange(false);
  }

  /** Ends the account of the user, and all of its sessions. @throws ApiFailure when the server refuses */
  async deactivateAccount(): Promise<void> {
    this.onSigningOut();
    try {
      await this.api.delete('/users/me', {});
    } catch (error) {
      if (isRefusal(error) && error.status === 401) this.onChange(false, error.code);
      throw error;
    }
    this.onChange(false, 'USER_DEACTIVATED');
  }
}
