/**
 * Views without messages of their own: inbox, recent conversations, drafts, scheduled messages.
 *
 *     state (signals) → rows (inbox-rows.ts, recent-list.ts; no DOM) → VirtualList → links to the conversations
 *
 * - Recent conversations are the usual first view and come with the first chunk. The inbox is a separate chunk. Drafts
 *   and scheduled messages share their rows and a chunk (`unsent.ts`).
 * - Rows are links. Arrows, j and k walk among them, → reaches the buttons of a row and ← comes back (`walk.ts`).
 * - Recent conversations are made from the newest messages, fetched once, and kept by events while the page lives.
 * - Rows of the inbox show their newest messages, fetched once for all rows and kept by events (`previews.ts`).
 * - A draft goes on in the compose box (`core.sharedViewState.composeRequest`); a scheduled message is sent
 *   now by deleting it first, so that it can't go out twice.
 *
 * Starred messages and mentions are narrows of the message list. The shell shows these views by the route.
 */
import { makeLazyComponent } from '../kit/index.js';

export { RecentView } from './recent.js';

export const InboxView = makeLazyComponent(
  async () => (await import('./inbox.js')).InboxView,
  async () => {},
);
export const DraftsView = makeLazyComponent(async () => (await import('./unsent.js')).DraftsView);
export const ScheduledView = makeLazyComponent(async () => (await import('./unsent.js')).ScheduledView);
