/**
 * Decides when the acknowledged id and the log position of a queue are written to the Store.
 *
 * A crash loses little: the client's next poll says which events it has received, whichever host owns the queue then.
 * So tens of thousands of clients that only get heartbeats cost next to no writes.
 */

import { type Clock, sharedTimerWheel, type TimerWheelEntry } from '#base/clock';
import type { EventQueueCursor } from '#delivery';
import { logPositionOfEventId } from '#model';
import { eventQueueActorCommands } from '#model/commands';
import type { ActorActivationHandle } from '#runtime';
import type { EventQueueBuffer } from './buffer.js';
import { type EventQueueActorState, MAX_EVENT_QUEUE_ACTIVITY_LAG_MS } from './state.js';
import type { EventQueueMemoryState } from './volatile.js';

/**
 * Time from the client's last sign of life to the checkpoint of a queue without a waiting poll, ms
 * (architecture/delivery.md § The life of a queue).
 */
const FLUSH_DELAY_MS = 30_000;
/**
 * Interval of the checks of a queue with a waiting poll, ms, while the log is busy; `QUIET_CHECK_INTERVAL_MS` while it
 * is quiet. A check costs as much as a heartbeat.
 */
const BUSY_CHECK_INTERVAL_MS = 60_000;
const QUIET_CHECK_INTERVAL_MS = 5 * BUSY_CHECK_INTERVAL_MS;
/**
 * Jitter: smallest share of `MAX_EVENT_QUEUE_ACTIVITY_LAG_MS` after which a queue with a waiting poll is written (the
 * share is random, 50–100 %), so that the writes of many queues spread out.
 */
const MIN_ACTIVITY_LAG_SHARE = 0.5;
/**
 * Number of log entries after which a checkpoint is written though nothing else has changed. After a takeover, the next
 * owner reads the log from the checkpoint.
 */
const MAX_LOG_POSITION_LAG = 1_000;

export class EventQueueCheckpointTimer implements TimerWheelEntry {
  bucket: Set<TimerWheelEntry> | undefined;
  #isStopped = false;
  /** True while the timer runs for a check of a queue with a waiting poll, false while it runs for a flush. */
  #isCheckTimer = false;
  /** Time from one check to the next, ms. */
  #checkIntervalMs = BUSY_CHECK_INTERVAL_MS;
  /** Log position of the queue at the last check. */
  #lastCheckedPosition: number | undefined;

  constructor(
    private readonly handle: ActorActivationHandle<EventQueueActorState, EventQueueMemoryState>,
    private readonly services: { readonly clock: Clock; readonly random: () => number },
    private readonly cursor: Pick<EventQueueCursor, 'position'>,
    private readonly buffer: Pick<EventQueueBuffer, 'oldest'>,
  ) {}

  /** True if the client has given a sign of life, or acknowledged events, since the last checkpoint. */
  get isDirty(): boolean {
    const { volatile } = this.handle;
    const stored = this.handle.state();
    return volatile.ackedEventId > stored.acked || volatile.clientActiveAt > stored.active;
  }

  get #logPositionLag(): number {
    return this.cursor.position - this.handle.state().position;
  }

  /** Starts the checkpoint timer after a sign of life of the client, or after the waiting poll has gone. */
  schedule(): void {
    if (this.#isStopped) return;
    const { isPolling } = this.handle.volatile;
    if (this.bucket && (isPolling || !this.#isCheckTimer)) return;
    this.#isCheckTimer = isPolling;
    const wheel = sharedTimerWheel(this.services.clock);
    if (this.bucket) wheel.remove(this);
    wheel.addAfter(this, isPolling ? this.#checkIntervalMs : FLUSH_DELAY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    sharedTimerWheel(this.services.clock).remove(this);
  }

  expire(): void {
    if (this.#isStopped) return;
    const { handle } = this;
    const { clock, random } = this.services;
    if (handle.volatile.isPolling) {
      // The client is present: had it gone, its frontend would have cancelled the waiting poll.
      handle.volatile.recordClientActivity(clock.now());
      this.#pickCheckInterval();
      this.schedule();
      const { active, held } = handle.state();
      const lag =
        MAX_EVENT_QUEUE_ACTIVITY_LAG_MS * (MIN_ACTIVITY_LAG_SHARE + (1 - MIN_ACTIVITY_LAG_SHARE) * random()) -
        QUIET_CHECK_INTERVAL_MS;
      if (held && clock.now() - active < lag && this.#logPositionLag <= MAX_LOG_POSITION_LAG) return;
    }
    if (this.isDirty) void this.#writeCheckpoint().catch(() => undefined);
  }

  /** Writes the last checkpoint before the queue leaves memory. */
  async writeLastCheckpoint(): Promise<void> {
    if (this.isDirty || this.#logPositionLag > MAX_LOG_POSITION_LAG) await this.#writeCheckpoint();
  }

  /**
   * Picks the interval of the checks. It is the long one if the log, at its pace since the last check, will have moved
   * on by at most `MAX_LOG_POSITION_LAG`.
   */
  #pickCheckInterval(): void {
    const { position } = this.cursor;
    const moved = position - (this.#lastCheckedPosition ?? this.handle.state().position);
    const expected = (moved / this.#checkIntervalMs) * QUIET_CHECK_INTERVAL_MS;
    this.#lastCheckedPosition = position;
    this.#checkIntervalMs = expected <= MAX_LOG_POSITION_LAG ? QUIET_CHECK_INTERVAL_MS : BUSY_CHECK_INTERVAL_MS;
  }

  /**
   * Writes the checkpoint. After a takeover, the next owner reads the log from its position, so every waiting event
   * must be above that position.
   */
  #writeCheckpoint(): Promise<void> {
    const { oldest } = this.buffer;
    const { position } = this.cursor;
    this.handle.volatile.setCheckpointLogPosition(
      oldest === undefined ? position : Math.min(logPositionOfEventId(oldest) - 1, position),
    );
    return this.handle.sendSelf(eventQueueActorCommands.flush, {});
  }
}
