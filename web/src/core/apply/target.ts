import type { Events } from '../../contract/index.js';
import type { Windows } from '../messages/windows.js';
import type { State } from '../state/state.js';

/** The objects that events change. */
export interface Target {
  readonly state: State;
  readonly windows: Windows;
}

/** One function for each of these events. */
export type Appliers<K extends keyof Events> = {
  readonly [T in K]: (target: Target, event: Events[T]) => void;
};

/** Events that change nothing which the client keeps. */
export const ignore = (): void => {};
