/** Events that wait for the client, oldest first; forgotten when it acknowledges them. */
import type { EventShape, SharedEvent } from '../../src/events/index.js';

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

export class EventBuffer {
  #events: (SharedEvent | OwnEvent)[] = [];
  #head = 0;
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

  acknowledge(id: number): void {
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
