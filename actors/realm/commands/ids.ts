/** Message ids: the realm actor alone gives them out. */
import { value } from '../../shared/replies.js';
import type { RealmCommand } from './command.js';

/** One commit reserves this many, so that giving them out costs no write; a crash skips what is left of a block. */
const BLOCK = 10_000;
const MOST = 100_000;

/** A lane of its own: everybody who waits for an id would otherwise wait for whatever this actor waits for. */
export const takeIds: RealmCommand<{ readonly count: number }> = {
  lane: 'ids',
  handle({ state, volatile }, { count }) {
    if (!Number.isSafeInteger(count) || count < 1 || count > MOST) throw new Error(`take-ids: count ${count}`);
    const first = volatile.nextId;
    volatile.nextId += count;
    const last = volatile.nextId - 1;
    if (last <= state.reservedIds) return { reply: value(first) };
    return { reply: value(first), state: { ...state, reservedIds: last + BLOCK } };
  },
};
