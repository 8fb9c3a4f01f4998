/** From a stream's actor, at most once a day: what is said there. Clients see it when they register; no event tells it. */

import { value } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { TRAFFIC_PART } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import type { RealmCommand } from '../command.js';

export const streamTraffic: RealmCommand<typeof realmCommands.streamTraffic> = {
  lane: 'first-message',
  handle: (_view, { stream, recent }) => ({
    reply: value(null),
    parts: { [`${TRAFFIC_PART}${stream}`]: recent },
    events: [tellReplicas({ traffic: [[stream, recent]] })],
  }),
};
