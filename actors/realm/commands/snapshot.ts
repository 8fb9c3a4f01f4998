/** The whole directory, for replicas. */

import { value } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { NO_SINGLETONS } from '#directory';
import type { realmCommands } from '#model/commands';
import type { Parts } from '../state.js';
import { RECORD_PARTS, trafficOf, SINGLETON_PARTS } from '../state.js';
import type { RealmCommand } from './command.js';

/** In the order of their numbers: that of parts is that of their names. */
function records(parts: Parts, prefix: string): Json[] {
  const found: [number, Json][] = [];
  for (const [name, record] of parts)
    if (name.startsWith(prefix)) found.push([Number(name.slice(prefix.length)), record]);
  return found.sort(([a], [b]) => a - b).map(([, record]) => record);
}

const mapped = <T>(of: { readonly [name: string]: T }, as: (one: T, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(of).map(([name, one]) => [name, as(one, name)]));

export const snapshot: RealmCommand<typeof realmCommands.snapshot> = {
  lane: 'snapshot',
  read: true,
  handle: ({ state, parts }, _args, _inputs, { version }) => ({
    reply: value({
      // Not of the newest commit: one that leaves the directory alone puts nothing into the log for replicas to reach.
      // (They are equal, or this one is smaller; asking for the other closes the commit that this reply shows.)
      version: Math.min(state.directoryVersion, version),
      subdomain: state.subdomain,
      deactivated: state.phase === 'deactivated',
      settings: state.settings,
      fullMembersAt: state.fullMembersAt,
      traffic: trafficOf(parts),
      ...mapped(RECORD_PARTS, (prefix) => records(parts, prefix)),
      ...mapped(SINGLETON_PARTS, (part, name) => parts.get(part) ?? (NO_SINGLETONS as unknown as JsonObject)[name]!),
    }),
  }),
};
