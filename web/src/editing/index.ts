/**
 * Changes of a text in a text area, which the browser can undo. `edits.ts` says what changes, without the DOM;
 * `area.ts` reads the selection and carries a change out.
 */
export { applyTextAreaEdit, readTextSelection } from './area.js';
export {
  chooseFence,
  makeFenceLinesEdit,
  makeLinkEdit,
  makeListContinuationEdit,
  makeMarkupToggleEdit,
  makePrefixLinesEdit,
  type TextEdit,
  type TextSelection,
} from './edits.js';
