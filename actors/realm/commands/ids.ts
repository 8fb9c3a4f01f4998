/** Message ids: the realm actor alone gives them out. */

import { value } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { GROUP_PART } from '../state.js';
import type { RealmCommand } from './command.js';

/** One commit reserves this many, so that giving them out costs no write; only a crash skips what is left of a block. */
const ID_BLOCK = 10_000;
const MAX_COUNT = 100_000;

/** A lane of its own: everybody who waits for an id would otherwise wait for whatever this actor waits for. */
export const takeIds: RealmCommand<typeof realmCommands.takeIds> = {
  lane: 'ids',
  handle({ state, volatile }, { count }) {
    if (!Number.isSafeInteger(count) || count < 1 || count > MAX_COUNT) throw new Error(`take-ids: count ${count}`);
    const first = volatile.nextId;
    volatile.nextId += count;
    const last = volatile.nextId - 1;
    if (last <= state.reservedIds) return { reply: value(first) };
    const ahead = volatile.draining ? 0 : ID_BLOCK;
    return { reply: value(first), state: { ...state, reservedIds: last + ahead } };
  },
};

/**
 * The actor leaves memory in good order, and its next activation goes on with the id after the last one given out. In the
 * lane of `take-ids`: an id that comes after this is reserved by a commit of its own, which a former owner cannot make.
 */
export const returnIds: RealmCommand<typeof realmCommands.returnIds> = {
  lane: 'ids',
  handle({ state, volatile }) {
    const reservedIds = volatile.nextId - 1;
    return { reply: value(null), ...(reservedIds < state.reservedIds ? { state: { ...state, reservedIds } } : {}) };
  },
};

export const groupRecipient: RealmCommand<typeof realmCommands.groupRecipient> = {
  lane: 'groups',
  handle({ state, parts }, { group }) {
    const part = `${GROUP_PART}${group}`;
    const known = parts.get(part);
    if (known !== undefined) return { reply: value(known) };
    const id = state.nextRecipient;
    return { reply: value(id), state: { ...state, nextRecipient: id + 1 }, parts: { [part]: id } };
  },
};
