/**
 * Less frequent actions on messages. The folder is a lazy chunk, loaded by `../chunk.ts` with its texts.
 *
 * `menu.ts` the menus of a message and of a person · `edit.tsx` the edit box and the source of a message ·
 * `history.tsx` edit history, read receipts and members of groups · `viewer.tsx` pictures · `widget.tsx` polls, to-do
 * lists and forms, whose state `submessages.ts` computes from submessages; `marks.ts` votes and check marks, which show
 * at the press.
 */

export { openMoveDialog } from '../../topics-later/index.js';
export { EditBox, openMessageSource, restoreKeptEdits } from './edit.js';
export { openGroupMembers, openHistory, openReadReceipts } from './history.js';
export { markUnreadFrom, openMessageMenu, openPersonMenu, toggleTopicMute } from './menu.js';
export { openViewer } from './viewer.js';
export { Widget } from './widget.js';
