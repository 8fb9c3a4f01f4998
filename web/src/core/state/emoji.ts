import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { RealmEmoji, Snapshot } from '../../contract/index.js';
import type { StateSlice } from './slice.js';

/**
 * Custom emoji. `customEmojiById` keeps the deactivated ones, which old reactions show; `activeCustomEmoji` is for
 * pickers, sorted by name.
 */
export class CustomEmojiState implements StateSlice {
  readonly customEmojiById = signal<Readonly<Record<string, RealmEmoji>>>({});
  readonly activeCustomEmoji: ReadonlySignal<readonly RealmEmoji[]> = computed(() =>
    Object.values(this.customEmojiById.value)
      .filter(({ deactivated }) => !deactivated)
      .sort((a, b) => a.name.localeCompare(b.name)),
  );

  loadFromSnapshot({ realm_emoji }: Snapshot): void {
    this.customEmojiById.value = realm_emoji as Readonly<Record<string, RealmEmoji>>;
  }

  makeSnapshotFields(): Partial<Snapshot> {
    return { realm_emoji: this.customEmojiById.peek() };
  }
}
