/** An event queue as a client uses it: acknowledges with each poll, and checks the order of ids. */
import type { Params } from './client.js';
import type { Person } from './organization.js';
import type { ApiEvent, Fields } from './types.js';

interface Polled extends Fields {
  readonly events: ApiEvent[];
  readonly queue_id: string;
}

/** Events come within milliseconds; a test that waits in vain should say so. */
const PATIENCE_MS = 20_000;

export class Queue {
  /** Everything received, each event once. */
  readonly received: ApiEvent[] = [];

  private constructor(
    readonly of: Person,
    readonly id: string,
    /** Highest id received. */
    public last: number,
    /** The whole answer to the registration. */
    readonly state: Fields,
  ) {}

  static async register(of: Person, params: Params = {}): Promise<Queue> {
    const state = await of.api.ok<{ queue_id: string; last_event_id: number }>('POST /register', params);
    return new Queue(of, state.queue_id, state.last_event_id, state);
  }

  /** One request; acknowledges nothing beyond `last`. */
  async poll(params: Params = {}, signal?: AbortSignal): Promise<ApiEvent[]> {
    const { events, queue_id } = await this.of.api.ok<Polled>(
      'GET /events',
      { queue_id: this.id, last_event_id: this.last, ...params },
      signal ? { signal } : {},
    );
    if (queue_id !== this.id) throw new Error(`answer of another queue: ${queue_id}`);
    let before = Number.NEGATIVE_INFINITY;
    for (const event of events) {
      if (event.id <= before) throw new Error(`event ids do not increase: ${before}, ${event.id}`);
      before = event.id;
    }
    return events;
  }

  /** The events that wait now; acknowledges the ones before. */
  async now(): Promise<ApiEvent[]> {
    return this.#keep(await this.poll({ dont_block: true }));
  }

  /** Polls until the events since the call satisfy the condition. @returns these events */
  async until(done: (events: readonly ApiEvent[]) => boolean): Promise<ApiEvent[]> {
    const events: ApiEvent[] = [];
    const patience = AbortSignal.timeout(PATIENCE_MS);
    while (!done(events)) {
      const more = await this.poll({}, patience).catch((error: Error) => {
        if (!patience.aborted) throw error;
        throw new Error(`${this.of.role} waits in vain; what came: ${JSON.stringify(events).slice(0, 2_000)}`);
      });
      events.push(...this.#keep(more));
    }
    return events;
  }

  /** The next `count` events, heartbeats aside. */
  async take(count: number): Promise<ApiEvent[]> {
    const real = (events: readonly ApiEvent[]) => events.filter((event) => event.type !== 'heartbeat');
    return real(await this.until((events) => real(events).length >= count));
  }

  #keep(events: ApiEvent[]): ApiEvent[] {
    for (const event of events)
      if (event.id <= this.last) throw new Error(`acknowledged event came again: ${event.id}`);
    this.received.push(...events);
    this.last = events.at(-1)?.id ?? this.last;
    return events;
  }

  delete(): Promise<Fields> {
    return this.of.api.ok('DELETE /events', { queue_id: this.id });
  }
}

/**
 * All events of this user so far, without waiting for a time. A direct message to oneself comes after everything
 * committed before it, so when it arrives, no earlier event is missing.
 */
export async function settled(queue: Queue): Promise<ApiEvent[]> {
  const { id } = await queue.of.api.ok<{ id: number }>('POST /messages', {
    type: 'direct',
    to: [queue.of.id],
    content: 'settled?',
  });
  const isMark = (event: ApiEvent): boolean => event.type === 'message' && (event.message as { id: number }).id === id;
  const events = await queue.until((seen) => seen.some(isMark));
  return events.filter((event) => !isMark(event) && event.type !== 'heartbeat');
}
