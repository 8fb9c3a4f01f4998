/** A stream got its first message: its first_message_id, known to everybody, never changes again (no event). */

import { value } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { asPart, STREAM_PART, streamOf } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import type { RealmCommand } from '../command.js';

export const firstMessage: RealmCommand<typeof realmCommands.firstMessage> = {
  lane: 'first-message',
  handle({ state, parts }, { stream, id }, _inputs, { version }) {
    const before = streamOf(parts, stream);
    if (!before || before.firstMessage !== null) return { reply: value(null) };
    const after = { ...before, firstMessage: id };
    return {
      reply: value(null),
      state: { ...state, directoryVersion: version },
      parts: { [`${STREAM_PART}${stream}`]: asPart(after) },
      events: [tellReplicas({ stream: after })],
    };
  },
};
