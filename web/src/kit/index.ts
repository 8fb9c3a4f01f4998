/**
 * Components without knowledge of chat. Everything here works by keyboard, touch and screen reader, and under a policy
 * without inline styles: `style={{…}}` is set by script, `style="…"` in HTML is refused by the browser.
 *
 *     <Button kind="primary" icon="send" onClick={send}>{t('compose.send')}</Button>
 *     <IconButton icon="star" label={t('…')} shortcut="star" pressed={starred} onClick={…} />   named, with tooltip
 *     <TextField label={…} value={v} onInput={set} error={…} hint={…} />   other entries are in ../kit-later
 *     {open && <Dialog title={…} onClose={…} footer={<Button …/>}>…</Dialog>}   native modal, keeps the focus
 *     toggleMenu(button, { label, items: [{ label, icon, shortcut, run }, 'line', …] })
 *     {anchor && <Popover anchor={anchor} label={…} onClose={…}>…</Popover>}   in place; stays above everything
 *     openLayer((close) => <Dialog … onClose={close} />)   from rows of a windowed list, which may be unmounted
 *     <span data-tip={text}>   a tooltip on hover and focus; data-cut: the own text if it is cut off; data-at: the date
 *                              of a time, milliseconds since 1970
 *     showToast({ text, kind: 'error', action: { label, run } }), announceToScreenReader(text)
 *     <VirtualList items={…} getItemKey={…} getItemHeightPx={…} label={…}>{(item, row) => …}</VirtualList>
 *     const SettingsView = makeLazyComponent(async () => (await import('../settings/index.js')).SettingsView)
 *     runWithLazyChunk(() => import('./menus.js'), ({ openOwnMenu }) => openOwnMenu(button))   with its texts
 *     await waitForFirstView()   for what may come after the view of the address, such as chunks for later
 *     await runInTurns(parts)    long work in short tasks
 *     keepOverReloads(key, () => ({ user, text })), takeKept(key, user)   what was typed, for the page after a reload
 *     isPhoneLayout(), isNarrowLayout(), getRowHeightPx()   read signals: a change of the layout renders again
 *     useShortcut('reply', () => …)   while the component is mounted and its dialog (or the page) has the keys
 *
 * Folders that use the kit: shell and all views. The kit imports text and keyboard.
 */
export { Avatar, type AvatarPresence, PresenceDot } from './avatar.js';
export { Button, IconButton } from './button.js';
export { CountBadge } from './count.js';
export { Dialog } from './dialog.js';
export { LabeledEntry, type LabeledEntryProps, type TextEntryProps } from './entry.js';
export { TextField, type TextFieldProps } from './field.js';
export { expectFirstView, noteFirstViewShown, runWhenIdle, waitForFirstView } from './first-view.js';
export {
  FOCUSABLE_SELECTOR,
  focusFirstIn,
  isTypingTarget,
  moveFocusByArrowKey,
  rememberFocusForRestore,
} from './focus.js';
export { getStreamIconName, Icon, type IconName, type IconPath } from './icons.js';
export { keepOverReloads, takeKept } from './kept.js';
export { closeMenusAndDialogs, findLayerHost, openLayer, watchForDismissal } from './layers.js';
export { makeLazyComponent, makeReloadAction, runWithLazyChunk } from './lazy.js';
export { getMediaQuerySignal, getRowHeightPx, isNarrowLayout, isPhoneLayout } from './media.js';
export { type MenuItem, toggleMenu } from './menu.js';
export { EmptyNotice } from './notice.js';
export { startToastsAndTooltips } from './overlays.js';
export { Popover, type PopoverAnchor, type PopoverPlacement } from './popover.js';
export {
  isApplePlatform,
  KeyCaps,
  pageShortcuts,
  ShortcutScopeContext,
  startShortcutListener,
  useShortcut,
} from './shortcut.js';
export { Spinner } from './spinner.js';
export { announceToScreenReader, removeToast, showToast } from './toast.js';
export { runInTurns, yieldToBrowser } from './turns.js';
export { useUniqueId } from './unique-id.js';
export { type RowFocusAttributes, VirtualList } from './virtual-list.js';
