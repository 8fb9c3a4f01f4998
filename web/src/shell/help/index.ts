/**
 * The dialog of `?`: all shortcuts by group, with a filter, and a button at each that takes new keys. A lazy chunk.
 *
 * New keys are taken from one press (`key-taker.tsx`). Keys that do something else already are refused, and the dialog
 * says which shortcut has them. Changes stay in this browser (shell/keys.ts).
 */
export { HelpDialog } from './dialog.js';
