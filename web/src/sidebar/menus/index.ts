/**
 * Menus of the rows of streams and topics: read, pin, mute, follow, copy the link, leave. A lazy chunk.
 *
 * A press of the right button (or the menu key, or a long press) opens one, and so does the button that appears in the
 * row. Actions change the state through the event that comes back; until then the menu shows the last press. A toast
 * says a refusal.
 */
export { openStreamMenu, openTopicMenu } from './open.js';
