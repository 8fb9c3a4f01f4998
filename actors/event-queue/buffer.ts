/** Buffer of an event queue: the events that its client has not yet acknowledged, oldest first. */
import type { JsonObject } from '#base';
import type { ClientEventFormat, SharedClientEvent, TransientClientEvent } from '#delivery';
import type { EventQueueOptions } from '#model/commands';
import { CoalescedFlagEvent } from './coalesced-event.js';

/**
 * Maximum number of events that wait for a client. With more, the queue ends: its client is not coming back for them.
 */
export const MAX_BUFFERED_EVENTS_PER_QUEUE = 100_000;

/**
 * Maximum bytes of one poll's answer, unless a single event is larger. A client that was away for long fetches events
 * in pieces.
 */
export const MAX_POLL_ANSWER_BYTES = 8 * 1024 * 1024;

/** Maximum number of transient events that wait for the client; further ones push out the oldest. */
const MAX_TRANSIENT = 100;

const encoder = new TextEncoder();
const OPEN = encoder.encode(',"events":[');
const COMMA = encoder.encode(',');

/** An event with its id in this queue, encoded once. */
interface BufferedEvent {
  readonly id: number;
  encode(shape: ClientEventFormat, user: number, queue: string): Uint8Array;
}

export const makeBufferedEvent = (id: number, event: JsonObject): BufferedEvent => {
  const bytes = encoder.encode(JSON.stringify({ ...event, id }));
  return { id, encode: () => bytes };
};

export const makeHeartbeatEvent = (id: number): BufferedEvent => makeBufferedEvent(id, { type: 'heartbeat' });

interface Slot<E = SharedClientEvent | BufferedEvent | 'resolving'> {
  readonly id: number;
  /**
   * The string 'resolving' stands for an event that later events have to wait for, 'empty' for an event that is not
   * sent.
   */
  event: E | 'empty';
}

interface EncodedEvent {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** The form in which a queue's client wants its events. */
export const clientEventFormatOf = (options: EventQueueOptions): ClientEventFormat => ({
  applyMarkdown: options.applyMarkdown,
  clientGravatar: options.clientGravatar,
  includeSubscribers: options.includeSubscribers,
  notificationNull: options.capabilities.notification_settings_null,
  pronouns: options.pronouns,
  slimPresence: options.slimPresence,
});

export class EventQueueBuffer {
  #slots: Slot[] = [];
  #head = 0;
  /** Number of events in the buffer that are still being resolved. Later events are not sent before them. */
  #resolving = 0;
  /** By coalescing key: the undelivered event into which later events of the key are merged. */
  #coalescing: Map<string, Slot<CoalescedFlagEvent>> | undefined;
  /** Waiting events that were merged from several events each. */
  #coalesced: CoalescedFlagEvent[] | undefined;
  /** Ids of the waiting transient events, oldest first. */
  #transient: number[] | undefined;

  constructor(
    private readonly user: number,
    private readonly queue: string,
    private readonly shape: ClientEventFormat,
  ) {}

  /** Number of waiting events, unresolved ones included. */
  get size(): number {
    return this.#slots.length - this.#head;
  }

  /** True while an event is being resolved: polls are not answered until then, so that the order is kept. */
  get isBlocked(): boolean {
    return this.#resolving > 0;
  }

  /** Id of the oldest waiting event. For a coalesced event the id of its oldest part counts. */
  get oldest(): number | undefined {
    const oldest = this.#slots[this.#head]?.id;
    if (oldest === undefined || !this.#coalesced) return oldest;
    return Math.min(oldest, ...this.#coalesced.map(({ first }) => first));
  }

  push(event: SharedClientEvent | BufferedEvent): void {
    this.#slots.push({ id: event.id, event });
  }

  /**
   * Reserves the next place in the buffer for an event that is being resolved.
   *
   * @returns the function that fills the place; called with null, it frees the place, as there is nothing to send
   */
  reserve(id: number): (event: BufferedEvent | null) => void {
    const slot: Slot = { id, event: 'resolving' };
    this.#slots.push(slot);
    this.#resolving++;
    return (event) => {
      if (slot.event !== 'resolving') return;
      slot.event = event ?? 'empty';
      this.#resolving--;
      this.#skipEmpty();
    };
  }

  /** Adds an event, coalesced with the undelivered events of the same key. */
  coalesce(id: number, key: string, event: JsonObject): void {
    this.#coalescing ??= new Map();
    const before = this.#coalescing.get(key);
    const slot: Slot<CoalescedFlagEvent> = { id, event: CoalescedFlagEvent.of(id, event) };
    if (before && before.event !== 'empty') {
      const both = before.event.and(CoalescedFlagEvent.of(id, event));
      this.#coalesced = [...(this.#coalesced ?? []).filter((one) => one !== before.event), both];
      before.event = 'empty';
      slot.event = both;
    }
    this.#coalescing.set(key, slot);
    this.#slots.push(slot as Slot);
    this.#skipEmpty();
  }

  /**
   * A flag is about to be reverted for these messages: later events under `key` must not join the waiting one, or the
   * coalesced event would undo the revert.
   */
  stopCoalescing(key: string, messages: readonly number[]): void {
    const before = this.#coalescing?.get(key)?.event;
    if (before && before !== 'empty' && before.hasAnyOf(new Set(messages))) this.#coalescing!.delete(key);
  }

  pushTransient(id: number, event: TransientClientEvent): void {
    const bytes = event.encode(id, this.shape);
    this.push({ id, encode: () => bytes });
    this.#transient ??= [];
    if (this.#transient.push(id) > MAX_TRANSIENT) this.#remove(this.#transient.shift()!);
  }

  /** Removes the event with this id by binary search, as ids grow. */
  #remove(id: number): void {
    let low = this.#head;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#slots[middle]!.id < id) low = middle + 1;
      else high = middle;
    }
    if (this.#slots[low]?.id === id) this.#slots.splice(low, 1);
  }

  /** Removes every event up to this id, because the client has received them. */
  acknowledge(id: number): void {
    if (this.#transient) this.#transient = this.#transient.filter((one) => one > id);
    if (this.#transient?.length === 0) this.#transient = undefined;
    this.#acknowledgeCoalesced(id);
    while (this.#head < this.#slots.length && this.#slots[this.#head]!.id <= id) this.#dropHead();
    this.#skipEmpty();
    if (this.#head > 0 && this.#head * 2 >= this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
  }

  /**
   * Response fields with the waiting events, oldest first, up to `MAX_POLL_ANSWER_BYTES`; the next poll gets the rest.
   * The bytes of a shared event are the same object for all queues.
   */
  answer(): Uint8Array[] {
    this.#coalescing = undefined;
    const events: EncodedEvent[] = [];
    let size = 0;
    for (let i = this.#head; i < this.#slots.length; i++) {
      const { id, event } = this.#slots[i]!;
      if (event === 'resolving') break;
      if (event === 'empty') continue;
      const bytes = event.encode(this.shape, this.user, this.queue);
      size += bytes.byteLength;
      if (events.length > 0 && size > MAX_POLL_ANSWER_BYTES) break;
      events.push({ id, bytes });
    }
    const parts: Uint8Array[] = [OPEN];
    for (const { bytes } of this.#withEarlyParts(events)) {
      if (parts.length > 1) parts.push(COMMA);
      parts.push(bytes);
    }
    parts.push(encoder.encode(`],"queue_id":${JSON.stringify(this.queue)}`));
    return parts;
  }

  /**
   * A coalesced event behind the answer's end may have parts whose own ids are before that end. These parts are added
   * to the answer, because the client's next poll acknowledges their ids.
   */
  #withEarlyParts(events: EncodedEvent[]): readonly EncodedEvent[] {
    const last = events.at(-1)?.id ?? -1;
    const early: EncodedEvent[] = [];
    for (const one of this.#coalesced ?? []) {
      const part = one.id > last ? one.upTo(last) : undefined;
      if (part) early.push({ id: part.id, bytes: part.encode() });
    }
    return early.length === 0 ? events : [...events, ...early].sort((a, b) => a.id - b.id);
  }

  #acknowledgeCoalesced(id: number): void {
    if (this.#coalescing) for (const [key, slot] of this.#coalescing) if (slot.id <= id) this.#coalescing.delete(key);
    if (!this.#coalesced) return;
    const waiting = this.#coalesced.filter((one) => one.id > id);
    for (const one of waiting) one.acknowledge(id);
    this.#coalesced = waiting.length > 0 ? waiting : undefined;
  }

  #dropHead(): void {
    const slot = this.#slots[this.#head++]!;
    if (slot.event !== 'resolving') return;
    // The event was acknowledged before this host had resolved it: a former owner of the queue had sent it.
    slot.event = 'empty';
    this.#resolving--;
  }

  #skipEmpty(): void {
    while (this.#slots[this.#head]?.event === 'empty') this.#head++;
  }
}
