/**
 * Collects writes into bulks: the writes of one event-loop turn, and those that arrive while a bulk is in flight. A
 * command costs this process and the server as much as several writes in it, so the next bulk waits for the one in
 * flight, but at most `MAX_WAIT_FOR_BULK_IN_FLIGHT_MS`.
 */
import type { Clock, TimerHandle } from '#base/clock';
import { translateMongoError } from './store-mongo-client.js';

/** Milliseconds after which a bulk in flight no longer delays the next one. */
const MAX_WAIT_FOR_BULK_IN_FLIGHT_MS = 15;
const MAX_BULKS_IN_FLIGHT = 8;
const MAX_WRITES_PER_BULK = 1_000;
const MAX_BYTES_PER_BULK = 8 * 1024 * 1024;

interface BulkWriteItem {
  /** Estimated size of the write on the wire, bytes. */
  readonly bytes: number;
  reject(error: unknown): void;
}

export class MongoBulkWriteQueue<W extends BulkWriteItem> {
  #queuedWrites: W[] = [];
  #isSendScheduled = false;
  #bulkInFlightCount = 0;
  #waitTimer: TimerHandle | undefined;

  /**
   * Makes the collector.
   * @param write resolves or rejects each write of a bulk; if it rejects, the remaining writes are rejected with its
   * error
   */
  constructor(
    private readonly clock: Clock,
    private readonly write: (bulk: readonly W[]) => Promise<void>,
  ) {}

  enqueue(one: W): void {
    this.#queuedWrites.push(one);
    this.#scheduleSend();
  }

  #scheduleSend(): void {
    if (this.#isSendScheduled || this.#queuedWrites.length === 0) return;
    if (this.#bulkInFlightCount > 0) {
      this.#waitTimer ??= this.clock.setTimeout(() => this.#sendAfterWait(), MAX_WAIT_FOR_BULK_IN_FLIGHT_MS);
      return;
    }
    this.#isSendScheduled = true;
    setImmediate(() => {
      this.#isSendScheduled = false;
      this.#sendAllQueued();
    });
  }

  #sendAfterWait(): void {
    this.#waitTimer = undefined;
    if (this.#bulkInFlightCount < MAX_BULKS_IN_FLIGHT) this.#sendAllQueued();
  }

  #sendAllQueued(): void {
    if (this.#waitTimer) this.clock.clearTimeout(this.#waitTimer);
    this.#waitTimer = undefined;
    while (this.#queuedWrites.length > 0) void this.#sendBulk(this.#takeNextBulk());
  }

  #takeNextBulk(): W[] {
    let count = 0;
    let bytes = 0;
    for (const one of this.#queuedWrites) {
      bytes += one.bytes;
      if (count === MAX_WRITES_PER_BULK || (count > 0 && bytes > MAX_BYTES_PER_BULK)) break;
      count++;
    }
    return this.#queuedWrites.splice(0, count);
  }

  async #sendBulk(bulk: readonly W[]): Promise<void> {
    this.#bulkInFlightCount++;
    try {
      await this.write(bulk);
    } catch (error) {
      const known = translateMongoError(error);
      for (const { reject } of bulk) reject(known);
    } finally {
      this.#bulkInFlightCount--;
      this.#scheduleSend();
    }
  }
}
