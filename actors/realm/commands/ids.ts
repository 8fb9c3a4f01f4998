/** Ids that only the realm actor hands out: of messages, and of recipients of direct-message groups. */

import { makeValueReply } from '#actors/shared';
import type { realmActorCommands } from '#model/commands';
import { DIRECT_GROUP_RECIPIENT_PART_PREFIX } from '../state.js';
import type { RealmCommandHandler } from './command.js';

/**
 * Number of message ids reserved by one commit, so that most commands need no write. Only a crash skips the rest of a
 * block.
 */
const MESSAGE_IDS_RESERVED_PER_COMMIT = 10_000;
const MAX_MESSAGE_IDS_PER_COMMAND = 100_000;

/** Hands out message ids. The command has its own lane, so that senders never wait for inputs of other commands. */
export const handOutMessageIdsHandler: RealmCommandHandler<typeof realmActorCommands.takeIds> = {
  lane: 'ids',
  handle({ state, volatile }, { count }) {
    if (!Number.isSafeInteger(count) || count < 1 || count > MAX_MESSAGE_IDS_PER_COMMAND)
      throw new Error(`take-ids: count ${count}`);
    const first = volatile.nextMessageId;
    volatile.nextMessageId += count;
    const last = volatile.nextMessageId - 1;
    if (last <= state.reservedIds) return { reply: makeValueReply(first) };
    const ahead = volatile.isPartitionDraining ? 0 : MESSAGE_IDS_RESERVED_PER_COMMIT;
    return { reply: makeValueReply(first), state: { ...state, reservedIds: last + ahead } };
  },
};

/**
 * Returns unused message ids to the state, so that the next activation continues without a gap. The sidecar sends this
 * command when the actor leaves memory.
 *
 * The lane is that of `take-ids`. An id taken after the return needs a commit that reserves it, and a host that lost
 * the partition cannot commit.
 */
export const shrinkReservedMessageIdsHandler: RealmCommandHandler<typeof realmActorCommands.returnIds> = {
  lane: 'ids',
  handle({ state, volatile }) {
    const reservedIds = volatile.nextMessageId - 1;
    return {
      reply: makeValueReply(null),
      ...(reservedIds < state.reservedIds ? { state: { ...state, reservedIds } } : {}),
    };
  },
};

/**
 * Replies with the recipient_id of a direct-message group: allocated by the group's first message, and then never
 * changed.
 */
export const getOrAllocateGroupRecipientIdHandler: RealmCommandHandler<typeof realmActorCommands.groupRecipient> = {
  lane: 'groups',
  handle({ state, parts }, { group }) {
    const part = `${DIRECT_GROUP_RECIPIENT_PART_PREFIX}${group}`;
    const known = parts.get(part);
    if (known !== undefined) return { reply: makeValueReply(known) };
    const id = state.nextRecipient;
    return { reply: makeValueReply(id), state: { ...state, nextRecipient: id + 1 }, parts: { [part]: id } };
  },
};
