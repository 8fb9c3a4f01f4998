/**
 * The two sidebars. Left: views with counts, direct messages with presence, streams (pinned, active, inactive, muted)
 * with topics, all with numbers of unread messages, and a field that filters them. Right: people with presence.
 *
 *     state (signals) + choices → makeSidebarRows (rows.ts, no DOM) → VirtualList → one component for each kind of row
 *
 * - Rows are links with the address of their view, so that the browser's own ways to open links work.
 * - Tab reaches one row; arrows move; right and left open and close streams and sections.
 * - `menus/` (a lazy chunk) has the actions on streams, ../topics-later those on topics.
 * - Choices (open sections, filter) are signals of the module: they outlive the drawer of a phone.
 *
 * The shell shows both; `onGo` tells it that a row was followed, so that it closes the drawer.
 */
export { LeftSidebar } from './left.js';
export { PeopleSidebar } from './people.js';
