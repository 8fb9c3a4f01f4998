/** Creation of an account by the realm actor, and reads of its API key and of its newest message. */

import { makeValueReply } from '#actors/shared';
import { IdSet, type Json } from '#base';
import {
  encodeOriginReadStatePart,
  loadNewestMessageTrackingState,
  type NewestMessageTrackingState,
} from '#domain/messages';
import { makeDefaultSubscription, pickSubscriptionColor } from '#domain/streams';
import type { userActorCommands } from '#model/commands';
import {
  listPresentAndFormerSubscriptions,
  SUBSCRIPTION_PART_PREFIX,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';

/** Creates the account's actor. The realm actor has decided and sends this command, so it is never refused. */
export const createAccountHandler: UserCommandHandler<typeof userActorCommands.create> = {
  creates: true,
  handle({ state }, { passwordHash, keySealed, streams }) {
    const used = new Set<string>();
    const parts: Record<string, Json> = {};
    for (const { id, recipient, mark } of streams) {
      const color = pickSubscriptionColor(used, recipient);
      used.add(color);
      parts[`${SUBSCRIPTION_PART_PREFIX}${id}`] = makeDefaultSubscription(id, color) as unknown as Json;
      if (mark > 0)
        Object.assign(parts, encodeOriginReadStatePart(id, { mark, read: IdSet.EMPTY, unread: IdSet.EMPTY }));
    }
    return { reply: makeValueReply(null), state: { ...state, passwordHash, keySealed }, parts };
  },
};

/** Replies with the sealed API key, for the command line, which knows the server secret. */
export const readSealedApiKeyHandler: UserCommandHandler<typeof userActorCommands.sealedKey> = {
  lane: 'read',
  read: true,
  // Keys of bots are in the directory, because their owners may read them, too.
  handle: ({ state }, _args, _inputs, { key, directory }) => ({
    reply: makeValueReply(directory.bot(userIdOfUserActorKey(key))?.keySealed ?? state.keySealed),
  }),
};

/**
 * Replies with the id of the user's newest message, and with the state from which a frontend follows that message by
 * the log.
 */
export const readNewestMessageStateHandler: UserCommandHandler<
  typeof userActorCommands.newest,
  NewestMessageTrackingState
> = {
  lane: 'read',
  read: true,
  inputs: (_args, { realm, caller, view }, { store }) =>
    loadNewestMessageTrackingState(
      store,
      realm,
      caller,
      listPresentAndFormerSubscriptions(view.parts).map((own) => own.stream),
    ),
  handle: (_view, _args, known) => ({ reply: makeValueReply(known) }),
};
