import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import {
  formatChord,
  makeKeyCapLabels,
  PAGE_SCOPE,
  SHORTCUTS,
  type ShortcutHandler,
  type ShortcutId,
  ShortcutRegistry,
  type ShortcutScope,
} from '../keyboard/index.js';
import { t } from '../text/index.js';
import { isTypingTarget } from './focus.js';

/** Shortcuts of the page. */
export const pageShortcuts = new ShortcutRegistry<ShortcutId>(SHORTCUTS);

/** Scope of the shortcuts of the components below. Each Dialog provides its own. */
export const ShortcutScopeContext = createContext<ShortcutScope>(PAGE_SCOPE);

export const isApplePlatform = (): boolean => /Mac|iP/.test(navigator.platform);

/**
 * Calls the handler of the latest render for a shortcut, while the component is mounted and `when` is true. A handler
 * that returns false leaves the key to the handler that was registered before.
 */
export function useShortcut(id: ShortcutId, handler: ShortcutHandler, when = true): void {
  const scope = useContext(ShortcutScopeContext);
  const latest = useRef(handler);
  latest.current = handler;
  // A layout effect: the shortcut works as soon as the view is painted.
  useLayoutEffect(
    () => (when ? pageShortcuts.addHandler(id, scope, () => latest.current()) : undefined),
    [id, scope, when],
  );
}

const PRESSABLE_SELECTOR = 'a[href],button,summary,input,select,[role=menuitem],[role=option],[role=tab]';

function onPageKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const chord = formatChord(event, isApplePlatform());
  if (chord === undefined) return;
  // Enter and Space press a focused button or link; they are not shortcuts there.
  const target = event.target;
  if (/^(?:Shift\+)?(?:Enter|Space)$/.test(chord) && target instanceof Element && target.closest(PRESSABLE_SELECTOR))
    return;
  if (pageShortcuts.runChord(chord, isTypingTarget(target))) event.preventDefault();
}

/** Runs shortcuts for the keys that are pressed on the page. */
export const startShortcutListener = (): void => window.addEventListener('keydown', onPageKeyDown);

/** A chord as key caps. */
export function KeyCaps({ chord }: { readonly chord: string }) {
  return (
    <span class="keys">
      {makeKeyCapLabels(chord, t, isApplePlatform()).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  );
}
