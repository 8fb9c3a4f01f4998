/**
 * Ids of events. Each log position has 8,192 ids: first the events of its entry, then transient events and heartbeats
 * that follow it (architecture/delivery.md § Event ids).
 */

/** Number of event ids per log position. */
export const EVENT_ID_SLOTS_PER_LOG_POSITION = 8_192;
/**
 * First slot of a log position for heartbeats and transient events; lower slots are for the events of the log entry.
 */
export const FIRST_TRANSIENT_EVENT_ID_SLOT = 4_096;
/** Number of slots at the end of a log position that only heartbeats use. */
export const HEARTBEAT_EVENT_ID_SLOTS = 64;

export const makeEventId = (seq: number, slot: number): number => seq * EVENT_ID_SLOTS_PER_LOG_POSITION + slot;
/**
 * Returns the event id at the end of a log position: above all events up to this position, and below everything later.
 */
export const lastEventIdOfLogPosition = (seq: number): number => makeEventId(seq, FIRST_TRANSIENT_EVENT_ID_SLOT - 1);
/** True for the id of an event of a log entry, and not of a transient event or a heartbeat. */
export const isEventIdOfLogEntry = (id: number): boolean =>
  id % EVENT_ID_SLOTS_PER_LOG_POSITION < FIRST_TRANSIENT_EVENT_ID_SLOT;
export const logPositionOfEventId = (id: number): number => Math.floor(id / EVENT_ID_SLOTS_PER_LOG_POSITION);

/** Number of heartbeat ids that a frontend may use for one parked poll. */
const MAX_HEARTBEAT_IDS_PER_PARKED_POLL = 64;

/**
 * Returns the number of heartbeat ids above `id` that a frontend may use (0: none). Heartbeat ids are safe only after a
 * transient id: everything up to its position was delivered, events of the log get a later position, and the queue uses
 * ids above the frontend's.
 */
export function countFrontendHeartbeatIdsAfter(id: number): number {
  const slot = id % EVENT_ID_SLOTS_PER_LOG_POSITION;
  return slot >= FIRST_TRANSIENT_EVENT_ID_SLOT &&
    slot + MAX_HEARTBEAT_IDS_PER_PARKED_POLL < EVENT_ID_SLOTS_PER_LOG_POSITION - HEARTBEAT_EVENT_ID_SLOTS
    ? MAX_HEARTBEAT_IDS_PER_PARKED_POLL
    : 0;
}

/**
 * Returns the largest id that a client may have if `id` is the newest that its queue knows. The client may have moved
 * to another frontend while the command that reserves heartbeat ids at the queue is still on its way.
 */
export const highestPossibleClientEventId = (id: number): number =>
  id % EVENT_ID_SLOTS_PER_LOG_POSITION >= FIRST_TRANSIENT_EVENT_ID_SLOT ? id + MAX_HEARTBEAT_IDS_PER_PARKED_POLL : id;
