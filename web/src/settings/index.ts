/**
 * Settings: one's own, those of streams, those of the organization, and the profile of a person. The whole folder is
 * a lazy chunk; its texts are part of the later texts.
 *
 *     route (#settings/…, #streams/…, #organization/…, #users/…) → view → pages → one component for each page
 *
 * - `parts/` holds what all pages use: `SettingsPages` (list of pages beside the current one), `useSavingState` (busy,
 *   saved mark, the server's refusal), `useFormOverServerValues` (entries in progress), `SettingRow` (control made from
 *   a row of a table of settings).
 * - `own/tables.ts` and `organization/tables.ts` name each setting once: parameter, kind of control, values, and the
 *   role that may change it. Labels follow from the name: `t('settings.own.enter_sends')`.
 * - `streams/` browses, creates and edits streams; `person/` shows a person in a dialog and as a page.
 *
 * Invariants: a switch or list takes effect at once and says so beside it; a text waits for its button. An entry in
 * progress stands until it is saved or cancelled, or the session ends, also when its page is left or loaded again:
 * events change only what the reader has not touched. A page offers only what the role of the reader allows; a refusal
 * of the server appears beside the control that caused it.
 */
export { OrganizationView } from './organization/view.js';
export { SettingsView } from './own/view.js';
export { PersonDialog } from './person/dialog.js';
export { PersonView } from './person/view.js';
export { StreamsView } from './streams/view.js';
