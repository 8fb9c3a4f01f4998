/** What a user has not read, from the marks of the user's actor and the Store's indexes (design § 4). */
import type { RealmId } from '../core/index.js';
import type { MessageIndex, Store } from '../store/index.js';
import { asMember, type Member, memberPart } from '../streams/index.js';
import { copyOf, decidingStreams } from './copies.js';
import { DIRECT_HOME, type HomeReading } from './read-state.js';
import { asStored, type StoredMessage, streamConversation } from './stored.js';
import { tagOf } from './tags.js';

const BATCH = 1_000;
/** Most messages are among the newest: the first look is a small one. */
const FIRST_BATCH = 64;

/** Looks into the Store for one user. */
export class UnreadScan {
  readonly #members = new Map<number, Member | undefined>();

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
    private readonly user: number,
  ) {}

  /**
   * Messages of one home that nothing marks as read and that the user has, batch by batch: those above its mark, up to
   * `to`, ascending; then those that were moved away from it.
   */
  async *above(home: number, reading: HomeReading, to = Number.POSITIVE_INFINITY): AsyncGenerator<StoredMessage[]> {
    const index: MessageIndex =
      home === DIRECT_HOME
        ? { by: 'participant', user: this.user }
        : { by: 'conversation', conversation: streamConversation(home) };
    yield* this.#unmarked(index, home, reading, to);
    if (home !== DIRECT_HOME) yield* this.movedFrom(home, reading, to);
  }

  /** Of `above`, those that were moved to other streams. */
  movedFrom(home: number, reading: HomeReading, to = Number.POSITIVE_INFINITY): AsyncGenerator<StoredMessage[]> {
    return this.#unmarked({ by: 'moved', from: streamConversation(home) }, home, reading, to);
  }

  /** Messages that came to the stream from others and that the user has, read or not; of one topic, or of all. */
  async *movedTo(stream: number, also: readonly MessageIndex[] = []): AsyncGenerator<StoredMessage[]> {
    const tag: MessageIndex = { by: 'tag', tag: tagOf.cameTo(streamConversation(stream)) };
    for await (const { messages } of this.#batches(tag, 0, also)) {
      const own = await this.owned(messages);
      if (own.length > 0) yield own;
    }
  }

  /** Along one index, upwards; only what the user has a copy of. */
  async *upwards(index: MessageIndex, from: number): AsyncGenerator<StoredMessage[]> {
    for await (const { messages } of this.#batches(index, from)) {
      const own = await this.owned(messages);
      if (own.length > 0) yield own;
    }
  }

  /** As `above`, newest first; `seen` is told of every message of the home's own index that was looked at. */
  async *newestAbove(
    home: number,
    reading: HomeReading,
    seen: (message: StoredMessage) => void,
  ): AsyncGenerator<StoredMessage[]> {
    const index: MessageIndex =
      home === DIRECT_HOME
        ? { by: 'participant', user: this.user }
        : { by: 'conversation', conversation: streamConversation(home) };
    let from = Number.MAX_SAFE_INTEGER;
    for (let limit = FIRST_BATCH; ; limit = BATCH) {
      const records = await this.store.scanMessages({ realm: this.realm, index, from, direction: 'older', limit });
      const messages = records.map(asStored).filter(({ id }) => id > reading.mark);
      messages.forEach(seen);
      const own = await this.owned(messages.filter((message) => this.#isCandidate(message, home, reading)));
      if (own.length > 0) yield own;
      if (messages.length < limit) break;
      from = messages.at(-1)!.id;
    }
    if (home !== DIRECT_HOME) yield* this.movedFrom(home, reading);
  }

  #isCandidate({ id, home: of, body }: StoredMessage, home: number, { read, unread }: HomeReading): boolean {
    return of === home && !read.has(id) && !unread.has(id) && !body.flags[this.user]?.includes('read');
  }

  async *#unmarked(
    index: MessageIndex,
    home: number,
    reading: HomeReading,
    to: number,
  ): AsyncGenerator<StoredMessage[]> {
    for await (const { messages } of this.#batches(index, reading.mark)) {
      const inside = messages.filter(({ id }) => id <= to);
      const own = await this.owned(inside.filter((message) => this.#isCandidate(message, home, reading)));
      if (own.length > 0) yield own;
      if (inside.length < messages.length) return;
    }
  }

  async *#batches(
    index: MessageIndex,
    after: number,
    also: readonly MessageIndex[] = [],
  ): AsyncGenerator<{ readonly messages: StoredMessage[] }> {
    let from = after;
    for (let limit = FIRST_BATCH; ; limit = BATCH) {
      const scan = { realm: this.realm, index, also, from, direction: 'newer', limit } as const;
      const records = await this.store.scanMessages(scan);
      if (records.length > 0) yield { messages: records.map(asStored) };
      if (records.length < limit) return;
      from = records.at(-1)!.id;
    }
  }

  /** Those that the user marked as unread himself, or left behind: exceptions below the mark. */
  async excepted({ unread }: HomeReading): Promise<StoredMessage[]> {
    if (unread.size === 0) return [];
    const records = await this.store.getMessages(this.realm, unread.ids);
    return records.filter((record) => record !== null).map(asStored);
  }

  /** Id of the newest message that was sent to a stream, wherever it is now; 0 = none. */
  async newestOf(stream: number): Promise<number> {
    const conversation = streamConversation(stream);
    const indexes: MessageIndex[] = [
      { by: 'conversation', conversation },
      { by: 'moved', from: conversation },
    ];
    const newest = await Promise.all(
      indexes.map((index) =>
        this.store.scanMessages({
          realm: this.realm,
          index,
          from: Number.MAX_SAFE_INTEGER,
          direction: 'older',
          limit: 1,
        }),
      ),
    );
    return Math.max(0, ...newest.map(([record]) => record?.id ?? 0));
  }

  /** Those that the user has a copy of; without those that came read with a move, unless the user marked them. */
  async owned(messages: readonly StoredMessage[], marked = false): Promise<StoredMessage[]> {
    const missing = new Set<number>();
    for (const message of messages) {
      for (const stream of decidingStreams(message)) if (!this.#members.has(stream)) missing.add(stream);
    }
    if (missing.size > 0) {
      const streams = [...missing];
      const parts = await this.store.getParts(streams.map((stream) => memberPart(this.realm, stream, this.user)));
      streams.forEach((stream, i) => {
        this.#members.set(stream, asMember(parts[i]?.value));
      });
    }
    return messages.filter((message) => {
      const { has, gained } = copyOf(message, this.user, (stream) => this.#members.get(stream), marked);
      return has && (marked || !gained);
    });
  }
}
