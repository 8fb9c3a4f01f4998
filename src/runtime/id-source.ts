/**
 * Fetches message ids for the actors of this host. One request per realm is under way at a time; the next request
 * serves all callers that came in the meantime. Ids are never fetched ahead, so that a send that begins after another
 * was answered gets a higher id.
 */
import type { JsonObject } from '#base';
import { type RealmId, realmActorKey } from '#model';
import type { ActorClient } from './client.js';

interface WaitingIdRequest {
  resolve(id: number): void;
  reject(error: unknown): void;
}

/**
 * Deadline of a request for ids, shorter than a client's deadline, so that the sender of the command still learns of
 * the failure.
 */
const ID_REQUEST_DEADLINE_MS = 8_000;

export class MessageIdSource {
  readonly #waitingRequestsByRealm = new Map<RealmId, WaitingIdRequest[]>();
  readonly #realmsWithFetchUnderWay = new Set<RealmId>();

  constructor(private readonly client: ActorClient) {}

  fetchFreshId(realm: RealmId): Promise<number> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waitingRequestsByRealm.get(realm);
      if (waiting) waiting.push({ resolve, reject });
      else this.#waitingRequestsByRealm.set(realm, [{ resolve, reject }]);
      if (this.#realmsWithFetchUnderWay.has(realm)) return;
      this.#realmsWithFetchUnderWay.add(realm);
      queueMicrotask(() => void this.#fetchForAllWaiting(realm));
    });
  }

  /**
   * Fetches ids for all waiting callers, one request at a time: if two were under way and the first had to be repeated,
   * earlier callers would get higher ids, and the messages of a conversation would be out of order.
   */
  async #fetchForAllWaiting(realm: RealmId): Promise<void> {
    for (;;) {
      const waiting = this.#waitingRequestsByRealm.get(realm);
      if (!waiting) break;
      this.#waitingRequestsByRealm.delete(realm);
      try {
        const args: JsonObject = { count: waiting.length };
        const options = { asked: true, deadlineMs: ID_REQUEST_DEADLINE_MS };
        const reply = await this.client.send(realmActorKey(realm), 'take-ids', args, options).reply;
        if (!('value' in reply)) throw new Error('the realm actor refused to give message ids');
        const first = reply.value as number;
        waiting.forEach((w, i) => void w.resolve(first + i));
      } catch (error) {
        for (const w of waiting) w.reject(error);
      }
    }
    this.#realmsWithFetchUnderWay.delete(realm);
  }
}
