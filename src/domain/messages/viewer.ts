/** Who looks at messages: the user with those of his own choices that decide what he sees. */

import type { RealmId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import { OwnFlags } from './read-state.js';

export interface Viewer {
  readonly realm: RealmId;
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly flags: OwnFlags;
  /** Streams to which the user is or was subscribed. */
  readonly streams: readonly number[];
  /** Now. */
  subscribed(stream: number): boolean;
  readonly mutedStreams: ReadonlySet<number>;
  mutesTopic(stream: number, topic: string): boolean;
}

/** Somebody of whose choices nothing is known here: what he may read follows from subscriptions alone. */
export const plainViewer = (of: Pick<Viewer, 'realm' | 'user' | 'directory' | 'subscribed'>): Viewer => ({
  ...of,
  flags: new OwnFlags(of.user.id, new Map()),
  streams: [],
  mutedStreams: new Set(),
  mutesTopic: () => false,
});
