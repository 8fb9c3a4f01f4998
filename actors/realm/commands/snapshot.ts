/** The command `snapshot`: the whole directory, with which a replica begins. */

import { valueReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { EMPTY_SINGLETONS } from '#directory';
import type { realmCommands } from '#model/commands';
import { type ActorParts, RECORD_PART_PREFIXES, SINGLETON_PARTS, trafficRecords } from '../state.js';
import type { RealmCommand } from './command.js';

/** Records of a collection in the order of their numbers; the map is in the order of names. */
function records(parts: ActorParts, prefix: string): Json[] {
  const found: [number, Json][] = [];
  for (const [name, record] of parts)
    if (name.startsWith(prefix)) found.push([Number(name.slice(prefix.length)), record]);
  return found.sort(([a], [b]) => a - b).map(([, record]) => record);
}

const mapped = <T>(of: { readonly [name: string]: T }, as: (one: T, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(of).map(([name, one]) => [name, as(one, name)]));

export const readWholeDirectoryHandler: RealmCommand<typeof realmCommands.snapshot> = {
  lane: 'snapshot',
  read: true,
  handle: ({ state, parts }, _args, _inputs, { version }) => ({
    reply: valueReply({
      // Commits above `directoryVersion` put nothing into the log for replicas to reach. `version` is never smaller;
      // reading it closes the open commit, whose state this reply shows.
      version: Math.min(state.directoryVersion, version),
      subdomain: state.subdomain,
      deactivated: state.phase === 'deactivated',
      settings: state.settings,
      fullMembersAt: state.fullMembersAt,
      traffic: trafficRecords(parts),
      ...mapped(RECORD_PART_PREFIXES, (prefix) => records(parts, prefix)),
      ...mapped(SINGLETON_PARTS, (part, name) => parts.get(part) ?? (EMPTY_SINGLETONS as unknown as JsonObject)[name]!),
    }),
  }),
};
