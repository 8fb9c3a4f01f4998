/**
 * Menus of the rows of streams and topics: read, pin, mute, follow, copy the link, leave. A lazy chunk.
 *
 * A press of the right button (or the menu key, or a long press) opens one, and so does the button that appears in the
 * row. Rows and numbers follow the press, and go back when the server refuses, which a toast says.
 */
export { openStreamMenu, openTopicMenu } from './open.js';
