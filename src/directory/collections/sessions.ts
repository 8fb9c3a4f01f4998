/** Sessions by account, and by the hash of their secret. */
import { toUserId, type UserId } from '#model';
import type { AccountSessions, OneTimeSignInLink, WebSession } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';
import { copyText } from './compact-text.js';
import { IdsByKey } from './ids-by-key.js';
import { SharedValues } from './shared-values.js';

const NO_LINKS: readonly OneTimeSignInLink[] = [];

const listHashes = ({ sessions, endedByDeactivation = [] }: AccountSessions): string[] => [
  ...sessions.map(({ hash }) => hash),
  ...endedByDeactivation,
];

export class DirectorySessionCollection extends DirectoryRecordCollection<UserId, AccountSessions> {
  readonly #userIdsByHash: IdsByKey;
  readonly #clientNames = new SharedValues<string>();

  /** Accounts with devices to which notifications may be pushed. */
  readonly userIdsWithPushDevice = new Set<UserId>();

  /** Makes an empty collection. @param expected number of accounts that will be put */
  constructor(expected: number) {
    super(({ user }) => user);
    this.#userIdsByHash = new IdsByKey(
      (id, hash) => this.#sessionOf(id, hash) !== undefined || this.#isEndedHash(id, hash),
      (id) => this.#listHashesOf(toUserId(id)),
      expected,
    );
  }

  findSessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined {
    const id = this.#userIdsByHash.find(hash);
    const session = id === undefined ? undefined : this.#sessionOf(id, hash);
    return session && { user: toUserId(id!), session };
  }

  /** Finds the account whose deactivation ended the session with this hash. */
  findUserIdByEndedHash(hash: string): UserId | undefined {
    const id = this.#userIdsByHash.find(hash);
    return id !== undefined && this.#isEndedHash(id, hash) ? toUserId(id) : undefined;
  }

  override put(account: AccountSessions): void {
    const { user } = account;
    for (const hash of this.#listHashesOf(user)) this.#userIdsByHash.remove(hash, user);
    super.put(this.#compact(account));
    if (account.devices || account.sessions.some(({ push }) => push)) this.userIdsWithPushDevice.add(user);
    else this.userIdsWithPushDevice.delete(user);
    for (const hash of listHashes(account)) this.#userIdsByHash.add(hash, user);
  }

  #listHashesOf(user: UserId): string[] {
    const account = this.get(user);
    return account ? listHashes(account) : [];
  }

  #isEndedHash(user: number, hash: string): boolean {
    return this.get(toUserId(user))?.endedByDeactivation?.includes(hash) ?? false;
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
