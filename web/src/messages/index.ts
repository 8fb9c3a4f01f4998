/**
 * Messages of a narrow: the windowed list, each message, what readers do with it.
 *
 *     route → MessagesView → core.windows.openWindow(narrow) → rows.ts → list.tsx (some 30 rows in the document)
 *           → message.tsx → content/ (the server's HTML: sanitized, then decorated) · reactions · widget · toolbar
 *
 * - `view.tsx` opens the window at the asked message, the first unread one or the newest, and shows its phases. It
 *   renders the list once its place is known; `prepare.ts` makes the first texts of the page before, in short tasks.
 * - `rows.ts` says what stands above each message: day, unread marker, conversation, sender.
 * - `list.tsx` shows rows, `range.ts` says which ones; `place.ts` keeps the reader's place; `seen.ts` marks as read
 *   what was on screen; `marker.ts` says where the line "New" stands; `follow.ts` goes along with messages that are
 *   moved.
 * - `content/` turns HTML into nodes; `pending.tsx` shows messages on their way; `reactions.tsx` the reactions.
 * - `actions.ts` does things to a message, for `toolbar.tsx`, `keys.ts` and the menu alike.
 * - `later/` is a chunk of its own: menu, edit box, dialogs, picture viewer, polls and to-do lists.
 *
 * Invariants: whatever comes or changes above, the message that is read stays where it is, to the pixel; the list moves
 * only by the reader's hand, or to follow new messages when its end is on screen. No text of a message becomes markup
 * unless DOMPurify let it through, and nothing is loaded from other hosts.
 */
export { MessageContent } from './content/index.js';
export { MessagesView } from './view.js';
