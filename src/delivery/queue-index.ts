/** The event queues of one realm on one host, by user. */

import type { StreamMembershipRecord } from '#domain/streams';
import type { EventAudience } from '#model';
import { membershipVersionsNeededForAudience } from './audience.js';
import type { EventFeedSubscriber } from './subscriber.js';

export class EventQueueIndex implements Iterable<EventFeedSubscriber> {
  readonly #queuesByUser = new Map<number, Set<EventFeedSubscriber>>();
  readonly #allPublicStreamsQueues = new Set<EventFeedSubscriber>();

  constructor(
    private readonly membersOf: (stream: number) => ReadonlyMap<number, StreamMembershipRecord> | undefined,
  ) {}

  /** Number of users that have queues. */
  get userCount(): number {
    return this.#queuesByUser.size;
  }

  *[Symbol.iterator](): Iterator<EventFeedSubscriber> {
    for (const queues of this.#queuesByUser.values()) yield* queues;
  }

  addQueue(queue: EventFeedSubscriber): void {
    const queues = this.#queuesByUser.get(queue.user) ?? new Set();
    queues.add(queue);
    this.#queuesByUser.set(queue.user, queues);
    if (queue.allPublic) this.#allPublicStreamsQueues.add(queue);
  }

  removeQueue(queue: EventFeedSubscriber): void {
    const queues = this.#queuesByUser.get(queue.user);
    queues?.delete(queue);
    if (queues?.size === 0) this.#queuesByUser.delete(queue.user);
    this.#allPublicStreamsQueues.delete(queue);
  }

  removeAllQueues(): void {
    this.#queuesByUser.clear();
    this.#allPublicStreamsQueues.clear();
  }

  /** Visits each queue once whose user may be in the audience. `isInEventAudience` decides. */
  forEachCandidate(to: EventAudience, visit: (queue: EventFeedSubscriber) => void): void {
    const byUser = this.#queuesByUser;
    // An audience by role may contain any user.
    if (to.role !== undefined) {
      for (const queue of this) visit(queue);
      return;
    }
    const visited = new Set(to.users);
    for (const user of visited) for (const queue of byUser.get(user) ?? []) visit(queue);
    const visitOnce = (user: number, queues: Iterable<EventFeedSubscriber> | undefined): void => {
      if (!queues || visited.has(user)) return;
      visited.add(user);
      for (const queue of queues) visit(queue);
    };
    for (const stream of membershipVersionsNeededForAudience(to).keys()) {
      const members = this.membersOf(stream);
      if (!members) continue;
      // Iterate over the smaller of the two maps.
      if (members.size < byUser.size) for (const user of members.keys()) visitOnce(user, byUser.get(user));
      else for (const [user, queues] of byUser) if (members.has(user)) visitOnce(user, queues);
    }
    if (to.publicStream) for (const queue of this.#allPublicStreamsQueues) if (!visited.has(queue.user)) visit(queue);
  }
}
