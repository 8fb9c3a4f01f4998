/** Buffer of an event queue: the events that its client has not yet acknowledged, oldest first. */
import type { JsonObject } from '#base';

import {
  type ClientEventFormat,
  type ClientLevelForm,
  type SharedClientEvent,
  type TransientClientEvent,
  translateEventForClient,
} from '#delivery';
import { translatorOfLevel } from '#domain/levels';
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
const MAX_WAITING_TRANSIENT_EVENTS_PER_QUEUE = 100;

const utf8Encoder = new TextEncoder();
const EVENTS_FIELD_START_BYTES = utf8Encoder.encode(',"events":[');
const COMMA_BYTES = utf8Encoder.encode(',');

/** An event with its id in this queue, encoded once. */
interface QueueSpecificEvent {
  readonly id: number;
  encode(shape: ClientEventFormat, user: number, queue: string): Uint8Array;
}

/** @param aux data of the event's log item that clients don't get */
export const makeQueueSpecificEvent = (id: number, event: JsonObject, aux?: JsonObject): QueueSpecificEvent => {
  let bytes: Uint8Array | undefined;
  return {
    id,
    encode(shape) {
      bytes ??= utf8Encoder.encode(JSON.stringify({ ...translateEventForClient(event, shape, aux), id }));
      return bytes;
    },
  };
};

export const makeHeartbeatEvent = (id: number): QueueSpecificEvent => makeQueueSpecificEvent(id, { type: 'heartbeat' });

interface BufferSlot<E = SharedClientEvent | QueueSpecificEvent | 'resolving'> {
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
  levelForm: clientLevelFormOf(options),
});

/** The form of events at the queue's API level; undefined at the base level. */
function clientLevelFormOf({ apiLevel, takesEmptyTopicName = false }: EventQueueOptions): ClientLevelForm | undefined {
  const translator = translatorOfLevel(apiLevel);
  return (
    translator && {
      translator,
      client: { takesEmptyTopicName },
      variantKey: `${translator.level}${takesEmptyTopicName ? 'e' : ''} `,
    }
  );
}

export class EventQueueBuffer {
  #slots: BufferSlot[] = [];
  #oldestSlotIndex = 0;
  /** Number of events in the buffer that are still being resolved. Later events are not sent before them. */
  #resolvingEventCount = 0;
  /** By coalescing key: the undelivered event into which later events of the key are merged. */
  #coalescingSlotByKey: Map<string, BufferSlot<CoalescedFlagEvent>> | undefined;
  /** Waiting events that were merged from several events each. */
  #waitingMergedEvents: CoalescedFlagEvent[] | undefined;
  /** Ids of the waiting transient events, oldest first. */
  #waitingTransientIds: number[] | undefined;

  constructor(
    private readonly user: number,
    private readonly queue: string,
    private readonly shape: ClientEventFormat,
  ) {}

  /** Number of waiting events, unresolved ones included. */
  get waitingSlotCount(): number {
    return this.#slots.length - this.#oldestSlotIndex;
  }

  /** True while an event is being resolved: polls are not answered until then, so that the order is kept. */
  get isBlockedByResolving(): boolean {
    return this.#resolvingEventCount > 0;
  }

  /** Id of the oldest waiting event. For a coalesced event the id of its oldest part counts. */
  get oldest(): number | undefined {
    const oldest = this.#slots[this.#oldestSlotIndex]?.id;
    if (oldest === undefined || !this.#waitingMergedEvents) return oldest;
    return Math.min(oldest, ...this.#waitingMergedEvents.map(({ oldestEventId }) => oldestEventId));
  }

  push(event: SharedClientEvent | QueueSpecificEvent): void {
    this.#slots.push({ id: event.id, event });
  }

  /**
   * Reserves the next place in the buffer for an event that is being resolved.
   *
   * @returns the function that fills the place; called with null, it frees the place, as there is nothing to send
   */
  reserveSlot(id: number): (event: QueueSpecificEvent | null) => void {
    const slot: BufferSlot = { id, event: 'resolving' };
    this.#slots.push(slot);
    this.#resolvingEventCount++;
    return (event) => {
      if (slot.event !== 'resolving') return;
      slot.event = event ?? 'empty';
      this.#resolvingEventCount--;
      this.#skipEmptyHeadSlots();
    };
  }

  /** Adds an event, coalesced with the undelivered events of the same key. */
  appendCoalesced(id: number, key: string, event: JsonObject): void {
    this.#coalescingSlotByKey ??= new Map();
    const before = this.#coalescingSlotByKey.get(key);
    const slot: BufferSlot<CoalescedFlagEvent> = { id, event: CoalescedFlagEvent.fromSingleEvent(id, event) };
    if (before && before.event !== 'empty') {
      const both = before.event.mergedWithLater(CoalescedFlagEvent.fromSingleEvent(id, event));
      this.#waitingMergedEvents = [...(this.#waitingMergedEvents ?? []).filter((one) => one !== before.event), both];
      before.event = 'empty';
      slot.event = both;
    }
    this.#coalescingSlotByKey.set(key, slot);
    this.#slots.push(slot as BufferSlot);
    this.#skipEmptyHeadSlots();
  }

  /**
   * A flag is about to be reverted for these messages: later events under `key` must not join the waiting one, or the
   * coalesced event would undo the revert.
   */
  stopCoalescingIfMessagesNamed(key: string, messages: readonly number[]): void {
    const before = this.#coalescingSlotByKey?.get(key)?.event;
    if (before && before !== 'empty' && before.namesAnyMessageOf(new Set(messages)))
      this.#coalescingSlotByKey!.delete(key);
  }

  pushTransient(id: number, event: TransientClientEvent): void {
    const bytes = event.encodeWithId(id, this.shape);
    this.push({ id, encode: () => bytes });
    this.#waitingTransientIds ??= [];
    if (this.#waitingTransientIds.push(id) > MAX_WAITING_TRANSIENT_EVENTS_PER_QUEUE)
      this.#removeEventById(this.#waitingTransientIds.shift()!);
  }

  /** Removes the event with this id by binary search, as ids grow. */
  #removeEventById(id: number): void {
    let low = this.#oldestSlotIndex;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#slots[middle]!.id < id) low = middle + 1;
      else high = middle;
    }
    if (this.#slots[low]?.id === id) this.#slots.splice(low, 1);
  }

  /** Removes all events up to this id: the client has received them. */
  dropAcknowledgedUpTo(id: number): void {
    if (this.#waitingTransientIds) this.#waitingTransientIds = this.#waitingTransientIds.filter((one) => one > id);
    if (this.#waitingTransientIds?.length === 0) this.#waitingTransientIds = undefined;
    this.#dropAcknowledgedCoalesced(id);
    while (this.#oldestSlotIndex < this.#slots.length && this.#slots[this.#oldestSlotIndex]!.id <= id)
      this.#dropHeadSlot();
    this.#skipEmptyHeadSlots();
    if (this.#oldestSlotIndex > 0 && this.#oldestSlotIndex * 2 >= this.#slots.length) {
      this.#slots = this.#slots.slice(this.#oldestSlotIndex);
      this.#oldestSlotIndex = 0;
    }
  }

  /**
   * Response fields with the waiting events, oldest first, up to `MAX_POLL_ANSWER_BYTES`; the next poll gets the rest.
   * The bytes of a shared event are the same object for all queues.
   */
  encodePollAnswerFields(): Uint8Array[] {
    this.#coalescingSlotByKey = undefined;
    const events: EncodedEvent[] = [];
    let size = 0;
    for (let i = this.#oldestSlotIndex; i < this.#slots.length; i++) {
      const { id, event } = this.#slots[i]!;
      if (event === 'resolving') break;
      if (event === 'empty') continue;
      const bytes = event.encode(this.shape, this.user, this.queue);
      size += bytes.byteLength;
      if (events.length > 0 && size > MAX_POLL_ANSWER_BYTES) break;
      events.push({ id, bytes });
    }
    const parts: Uint8Array[] = [EVENTS_FIELD_START_BYTES];
    for (const { bytes } of this.#withEarlyCoalescedParts(events)) {
      if (parts.length > 1) parts.push(COMMA_BYTES);
      parts.push(bytes);
    }
    parts.push(utf8Encoder.encode(`],"queue_id":${JSON.stringify(this.queue)}`));
    return parts;
  }

  /**
   * A coalesced event may be left out of this answer although some of its parts have ids below the answer's last id.
   * Those parts are sent now, because the next poll acknowledges their ids.
   */
  #withEarlyCoalescedParts(events: EncodedEvent[]): readonly EncodedEvent[] {
    const last = events.at(-1)?.id ?? -1;
    const early: EncodedEvent[] = [];
    for (const one of this.#waitingMergedEvents ?? []) {
      const part = one.id > last ? one.makeEventOfPartsUpTo(last) : undefined;
      if (part) early.push({ id: part.id, bytes: part.encode() });
    }
    return early.length === 0 ? events : [...events, ...early].sort((a, b) => a.id - b.id);
  }

  #dropAcknowledgedCoalesced(id: number): void {
    if (this.#coalescingSlotByKey)
      for (const [key, slot] of this.#coalescingSlotByKey) if (slot.id <= id) this.#coalescingSlotByKey.delete(key);
    if (!this.#waitingMergedEvents) return;
    const waiting = this.#waitingMergedEvents.filter((one) => one.id > id);
    for (const one of waiting) one.dropPartsUpTo(id);
    this.#waitingMergedEvents = waiting.length > 0 ? waiting : undefined;
  }

  #dropHeadSlot(): void {
    const slot = this.#slots[this.#oldestSlotIndex++]!;
    if (slot.event !== 'resolving') return;
    // The event was acknowledged before this host had resolved it: a former owner of the queue had sent it.
    slot.event = 'empty';
    this.#resolvingEventCount--;
  }

  #skipEmptyHeadSlots(): void {
    while (this.#slots[this.#oldestSlotIndex]?.event === 'empty') this.#oldestSlotIndex++;
  }
}
