/**
 * Menu of the row of a stream: read, pin, mute, copy the link, leave. A lazy chunk. That of a topic is in
 * ../../topics-later.
 *
 * A press of the right button (or the menu key, or a long press) opens it, and so does the button that appears in the
 * row. Rows and numbers follow the press, and go back when the server refuses, which a toast says.
 */
export { openStreamMenu } from './open.js';
