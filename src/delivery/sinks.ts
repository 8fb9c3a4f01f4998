/** The queues of one realm on one host, by user. */

import type { Member } from '#domain/streams';
import type { Audience } from '#model';
import { streamsOf } from './audience.js';
import type { EventSink } from './sink.js';

export class Sinks implements Iterable<EventSink> {
  readonly #byUser = new Map<number, Set<EventSink>>();
  readonly #allPublic = new Set<EventSink>();

  constructor(private readonly membersOf: (stream: number) => ReadonlyMap<number, Member> | undefined) {}

  /** Users that have queues. */
  get size(): number {
    return this.#byUser.size;
  }

  *[Symbol.iterator](): Iterator<EventSink> {
    for (const of of this.#byUser.values()) yield* of;
  }

  add(sink: EventSink): void {
    const of = this.#byUser.get(sink.user) ?? new Set();
    of.add(sink);
    this.#byUser.set(sink.user, of);
    if (sink.allPublic) this.#allPublic.add(sink);
  }

  remove(sink: EventSink): void {
    const of = this.#byUser.get(sink.user);
    of?.delete(sink);
    if (of?.size === 0) this.#byUser.delete(sink.user);
    this.#allPublic.delete(sink);
  }

  clear(): void {
    this.#byUser.clear();
    this.#allPublic.clear();
  }

  /** Those that may be meant, each of them once. */
  reach(to: Audience, offer: (sink: EventSink) => void): void {
    const sinks = this.#byUser;
    // A role can be anybody's; users and members are looked up from the smaller side.
    if (to.role !== undefined) {
      for (const sink of this) offer(sink);
      return;
    }
    const done = new Set(to.users);
    for (const user of done) for (const sink of sinks.get(user) ?? []) offer(sink);
    const once = (user: number, of: Iterable<EventSink> | undefined): void => {
      if (!of || done.has(user)) return;
      done.add(user);
      for (const sink of of) offer(sink);
    };
    for (const stream of streamsOf(to).keys()) {
      const members = this.membersOf(stream);
      if (!members) continue;
      if (members.size < sinks.size) for (const user of members.keys()) once(user, sinks.get(user));
      else for (const [user, of] of sinks) if (members.has(user)) once(user, of);
    }
    if (to.publicStream) for (const sink of this.#allPublic) if (!done.has(sink.user)) offer(sink);
  }
}
