import { makeNarrowApiParam, type Narrow } from '../narrow.js';

/** Messages of a first load on each side of the anchor. */
export const FIRST_LOAD_MESSAGES_PER_SIDE = 50;

/** Where a load begins: at a message, or where the server finds the place. */
export type WindowAnchor = number | 'newest' | 'oldest' | 'first_unread';

/**
 * Parameters of a request for messages. The early script makes the same ones for the address of the page
 * (web/src/early.ts), so that its answer serves the first load.
 * @param ownUserId 0: without an account
 */
export const makeMessagesParams = (
  narrow: Narrow,
  anchor: WindowAnchor,
  before: number,
  after: number,
  ownUserId: number,
) => ({
  anchor: String(anchor),
  num_before: before,
  num_after: after,
  narrow: makeNarrowApiParam(narrow, ownUserId),
});
