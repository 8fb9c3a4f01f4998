/** Ids of events: log positions, and what is between them. */

/** Log positions are spread over this many ids: slots for the events of an entry, then for transient ones. */
export const SLOTS = 8_192;
/** First slot that is not an entry's: heartbeats and transient events. */
export const TRANSIENT_SLOT = 4_096;
/** Of these the last are for heartbeats alone. */
export const RESERVED_SLOTS = 64;

export const eventId = (seq: number, slot: number): number => seq * SLOTS + slot;
/** Id that stands for 'everything up to this log position, nothing after'. */
export const positionId = (seq: number): number => eventId(seq, TRANSIENT_SLOT - 1);
export const seqOfEventId = (id: number): number => Math.floor(id / SLOTS);

/** Heartbeats that a frontend gives by itself for one held poll. */
const FRONTEND_HEARTBEATS = 64;

/**
 * How many ids above this one a frontend may use for heartbeats of its own while it holds a poll of a client that has this event;
 * 0: only the queue can say. Behind an id that is no log entry's, everything of its position and before was delivered; what comes from the
 * log has a later position, and the queue gives its own ids above these.
 */
export function heartbeatIdsAfter(id: number): number {
  const slot = id % SLOTS;
  return slot >= TRANSIENT_SLOT && slot + FRONTEND_HEARTBEATS < SLOTS - RESERVED_SLOTS ? FRONTEND_HEARTBEATS : 0;
}

/**
 * Newest id that a client may have if its queue knows this one as the newest: the command with which a frontend says what it may give is
 * possibly still on its way, and the client has gone to another frontend meanwhile.
 */
export const newestHeartbeatId = (id: number): number => (id % SLOTS >= TRANSIENT_SLOT ? id + FRONTEND_HEARTBEATS : id);
