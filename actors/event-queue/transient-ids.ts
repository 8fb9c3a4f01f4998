/** Ids for events of one queue that are in no log entry: heartbeats and transient events. */
import {
  type ActorKey,
  EVENT_ID_SLOTS_PER_LOG_POSITION,
  FIRST_TRANSIENT_EVENT_ID_SLOT,
  HEARTBEAT_EVENT_ID_SLOTS,
  isEventIdOfLogEntry,
  logPositionOfEventId,
  makeEventId,
  type RealmId,
} from '#model';
import type { EventLog } from '#ports/log';

export class UnloggedEventIdAllocator {
  /** Newest id that the queue has given to any event, whether from the log or not. */
  newestGivenId = -1;
  #isAppendingLogEntry = false;

  constructor(
    private readonly log: Pick<EventLog, 'append'>,
    private readonly realm: RealmId,
    private readonly queue: ActorKey,
  ) {}

  /**
   * Makes an id for a heartbeat.
   *
   * @param position log position up to which the queue has every event
   * @returns undefined: no id is free until the queue has read further in the log
   */
  tryAllocateHeartbeatId(position: number): number | undefined {
    const id = this.#findFreeIdAndEnsureRoom(position);
    if (id !== undefined) this.newestGivenId = id;
    return id;
  }

  /**
   * Makes an id for a transient event.
   *
   * @returns undefined: no id is free at this log position, and the event is lost
   */
  tryAllocateTransientId(position: number): number | undefined {
    const id = this.#findFreeIdAndEnsureRoom(position);
    if (
      id === undefined ||
      id % EVENT_ID_SLOTS_PER_LOG_POSITION >= EVENT_ID_SLOTS_PER_LOG_POSITION - HEARTBEAT_EVENT_ID_SLOTS
    )
      return undefined;
    this.newestGivenId = id;
    return id;
  }

  /** Leaves the ids up to this one to the frontend that has parked the poll, for its heartbeats. */
  reserveIdsForFrontendUpTo(upTo: number): void {
    this.newestGivenId = Math.max(this.newestGivenId, upTo);
  }

  #findFreeIdAndEnsureRoom(position: number): number | undefined {
    // In this case a former owner has delivered an event of a log entry that this host has not read yet. The next id
    // may belong to the next event of that entry: if a heartbeat had that id, its acknowledgement would drop the event.
    const next = this.newestGivenId + 1;
    if (isEventIdOfLogEntry(next) && logPositionOfEventId(next) > position) return undefined;
    const id = Math.max(next, makeEventId(position, FIRST_TRANSIENT_EVENT_ID_SLOT));
    if (id % EVENT_ID_SLOTS_PER_LOG_POSITION >= EVENT_ID_SLOTS_PER_LOG_POSITION - HEARTBEAT_EVENT_ID_SLOTS)
      this.#appendEmptyLogEntry();
    return id;
  }

  /** Appends an empty log entry: the ids after its position are free. */
  #appendEmptyLogEntry(): void {
    if (this.#isAppendingLogEntry) return;
    this.#isAppendingLogEntry = true;
    this.log
      .append(this.realm, { actor: this.queue, groups: [] })
      .catch(() => undefined)
      .finally(() => {
        this.#isAppendingLogEntry = false;
      });
  }
}
