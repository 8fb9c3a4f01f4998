/**
 * Conversations: the actors of streams (`stream/…`) and of direct messages (`dm/…`). Each owns the messages of one
 * conversation: it gives them their places, applies every change, and emits the events.
 *
 * State (`state.ts`): a small root (membership version, newest id, traffic by day). Parts: subscribers (`member/`),
 * topics (`topic/`), users with a policy for a topic (`watchers/`), moves under way (`moving/`). Messages are records
 * of the Store. Phases of streams (`machine.ts`): active, archived. Direct messages have no phases.
 *
 * Commands by area (`commands/`): send, send-scheduled, bot-reply and notice compose a message (`compose.ts`); edit
 * covers new texts and moves (rules in `editing/`); delete and retention remove messages (`removing.ts`); react and
 * submessage add to them; members and topics answer other actors; typing only publishes.
 *
 * A change of a message comes by way of the caller's user actor, which checks access and redirects here.
 *
 * Invariants:
 *   - Commits are pipelined: what an input read from the Store may be older than the last decision. Handlers therefore
 *     ask `RecentlyChangedMessages` (`recent.ts`) for the newest version.
 *   - Message ids are requested in the order in which the commands arrive.
 *   - Moves run one after the other, and a move's lane waits until its last batch is written.
 *   - Commands from other actors never refuse.
 *
 * Importers: src/app, which hosts the kinds. Other actors send commands.
 */
export { directMessageActorKind, streamActorKind } from './kind.js';
export { makeNotifiedSubscribersPart } from './missed.js';
export type { ConversationActorState } from './state.js';
export { STREAM_TOPIC_PART_PREFIX } from './topics.js';
