/**
 * The server's HTML of a message as nodes.
 *
 *     html → sanitize (DOMPurify, allow lists) → decorate (emoji, mentions, times, code, …) → nodes
 *
 * `formulas.ts` sets the styles of formulas by script, because the page's policy refuses them as attributes, and loads
 * their style sheet with the first one. `presses.ts` hears clicks in all texts of the list at once.
 *
 * Invariant: only nodes that DOMPurify let through are put into the page; what is added here is made by script, and a
 * text is never parsed as HTML.
 */

export { AwaitedPart } from './awaited-part.js';
export { forgetPreparedContent, MessageContent, prepareMessageContent } from './content.js';
export { decodeEmojiCode } from './decorate.js';
export { areTextHeightsFinal } from './formulas.js';
export { handleContentPress, pressMentionOnKey } from './presses.js';
export { sanitizeHtml } from './sanitize.js';
