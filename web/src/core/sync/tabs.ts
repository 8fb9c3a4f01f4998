import type { QueueEvent, Snapshot } from '../../contract/index.js';
import type { SyncStatus } from './queue.js';

/** Messages between the tabs of one browser. A tab that does not know a message asks for the state again. */
export type TabMessage =
  /** A tab without state asks the leader for it. */
  | { readonly type: 'ask'; readonly from: string }
  | StateMessage
  /** Events with ids above `after`, up to `last`. */
  | {
      readonly type: 'events';
      readonly queue: string;
      readonly after: number;
      readonly last: number;
      readonly events: readonly QueueEvent[];
    }
  | { readonly type: 'status'; readonly status: SyncStatus }
  /** A tab is about to end the session. */
  | { readonly type: 'signing-out' }
  | { readonly type: 'signed-in' }
  /** Code of the error that ended the session, or nothing. */
  | { readonly type: 'signed-out'; readonly code?: string | undefined };

export interface StateMessage {
  readonly type: 'state';
  /** Id of a tab, or `*`. */
  readonly to: string;
  readonly queue: string | undefined;
  readonly last: number;
  readonly status: SyncStatus;
  readonly snapshot: Snapshot;
}
