import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Draft, ScheduledMessage, Snapshot } from '../../contract/index.js';
import type { StateSlice } from './slice.js';

export type StoredDraft = Draft & { readonly id: number };

const addressKeyOf = ({ type, to, topic }: StoredDraft): string => `${type}/${to}/${topic}`.toLowerCase();

/**
 * The user's own lists: drafts (newest first), scheduled messages (next first), ids of starred messages.
 *
 * Views write drafts by `core.draftService`, which waits until typing stops.
 */
export class OwnListsState implements StateSlice {
  readonly draftsById = signal<ReadonlyMap<number, StoredDraft>>(new Map());
  readonly scheduledById = signal<ReadonlyMap<number, ScheduledMessage>>(new Map());
  readonly starredMessageIds = signal<ReadonlySet<number>>(new Set());

  readonly draftsNewestFirst: ReadonlySignal<readonly StoredDraft[]> = computed(() =>
    [...this.draftsById.value.values()].sort((a, b) => (b.timestamp ?? 0) - (a.timestamp ?? 0) || b.id - a.id),
  );
  /** Drafts of this account that the server doesn't have, newest first; their ids are negative. */
  readonly unsavedDrafts = signal<readonly StoredDraft[]>([]);
  /** All drafts. An unsaved one stands for the newest stored one of its address: it has the newer text. */
  readonly listedDrafts: ReadonlySignal<readonly StoredDraft[]> = computed(() => {
    const stored = this.draftsNewestFirst.value;
    const unsaved = this.unsavedDrafts.value;
    const replaced = unsaved.map((draft) => stored.find((one) => addressKeyOf(one) === addressKeyOf(draft)));
    return [...unsaved, ...stored.filter((one) => !replaced.includes(one))];
  });
  readonly scheduledNextFirst: ReadonlySignal<readonly ScheduledMessage[]> = computed(() =>
    [...this.scheduledById.value.values()].sort(
      (a, b) =>
        a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp ||
        a.scheduled_message_id - b.scheduled_message_id,
    ),
  );

  loadFromSnapshot({ drafts, scheduled_messages, starred_messages }: Snapshot): void {
    this.draftsById.value = new Map((drafts ?? []).map((draft) => [draft.id ?? 0, { ...draft, id: draft.id ?? 0 }]));
    this.scheduledById.value = new Map((scheduled_messages ?? []).map((one) => [one.scheduled_message_id, one]));
    this.starredMessageIds.value = new Set(starred_messages ?? []);
  }

  makeSnapshotFields(): Partial<Snapshot> {
    return {
      drafts: this.draftsNewestFirst.peek(),
      scheduled_messages: this.scheduledNextFirst.peek(),
      starred_messages: [...this.starredMessageIds.peek()].sort((a, b) => a - b),
    };
  }

  setMessagesStarred(ids: readonly number[], on: boolean): void {
    const starred = new Set(this.starredMessageIds.peek());
    for (const id of ids) {
      if (on) starred.add(id);
      else starred.delete(id);
    }
    this.starredMessageIds.value = starred;
  }
}
