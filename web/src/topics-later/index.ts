/**
 * Actions on topics, by the menu of a topic or by that of a message: a lazy chunk, which no chunk of the first view
 * imports; ../topics loads it.
 *
 * `menu.ts` the menu of a topic · `move.tsx` dialogs that move messages or a whole topic · `resolve.ts` the mark of
 * resolved topics · `delete.tsx` deletion · `rights.ts` what the organization's policies offer to the reader ·
 * `newest.ts` the message by which the server finds a topic · `copy.ts` texts and addresses for the clipboard.
 */
export { copyAbsoluteLink, copyTextWithToast } from './copy.js';
export { openTopicMenu } from './menu.js';
export { openMoveDialog } from './move.js';
export { toggleTopicResolved } from './resolve.js';
export { mayChangeTopics, mayMoveMessages } from './rights.js';
