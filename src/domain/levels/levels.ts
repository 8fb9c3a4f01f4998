/** The table of API levels that the server speaks. */
import { SERVER_VERSION } from '#base';

interface ApiLevelRow {
  /** Number of the level, as clients compare it: `zulip_feature_level`. */
  readonly level: number;
  /** Release of the API's original server with this level; clients only show it. */
  readonly release: string;
}

/**
 * Levels, lowest first. A client gets the forms of all changes (`changes/`) up to its level. The first row is the model
 * of the server itself: nothing is translated for its clients.
 */
export const API_LEVELS = [
  { level: 184, release: '7.0' },
  { level: 277, release: '9.0' },
  { level: 371, release: '10.0' },
] as const satisfies readonly ApiLevelRow[];

/** Number of a level that the server speaks. */
export type ApiLevel = (typeof API_LEVELS)[number]['level'];

/** Level of every client for which no other one is chosen. */
export const BASE_API_LEVEL: ApiLevel = API_LEVELS[0].level;

/** Highest level of the server up to this number; the base level for a lower number. */
export const highestApiLevelUpTo = (wanted: number): ApiLevel =>
  API_LEVELS.findLast(({ level }) => level <= wanted)?.level ?? BASE_API_LEVEL;

const makeVersionFields = ({ level, release }: ApiLevelRow) => ({
  service_version: `${release}+conclave.${SERVER_VERSION}`,
  zulip_version: `${release}+conclave.${SERVER_VERSION}`,
  service_feature_level: level,
  zulip_feature_level: level,
  service_merge_base: '',
  zulip_merge_base: '',
});

const VERSION_FIELDS_BY_LEVEL = new Map(API_LEVELS.map((row) => [row.level as ApiLevel, makeVersionFields(row)]));

/** Version fields of responses, under both names: existing clients read the `zulip_` names. */
export const versionFieldsOfLevel = (level: ApiLevel): ReturnType<typeof makeVersionFields> =>
  VERSION_FIELDS_BY_LEVEL.get(level)!;
