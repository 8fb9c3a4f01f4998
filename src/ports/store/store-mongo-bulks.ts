/**
 * Collects writes into bulks: the writes of one event-loop turn, and those that arrive while a bulk is in flight. A
 * command costs this process and the server as much as several writes in it, so the next bulk waits for the one in
 * flight, but at most `SLOW_MS`.
 */
import type { Clock, TimerHandle } from '#base/clock';
import { translateMongoError } from './store-mongo-client.js';

/** Milliseconds after which a bulk in flight no longer delays the next one. */
const SLOW_MS = 15;
const MAX_IN_FLIGHT = 8;
const MAX_WRITES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;

interface BulkWriteItem {
  /** Estimated size of the write on the wire, bytes. */
  readonly bytes: number;
  reject(error: unknown): void;
}

export class MongoBulkWriteQueue<W extends BulkWriteItem> {
  #waiting: W[] = [];
  #scheduled = false;
  #inFlight = 0;
  #timer: TimerHandle | undefined;

  /**
   * Makes the collector.
   * @param write resolves or rejects each write of a bulk; if it rejects, the remaining writes are rejected with its
   * error
   */
  constructor(
    private readonly clock: Clock,
    private readonly write: (bulk: readonly W[]) => Promise<void>,
  ) {}

  put(one: W): void {
    this.#waiting.push(one);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    if (this.#inFlight > 0) {
      this.#timer ??= this.clock.setTimeout(() => this.#sendSlow(), SLOW_MS);
      return;
    }
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#sendAll();
    });
  }

  #sendSlow(): void {
    this.#timer = undefined;
    if (this.#inFlight < MAX_IN_FLIGHT) this.#sendAll();
  }

  #sendAll(): void {
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) void this.#send(this.#take());
  }

  #take(): W[] {
    let count = 0;
    let bytes = 0;
    for (const one of this.#waiting) {
      bytes += one.bytes;
      if (count === MAX_WRITES || (count > 0 && bytes > MAX_BYTES)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #send(bulk: readonly W[]): Promise<void> {
    this.#inFlight++;
    try {
      await this.write(bulk);
    } catch (error) {
      const known = translateMongoError(error);
      for (const { reject } of bulk) reject(known);
    } finally {
      this.#inFlight--;
      this.#schedule();
    }
  }
}
