import t from 'tap';
import { chordOf, Keyboard, keyNames, PAGE, SHORTCUTS, type Shortcut } from '../../../web/src/keyboard/index.js';

const NONE = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false };

t.test('a chord names modifiers and key; Shift is part of a character', async (t) => {
  t.equal(chordOf({ ...NONE, key: 'r' }), 'r');
  t.equal(chordOf({ ...NONE, key: 'R', shiftKey: true }), 'R');
  t.equal(chordOf({ ...NONE, key: '?', shiftKey: true }), '?');
  t.equal(chordOf({ ...NONE, key: ' ', shiftKey: true }), 'Shift+Space');
  t.equal(chordOf({ ...NONE, key: 'k', ctrlKey: true }), 'Mod+k');
  t.equal(chordOf({ ...NONE, key: 'ArrowLeft', altKey: true }), 'Alt+ArrowLeft');
  t.equal(chordOf({ ...NONE, key: 'Shift', shiftKey: true }), undefined, 'a modifier alone is none');
});

t.test('Command is the main modifier on a Mac, where Option writes characters', async (t) => {
  t.equal(chordOf({ ...NONE, key: 'k', metaKey: true }, true), 'Mod+k');
  t.equal(chordOf({ ...NONE, key: 'k', ctrlKey: true }, true), 'Ctrl+k');
  t.equal(chordOf({ ...NONE, key: '@', altKey: true }, true), '@');
});

t.test('layouts with a third level or another script give the same shortcuts', async (t) => {
  const third = (name: string) => name === 'AltGraph';
  t.equal(chordOf({ ...NONE, key: '@', ctrlKey: true, altKey: true, getModifierState: third }), '@');
  t.equal(chordOf({ ...NONE, key: 'к', code: 'KeyR' }), 'r', 'Cyrillic');
  t.equal(chordOf({ ...NONE, key: 'ρ', code: 'KeyR', ctrlKey: true }), 'Mod+r', 'Greek');
  t.equal(chordOf({ ...NONE, key: 'z', code: 'KeyY' }), 'z', 'Latin letters count as written');
});

t.test('chords are shown as key caps', async (t) => {
  const name = (key: string) => key;
  t.strictSame(keyNames('r', name), ['R']);
  t.strictSame(keyNames('R', name), ['key.shift', 'R']);
  t.strictSame(keyNames('Mod+k', name), ['key.ctrl', 'K']);
  t.strictSame(keyNames('Mod+k', name, true), ['⌘', 'K']);
  t.strictSame(keyNames('Alt+ArrowLeft', name), ['key.alt', '←']);
  t.strictSame(keyNames('+', name), ['+']);
  t.strictSame(keyNames('Mod+.', name), ['key.ctrl', '.']);
});

const TABLE: Record<'one' | 'two' | 'three', Shortcut> = {
  one: { keys: ['a', 'Mod+a'], group: 'general' },
  two: { keys: ['b'], group: 'general', fields: true },
  three: { keys: ['Escape'], group: 'general', fields: true },
};

/** A keyboard with a log of what its handlers were called for. */
function start() {
  const keyboard = new Keyboard(TABLE);
  const log: string[] = [];
  const say = (text: string, answer?: boolean) => () => {
    log.push(text);
    return answer;
  };
  return { keyboard, log, say };
}

t.test('the newest handler runs; when it declines, the one before does', async (t) => {
  const { keyboard, log, say } = start();
  t.notOk(keyboard.press('a'), 'nothing takes the key yet');
  keyboard.on('one', PAGE, say('first'));
  const off = keyboard.on('one', PAGE, say('second', false));
  t.ok(keyboard.press('a'));
  off();
  off();
  t.ok(keyboard.press('Mod+a'));
  t.strictSame(log, ['second', 'first', 'first']);
});

t.test('only the innermost scope hears keys', async (t) => {
  const { keyboard, log, say } = start();
  const dialog = Symbol('dialog');
  keyboard.on('one', PAGE, say('page'));
  const leave = keyboard.enter(dialog);
  t.notOk(keyboard.press('a'));
  keyboard.on('one', PAGE, say('page again'));
  keyboard.on('one', dialog, say('dialog'));
  t.ok(keyboard.press('a'));
  leave();
  leave();
  t.ok(keyboard.press('a'));
  t.strictSame(log, ['dialog', 'page again']);
});

t.test('in a field, only the shortcuts that say so run', async (t) => {
  const { keyboard, log, say } = start();
  keyboard.on('one', PAGE, say('one'));
  keyboard.on('two', PAGE, say('two'));
  t.notOk(keyboard.press('a', true));
  t.ok(keyboard.press('b', true));
  t.strictSame(log, ['two']);
});

t.test('shortcuts of a single character can be switched off', async (t) => {
  const { keyboard, log, say } = start();
  keyboard.on('one', PAGE, say('one'));
  keyboard.on('three', PAGE, say('three'));
  keyboard.enabled.value = false;
  t.notOk(keyboard.press('a'));
  t.ok(keyboard.press('Mod+a'));
  t.ok(keyboard.press('Escape'));
  t.strictSame(log, ['one', 'three']);
});

t.test('keys are changed and restored, and conflicts are named', async (t) => {
  const { keyboard, say } = start();
  keyboard.on('one', PAGE, say('one'));
  keyboard.setKeys('one', ['x']);
  t.notOk(keyboard.press('a'));
  t.ok(keyboard.press('x'));
  t.strictSame(keyboard.changes.value, { one: ['x'] });
  t.strictSame(keyboard.conflictsOf('two', 'x'), ['one']);
  t.strictSame(keyboard.conflictsOf('one', 'x'), []);
  keyboard.setKeys('one', undefined);
  t.strictSame(keyboard.keysOf('one'), ['a', 'Mod+a']);
  t.strictSame(keyboard.changes.value, {});
  t.ok(keyboard.press('a'));
});

t.test('no two default shortcuts share keys by accident', async (t) => {
  const keyboard = new Keyboard<keyof typeof SHORTCUTS>(SHORTCUTS);
  const conflicts = keyboard
    .ids()
    .flatMap((id) => keyboard.keysOf(id).flatMap((chord) => keyboard.conflictsOf(id, chord).map((o) => `${id} ${o}`)));
  t.strictSame(conflicts, []);
});
