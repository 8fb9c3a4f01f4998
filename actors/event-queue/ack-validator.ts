/**
 * Tells whether a poll acknowledges an event that its queue can have given out. Only a queue that was loaded from the
 * Store needs this: a former owner may have delivered events that this host has not read yet.
 */

import { makeEventId, type RealmId } from '#model';
import type { EventLog } from '#ports/log';
import type { DeferredRequest } from '#runtime';

export class PollAckValidator {
  /** Polls that wait while the log is asked for the position of its end. */
  #pollsAwaitingLogEnd: Set<DeferredRequest> | undefined;
  /** Position of the end of the log when it was last asked for. The log may have grown since. */
  #lastKnownLogEnd = 0;

  constructor(
    private readonly log: Pick<EventLog, 'readBounds'>,
    private readonly realm: RealmId,
  ) {}

  get hasPollsAwaitingLogEnd(): boolean {
    return this.#pollsAwaitingLogEnd !== undefined && this.#pollsAwaitingLogEnd.size > 0;
  }

  /**
   * True for an event id that the queue never gave out. The end of the log bounds what a former owner of the queue can
   * have delivered.
   *
   * @param newest newest id that the queue has given out, as far as this host knows
   * @param read log position up to which this host has read
   */
  isEventIdNeverGivenOut(last: number, newest: number, read: number): boolean {
    return last > Math.max(newest, makeEventId(Math.max(read, this.#lastKnownLogEnd) + 1, 0) - 1);
  }

  /**
   * Asks for the end of the log, because a former owner of the queue may have read further than this host.
   *
   * @returns 'asked', 'unavailable' (the log does not answer now), or 'stopped': the poll was answered meanwhile
   */
  async refreshLogEndForPoll(request: DeferredRequest): Promise<'asked' | 'unavailable' | 'stopped'> {
    this.#pollsAwaitingLogEnd ??= new Set();
    this.#pollsAwaitingLogEnd.add(request);
    const end = await this.#readLogEnd().catch(() => undefined);
    if (!this.#pollsAwaitingLogEnd?.delete(request)) return 'stopped';
    if (end === undefined) return 'unavailable';
    this.#lastKnownLogEnd = Math.max(this.#lastKnownLogEnd, end);
    return 'asked';
  }

  /** Drops the polls that wait for the log's end. @returns those polls, for the caller to answer */
  takePollsAwaitingLogEnd(): DeferredRequest[] {
    const asking = [...(this.#pollsAwaitingLogEnd ?? [])];
    this.#pollsAwaitingLogEnd = undefined;
    return asking;
  }

  async #readLogEnd(): Promise<number> {
    return (await this.log.readBounds(this.realm)).end;
  }
}
