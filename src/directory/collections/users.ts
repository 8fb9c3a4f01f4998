/** Accounts by id, API key, e-mail address and avatar. System bots are found but not listed. */

import { isBotCalledByServer, makeSystemBotRecords, SYSTEM_BOT_IDS_BY_EMAIL } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryUser } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

export class DirectoryUserCollection extends DirectoryRecordCollection<UserId, DirectoryUser> {
  /** Ids of outgoing webhook bots, which the server calls instead of sending them messages. */
  readonly silentBots = new Set<UserId>();
  readonly #systemBots: ReadonlyMap<UserId, DirectoryUser>;
  readonly #keys = new Map<string, UserId>();
  readonly #emails = new Map<string, UserId>();
  readonly #avatars = new Map<string, UserId>();

  /** Makes the collection with the system bots in it. @param since creation time of the organization, wall ms */
  constructor(since: number) {
    super(({ id }) => id);
    this.#systemBots = new Map(makeSystemBotRecords(since).map((bot) => [bot.id, bot]));
  }

  override get(id: UserId): DirectoryUser | undefined {
    return this.entries.get(id) ?? this.#systemBots.get(id);
  }

  byKeyHash(hash: string): DirectoryUser | undefined {
    return this.#found(this.#keys.get(hash));
  }

  byEmail(email: string): DirectoryUser | undefined {
    const folded = email.toLowerCase();
    return this.#found(this.#emails.get(folded) ?? SYSTEM_BOT_IDS_BY_EMAIL.get(folded));
  }

  byAvatar(hash: string): DirectoryUser | undefined {
    return this.#found(this.#avatars.get(hash));
  }

  override put(user: DirectoryUser): void {
    const before = this.entries.get(user.id);
    if (before) {
      this.#keys.delete(before.keyHash);
      this.#emails.delete(before.email.toLowerCase());
      this.#emails.delete(before.deliveryEmail.toLowerCase());
    }
    super.put(user);
    if (isBotCalledByServer(user)) this.silentBots.add(user.id);
    // The avatar hash of an account never changes, so the entry of a removed avatar may stay.
    if (user.avatar) this.#avatars.set(user.avatar.hash, user.id);
    if (user.keyHash) this.#keys.set(user.keyHash, user.id);
    this.#emails.set(user.email.toLowerCase(), user.id);
    this.#emails.set(user.deliveryEmail.toLowerCase(), user.id);
  }

  #found(id: UserId | undefined): DirectoryUser | undefined {
    return id === undefined ? undefined : this.get(id);
  }
}
