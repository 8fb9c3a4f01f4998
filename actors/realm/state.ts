/**
 * Stored state of a realm actor. The root holds settings and counters; records and lists of the directory are parts,
 * because they grow.
 */

import type { Json, JsonObject } from '#base';
import { type DirectoryRecords, type DirectorySingletons, EMPTY_SINGLETONS, type StreamTraffic } from '#directory';
import { type ActorParts, PartTable, type RealmSettings, userId } from '#model';
import type { AccountSessions, DirectoryPreferences, DirectoryProfile } from '#model/records';

export interface RealmState extends JsonObject {
  readonly phase: string;
  readonly id: number;
  readonly subdomain: string;
  readonly created: number;
  readonly settings: RealmSettings;
  readonly nextUser: number;
  readonly nextStream: number;
  readonly nextRecipient: number;
  /** Upper bound of the message ids handed out: after a crash the sequence continues above it. */
  readonly reservedIds: number;
  readonly nextGroup: number;
  readonly nextLinkifier: number;
  readonly nextPlayground: number;
  readonly nextStreamGroup: number;
  readonly nextDomain: number;
  /** Number of the next invitation to an address, and number of the next invitation link. */
  readonly invitations: { readonly nextSingle: number; readonly nextLink: number };
  /** Version of the newest commit that changed the directory; receivers of commands wait until their replica has it. */
  readonly directoryVersion: number;
  /** Realm 0 only: number of the next realm. */
  readonly nextRealm: number;
  /** Uploaded files: the next number, and the bytes that all files take. */
  readonly uploads: { readonly next: number; readonly used: number };
  readonly nextEmoji: number;
  /** Time up to which accounts that became full members by age were announced, ms. */
  readonly fullMembersAt: number;
  readonly nextProfileField: number;
}

export const USER_PART_PREFIX = 'user/';
export const STREAM_PART_PREFIX = 'stream/';
export const REALM_PART_PREFIX = 'realm/';
export const PREFERENCES_PART_PREFIX = 'personal/';
export const USER_GROUP_PART_PREFIX = 'user-group/';
export const EMOJI_PART_PREFIX = 'emoji/';
export const PROFILE_PART_PREFIX = 'profile/';
export const BOT_PART_PREFIX = 'bot/';
export const SESSIONS_PART = 'sessions/';

export const LINKIFIERS_PART = 'linkifiers';
export const PLAYGROUNDS_PART = 'playgrounds';
export const DOMAINS_PART = 'domains';
export const STREAM_GROUPS_PART = 'stream-groups';
export const PROFILE_FIELDS_PART = 'profile-fields';
export const USER_DEFAULTS_PART = 'user-defaults';
export const PICTURES_PART = 'pictures';

/** Prefix of parts of realm 0: the imports that have not ended, by subdomain. */
export const IMPORT_PART_PREFIX = 'import/';
/** Prefix of parts, one per stream: the number of its messages in the last 28 days. */
export const TRAFFIC_PART_PREFIX = 'traffic/';
/** Prefix of parts with the recipient ids of direct-message groups. */
export const DIRECT_GROUP_PART_PREFIX = 'group/';
/** Prefix of parts with the uploads of one picture each; see commands/files/pictures.ts. */
export const UPLOADS_PART_PREFIX = 'uploads/';

/** Prefix of each collection's parts: one part per record, named by the prefix and the record's number. */
export const RECORD_PART_PREFIXES: { readonly [C in keyof DirectoryRecords]: string } = {
  users: USER_PART_PREFIX,
  streams: STREAM_PART_PREFIX,
  realms: REALM_PART_PREFIX,
  personals: PREFERENCES_PART_PREFIX,
  groups: USER_GROUP_PART_PREFIX,
  emoji: EMOJI_PART_PREFIX,
  profiles: PROFILE_PART_PREFIX,
  bots: BOT_PART_PREFIX,
  sessions: SESSIONS_PART,
};

/** Parts that each hold a whole list or table. */
export const SINGLETON_PARTS: { readonly [W in keyof DirectorySingletons]: string } = {
  linkifiers: LINKIFIERS_PART,
  playgrounds: PLAYGROUNDS_PART,
  domains: DOMAINS_PART,
  streamGroups: STREAM_GROUPS_PART,
  profileFields: PROFILE_FIELDS_PART,
  userDefaults: USER_DEFAULTS_PART,
  pictures: PICTURES_PART,
};

export type { ActorParts };

/** Makes the function that lists all records of a collection, in the order of the parts' names. */
const records = <C extends keyof DirectoryRecords>(collection: C) => {
  const table = new PartTable<DirectoryRecords[C]>(RECORD_PART_PREFIXES[collection]);
  return (parts: ActorParts): Iterable<DirectoryRecords[C]> => table.values(parts);
};

/** Makes the function that finds one record of a collection. */
const record = <C extends keyof DirectoryRecords>(collection: C) => {
  const table = new PartTable<DirectoryRecords[C]>(RECORD_PART_PREFIXES[collection]);
  return (parts: ActorParts, id: number): DirectoryRecords[C] | undefined => table.get(parts, id);
};

const singleton =
  <W extends keyof DirectorySingletons>(name: W) =>
  (parts: ActorParts): DirectorySingletons[W] =>
    (parts.get(SINGLETON_PARTS[name]) as unknown as DirectorySingletons[W] | undefined) ?? EMPTY_SINGLETONS[name];

export const userRecords = records('users');
export const userRecord = record('users');
export const streamRecords = records('streams');
export const streamRecord = record('streams');
export const realmRecords = records('realms');
export const groupRecords = records('groups');
export const groupRecord = record('groups');
export const emojiRecords = records('emoji');
export const botRecords = records('bots');
export const botRecord = record('bots');

const storedPreferences = record('personals');
export const preferencesRecord = (parts: ActorParts, user: number): DirectoryPreferences =>
  storedPreferences(parts, user) ?? { user: userId(user), settings: {}, alertWords: [], muted: [] };

const storedProfile = record('profiles');
export const profileRecord = (parts: ActorParts, user: number): DirectoryProfile =>
  storedProfile(parts, user) ?? { user: userId(user), values: {} };

export const accountSessionsOf = records('sessions');
const storedSessions = record('sessions');
export const sessionsOf = (parts: ActorParts, user: number): AccountSessions =>
  storedSessions(parts, user) ?? { user: userId(user), last: 0, sessions: [], links: [], endedAt: 0 };

export const linkifierRecords = singleton('linkifiers');
export const playgroundRecords = singleton('playgrounds');
export const domainRecords = singleton('domains');
export const streamGroupRecords = singleton('streamGroups');
export const profileFieldRecords = singleton('profileFields');
export const userDefaultsRecord = singleton('userDefaults');
export const picturesRecord = singleton('pictures');

/** Traffic of the streams as their actors reported it last. */
export const trafficRecords = (parts: ActorParts): StreamTraffic[] =>
  [...parts]
    .filter(([name]) => name.startsWith(TRAFFIC_PART_PREFIX))
    .map(([name, recent]) => [Number(name.slice(TRAFFIC_PART_PREFIX.length)), recent as number]);

/** Encodes a record or list of the directory into its stored form. */
export const encodeRecord = (
  value: DirectoryRecords[keyof DirectoryRecords] | DirectorySingletons[keyof DirectorySingletons],
): Json => value as unknown as Json;
