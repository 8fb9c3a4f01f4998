/**
 * The newest message that each user of one realm has a copy of, as this process may answer it without asking anybody. Asked
 * of the user's actor once, then followed by the log; what can't be followed (what was newest is deleted or moved) makes it
 * unknown again. Who was told of a change that the log does not show here yet is answered from the Store.
 */

import type { TailReader } from '#directory';
import type { NewestKnown } from '#domain/messages';
import type { ActorKey, CarryingItem, LogEntry, LogGroup, LogItem, MembershipItem, MessageItem, UserId } from '#model';

/** What the log has told of a stream. */
interface Stream {
  /** Its newest message; -1 = none came. */
  id: number;
  /** Step at which it came. */
  at: number;
  /** Step at which its newest message became unknown. */
  lost: number;
  /** Moves from or to it of which some messages are still to go. */
  carrying: number;
}

class Known {
  /** All that the user is or was in. */
  readonly streams: number[] = [];
  /** Of each: the messages above this id are his; Infinity = none. */
  readonly above: number[] = [];

  /** @param at step up to which `id` holds what the log told */
  constructor(
    public id: number,
    public at: number,
    streams: readonly (number | null)[],
  ) {
    for (let i = 0; i < streams.length; i += 2) this.set(streams[i]!, streams[i + 1] ?? NONE);
  }

  set(stream: number, above: number): void {
    const i = this.streams.indexOf(stream);
    if (i >= 0) this.above[i] = above;
    else {
      this.streams.push(stream);
      this.above.push(above);
    }
  }
}

/** A question under way, and what the log tells meanwhile. */
interface Question {
  readonly user: number;
  /** Newest direct message. */
  id: number;
  /** Something that the answer may or may not contain. */
  unsure: boolean;
}

interface Awaited {
  readonly user: number;
  readonly version: number;
}

const NONE = Number.POSITIVE_INFINITY;
/** Ids remembered as deleted or moved. Of more, all is asked for anew. */
const MOST_GONE = 10_000;
/** What a user counts beside his streams. */
const OWN_WEIGHT = 16;

/** Memory for what several organizations know, in streams of users. */
export interface Room {
  used: number;
}

export class NewestMessages implements TailReader {
  readonly #known = new Map<number, Known>();
  readonly #streams = new Map<number, Stream>();
  /** Messages that were deleted, or moved between streams, with the step. */
  readonly #gone = new Map<number, number>();
  readonly #questions = new Set<Question>();
  /** Counts what the log told that may matter here. */
  #step = 0;
  #carrying = 0;
  /** Changes that users were told of before the log shows them here. */
  readonly #awaited = new Map<ActorKey, Awaited[]>();
  /** How many, by user. */
  readonly #waiting = new Map<number, number>();

  constructor(private readonly room: Room) {}

  /** Undefined: it must be asked for. */
  of(user: UserId): number | undefined {
    const known = this.#known.get(user);
    if (!known || (this.#waiting.size > 0 && this.#waiting.has(user))) return undefined;
    if (known.at === this.#step && this.#carrying === 0) return known.id;
    if (this.#update(known)) return known.id;
    this.#forget(user);
    return undefined;
  }

  /** @param ask gives what the Store holds, at the earliest when it is called */
  async load(user: UserId, ask: () => Promise<NewestKnown>): Promise<number> {
    const at = this.#step;
    const question: Question = { user, id: -1, unsure: this.#waiting.has(user) };
    this.#questions.add(question);
    try {
      const { id, streams } = await ask();
      const known = new Known(Math.max(id, question.id), at, streams);
      // Before the log has shown what he was told, it may still tell of what has been undone since.
      if (question.unsure || this.#waiting.has(user) || !this.#update(known)) return id;
      this.#forget(user);
      this.#known.set(user, known);
      this.room.used += weightOf(known);
      return known.id;
    } finally {
      this.#questions.delete(question);
    }
  }

  /** The user is told of what the log shows as this version of the actor, and has not shown here. */
  await(user: UserId, actor: ActorKey, version: number): void {
    const one: Awaited = { user, version };
    const awaited = this.#awaited.get(actor);
    if (awaited) awaited.push(one);
    else this.#awaited.set(actor, [one]);
    this.#waiting.set(user, (this.#waiting.get(user) ?? 0) + 1);
  }

  entry(_seq: number, { actor }: LogEntry, fresh: readonly LogGroup[]): void {
    for (const { items } of fresh) for (const item of items) this.#apply(item);
    const last = fresh.at(-1);
    const awaited = last && this.#awaited.get(actor);
    if (awaited) this.#arrived(actor, awaited, last.v);
  }

  transient(): void {}

  /** What was awaited may be among what is lost. */
  gap(): void {
    this.forget();
    this.#awaited.clear();
    this.#waiting.clear();
  }

  /** All of it must be asked for again. */
  forget(): void {
    for (const known of this.#known.values()) this.room.used -= weightOf(known);
    this.#known.clear();
    this.#gone.clear();
    for (const question of this.#questions) question.unsure = true;
  }

  #forget(user: number): void {
    const known = this.#known.get(user);
    if (!known) return;
    this.room.used -= weightOf(known);
    this.#known.delete(user);
  }

  /** Takes in what the streams have brought. False: it can't be known from here. */
  #update(known: Known): boolean {
    let { id } = known;
    for (let i = 0; i < known.streams.length; i++) {
      const stream = this.#streams.get(known.streams[i]!);
      if (!stream) continue;
      if (stream.carrying > 0 || stream.lost > known.at) return false;
      if (stream.at > known.at && stream.id > known.above[i]! && stream.id > id) id = stream.id;
    }
    if (id === known.id && (this.#gone.get(id) ?? -1) > known.at) return false;
    known.id = id;
    known.at = this.#step;
    return true;
  }

  #stream(id: number): Stream {
    let stream = this.#streams.get(id);
    if (!stream) {
      stream = { id: -1, at: 0, lost: 0, carrying: 0 };
      this.#streams.set(id, stream);
    }
    return stream;
  }

  #apply(item: LogItem): void {
    if (item.t === 'message') this.#said(item);
    else if (item.t === 'members') this.#members(item);
    else if (item.t === 'carrying') this.#carried(item);
    else if (item.t === 'event') {
      const { type, message_id, message_ids, stream_id, new_stream_id } = item.event;
      if (type === 'delete_message') {
        this.#left((message_ids ?? [message_id]) as readonly number[], stream_id as number | undefined);
      } else if (type === 'update_message' && new_stream_id !== undefined) {
        this.#left(message_ids as readonly number[], stream_id as number);
        this.#stream(new_stream_id as number).lost = this.#step;
      }
    }
  }

  #said({ message, to }: MessageItem): void {
    const { id, stream_id } = message.common as { readonly id: number; readonly stream_id?: number };
    this.#step++;
    if (stream_id !== undefined) {
      const stream = this.#stream(stream_id);
      stream.id = id;
      stream.at = this.#step;
      return;
    }
    for (const user of to.users ?? []) {
      const known = this.#known.get(user);
      if (known && known.id < id) known.id = id;
    }
    for (const question of this.#questions) {
      if (question.id < id && to.users?.includes(question.user)) question.id = id;
    }
  }

  #members({ stream, last, after = last, join, leave, silent }: MembershipItem): void {
    for (const user of join) {
      // He has copies of what came before.
      if (after < last) this.#forget(user);
      else this.#stays(user, stream, silent?.includes(user) ? NONE : last);
    }
    for (const user of leave) this.#stays(user, stream, NONE);
    for (const question of this.#questions) {
      if (join.includes(question.user) || leave.includes(question.user)) question.unsure = true;
    }
  }

  #stays(user: number, stream: number, above: number): void {
    const known = this.#known.get(user);
    if (!known) return;
    // What was said there until now, by what held until now.
    if (!this.#update(known)) {
      this.#forget(user);
      return;
    }
    this.room.used -= weightOf(known);
    known.set(stream, above);
    this.room.used += weightOf(known);
  }

  /** They are not where they were. */
  #left(ids: readonly number[], from: number | undefined): void {
    this.#step++;
    if (this.#gone.size + ids.length > MOST_GONE) this.forget();
    for (const id of ids.length > MOST_GONE ? [] : ids) this.#gone.set(id, this.#step);
    const stream = from === undefined ? undefined : this.#streams.get(from);
    if (stream && ids.includes(stream.id)) stream.lost = this.#step;
  }

  #carried({ from, to, done }: CarryingItem): void {
    this.#step++;
    for (const id of [from, to]) {
      const stream = this.#stream(id);
      stream.lost = this.#step;
      // Of one that had begun before this process followed the log only the end is seen.
      if (done && stream.carrying === 0) continue;
      stream.carrying += done ? -1 : 1;
      this.#carrying += done ? -1 : 1;
    }
  }

  #arrived(actor: ActorKey, awaited: readonly Awaited[], version: number): void {
    const left = awaited.filter((one) => one.version > version);
    if (left.length > 0) this.#awaited.set(actor, left);
    else this.#awaited.delete(actor);
    for (const one of awaited) {
      if (one.version > version) continue;
      const others = this.#waiting.get(one.user)! - 1;
      if (others > 0) this.#waiting.set(one.user, others);
      else this.#waiting.delete(one.user);
    }
  }
}

const weightOf = ({ streams }: Known): number => OWN_WEIGHT + streams.length;
