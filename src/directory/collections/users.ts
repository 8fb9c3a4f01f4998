/** Accounts by id, API key, e-mail address and avatar. System bots are found but not listed. */

import { isBotOfOutgoingService, makeSystemBotRecords, SYSTEM_BOT_IDS_BY_EMAIL } from '#domain/people';
import { toUserId, type UserId } from '#model';
import type { DirectoryUser } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';
import { CommonFieldsPool, compactUser } from './compact-user.js';
import { IdsByKey } from './ids-by-key.js';

export class DirectoryUserCollection extends DirectoryRecordCollection<UserId, DirectoryUser> {
  /** Ids of outgoing webhook bots, which the server calls instead of sending them messages. */
  readonly serverCalledBotIds = new Set<UserId>();
  readonly #systemBotsById: ReadonlyMap<UserId, DirectoryUser>;
  readonly #commonFields = new CommonFieldsPool();
  readonly #idsByKeyHash: IdsByKey;
  /** Ids by e-mail addresses in lower case. */
  readonly #idsByEmail: IdsByKey;
  readonly #idsByAvatarHash = new Map<string, UserId>();

  /**
   * Makes the collection with the system bots in it.
   * @param since creation time of the organization, wall ms
   * @param expected number of accounts that will be put
   */
  constructor(since: number, expected: number) {
    super(({ id }) => id);
    this.#systemBotsById = new Map(makeSystemBotRecords(since).map((bot) => [bot.id, bot]));
    this.#idsByKeyHash = new IdsByKey(
      (id, hash) => this.#record(id)?.keyHash === hash,
      (id) => listKeyHashes(this.#record(id)),
      expected,
    );
    this.#idsByEmail = new IdsByKey(
      (id, folded) => listFoldedEmails(this.#record(id)).includes(folded),
      (id) => listFoldedEmails(this.#record(id)),
      expected,
    );
  }

  override get(id: UserId): DirectoryUser | undefined {
    return this.entries.get(id) ?? this.#systemBotsById.get(id);
  }

  findByKeyHash(hash: string): DirectoryUser | undefined {
    return this.#findByIdIfDefined(this.#idsByKeyHash.find(hash));
  }

  findByApiOrRealEmail(email: string): DirectoryUser | undefined {
    const folded = email.toLowerCase();
    return this.#findByIdIfDefined(this.#idsByEmail.find(folded) ?? SYSTEM_BOT_IDS_BY_EMAIL.get(folded));
  }

  findByAvatarHash(hash: string): DirectoryUser | undefined {
    return this.#findByIdIfDefined(this.#idsByAvatarHash.get(hash));
  }

  override put(user: DirectoryUser): void {
    const before = this.entries.get(user.id);
    for (const hash of listKeyHashes(before)) this.#idsByKeyHash.remove(hash, user.id);
    for (const folded of listFoldedEmails(before)) this.#idsByEmail.remove(folded, user.id);
    super.put(compactUser(user, this.#commonFields));
    if (isBotOfOutgoingService(user)) this.serverCalledBotIds.add(user.id);
    // The avatar hash of an account never changes, so the entry of a removed avatar may stay.
    if (user.avatar) this.#idsByAvatarHash.set(user.avatar.hash, user.id);
    for (const hash of listKeyHashes(user)) this.#idsByKeyHash.add(hash, user.id);
    for (const folded of listFoldedEmails(user)) this.#idsByEmail.add(folded, user.id);
  }

  #record(id: number): DirectoryUser | undefined {
    return this.entries.get(toUserId(id));
  }

  #findByIdIfDefined(id: number | undefined): DirectoryUser | undefined {
    return id === undefined ? undefined : this.get(toUserId(id));
  }
}

const listKeyHashes = (user: DirectoryUser | undefined): readonly string[] => (user?.keyHash ? [user.keyHash] : []);

function listFoldedEmails(user: DirectoryUser | undefined): readonly string[] {
  if (!user) return [];
  const email = user.email.toLowerCase();
  return user.deliveryEmail === user.email ? [email] : [email, user.deliveryEmail.toLowerCase()];
}
