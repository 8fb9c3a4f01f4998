/** The event queues of one realm on one host, by user. */

import type { StreamMembershipRecord } from '#domain/streams';
import { type EventAudience, LOG_ENTRY_HEAD_FLAGS, type LogEntryHead } from '#model';
import { membershipVersionsNeededForAudience } from './audience.js';
import type { EventFeedSubscriber } from './subscriber.js';

/** Answer whether a user with queues is or was a member of a stream, and the state for which it was computed. */
interface MemberPresence {
  readonly members: ReadonlyMap<number, StreamMembershipRecord>;
  readonly memberCount: number;
  readonly usersVersion: number;
  readonly isPresent: boolean;
}

export class EventQueueIndex implements Iterable<EventFeedSubscriber> {
  readonly #queuesByUser = new Map<number, Set<EventFeedSubscriber>>();
  readonly #allPublicStreamsQueues = new Set<EventFeedSubscriber>();
  /** Raised whenever a user gets a first queue or loses the last one. */
  #usersVersion = 0;
  readonly #memberPresenceByStream = new Map<number, MemberPresence>();

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
    if (queues.size === 0) this.#usersVersion++;
    queues.add(queue);
    this.#queuesByUser.set(queue.user, queues);
    if (queue.allPublic) this.#allPublicStreamsQueues.add(queue);
  }

  removeQueue(queue: EventFeedSubscriber): void {
    const queues = this.#queuesByUser.get(queue.user);
    queues?.delete(queue);
    if (queues?.size === 0 && this.#queuesByUser.delete(queue.user)) this.#usersVersion++;
    this.#allPublicStreamsQueues.delete(queue);
  }

  removeAllQueues(): void {
    this.#queuesByUser.clear();
    this.#allPublicStreamsQueues.clear();
    this.#memberPresenceByStream.clear();
    this.#usersVersion++;
  }

  /**
   * False if no queue can be in an audience of an entry with this head. The members of the head's streams must be
   * loaded.
   */
  mayAudienceHaveQueues({ flags, users, streams }: LogEntryHead): boolean {
    if (this.userCount === 0) return false;
    if ((flags & LOG_ENTRY_HEAD_FLAGS.anyUser) !== 0) return true;
    if ((flags & LOG_ENTRY_HEAD_FLAGS.allPublicStreams) !== 0 && this.#allPublicStreamsQueues.size > 0) return true;
    for (const user of users) if (this.#queuesByUser.has(user)) return true;
    for (let i = 0; i < streams.length; i += 2) if (this.#hasQueueOfMember(streams[i]!)) return true;
    return false;
  }

  /** True if a user with queues is or was a member of the stream; computed once per change of either. */
  #hasQueueOfMember(stream: number): boolean {
    const members = this.membersOf(stream);
    if (!members) return true;
    const known = this.#memberPresenceByStream.get(stream);
    // Members are only added to a map, never removed from it.
    if (known?.members === members && known.memberCount === members.size && known.usersVersion === this.#usersVersion)
      return known.isPresent;
    const byUser = this.#queuesByUser;
    const [fewer, more] = members.size < byUser.size ? [members, byUser] : [byUser, members];
    let isPresent = false;
    for (const user of fewer.keys()) {
      if (!more.has(user)) continue;
      isPresent = true;
      break;
    }
    const { size: memberCount } = members;
    this.#memberPresenceByStream.set(stream, { members, memberCount, usersVersion: this.#usersVersion, isPresent });
    return isPresent;
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
