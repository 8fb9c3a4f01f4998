/** Events that wait for the client, oldest first; forgotten when it acknowledges them. */
import type { JsonObject } from '#base';
import type { EventShape, SharedEvent, TransientEvent } from '#delivery';
import type { QueueOptions } from '#model/commands';
import { MergedEvent } from './merged-event.js';

/** More waiting events than this end the queue: its client is not coming back for them. */
export const BUFFER_LIMIT = 100_000;

/** One answer's events, unless a single one is larger: whoever was away for long fetches what waits piece by piece. */
export const ANSWER_BYTES = 8 * 1024 * 1024;

const encoder = new TextEncoder();
const OPEN = encoder.encode(',"events":[');
const COMMA = encoder.encode(',');

/** An event of this queue alone. */
export interface OwnEvent {
  readonly id: number;
  encode(shape: EventShape, user: number, queue: string): Uint8Array;
}

export const ownEvent = (id: number, event: JsonObject): OwnEvent => {
  const bytes = encoder.encode(JSON.stringify({ ...event, id }));
  return { id, encode: () => bytes };
};

export const heartbeat = (id: number): OwnEvent => ownEvent(id, { type: 'heartbeat' });

/** A place among the events. */
interface Place<E = SharedEvent | OwnEvent | 'coming'> {
  readonly id: number;
  /** 'coming': it is being worked out, and what is behind it has to wait. 'gone': there is nothing to tell after all. */
  event: E | 'gone';
}

interface Told {
  readonly id: number;
  readonly encoded: Uint8Array;
}

/** Transient events that wait for the client: of more than these the oldest are lost. */
const MOST_TRANSIENT = 100;

/** How a queue's client reads events. */
export const shapeFor = (options: QueueOptions): EventShape => ({
  applyMarkdown: options.applyMarkdown,
  clientGravatar: options.clientGravatar,
  includeSubscribers: options.includeSubscribers,
  notificationNull: options.capabilities.notification_settings_null,
  pronouns: options.pronouns,
  slimPresence: options.slimPresence,
});

export class EventBuffer {
  #places: Place[] = [];
  #head = 0;
  /** Places that hold up the rest. */
  #coming = 0;
  /** Since the queue was last read. */
  #merged: Map<string, Place<MergedEvent>> | undefined;
  /** All those made of several that wait. */
  #several: MergedEvent[] | undefined;
  /** Ids of transient events among them, oldest first. */
  #transient: number[] | undefined;

  constructor(
    private readonly user: number,
    private readonly queue: string,
    private readonly shape: EventShape,
  ) {}

  /** Events that wait, those included that are still being worked out. */
  get size(): number {
    return this.#places.length - this.#head;
  }

  /** Something is being worked out. */
  get held(): boolean {
    return this.#coming > 0;
  }

  /** Id of the oldest event that waits, those included that are told as part of a later one. */
  get oldest(): number | undefined {
    const oldest = this.#places[this.#head]?.id;
    if (oldest === undefined || !this.#several) return oldest;
    return Math.min(oldest, ...this.#several.map(({ first }) => first));
  }

  push(event: SharedEvent | OwnEvent): void {
    this.#places.push({ id: event.id, event });
  }

  /** Keeps a place; the result fills it (null: there is nothing to tell). */
  reserve(id: number): (event: OwnEvent | null) => void {
    const place: Place = { id, event: 'coming' };
    this.#places.push(place);
    this.#coming++;
    return (event) => {
      if (place.event !== 'coming') return;
      place.event = event ?? 'gone';
      this.#coming--;
      this.#dropGone();
    };
  }

  /** An event that is told together with those of the same key that nobody has read yet. */
  merge(id: number, key: string, event: JsonObject): void {
    this.#merged ??= new Map();
    const before = this.#merged.get(key);
    const place: Place<MergedEvent> = { id, event: MergedEvent.of(id, event) };
    if (before && before.event !== 'gone') {
      const both = before.event.and(MergedEvent.of(id, event));
      this.#several = [...(this.#several ?? []).filter((one) => one !== before.event), both];
      before.event = 'gone';
      place.event = both;
    }
    this.#merged.set(key, place);
    this.#places.push(place as Place);
    this.#dropGone();
  }

  /** The contrary is about to be told of these: what comes under the key after it must not repeat what came before. */
  contradict(key: string, messages: readonly number[]): void {
    const before = this.#merged?.get(key)?.event;
    if (before && before !== 'gone' && before.tellsOf(new Set(messages))) this.#merged!.delete(key);
  }

  pushTransient(id: number, event: TransientEvent): void {
    const bytes = event.encode(id, this.shape);
    this.push({ id, encode: () => bytes });
    this.#transient ??= [];
    if (this.#transient.push(id) > MOST_TRANSIENT) this.#drop(this.#transient.shift()!);
  }

  /** Ids grow, so that the place is found by halving. */
  #drop(id: number): void {
    let low = this.#head;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#places[middle]!.id < id) low = middle + 1;
      else high = middle;
    }
    if (this.#places[low]?.id === id) this.#places.splice(low, 1);
  }

  acknowledge(id: number): void {
    if (this.#transient) this.#transient = this.#transient.filter((one) => one > id);
    if (this.#transient?.length === 0) this.#transient = undefined;
    this.#acknowledgeMerged(id);
    while (this.#head < this.#places.length && this.#places[this.#head]!.id <= id) this.#pass();
    this.#dropGone();
    if (this.#head > 0 && this.#head * 2 >= this.#places.length) {
      this.#places = this.#places.slice(this.#head);
      this.#head = 0;
    }
  }

  /**
   * Response fields with what waits, the oldest first; of very much the rest is left for the next poll. Equal events are the same
   * bytes for all queues.
   */
  answer(): Uint8Array[] {
    this.#merged = undefined;
    const told: Told[] = [];
    let bytes = 0;
    for (let i = this.#head; i < this.#places.length; i++) {
      const { id, event } = this.#places[i]!;
      if (event === 'coming') break;
      if (event === 'gone') continue;
      const encoded = event.encode(this.shape, this.user, this.queue);
      bytes += encoded.byteLength;
      if (told.length > 0 && bytes > ANSWER_BYTES) break;
      told.push({ id, encoded });
    }
    const parts: Uint8Array[] = [OPEN];
    for (const { encoded } of this.#withParts(told)) {
      if (parts.length > 1) parts.push(COMMA);
      parts.push(encoded);
    }
    parts.push(encoder.encode(`],"queue_id":${JSON.stringify(this.queue)}`));
    return parts;
  }

  /** What was to be told as part of an event that is left for the next poll: the client will say that it has had that. */
  #withParts(told: Told[]): readonly Told[] {
    const last = told.at(-1)?.id ?? -1;
    const early: Told[] = [];
    for (const one of this.#several ?? []) {
      const part = one.id > last ? one.upTo(last) : undefined;
      if (part) early.push({ id: part.id, encoded: part.encode() });
    }
    return early.length === 0 ? told : [...told, ...early].sort((a, b) => a.id - b.id);
  }

  #acknowledgeMerged(id: number): void {
    if (this.#merged) for (const [key, place] of this.#merged) if (place.id <= id) this.#merged.delete(key);
    if (!this.#several) return;
    const waiting = this.#several.filter((one) => one.id > id);
    for (const one of waiting) one.acknowledge(id);
    this.#several = waiting.length > 0 ? waiting : undefined;
  }

  #pass(): void {
    const place = this.#places[this.#head++]!;
    if (place.event !== 'coming') return;
    // Acknowledged before it was worked out here: a former owner of the queue had sent it.
    place.event = 'gone';
    this.#coming--;
  }

  #dropGone(): void {
    while (this.#places[this.#head]?.event === 'gone') this.#head++;
  }
}
