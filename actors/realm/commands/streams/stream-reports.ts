/**
 * Reports of stream actors: facts about a stream that belong in the directory, though no event tells clients of them.
 */

import { valueReply } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { directoryLogItem } from '../../log-items.js';
import { encodeRecord, STREAM_PART_PREFIX, streamRecord, TRAFFIC_PART_PREFIX } from '../../state.js';
import type { RealmCommand } from '../command.js';

/** Records the id of a stream's first message; its `first_message_id` never changes again. */
export const recordFirstMessageHandler: RealmCommand<typeof realmCommands.firstMessage> = {
  lane: 'first-message',
  handle({ state, parts }, { stream, id }, _inputs, { version }) {
    const before = streamRecord(parts, stream);
    if (!before || before.firstMessage !== null) return { reply: valueReply(null) };
    const after = { ...before, firstMessage: id };
    return {
      reply: valueReply(null),
      state: { ...state, directoryVersion: version },
      parts: { [`${STREAM_PART_PREFIX}${stream}`]: encodeRecord(after) },
      events: [directoryLogItem({ stream: after })],
    };
  },
};

/** Records the number of a stream's recent messages, at most once a day; registrations show it. */
export const recordStreamTrafficHandler: RealmCommand<typeof realmCommands.streamTraffic> = {
  lane: 'first-message',
  handle: (_view, { stream, recent }) => ({
    reply: valueReply(null),
    parts: { [`${TRAFFIC_PART_PREFIX}${stream}`]: recent },
    events: [directoryLogItem({ traffic: [[stream, recent]] })],
  }),
};
