/** Sessions by account, and by the hash of their secret. */
import type { UserId } from '#model';
import type { AccountSessions, WebSession } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

export class DirectorySessionCollection extends DirectoryRecordCollection<UserId, AccountSessions> {
  readonly #sessionsByHash = new Map<string, { readonly user: UserId; readonly session: WebSession }>();

  /** Accounts with devices to which notifications may be pushed. */
  readonly userIdsWithPushDevice = new Set<UserId>();

  constructor() {
    super(({ user }) => user);
  }

  findSessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined {
    return this.#sessionsByHash.get(hash);
  }

  override put(account: AccountSessions): void {
    const { user } = account;
    for (const { hash } of this.get(user)?.sessions ?? []) this.#sessionsByHash.delete(hash);
    super.put(account);
    if (account.devices || account.sessions.some(({ push }) => push)) this.userIdsWithPushDevice.add(user);
    else this.userIdsWithPushDevice.delete(user);
    for (const session of account.sessions) this.#sessionsByHash.set(session.hash, { user, session });
  }
}
