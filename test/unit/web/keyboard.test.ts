import t from 'tap';
import {
  formatChord,
  makeKeyCapLabels,
  PAGE_SCOPE,
  SHORTCUTS,
  type Shortcut,
  ShortcutRegistry,
} from '../../../web/src/keyboard/index.js';

const NONE = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false };

t.test('a chord names modifiers and key; Shift is part of a character', async (t) => {
  t.equal(formatChord({ ...NONE, key: 'r' }), 'r');
  t.equal(formatChord({ ...NONE, key: 'R', shiftKey: true }), 'R');
  t.equal(formatChord({ ...NONE, key: '?', shiftKey: true }), '?');
  t.equal(formatChord({ ...NONE, key: ' ', shiftKey: true }), 'Shift+Space');
  t.equal(formatChord({ ...NONE, key: 'k', ctrlKey: true }), 'Mod+k');
  t.equal(formatChord({ ...NONE, key: 'ArrowLeft', altKey: true }), 'Alt+ArrowLeft');
  t.equal(formatChord({ ...NONE, key: 'Shift', shiftKey: true }), undefined, 'a modifier alone is none');
});

t.test('Command is the main modifier on a Mac, where Option writes characters', async (t) => {
  t.equal(formatChord({ ...NONE, key: 'k', metaKey: true }, true), 'Mod+k');
  t.equal(formatChord({ ...NONE, key: 'k', ctrlKey: true }, true), 'Ctrl+k');
  t.equal(formatChord({ ...NONE, key: '@', altKey: true }, true), '@');
});

t.test('layouts with a third level or another script give the same shortcuts', async (t) => {
  const third = (name: string) => name === 'AltGraph';
  t.equal(formatChord({ ...NONE, key: '@', ctrlKey: true, altKey: true, getModifierState: third }), '@');
  t.equal(formatChord({ ...NONE, key: 'к', code: 'KeyR' }), 'r', 'Cyrillic');
  t.equal(formatChord({ ...NONE, key: 'ρ', code: 'KeyR', ctrlKey: true }), 'Mod+r', 'Greek');
  t.equal(formatChord({ ...NONE, key: 'z', code: 'KeyY' }), 'z', 'Latin letters count as written');
});

t.test('chords are shown as key caps', async (t) => {
  const name = (key: string) => key;
  t.strictSame(makeKeyCapLabels('r', name), ['R']);
  t.strictSame(makeKeyCapLabels('R', name), ['key.shift', 'R']);
  t.strictSame(makeKeyCapLabels('Mod+k', name), ['key.ctrl', 'K']);
  t.strictSame(makeKeyCapLabels('Mod+k', name, true), ['⌘', 'K']);
  t.strictSame(makeKeyCapLabels('Alt+ArrowLeft', name), ['key.alt', '←']);
  t.strictSame(makeKeyCapLabels('+', name), ['+']);
  t.strictSame(makeKeyCapLabels('Mod+.', name), ['key.ctrl', '.']);
});

const TABLE: Record<'one' | 'two' | 'three', Shortcut> = {
  one: { keys: ['a', 'Mod+a'], group: 'general' },
  two: { keys: ['b'], group: 'general', worksInFields: true },
  three: { keys: ['Escape'], group: 'general', worksInFields: true },
};

/** A keyboard with a log of what its handlers were called for. */
function start() {
  const keyboard = new ShortcutRegistry(TABLE);
  const log: string[] = [];
  const say = (text: string, answer?: boolean) => () => {
    log.push(text);
    return answer;
  };
  return { keyboard, log, say };
}

t.test('the newest handler runs; when it declines, the one before does', async (t) => {
  const { keyboard, log, say } = start();
  t.notOk(keyboard.runChord('a'), 'nothing takes the key yet');
  keyboard.addHandler('one', PAGE_SCOPE, say('first'));
  const off = keyboard.addHandler('one', PAGE_SCOPE, say('second', false));
  t.ok(keyboard.runChord('a'));
  off();
  off();
  t.ok(keyboard.runChord('Mod+a'));
  t.strictSame(log, ['second', 'first', 'first']);
});

t.test('only the innermost scope hears keys', async (t) => {
  const { keyboard, log, say } = start();
  const dialog = Symbol('dialog');
  keyboard.addHandler('one', PAGE_SCOPE, say('page'));
  const leave = keyboard.enterScope(dialog);
  t.notOk(keyboard.runChord('a'));
  keyboard.addHandler('one', PAGE_SCOPE, say('page again'));
  keyboard.addHandler('one', dialog, say('dialog'));
  t.ok(keyboard.runChord('a'));
  leave();
  leave();
  t.ok(keyboard.runChord('a'));
  t.strictSame(log, ['dialog', 'page again']);
});

t.test('in a field, only the shortcuts that say so run', async (t) => {
  const { keyboard, log, say } = start();
  keyboard.addHandler('one', PAGE_SCOPE, say('one'));
  keyboard.addHandler('two', PAGE_SCOPE, say('two'));
  t.notOk(keyboard.runChord('a', true));
  t.ok(keyboard.runChord('b', true));
  t.strictSame(log, ['two']);
});

t.test('shortcuts of a single character can be switched off', async (t) => {
  const { keyboard, log, say } = start();
  keyboard.addHandler('one', PAGE_SCOPE, say('one'));
  keyboard.addHandler('three', PAGE_SCOPE, say('three'));
  keyboard.areSingleKeysEnabled.value = false;
  t.notOk(keyboard.runChord('a'));
  t.ok(keyboard.runChord('Mod+a'));
  t.ok(keyboard.runChord('Escape'));
  t.strictSame(log, ['one', 'three']);
});

t.test('keys are changed and restored, and conflicts are named', async (t) => {
  const { keyboard, say } = start();
  keyboard.addHandler('one', PAGE_SCOPE, say('one'));
  keyboard.setCustomChords('one', ['x']);
  t.notOk(keyboard.runChord('a'));
  t.ok(keyboard.runChord('x'));
  t.strictSame(keyboard.customChordsById.value, { one: ['x'] });
  t.strictSame(keyboard.findConflictingShortcutIds('two', 'x'), ['one']);
  t.strictSame(keyboard.findConflictingShortcutIds('one', 'x'), []);
  keyboard.setCustomChords('one', undefined);
  t.strictSame(keyboard.getChords('one'), ['a', 'Mod+a']);
  t.strictSame(keyboard.customChordsById.value, {});
  t.ok(keyboard.runChord('a'));
});

t.test('no two default shortcuts share keys by accident', async (t) => {
  const keyboard = new ShortcutRegistry<keyof typeof SHORTCUTS>(SHORTCUTS);
  const conflicts = keyboard
    .listShortcutIds()
    .flatMap((id) =>
      keyboard
        .getChords(id)
        .flatMap((chord) => keyboard.findConflictingShortcutIds(id, chord).map((o) => `${id} ${o}`)),
    );
  t.strictSame(conflicts, []);
});
