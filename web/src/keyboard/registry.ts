import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Shortcut } from './table.js';

/** Runs a shortcut; false declines it, so that the handler registered before gets it. */
export type ShortcutHandler = () => unknown;

/** A layer of the page. The newest one that was entered gets the keys. */
export type ShortcutScope = symbol;

/** Scope of everything that is not in a dialog. */
export const PAGE_SCOPE: ShortcutScope = Symbol('page');

/** Shortcuts with their current keys and handlers. One instance serves the page; tests make their own. */
export class ShortcutRegistry<Id extends string> {
  /** Keys that the reader chose instead of the default ones. */
  readonly customChordsById = signal<Partial<Record<Id, readonly string[]>>>({});
  /** Whether shortcuts of a single character work. Those with modifiers and Escape always do. */
  readonly areSingleKeysEnabled = signal(true);
  private readonly scopeStack: ShortcutScope[] = [PAGE_SCOPE];
  private readonly handlersByShortcutId = new Map<Id, { scope: ShortcutScope; handler: ShortcutHandler }[]>();
  private readonly shortcutIdsByChord: ReadonlySignal<Map<string, Id[]>>;

  constructor(readonly table: Readonly<Record<Id, Shortcut>>) {
    this.shortcutIdsByChord = computed(() => {
      const ids = new Map<string, Id[]>();
      for (const id of this.listShortcutIds()) {
        for (const chord of this.getChords(id)) ids.set(chord, [...(ids.get(chord) ?? []), id]);
      }
      return ids;
    });
  }

  listShortcutIds(): Id[] {
    return Object.keys(this.table) as Id[];
  }

  getChords(id: Id): readonly string[] {
    return this.customChordsById.value[id] ?? this.table[id].keys;
  }

  /** Changes the keys of a shortcut; undefined restores the default ones. */
  setCustomChords(id: Id, keys: readonly string[] | undefined): void {
    const { [id]: _, ...others } = this.customChordsById.value;
    this.customChordsById.value = (
      keys === undefined ? others : { ...others, [id]: keys }
    ) as typeof this.customChordsById.value;
  }

  /** @returns other shortcuts of the same group of views that have the chord. Shortcuts may share one by design. */
  findConflictingShortcutIds(id: Id, chord: string): Id[] {
    const shares = this.table[id].sharedKeysTag;
    return (this.shortcutIdsByChord.value.get(chord) ?? []).filter(
      (other) => other !== id && !(shares !== undefined && this.table[other].sharedKeysTag === shares),
    );
  }

  /** Takes a handler in use until the returned function is called. */
  addHandler(id: Id, scope: ShortcutScope, handler: ShortcutHandler): () => void {
    const list = this.handlersByShortcutId.get(id) ?? [];
    const entry = { scope, handler };
    list.push(entry);
    this.handlersByShortcutId.set(id, list);
    return () => {
      const at = list.indexOf(entry);
      if (at >= 0) list.splice(at, 1);
    };
  }

  /** Makes a scope the innermost one until the returned function is called. */
  enterScope(scope: ShortcutScope): () => void {
    this.scopeStack.push(scope);
    return () => {
      const at = this.scopeStack.lastIndexOf(scope);
      if (at > 0) this.scopeStack.splice(at, 1);
    };
  }

  /**
   * Runs the shortcut of a chord.
   *
   * @param inField whether text is being typed: only shortcuts that say so work there
   * @returns whether a handler took it
   */
  runChord(chord: string, inField = false): boolean {
    for (const id of this.shortcutIdsByChord.value.get(chord) ?? []) {
      if (inField && !this.table[id].worksInFields) continue;
      if (!this.areSingleKeysEnabled.value && chord.length === 1) continue;
      if (this.runShortcut(id)) return true;
    }
    return false;
  }

  /** Does what a shortcut does, for buttons and menus elsewhere. @returns whether a handler took it */
  runShortcut(id: Id): boolean {
    const scope = this.scopeStack.at(-1)!;
    const list = this.handlersByShortcutId.get(id) ?? [];
    for (let at = list.length - 1; at >= 0; at--) {
      if (list[at]!.scope === scope && list[at]!.handler() !== false) return true;
    }
    return false;
  }
}
