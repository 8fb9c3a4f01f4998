/** Fields of a KeyboardEvent that make a chord. */
export interface KeyPress {
  readonly key: string;
  readonly code?: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  getModifierState?(name: string): boolean;
}

const MODIFIER_KEYS = new Set(['Control', 'Alt', 'AltGraph', 'Meta', 'Shift', 'CapsLock', 'Dead', 'Process']);

/**
 * Returns the Latin letter of a key whose layout writes another script, so that shortcuts work in Greek and Cyrillic
 * layouts; other keys as they are.
 */
function toLatinKey(press: KeyPress): string {
  const letter = /^Key([A-Z])$/.exec(press.code ?? '')?.[1];
  if (letter === undefined || press.key.length !== 1 || press.key.charCodeAt(0) < 0x250) return press.key;
  return press.shiftKey ? letter : letter.toLowerCase();
}

/**
 * @returns the chord of a key event: modifiers in the order Mod, Ctrl, Meta, Alt, Shift, then the key. Shift is part of
 * a character (`R`, `?`) and named with other keys only (`Shift+Enter`). Undefined for a modifier alone.
 */
export function formatChord(press: KeyPress, mac = false): string | undefined {
  if (MODIFIER_KEYS.has(press.key)) return undefined;
  const key = press.key === ' ' ? 'Space' : toLatinKey(press);
  const third = press.getModifierState?.('AltGraph') ?? false;
  const ctrl = press.ctrlKey && !third;
  const alt = press.altKey && !third && !(mac && key.length === 1 && !press.metaKey && !press.ctrlKey);
  let chord = '';
  if (mac ? press.metaKey : ctrl) chord += 'Mod+';
  if (mac && ctrl) chord += 'Ctrl+';
  if (!mac && press.metaKey) chord += 'Meta+';
  if (alt) chord += 'Alt+';
  if (press.shiftKey && key.length > 1) chord += 'Shift+';
  return chord + key;
}

/** Names of keys that are texts of the catalogue; others are shown by sign. */
const TEXT_KEY_BY_KEY_NAME = {
  Enter: 'key.enter',
  Escape: 'key.escape',
  Space: 'key.space',
  Home: 'key.home',
  End: 'key.end',
  PageUp: 'key.page-up',
  PageDown: 'key.page-down',
  Delete: 'key.delete',
  Shift: 'key.shift',
  Alt: 'key.alt',
  Ctrl: 'key.ctrl',
} as const;

const SIGN_BY_KEY_NAME: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};
const MAC_SIGN_BY_KEY_NAME: Readonly<Record<string, string>> = { Mod: '⌘', Ctrl: '⌃', Alt: '⌥', Shift: '⇧' };

type KeyNameTextKey = (typeof TEXT_KEY_BY_KEY_NAME)[keyof typeof TEXT_KEY_BY_KEY_NAME];

/** @returns the keys of a chord as a keyboard shows them: `R` is Shift and R, `r` is R. */
export function makeKeyCapLabels(chord: string, name: (key: KeyNameTextKey) => string, mac = false): string[] {
  const keys = chord === '+' ? ['+'] : chord.split(/\+(?=.)/);
  const last = keys.at(-1)!;
  const shifted = last.length === 1 && last !== last.toLowerCase();
  const all = shifted ? [...keys.slice(0, -1), 'Shift', last] : keys;
  return all.map((key) => {
    if (mac && MAC_SIGN_BY_KEY_NAME[key] !== undefined) return MAC_SIGN_BY_KEY_NAME[key];
    const plain = key === 'Mod' ? 'Ctrl' : key;
    if (Object.hasOwn(TEXT_KEY_BY_KEY_NAME, plain))
      return name(TEXT_KEY_BY_KEY_NAME[plain as keyof typeof TEXT_KEY_BY_KEY_NAME]);
    return SIGN_BY_KEY_NAME[plain] ?? (plain.length === 1 ? plain.toUpperCase() : plain);
  });
}
