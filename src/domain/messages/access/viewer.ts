/** The user who reads messages: preferences that decide what the user sees, and memberships that decide access. */

import { type StreamMembershipRecord, streamMemberPartAddress, toStreamMembershipRecord } from '#domain/streams';
import type { RealmId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { MessageReadStore } from '#ports/store';
import { UserMessageFlagsView } from '../flags/read-state.js';

export interface MessageViewerContext {
  readonly realm: RealmId;
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly flags: UserMessageFlagsView;
  /** Ids of the streams to which the user is or was subscribed. */
  readonly streams: readonly number[];
  /** True if the user is subscribed to the stream now. */
  subscribed(stream: number): boolean;
  readonly mutedStreams: ReadonlySet<number>;
  mutesTopic(stream: number, topic: string): boolean;
  followsTopic(stream: number, topic: string): boolean;
}

/** A viewer without flags and mutes: access follows from subscriptions alone. */
export const makeViewerWithoutFlags = (
  of: Pick<MessageViewerContext, 'realm' | 'user' | 'directory' | 'subscribed'>,
): MessageViewerContext => ({
  ...of,
  flags: new UserMessageFlagsView(of.user.id, new Map()),
  streams: [],
  mutedStreams: new Set(),
  mutesTopic: () => false,
  followsTopic: () => false,
});

/** One user's memberships of streams, read from the Store on demand. */
export class CachedUserStreamMemberships {
  readonly #membershipByStreamId = new Map<number, StreamMembershipRecord | undefined>();
  /** Cache of the last stream and the user's membership in it: consecutive messages are mostly in few streams. */
  #lastStream = -1;
  #lastMembership: StreamMembershipRecord | undefined;

  constructor(
    private readonly store: MessageReadStore,
    private readonly realm: RealmId,
    private readonly user: number,
  ) {}

  /** Reads the user's memberships that aren't known yet, in one query. */
  async loadMissing(streams: readonly number[]): Promise<void> {
    const missing = [...new Set(streams)].filter((stream) => !this.#membershipByStreamId.has(stream));
    if (missing.length === 0) return;
    const parts = await this.store.getParts(
      missing.map((stream) => streamMemberPartAddress(this.realm, stream, this.user)),
    );
    missing.forEach((stream, i) => {
      this.#membershipByStreamId.set(stream, toStreamMembershipRecord(parts[i]?.value));
    });
  }

  hasLoaded(stream: number): boolean {
    return stream === this.#lastStream || this.#membershipByStreamId.has(stream);
  }

  /** Returns the user's membership of a stream that was passed to `loadMissing`; undefined if the user has none. */
  readonly loadedMembershipOf = (stream: number): StreamMembershipRecord | undefined => {
    if (stream === this.#lastStream) return this.#lastMembership;
    const membership = this.#membershipByStreamId.get(stream);
    if (membership !== undefined) {
      this.#lastStream = stream;
      this.#lastMembership = membership;
    }
    return membership;
  };
}
