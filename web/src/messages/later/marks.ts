import type { Message } from '../../contract/index.js';
import type { Platform } from '../../core/index.js';
import { PressedValues } from '../../toggles/index.js';
import { buildWidgetState } from './submessages.js';

/** An option of a poll or a task of a to-do list. */
interface WidgetEntry {
  readonly message: number;
  readonly key: string;
}

/**
 * The reader's votes and check marks of tasks.
 *
 * A vote says whether it is given. A check mark is only toggled, so sending it twice would undo it.
 */
export function makeWidgetMarks(
  readMessage: (id: number) => Message | undefined,
  ownUserId: () => number,
  sendSubmessage: (message: number, data: Readonly<Record<string, unknown>>) => Promise<unknown>,
  timers: () => Pick<Platform, 'setTimer' | 'clearTimer'>,
) {
  const stateOf = ({ message: id }: WidgetEntry) => {
    const message = readMessage(id);
    return message && buildWidgetState(message);
  };
  const keyOf = ({ message, key }: WidgetEntry): string => `${message} ${key}`;
  const votes = new PressedValues<WidgetEntry, boolean>(
    {
      keyOf,
      known(entry) {
        const state = stateOf(entry);
        if (state?.type !== 'poll') return false;
        return state.options.some(({ key, voters }) => key === entry.key && voters.includes(ownUserId()));
      },
      send: ({ message, key }, on) => sendSubmessage(message, { type: 'vote', key, vote: on ? 1 : -1 }),
    },
    timers,
  );
  const tasks = new PressedValues<WidgetEntry, boolean>(
    {
      keyOf,
      known(entry) {
        const state = stateOf(entry);
        return state?.type === 'todo' && state.tasks.some(({ key, done }) => key === entry.key && done);
      },
      send: ({ message, key }) => sendSubmessage(message, { type: 'strike', key }),
    },
    timers,
  );
  return { votes, tasks };
}
