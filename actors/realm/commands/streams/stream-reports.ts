/**
 * Reports of stream actors: facts about a stream that belong in the directory, though no event tells clients of them.
 */

import { makeValueReply } from '#actors/shared';
import type { realmActorCommands } from '#model/commands';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  encodeDirectoryRecord,
  findStreamRecord,
  STREAM_PART_PREFIX,
  STREAM_TRAFFIC_PART_PREFIX,
} from '../../state.js';
import type { RealmCommandHandler } from '../command.js';

/** Records the id of a stream's first message; its `first_message_id` never changes again. */
export const recordFirstMessageIdHandler: RealmCommandHandler<typeof realmActorCommands.firstMessage> = {
  lane: 'first-message',
  handle({ state, parts }, { stream, id }, _inputs, { version }) {
    const before = findStreamRecord(parts, stream);
    if (!before || before.firstMessage !== null) return { reply: makeValueReply(null) };
    const after = { ...before, firstMessage: id };
    return {
      reply: makeValueReply(null),
      state: { ...state, directoryVersion: version },
      parts: { [`${STREAM_PART_PREFIX}${stream}`]: encodeDirectoryRecord(after) },
      events: [makeDirectoryLogItem({ stream: after })],
    };
  },
};

/** Records the number of a stream's recent messages, at most once a day; registrations show it. */
export const recordStreamTrafficHandler: RealmCommandHandler<typeof realmActorCommands.streamTraffic> = {
  lane: 'first-message',
  handle: (_view, { stream, recent }) => ({
    reply: makeValueReply(null),
    parts: { [`${STREAM_TRAFFIC_PART_PREFIX}${stream}`]: recent },
    events: [makeDirectoryLogItem({ traffic: [[stream, recent]] })],
  }),
};
