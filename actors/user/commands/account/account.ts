/** Creation of an account by the realm actor, and reads of its API key and of its newest message. */

import { valueReply } from '#actors/shared';
import { IdSet, type Json } from '#base';
import { encodeReadState, loadNewestMessageState, type NewestMessageState } from '#domain/messages';
import { pickSubscriptionColor } from '#domain/streams';
import type { userCommands } from '#model/commands';
import {
  defaultSubscription,
  SUBSCRIPTION_PART_PREFIX,
  subscriptionsOf,
  type UserCommand,
  userIdOfKey,
} from '../../state.js';

/** Creates the account's actor. The realm actor has decided and sends this command, so it is never refused. */
export const createAccountHandler: UserCommand<typeof userCommands.create> = {
  creates: true,
  handle({ state }, { passwordHash, keySealed, streams }) {
    const used = new Set<string>();
    const parts: Record<string, Json> = {};
    for (const { id, recipient, mark } of streams) {
      const color = pickSubscriptionColor(used, recipient);
      used.add(color);
      parts[`${SUBSCRIPTION_PART_PREFIX}${id}`] = defaultSubscription(id, color) as unknown as Json;
      if (mark > 0) Object.assign(parts, encodeReadState(id, { mark, read: IdSet.EMPTY, unread: IdSet.EMPTY }));
    }
    return { reply: valueReply(null), state: { ...state, passwordHash, keySealed }, parts };
  },
};

/** Replies with the sealed API key, for the command line, which knows the server secret. */
export const readSealedKeyHandler: UserCommand<typeof userCommands.sealedKey> = {
  lane: 'read',
  read: true,
  // Keys of bots are in the directory, because their owners may read them, too.
  handle: ({ state }, _args, _inputs, { key, directory }) => ({
    reply: valueReply(directory.bot(userIdOfKey(key))?.keySealed ?? state.keySealed),
  }),
};

/**
 * Replies with the id of the user's newest message, and with the state from which a frontend follows that message by
 * the log.
 */
export const readNewestMessagesHandler: UserCommand<typeof userCommands.newest, NewestMessageState> = {
  lane: 'read',
  read: true,
  inputs: (_args, { realm, caller, view }, { store }) =>
    loadNewestMessageState(
      store,
      realm,
      caller,
      subscriptionsOf(view.parts).map((own) => own.stream),
    ),
  handle: (_view, _args, known) => ({ reply: valueReply(known) }),
};
