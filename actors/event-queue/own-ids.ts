/** Ids for events of one queue that no log position stands for: heartbeats and transient events. */
import { eventId, RESERVED_SLOTS, SLOTS, TRANSIENT_SLOT } from '#model';

export class OwnIds {
  /** Newest id that the queue has given to any event. */
  newest = -1;
  #opening = false;

  /** @param log `open` appends an empty entry: the ids after its position are free */
  constructor(private readonly log: { openLog(): Promise<unknown> }) {}

  /** @param position of the log, up to which the queue has everything */
  heartbeat(position: number): number {
    this.newest = this.#next(position);
    return this.newest;
  }

  /** Undefined: none is left at this position, and the event is lost. */
  transient(position: number): number | undefined {
    const id = this.#next(position);
    if (id % SLOTS >= SLOTS - RESERVED_SLOTS) return undefined;
    this.newest = id;
    return id;
  }

  /** The frontend that holds the poll may give these to heartbeats. */
  reserve(upTo: number): void {
    this.newest = Math.max(this.newest, upTo);
  }

  #next(position: number): number {
    const id = Math.max(this.newest + 1, eventId(position, TRANSIENT_SLOT));
    if (id % SLOTS >= SLOTS - RESERVED_SLOTS) this.#open();
    return id;
  }

  #open(): void {
    if (this.#opening) return;
    this.#opening = true;
    this.log
      .openLog()
      .catch(() => undefined)
      .finally(() => {
        this.#opening = false;
      });
  }
}
