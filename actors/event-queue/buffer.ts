/** Events that wait for the client, oldest first; forgotten when it acknowledges them. */
import type { EventShape, SharedEvent, TransientEvent } from '../../src/events/index.js';

/** More waiting events than this end the queue: its client is not coming back for them. */
export const BUFFER_LIMIT = 100_000;

const encoder = new TextEncoder();
const OPEN = encoder.encode(',"events":[');
const COMMA = encoder.encode(',');

/** An event of this queue alone. */
export interface OwnEvent {
  readonly id: number;
  encode(shape: EventShape, user: number, queue: string): Uint8Array;
}

export const heartbeat = (id: number): OwnEvent => {
  const bytes = encoder.encode(`{"type":"heartbeat","id":${id}}`);
  return { id, encode: () => bytes };
};

/** Transient events that wait for the client: of more than these the oldest are lost. */
const MOST_TRANSIENT = 100;

export class EventBuffer {
  #events: (SharedEvent | OwnEvent)[] = [];
  #head = 0;
  /** Ids of transient events among them, oldest first. */
  #transient: number[] = [];
  readonly #tail: Uint8Array;

  constructor(
    private readonly user: number,
    private readonly queue: string,
    private readonly shape: EventShape,
  ) {
    this.#tail = encoder.encode(`],"queue_id":${JSON.stringify(queue)}`);
  }

  get size(): number {
    return this.#events.length - this.#head;
  }

  /** Id of the oldest event that waits. */
  get oldest(): number | undefined {
    return this.#events[this.#head]?.id;
  }

  push(event: SharedEvent | OwnEvent): void {
    this.#events.push(event);
  }

  pushTransient(id: number, event: TransientEvent): void {
    const bytes = event.encode(id);
    this.#events.push({ id, encode: () => bytes });
    if (this.#transient.push(id) > MOST_TRANSIENT) this.#drop(this.#transient.shift()!);
  }

  /** Ids grow, so that the place is found by halving. */
  #drop(id: number): void {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.id < id) low = middle + 1;
      else high = middle;
    }
    if (this.#events[low]?.id === id) this.#events.splice(low, 1);
  }

  acknowledge(id: number): void {
    if (this.#transient.length > 0) this.#transient = this.#transient.filter((one) => one > id);
    while (this.#head < this.#events.length && this.#events[this.#head]!.id <= id) this.#head++;
    if (this.#head > 0 && this.#head * 2 >= this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Response fields with everything that waits. Equal events are the same bytes for all queues. */
  answer(): Uint8Array[] {
    const parts: Uint8Array[] = [OPEN];
    for (let i = this.#head; i < this.#events.length; i++) {
      if (i > this.#head) parts.push(COMMA);
      parts.push(this.#events[i]!.encode(this.shape, this.user, this.queue));
    }
    parts.push(this.#tail);
    return parts;
  }
}
