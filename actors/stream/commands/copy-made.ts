/**
 * Somebody made himself copies of messages of the past, by flagging them: from now on he hears of their changes. Never
 * refused; what is gone, or was moved away meanwhile, is passed over.
 */

import { ownerOf, value } from '#actors/shared';
import type { streamCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { StreamCommand } from '../command.js';
import { change, latest } from '../messages.js';

export const copyMade: StreamCommand<typeof streamCommands.copyMade, readonly (MessageRecord | null)[]> = {
  inputs: ({ ids }, { realm }, { store }) => store.getMessages(realm, ids),
  handle(view, { ids, user }, stored, context) {
    const messages = ids.flatMap((id, i) => {
      const message = latest(view, id, stored[i] ?? null);
      if (!message || ownerOf(context.realm, message) !== context.key) return [];
      const copies = message.body.copies ?? [];
      return copies.includes(user) ? [] : [change(view, message, { copies: [...copies, user] }, context)];
    });
    return { reply: value(null), messages };
  },
};
