/** Sessions of accounts, by account, by the secret of a session, and by the token of a one-time link. */
import type { UserId } from '#model';
import type { AccountSessions, WebSession } from '#model/records';
import { Collection } from './collection.js';

export class Sessions extends Collection<UserId, AccountSessions> {
  readonly #sessions = new Map<string, { readonly user: UserId; readonly session: WebSession }>();
  readonly #links = new Map<string, UserId>();

  constructor() {
    super(({ user }) => user);
  }

  byHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined {
    return this.#sessions.get(hash);
  }

  userOfLink(hash: string): UserId | undefined {
    return this.#links.get(hash);
  }

  override put(account: AccountSessions): void {
    const { user } = account;
    const before = this.get(user);
    for (const { hash } of before?.sessions ?? []) this.#sessions.delete(hash);
    for (const { hash } of before?.links ?? []) this.#links.delete(hash);
    super.put(account);
    for (const session of account.sessions) this.#sessions.set(session.hash, { user, session });
    for (const { hash } of account.links) this.#links.set(hash, user);
  }
}
