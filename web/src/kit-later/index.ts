/**
 * Components of the kit that the first view does without, in a chunk that comes with the first view that asks for it.
 *
 *     <TextArea label={…} value={v} onInput={set} />   <PasswordField …/> like the kit's Field
 *     <Select label={…} value={v} options={[{ value, label }]} onChange={set} />   RadioGroup: all options are visible
 *     <Toggle label={…} checked={on} onChange={set} />   takes effect at once
 *     <Tabs label={…} tabs={[{ id, label }]} current={id} onChange={set}>panel</Tabs>
 *     if (await confirm({ title, text, confirmLabel, danger: true })) …
 *     const [entry, set, keep] = useLeftEntry(key, initial)   a field of a dialog, kept when the address changes
 *     keepLeftEntry(key, entry), findLeftEntry(key)   a form's entries, kept until the session ends
 *     <CharCounter text={…} limit={…} />, findTooLongText(text, limit)   the limit on the length of a message's text
 *     <IconButton icon={LATER_ICONS.trash} … />   an icon that the first view does without
 *     <MenuButton label={…} items={() => [{ label, run }]} />
 *     formatDateTimeField(ms, zone), parseDateTimeField(text, zone)   the text of a date-time field, in a time zone
 */
export { CharCounter, findTooLongText } from './char-counter.js';
export { RadioGroup, Select, TextArea, Toggle } from './choices.js';
export { confirm, confirmDeletion } from './confirm.js';
export { LATER_ICONS } from './icons.js';
export { findLeftEntry, forgetLeftEntries, keepLeftEntry, useLeftEntry } from './left-entry.js';
export { MenuButton } from './menu-button.js';
export { PasswordField } from './password.js';
export { Tabs } from './tabs.js';
export { formatDateTimeField, listFutureQuickChoices, parseDateTimeField } from './times.js';
