import type { Events } from '../../contract/index.js';
import type { MessageWindows } from '../messages/windows.js';
import type { ClientState } from '../state/state.js';
import type { ReadMarker } from '../writing/reading.js';

/** The objects that events change. */
export interface EventApplyTarget {
  readonly state: ClientState;
  readonly windows: MessageWindows;
  readonly readMarker: ReadMarker;
}

/** One function for each of these events. */
export type EventAppliers<K extends keyof Events> = {
  readonly [T in K]: (target: EventApplyTarget, event: Events[T]) => void;
};

/** Events that change nothing which the client keeps. */
export const ignoreEvent = (): void => {};
