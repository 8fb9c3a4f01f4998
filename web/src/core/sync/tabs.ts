import type { QueueEvent, Snapshot } from '../../contract/index.js';
import type { SyncStatus } from './queue.js';

/** Messages between the tabs of one browser. Every tab runs the same build or asks for the state again. */
export type TabMessage =
  /** A tab without state asks the leader for it. */
  | { readonly type: 'ask'; readonly from: string }
  | {
      readonly type: 'state';
      /** Id of a tab, or `*`. */
      readonly to: string;
      readonly queue: string | undefined;
      readonly last: number;
      readonly status: SyncStatus;
      readonly snapshot: Snapshot;
    }
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

const TAB_MESSAGE_TYPES: readonly string[] = [
  'ask',
  'state',
  'events',
  'status',
  'signing-out',
  'signed-in',
  'signed-out',
];

export const isTabMessage = (message: unknown): message is TabMessage =>
  typeof message === 'object' &&
  message !== null &&
  'type' in message &&
  TAB_MESSAGE_TYPES.includes(String(message.type));
