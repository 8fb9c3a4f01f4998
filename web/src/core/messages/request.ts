import { makeNarrowApiParam, type Narrow } from '../narrow.js';

/** Number of messages that a first load requests on each side of the anchor. */
export const FIRST_LOAD_MESSAGES_PER_SIDE = 50;

/** Anchor of a load: the id of a message, or a place that the server finds. */
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
