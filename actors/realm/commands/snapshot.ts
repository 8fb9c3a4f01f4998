/** The command `snapshot`: replies with the whole directory, from which a new replica starts. */

import { makeValueReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { EMPTY_DIRECTORY_SINGLETONS } from '#directory';
import type { realmActorCommands } from '#model/commands';
import {
  type ActorParts,
  DIRECTORY_RECORD_PART_PREFIXES,
  DIRECTORY_SINGLETON_PART_NAMES,
  listStreamTrafficRecords,
} from '../state.js';
import type { RealmCommandHandler } from './command.js';

/** Records of a collection, by number. The map of parts is ordered by the names of the parts. */
function listRecordsByNumber(parts: ActorParts, prefix: string): Json[] {
  const found: [number, Json][] = [];
  for (const [name, record] of parts)
    if (name.startsWith(prefix)) found.push([Number(name.slice(prefix.length)), record]);
  return found.sort(([a], [b]) => a - b).map(([, record]) => record);
}

const mapObjectValues = <T>(of: { readonly [name: string]: T }, as: (one: T, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(of).map(([name, one]) => [name, as(one, name)]));

export const readWholeDirectoryHandler: RealmCommandHandler<typeof realmActorCommands.snapshot> = {
  lane: 'snapshot',
  read: true,
  handle: ({ state, parts }, _args, _inputs, { version }) => ({
    reply: makeValueReply({
      // Replicas wait in the log for `directoryVersion`: only commits that change the directory appear there. It is
      // never above `version`; reading `version` closes the open commit, whose state this reply shows.
      version: Math.min(state.directoryVersion, version),
      subdomain: state.subdomain,
      deactivated: state.phase === 'deactivated',
      settings: state.settings,
      fullMembersAt: state.fullMembersAt,
      traffic: listStreamTrafficRecords(parts),
      ...mapObjectValues(DIRECTORY_RECORD_PART_PREFIXES, (prefix) => listRecordsByNumber(parts, prefix)),
      ...mapObjectValues(
        DIRECTORY_SINGLETON_PART_NAMES,
        (part, name) => parts.get(part) ?? (EMPTY_DIRECTORY_SINGLETONS as unknown as JsonObject)[name]!,
      ),
    }),
  }),
};
