/**
 * Changes of a text in a text area, which the browser can undo. `edits.ts` says what changes, without the DOM;
 * `area.ts` reads the selection and carries a change out.
 */
export { applyTextAreaEdit, enterSends, listTransferredFiles, readTextSelection } from './area.js';
export {
  chooseFence,
  formatFileLink,
  makeBoldToggleEdit,
  makeFenceLinesEdit,
  makeItalicToggleEdit,
  makeLinkEdit,
  makeListContinuationEdit,
  makeMarkupToggleEdit,
  makeOwnLine,
  makePrefixLinesEdit,
  type TextEdit,
  type TextSelection,
} from './edits.js';
