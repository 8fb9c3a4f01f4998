/** Facts for the push actor at the moment of sending: devices, and the messages that may be shown. */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import { toStoredMessage } from '#domain/messages';
import { makePushTextBeforeSpoiler, type PushedMessage } from '#domain/push';
import { toStreamId, toUserId } from '#model';
import type { userActorCommands } from '#model/commands';
import type { UserCommandHandler } from '../../state.js';
import { loadMessageReadingRights } from '../messages/on-message.js';
import { listPushDevices, listPushTokenPartNames, readStoredPushToken } from './push-tokens.js';

/** Messages that were read, deleted, or are out of the user's reach now are left out. */
export const readPushAccountFactsHandler: UserCommandHandler<
  typeof userActorCommands.pushFacts,
  readonly PushedMessage[]
> = {
  lane: 'read',
  read: true,
  async inputs({ ids }, context, sources) {
    if (ids.length === 0) return [];
    const { reader, flags, directory } = await loadMessageReadingRights(context, sources);
    const records = await sources.store.getMessages(context.realm, ids);
    const found: PushedMessage[] = [];
    for (const record of records) {
      const own = record && (await reader.findReadableInAnyView(toStoredMessage(record)));
      if (!own || flags.isRead(own)) continue;
      const { id, sender, participants, body } = own.message;
      const others = participants.filter((one) => one !== context.caller);
      found.push({
        id,
        sender,
        senderName: directory.user(toUserId(sender))?.fullName ?? '',
        sent: body.sent,
        stream: body.stream,
        streamName: body.stream === 0 ? '' : (directory.stream(toStreamId(body.stream))?.name ?? ''),
        topic: body.topic,
        others: others.length === 0 ? participants : others,
        recipient: body.recipient,
        text: makePushTextBeforeSpoiler(body.html),
      });
    }
    return found;
  },
  handle: ({ parts }, _args, found) => ({
    reply: makeValueReply({
      devices: listPushDevices(parts),
      messages: Object.fromEntries(found.map((message) => [message.id, message])),
    }),
  }),
};

export const dropMobilePushTokensHandler: UserCommandHandler<typeof userActorCommands.dropPushTokens> = {
  handle({ parts }, { tokens }) {
    const gone = listPushTokenPartNames(parts).filter((part) =>
      tokens.includes(readStoredPushToken(parts, part).token),
    );
    return { reply: makeValueReply(null), parts: Object.fromEntries(gone.map((part) => [part, null as Json])) };
  },
};
