import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Snapshot, Subscriptions } from '../../contract/index.js';
import type { StateSlice } from './slice.js';

type SharedStreamField = 'stream_id' | 'name' | 'description' | 'rendered_description' | 'date_created' | 'invite_only';
type StreamRuleField =
  | 'is_web_public'
  | 'stream_post_policy'
  | 'message_retention_days'
  | 'history_public_to_subscribers';

/**
 * A stream that the user can see. Subscribed ones have the personal fields (`color`, `is_muted`, `pin_to_top`, …) of
 * now, former ones those of the last subscription, others none.
 */
export type Stream = Pick<Subscriptions, SharedStreamField | StreamRuleField> &
  Partial<Subscriptions> & { readonly membership: 'subscribed' | 'former' | 'never' };

/** A stream that the user can't see: archived, or hidden from the user. */
export interface UnseenStream {
  readonly name: string;
  readonly isArchived: boolean;
}

/** The server puts this before the names of archived streams, which messages carry. */
const ARCHIVED_NAME_PREFIX_PATTERN = /^[\da-f]{7}!DEACTIVATED:/;

export function parseUnseenStreamName(nameInMessage: string): UnseenStream {
  const name = nameInMessage.replace(ARCHIVED_NAME_PREFIX_PATTERN, '');
  return { name, isArchived: name !== nameInMessage };
}

const compareStreamNames = (a: Stream, b: Stream): number => a.name.localeCompare(b.name);

/**
 * Streams and subscriptions.
 *
 *     streams.byId.value.get(id)         any stream that the user can see or was in
 *     streams.subscribedStreams.value    by name
 *     streams.getStreamName(id)          empty for an unknown id
 *     streams.findIdByName('General')    in any case
 *     streams.getGoneStream(id)          a stream that was there before an event of this page took it away
 */
export class StreamsState implements StateSlice {
  readonly byId = signal<ReadonlyMap<number, Stream>>(new Map());

  readonly #goneById = signal<ReadonlyMap<number, UnseenStream>>(new Map());

  readonly allSortedByName: ReadonlySignal<readonly Stream[]> = computed(() =>
    [...this.byId.value.values()].sort(compareStreamNames),
  );
  readonly subscribedStreams: ReadonlySignal<readonly Stream[]> = computed(() =>
    this.allSortedByName.value.filter(({ membership }) => membership === 'subscribed'),
  );
  readonly #idByLowerCaseName = computed(
    () => new Map(this.allSortedByName.value.map(({ name, stream_id }) => [name.toLowerCase(), stream_id])),
  );

  loadFromSnapshot(snapshot: Snapshot): void {
    const lists = [
      [snapshot.never_subscribed, 'never'],
      [snapshot.unsubscribed, 'former'],
      [snapshot.subscriptions, 'subscribed'],
    ] as const;
    const streams = new Map<number, Stream>();
    for (const [list, membership] of lists) {
      for (const stream of list ?? []) streams.set(stream.stream_id, { ...stream, membership });
    }
    this.byId.value = streams;
    this.#goneById.value = new Map();
  }

  makeSnapshotFields(): Partial<Snapshot> {
    // In no order: the first comparison of names by the rules of a language takes a browser 20 ms.
    const of = (wanted: Stream['membership']) =>
      [...this.byId.peek().values()]
        .filter(({ membership }) => membership === wanted)
        .map(({ membership: _, ...stream }) => stream as Subscriptions);
    return { subscriptions: of('subscribed'), unsubscribed: of('former'), never_subscribed: of('never') };
  }

  getStreamName(id: number): string {
    return this.byId.value.get(id)?.name ?? '';
  }

  getGoneStream(id: number): UnseenStream | undefined {
    return this.byId.value.has(id) ? undefined : this.#goneById.value.get(id);
  }

  findIdByName(name: string): number | undefined {
    return this.#idByLowerCaseName.value.get(name.toLowerCase());
  }

  isSubscribed(id: number): boolean {
    return this.byId.value.get(id)?.membership === 'subscribed';
  }

  isMuted(id: number): boolean {
    return this.byId.value.get(id)?.is_muted === true;
  }

  getPrivacy(id: number): 'private' | 'public' | 'web-public' | undefined {
    const stream = this.byId.value.get(id);
    if (!stream) return undefined;
    if (stream.is_web_public) return 'web-public';
    return stream.invite_only ? 'private' : 'public';
  }

  putStream(id: number, stream: Stream): void {
    this.byId.value = new Map(this.byId.peek()).set(id, stream);
  }

  /** The stream was archived or hidden. The event does not say which, but only archiving takes away a subscription. */
  deleteStream(id: number): void {
    const streams = new Map(this.byId.peek());
    const stream = streams.get(id);
    if (!stream) return;
    streams.delete(id);
    const gone = { name: stream.name, isArchived: stream.membership === 'subscribed' };
    this.#goneById.value = new Map(this.#goneById.peek()).set(id, gone);
    this.byId.value = streams;
  }
}
