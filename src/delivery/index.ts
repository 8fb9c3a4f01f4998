/**
 * Delivery: from the log of a realm to the event queues of this host.
 *
 * Each realm with queues here has one `RealmEventFeed` (`RealmEventFeeds` finds it). Pipeline of an event:
 *   1. The directory replica's tail brings a log entry. `LogRepeatDetector` drops groups that repeat earlier ones.
 *   2. The feed loads the `StreamMembershipCache` that the entry's audiences name (the only step that may wait), and
 *      dispatches.
 *   3. `EventQueueIndex` visits the queues of users who may be in the audience; `isInEventAudience` (audience.ts)
 *      decides.
 *   4. `EventFeedSubscriber.push` hands each of these queues a reference to one `SharedClientEvent`. From there on the
 *      queue works alone: filter verdict → buffer → waiting poll → reply (actors/event-queue).
 *
 * A queue that attaches at an older position first runs through a `EventQueueLogCatchUp`, from `RecentLogEntries` in
 * memory or from the log, and goes live when it is level with the feed. `RecipientFieldResolver` resolves fields that
 * differ from user to user. Registrations read messages through `RecentMessageIndex`, which the feed keeps up to date.
 *
 * Invariants:
 *   - The audience is decided by what was true at the commit, never by what is true now.
 *   - A queue gets each event once and in log order. It gets no event up to its cursor, and none of a commit that its
 *     snapshot contains (changes of flags aside, which may be applied again).
 *   - After a gap in the log every live queue attaches again at its own cursor. If the log no longer has the entries
 *     that it needs, the queue ends ('trimmed').
 *   - Transient events are in no log entry: they are dropped rather than sent to a user whose right to them is unknown.
 *
 * Event queues, their tests, and the wiring of the server import it. It imports directory, domain, ports, model and
 * base, and knows neither actors nor the frontend.
 */

export { isInEventAudience } from './audience.js';
export { RealmEventFeed, type StreamSubscribersAtPosition } from './feed.js';
export { RealmEventFeeds } from './feeds.js';
export { RecentLogEntryMemoryBudget } from './recent-entries.js';
export { RecentMessageIndex, RecentMessageMemoryBudget } from './recent-message-index.js';
export { RecipientFieldResolver } from './recipient-fields.js';
export {
  type ClientEventFormat,
  type ClientLevelForm,
  isClientEventLogItem,
  SharedClientEvent,
  TransientClientEvent,
  translateEventForClient,
} from './shared-event.js';
export { type EventFeedSubscriber, EventQueueCursor } from './subscriber.js';
