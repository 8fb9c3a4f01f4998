/** Accounts by id, API key, e-mail address and avatar. System bots are found but not listed. */

import { isBotOfOutgoingService, makeSystemBotRecords, SYSTEM_BOT_IDS_BY_EMAIL } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryUser } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

export class DirectoryUserCollection extends DirectoryRecordCollection<UserId, DirectoryUser> {
  /** Ids of outgoing webhook bots, which the server calls instead of sending them messages. */
  readonly serverCalledBotIds = new Set<UserId>();
  readonly #systemBotsById: ReadonlyMap<UserId, DirectoryUser>;
  readonly #idsByKeyHash = new Map<string, UserId>();
  readonly #idsByEmail = new Map<string, UserId>();
  readonly #idsByAvatarHash = new Map<string, UserId>();

  /** Makes the collection with the system bots in it. @param since creation time of the organization, wall ms */
  constructor(since: number) {
    super(({ id }) => id);
    this.#systemBotsById = new Map(makeSystemBotRecords(since).map((bot) => [bot.id, bot]));
  }

  override get(id: UserId): DirectoryUser | undefined {
    return this.entries.get(id) ?? this.#systemBotsById.get(id);
  }

  findByKeyHash(hash: string): DirectoryUser | undefined {
    return this.#findByIdIfDefined(this.#idsByKeyHash.get(hash));
  }

  findByApiOrRealEmail(email: string): DirectoryUser | undefined {
    const folded = email.toLowerCase();
    return this.#findByIdIfDefined(this.#idsByEmail.get(folded) ?? SYSTEM_BOT_IDS_BY_EMAIL.get(folded));
  }

  findByAvatarHash(hash: string): DirectoryUser | undefined {
    return this.#findByIdIfDefined(this.#idsByAvatarHash.get(hash));
  }

  override put(user: DirectoryUser): void {
    const before = this.entries.get(user.id);
    if (before) {
      this.#idsByKeyHash.delete(before.keyHash);
      this.#idsByEmail.delete(before.email.toLowerCase());
      this.#idsByEmail.delete(before.deliveryEmail.toLowerCase());
    }
    super.put(user);
    if (isBotOfOutgoingService(user)) this.serverCalledBotIds.add(user.id);
    // The avatar hash of an account never changes, so the entry of a removed avatar may stay.
    if (user.avatar) this.#idsByAvatarHash.set(user.avatar.hash, user.id);
    if (user.keyHash) this.#idsByKeyHash.set(user.keyHash, user.id);
    this.#idsByEmail.set(user.email.toLowerCase(), user.id);
    this.#idsByEmail.set(user.deliveryEmail.toLowerCase(), user.id);
  }

  #findByIdIfDefined(id: UserId | undefined): DirectoryUser | undefined {
    return id === undefined ? undefined : this.get(id);
  }
}
