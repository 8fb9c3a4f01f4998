/** Newest messages of the users of all realms that this process serves. */

import type { Directories, ReplicaDependent } from '#directory';
import type { NewestKnown } from '#domain/messages';
import { type ActorKey, type RealmId, type UserId, userKey } from '#model';
import { ActorRefused } from '#model/errors';
import type { ActorClient } from '#runtime';
import { NewestMessages, type Room } from './newest-messages.js';

/** Streams of users that are remembered: some 50 MB. Beyond, all begin anew. */
const MOST = 2_000_000;

/** Whose commits bring messages, or take them away. */
const isConversation = (actor: ActorKey): boolean => actor.startsWith('stream/') || actor.startsWith('dm/');

export class NewestByRealm implements ReplicaDependent {
  readonly #realms = new Map<RealmId, NewestMessages>();
  readonly #room: Room = { used: 0 };

  constructor(
    private readonly directories: Directories,
    private readonly client: ActorClient,
  ) {
    directories.addDependent(this);
  }

  /** Its replica may be closed: what is known here costs little to ask for again. */
  busy(): boolean {
    return false;
  }

  closed(realm: RealmId): void {
    this.#realms.get(realm)?.forget();
    this.#realms.delete(realm);
  }

  /**
   * Id of the newest message that the user has a copy of; -1 = none. It shows what this process has confirmed to the user, and
   * what others did as far as the log has come here.
   */
  of(realm: RealmId, user: UserId, deadlineMs: number): number | Promise<number> {
    const newest = this.#open(realm);
    const ask = () => this.#ask(realm, user, deadlineMs);
    if (!newest) return ask().then(({ id }) => id);
    return newest.of(user) ?? newest.load(user, ask);
  }

  /** The user is about to be told that the actor has done something, which the log shows as this version. */
  told(realm: RealmId, user: UserId, actor: ActorKey, version: number): void {
    if (!isConversation(actor)) return;
    const newest = this.#open(realm);
    if (newest && !this.directories.tail(realm)?.shows(actor, version)) newest.await(user, actor, version);
  }

  /** Undefined: nobody follows the realm. */
  #open(realm: RealmId): NewestMessages | undefined {
    if (this.#room.used > MOST) for (const newest of this.#realms.values()) newest.forget();
    const known = this.#realms.get(realm);
    if (known) return known;
    const tail = this.directories.tail(realm);
    if (!tail) return undefined;
    const newest = new NewestMessages(this.#room);
    tail.add(newest);
    this.#realms.set(realm, newest);
    return newest;
  }

  async #ask(realm: RealmId, user: UserId, deadlineMs: number): Promise<NewestKnown> {
    const { reply } = this.client.send(userKey(realm, user), 'newest', {}, { caller: user, deadlineMs });
    const known = await reply;
    if ('value' in known) return known.value as unknown as NewestKnown;
    if ('error' in known) throw new ActorRefused(known.error);
    throw new Error(`newest message of ${realm}/${user}: no value`);
  }
}
