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
const NO_POLL_CHECKPOINT_DELAY_MS = 30_000;
/**
 * Interval of the checks of a queue with a waiting poll, ms, while the log is busy; `QUIET_LOG_CHECK_INTERVAL_MS` while
 * it is quiet. A check costs as much as a heartbeat.
 */
const BUSY_LOG_CHECK_INTERVAL_MS = 60_000;
const QUIET_LOG_CHECK_INTERVAL_MS = 5 * BUSY_LOG_CHECK_INTERVAL_MS;
/**
 * Jitter: smallest share of `MAX_EVENT_QUEUE_ACTIVITY_LAG_MS` after which a queue with a waiting poll is written (the
 * share is random, 50–100 %), so that the writes of many queues spread out.
 */
const MIN_SHARE_OF_MAX_ACTIVITY_LAG = 0.5;
/**
 * Number of log entries after which a checkpoint is written though nothing else has changed. After a takeover, the next
 * owner reads the log from the checkpoint.
 */
const MAX_CHECKPOINT_LAG_LOG_ENTRIES = 1_000;

export class EventQueueCheckpointTimer implements TimerWheelEntry {
  timerWheelBucket: Set<TimerWheelEntry> | undefined;
  #isStopped = false;
  /** True while the timer runs for a check of a queue with a waiting poll, false while it runs for a flush. */
  #isTimerForPollingCheck = false;
  /** Time from one check to the next, ms. */
  #checkIntervalMs = BUSY_LOG_CHECK_INTERVAL_MS;
  /** Log position of the queue at the last check. */
  #logPositionAtLastCheck: number | undefined;

  constructor(
    private readonly handle: ActorActivationHandle<EventQueueActorState, EventQueueMemoryState>,
    private readonly services: { readonly clock: Clock; readonly random: () => number },
    private readonly cursor: Pick<EventQueueCursor, 'position'>,
    private readonly buffer: Pick<EventQueueBuffer, 'oldest'>,
  ) {}

  /** True if the client has given a sign of life, or acknowledged events, since the last checkpoint. */
  get hasClientActivitySinceCheckpoint(): boolean {
    const { volatile } = this.handle;
    const stored = this.handle.state();
    return volatile.ackedEventId > stored.acked || volatile.clientLastActiveAt > stored.active;
  }

  get #logEntriesSinceCheckpoint(): number {
    return this.cursor.position - this.handle.state().position;
  }

  /** Starts the checkpoint timer after a sign of life of the client, or after the waiting poll has gone. */
  startTimerIfNeeded(): void {
    if (this.#isStopped) return;
    const { hasWaitingPoll } = this.handle.volatile;
    if (this.timerWheelBucket && (hasWaitingPoll || !this.#isTimerForPollingCheck)) return;
    this.#isTimerForPollingCheck = hasWaitingPoll;
    const wheel = sharedTimerWheel(this.services.clock);
    if (this.timerWheelBucket) wheel.remove(this);
    wheel.addAfter(this, hasWaitingPoll ? this.#checkIntervalMs : NO_POLL_CHECKPOINT_DELAY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    sharedTimerWheel(this.services.clock).remove(this);
  }

  expire(): void {
    if (this.#isStopped) return;
    const { handle } = this;
    const { clock, random } = this.services;
    if (handle.volatile.hasWaitingPoll) {
      // The client is present: had it gone, its frontend would have cancelled the waiting poll.
      handle.volatile.recordClientActivity(clock.now());
      this.#updateCheckInterval();
      this.startTimerIfNeeded();
      const { active, held } = handle.state();
      const lag =
        MAX_EVENT_QUEUE_ACTIVITY_LAG_MS *
          (MIN_SHARE_OF_MAX_ACTIVITY_LAG + (1 - MIN_SHARE_OF_MAX_ACTIVITY_LAG) * random()) -
        QUIET_LOG_CHECK_INTERVAL_MS;
      if (held && clock.now() - active < lag && this.#logEntriesSinceCheckpoint <= MAX_CHECKPOINT_LAG_LOG_ENTRIES)
        return;
    }
    if (this.hasClientActivitySinceCheckpoint) void this.#writeCheckpoint().catch(() => undefined);
  }

  /** Writes the last checkpoint before the queue leaves memory. */
  async writeLastCheckpointIfNeeded(): Promise<void> {
    if (this.hasClientActivitySinceCheckpoint || this.#logEntriesSinceCheckpoint > MAX_CHECKPOINT_LAG_LOG_ENTRIES)
      await this.#writeCheckpoint();
  }

  /**
   * Picks the interval of the checks. It is the long one if the log, at its pace since the last check, will have moved
   * on by at most `MAX_CHECKPOINT_LAG_LOG_ENTRIES`.
   */
  #updateCheckInterval(): void {
    const { position } = this.cursor;
    const moved = position - (this.#logPositionAtLastCheck ?? this.handle.state().position);
    const expected = (moved / this.#checkIntervalMs) * QUIET_LOG_CHECK_INTERVAL_MS;
    this.#logPositionAtLastCheck = position;
    this.#checkIntervalMs =
      expected <= MAX_CHECKPOINT_LAG_LOG_ENTRIES ? QUIET_LOG_CHECK_INTERVAL_MS : BUSY_LOG_CHECK_INTERVAL_MS;
  }

  /**
   * Writes the checkpoint. After a takeover, the next owner reads the log from its position, so every waiting event
   * must be above that position.
   */
  #writeCheckpoint(): Promise<void> {
    const { oldest } = this.buffer;
    const { position } = this.cursor;
    this.handle.volatile.setNextCheckpointLogPosition(
      oldest === undefined ? position : Math.min(logPositionOfEventId(oldest) - 1, position),
    );
    return this.handle.sendSelf(eventQueueActorCommands.flush, {});
  }
}
