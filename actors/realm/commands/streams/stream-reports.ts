/** Reports of stream actors: facts about a stream that belong into the directory, though no event tells clients. */

import { value } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { directoryItem } from '../../log-items.js';
import { STREAM_PART, streamOf, TRAFFIC_PART, toPart } from '../../state.js';
import type { RealmCommand } from '../command.js';

/** The stream got its first message; its `first_message_id` never changes again. */
export const firstMessage: RealmCommand<typeof realmCommands.firstMessage> = {
  lane: 'first-message',
  handle({ state, parts }, { stream, id }, _inputs, { version }) {
    const before = streamOf(parts, stream);
    if (!before || before.firstMessage !== null) return { reply: value(null) };
    const after = { ...before, firstMessage: id };
    return {
      reply: value(null),
      state: { ...state, directoryVersion: version },
      parts: { [`${STREAM_PART}${stream}`]: toPart(after) },
      events: [directoryItem({ stream: after })],
    };
  },
};

/** Number of recent messages, at most once a day; registrations show it. */
export const streamTraffic: RealmCommand<typeof realmCommands.streamTraffic> = {
  lane: 'first-message',
  handle: (_view, { stream, recent }) => ({
    reply: value(null),
    parts: { [`${TRAFFIC_PART}${stream}`]: recent },
    events: [directoryItem({ traffic: [[stream, recent]] })],
  }),
};
