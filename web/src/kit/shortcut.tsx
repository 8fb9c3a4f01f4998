import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import {
  chordOf,
  type Handler,
  Keyboard,
  keyNames,
  PAGE,
  type Scope,
  SHORTCUTS,
  type ShortcutId,
} from '../keyboard/index.js';
import { t } from '../text/index.js';
import { isField } from './focus.js';

/** Shortcuts of the page. */
export const keyboard = new Keyboard<ShortcutId>(SHORTCUTS);

/** Scope in which the shortcuts of the components below work. Dialog provides one. */
export const ScopeContext = createContext<Scope>(PAGE);

export const isMac = (): boolean => /Mac|iP/.test(navigator.platform);

/**
 * Registers a handler while the component is mounted; the newest call's handler counts. A handler that returns false
 * declines. `when` false is the same as not being mounted.
 */
export function useShortcut(id: ShortcutId, handler: Handler, when = true): void {
  const scope = useContext(ScopeContext);
  const latest = useRef(handler);
  latest.current = handler;
  // Before the next paint: a key pressed as soon as the view is seen counts.
  useLayoutEffect(() => (when ? keyboard.on(id, scope, () => latest.current()) : undefined), [id, scope, when]);
}

const PRESSABLE = 'a[href],button,summary,input,select,[role=menuitem],[role=option],[role=tab]';

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const chord = chordOf(event, isMac());
  if (chord === undefined) return;
  // Enter and Space press a focused button or link; they are not shortcuts there.
  const target = event.target;
  if (/^(?:Shift\+)?(?:Enter|Space)$/.test(chord) && target instanceof Element && target.closest(PRESSABLE)) return;
  if (keyboard.press(chord, isField(target))) event.preventDefault();
}

/** Sends the page's keys to the shortcuts. @returns a function that ends it */
export function listenToKeys(): () => void {
  window.addEventListener('keydown', onKeyDown);
  return () => window.removeEventListener('keydown', onKeyDown);
}

/** A chord as key caps. */
export function Keys({ chord }: { readonly chord: string }) {
  return (
    <span class="keys">
      {keyNames(chord, t, isMac()).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  );
}
