import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { RealmEmoji, Snapshot } from '../../contract/index.js';
import type { Slice } from './slice.js';

/** Custom emoji: `emoji.byId` for reactions of all times, `emoji.active` for pickers, by name. */
export class EmojiState implements Slice {
  readonly byId = signal<Readonly<Record<string, RealmEmoji>>>({});
  readonly activeEmoji: ReadonlySignal<readonly RealmEmoji[]> = computed(() =>
    Object.values(this.byId.value)
      .filter(({ deactivated }) => !deactivated)
      .sort((a, b) => a.name.localeCompare(b.name)),
  );

  load({ realm_emoji }: Snapshot): void {
    this.byId.value = realm_emoji as Readonly<Record<string, RealmEmoji>>;
  }

  save(): Partial<Snapshot> {
    return { realm_emoji: this.byId.peek() };
  }
}
