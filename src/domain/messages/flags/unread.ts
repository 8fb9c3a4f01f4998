/** What a user has not read, from the marks of the user's actor and the Store's indexes (architecture/domain.md § Read state). */
import type { RealmId } from '#model';
import type { MessageIndex, MessageRange, MessageReads } from '#ports/store';
import { type Copy, copyOf, decidingStreams } from '../access/message-access.js';
import { OwnMemberships } from '../access/viewer.js';
import { asStored, type StoredMessage, streamConversation } from '../stored/message.js';
import { tagOf } from '../stored/record.js';
import { DIRECT_HOME, type HomeReading } from './read-state.js';

const BATCH = 1_000;
/** Most messages are among the newest: the first look is a small one. */
const FIRST_BATCH = 64;

const movedFrom = (home: number): MessageIndex => ({ by: 'moved', from: streamConversation(home) });

/** Tells of copies that came neither with a subscription nor with a move: by starring, reacting, or mentioning a bot. */
type CopiesMade = (id: number) => boolean;
const NONE_MADE: CopiesMade = () => false;

interface OwnCopy extends Copy {
  readonly message: StoredMessage;
}

/** Looks into the Store for one user. */
export class UnreadScan {
  readonly #members: OwnMemberships;

  constructor(
    private readonly store: MessageReads,
    private readonly realm: RealmId,
    private readonly user: number,
  ) {
    this.#members = new OwnMemberships(store, realm, user);
  }

  /**
   * Messages of one home that nothing marks as read and that the user has, batch by batch: those above its mark, up to
   * `to`, ascending; then those that were moved away from it.
   */
  async *above(home: number, reading: HomeReading, to = Number.POSITIVE_INFINITY): AsyncGenerator<StoredMessage[]> {
    yield* this.#unmarked(this.#indexOf(home), home, reading, to);
    if (home !== DIRECT_HOME) yield* this.movedFrom(home, reading, to);
  }

  /** Of `above`, those that were moved to other streams. */
  movedFrom(home: number, reading: HomeReading, to = Number.POSITIVE_INFINITY): AsyncGenerator<StoredMessage[]> {
    return this.#unmarked(movedFrom(home), home, reading, to);
  }

  /** Messages that came to the stream from others and that the user has, read or not; of one topic, or of all. */
  async *movedTo(stream: number, also: readonly MessageIndex[] = []): AsyncGenerator<StoredMessage[]> {
    const tag: MessageIndex = { by: 'tag', tag: tagOf.cameTo(streamConversation(stream)) };
    for await (const messages of this.#batches([{ index: tag, also }], { direction: 'newer' })) {
      const own = await this.owned(messages);
      if (own.length > 0) yield own;
    }
  }

  /** Along one index, upwards; only what the user has a copy of that did not come read with a move. */
  async *upwards(index: MessageIndex, from: number, made: CopiesMade = NONE_MADE): AsyncGenerator<StoredMessage[]> {
    for await (const messages of this.#copies(index, from, made)) {
      const own = messages.filter(({ gained }) => !gained).map(({ message }) => message);
      if (own.length > 0) yield own;
    }
  }

  /** Whether the user has a copy of any message along one index, read or not. */
  async hasAny(index: MessageIndex, made: CopiesMade): Promise<boolean> {
    for await (const _some of this.#copies(index, 0, made)) return true;
    return false;
  }

  async *#copies(index: MessageIndex, from: number, made: CopiesMade): AsyncGenerator<readonly OwnCopy[]> {
    for await (const messages of this.#batches([{ index }], { direction: 'newer', from })) {
      await this.#members.load(messages.flatMap(decidingStreams));
      const own = messages
        .map((message) => ({ message, ...copyOf(message, this.user, this.#members.of, made(message.id)) }))
        .filter(({ has }) => has);
      if (own.length > 0) yield own;
    }
  }

  /**
   * As `above`, of several homes at once, newest first; `seen` is told of every message above the mark of the home where
   * it is now.
   */
  async *newestAbove(
    homes: ReadonlyMap<number, HomeReading>,
    seen: (message: StoredMessage) => void,
  ): AsyncGenerator<StoredMessage[]> {
    const ranges = [...homes].flatMap(([home, { mark }]): MessageRange[] => {
      const here = { index: this.#indexOf(home), above: mark };
      return home === DIRECT_HOME ? [here] : [here, { index: movedFrom(home), above: mark }];
    });
    for await (const messages of this.#batches(ranges, { direction: 'older' })) {
      for (const message of messages) {
        const reading = homes.get(message.body.stream);
        if (reading && message.id > reading.mark) seen(message);
      }
      const candidates = messages.filter((message) => {
        const reading = homes.get(message.home);
        return reading && message.id > reading.mark && this.#isCandidate(message, message.home, reading);
      });
      const own = await this.owned(candidates);
      if (own.length > 0) yield own;
    }
  }

  /** Where the messages of a home are found, but for those that were moved away. */
  #indexOf(home: number): MessageIndex {
    return home === DIRECT_HOME
      ? { by: 'participant', user: this.user }
      : { by: 'conversation', conversation: streamConversation(home) };
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
    for await (const messages of this.#batches([{ index }], { direction: 'newer', from: reading.mark })) {
      const inside = messages.filter(({ id }) => id <= to);
      const own = await this.owned(inside.filter((message) => this.#isCandidate(message, home, reading)));
      if (own.length > 0) yield own;
      if (inside.length < messages.length) return;
    }
  }

  /** Along ranges from their one end, or from an id on. */
  async *#batches(
    ranges: readonly MessageRange[],
    { direction, from }: { direction: 'newer' | 'older'; from?: number },
  ): AsyncGenerator<StoredMessage[]> {
    const [range, ...or] = ranges;
    if (!range) return;
    let at = from ?? (direction === 'newer' ? 0 : Number.MAX_SAFE_INTEGER);
    for (let limit = FIRST_BATCH; ; limit = BATCH) {
      const others = or.length === 0 ? {} : { or };
      const records = await this.store.scanMessages({
        ...range,
        ...others,
        realm: this.realm,
        from: at,
        direction,
        limit,
      });
      if (records.length > 0) yield records.map(asStored);
      if (records.length < limit) return;
      at = records.at(-1)!.id;
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
    await this.#members.load(messages.flatMap(decidingStreams));
    return messages.filter((message) => {
      const { has, gained } = copyOf(message, this.user, this.#members.of, marked);
      return has && (marked || !gained);
    });
  }
}
