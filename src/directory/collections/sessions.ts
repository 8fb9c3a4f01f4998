/** Sessions by account, and by the hash of their secret. */
import { toUserId, type UserId } from '#model';
import type { AccountSessions, OneTimeSignInLink, WebSession } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';
import { copyText } from './compact-text.js';
import { IdsByKey } from './ids-by-key.js';
import { SharedValues } from './shared-values.js';

const NO_LINKS: readonly OneTimeSignInLink[] = [];

export class DirectorySessionCollection extends DirectoryRecordCollection<UserId, AccountSessions> {
  readonly #userIdsByHash: IdsByKey;
  readonly #clientNames = new SharedValues<string>();

  /** Accounts with devices to which notifications may be pushed. */
  readonly userIdsWithPushDevice = new Set<UserId>();

  /** Makes an empty collection. @param expected number of accounts that will be put */
  constructor(expected: number) {
    super(({ user }) => user);
    this.#userIdsByHash = new IdsByKey(
      (id, hash) => this.#sessionOf(id, hash) !== undefined,
      (id) => this.get(toUserId(id))?.sessions.map(({ hash }) => hash) ?? [],
      expected,
    );
  }

  findSessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined {
    const id = this.#userIdsByHash.find(hash);
    return id === undefined ? undefined : { user: toUserId(id), session: this.#sessionOf(id, hash)! };
  }

  override put(account: AccountSessions): void {
    const { user } = account;
    for (const { hash } of this.get(user)?.sessions ?? []) this.#userIdsByHash.remove(hash, user);
    super.put(this.#compact(account));
    if (account.devices || account.sessions.some(({ push }) => push)) this.userIdsWithPushDevice.add(user);
    else this.userIdsWithPushDevice.delete(user);
    for (const { hash } of account.sessions) this.#userIdsByHash.add(hash, user);
  }

  #sessionOf(user: number, hash: string): WebSession | undefined {
    return this.get(toUserId(user))?.sessions.find((session) => session.hash === hash);
  }

  /** The same record in half of the memory: its hashes are copies, and equal texts and empty lists are shared. */
  #compact(account: AccountSessions): AccountSessions {
    const sessions = account.sessions.map((session) => ({
      ...session,
      hash: copyText(session.hash),
      client: this.#clientNames.share(session.client),
    }));
    return { ...account, sessions, links: account.links.length === 0 ? NO_LINKS : account.links };
  }
}
