/**
 * Event queues: the actor kind behind POST /register and GET /events.
 *
 * A registration takes a snapshot of the user's state (snapshot/) and founds a queue that starts at the noted end of
 * the log. An actor has two sides:
 *   - Handlers (commands.ts) write the stored root (state.ts): register, flush (a checkpoint), delete, end, due.
 *   - `EventQueueActorSidecar` opens a `ActiveEventQueue` for a new queue, and for a reloaded one when a poll comes.
 * Both share `EventQueueMemoryState`, which runs the machine (machine.ts): resting → idle ⇄ polling or parked → one
 * end.
 *
 * Pipeline of an event: the feed (src/delivery) pushes it to the session → the inbox asks the filter for one verdict
 * (skip, lock-out, append, coalesce, resolve) → the buffer keeps it → the waiting poll is answered once the log entry
 * is delivered → the client's next poll acknowledges it, and the buffer drops it.
 *
 * Pipeline of a poll: early polls wait until the session is live → the ack validator checks `last_event_id` → the poll
 * is answered at once, waits (the queue answers with a heartbeat), or is parked (the frontend sends the heartbeats,
 * under ids that the queue has reserved).
 *
 * Invariants:
 *   - Snapshot + events = state: the queue leaves out exactly the events that its snapshot contains.
 *   - Ids of a queue only grow; an event that is not acknowledged is sent again.
 *   - Events live in the log and in memory, never in the root: a successor reads the log again from the last
 *     checkpoint.
 *   - From the moment the end is decided (`EventQueueMemoryState.ended`) no poll finds the queue.
 */
export { eventQueueActorKind } from './kind.js';
export { EVENT_QUEUE_END_REASONS, eventQueueStateMachine } from './machine.js';
