/**
 * Stored state of a realm actor. The root holds settings and counters; records and lists of the directory are parts,
 * because they grow.
 */

import type { Json, JsonObject } from '#base';
import {
  type DirectoryRecordTypeByCollection,
  type DirectorySingletons,
  EMPTY_DIRECTORY_SINGLETONS,
  type StreamRecentMessageCount,
} from '#directory';
import { ActorPartAccessor, type ActorParts, type RealmSettings, toUserId } from '#model';
import type { AccountSessions, DirectoryUserPreferences, DirectoryUserProfileValues } from '#model/records';

export interface RealmActorState extends JsonObject {
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
  /** Absent until the organization wants weekly digests for the first time. */
  readonly weeklyDigest?: WeeklyDigestSchedule;
}

/** Progress of the weekly digests. */
export interface WeeklyDigestSchedule extends JsonObject {
  /** Base URL of the organization, for links in the mails. */
  readonly origin: string;
  /** Time up to which digests were planned, ms. */
  readonly plannedUntil: number;
}

export const USER_PART_PREFIX = 'user/';
export const STREAM_PART_PREFIX = 'stream/';
export const REALM_ENTRY_PART_PREFIX = 'realm/';
export const PREFERENCES_PART_PREFIX = 'personal/';
export const USER_GROUP_PART_PREFIX = 'user-group/';
export const EMOJI_PART_PREFIX = 'emoji/';
export const PROFILE_PART_PREFIX = 'profile/';
export const BOT_PART_PREFIX = 'bot/';
export const SESSIONS_PART_PREFIX = 'sessions/';

export const LINKIFIERS_PART_NAME = 'linkifiers';
export const PLAYGROUNDS_PART_NAME = 'playgrounds';
export const EMAIL_DOMAINS_PART_NAME = 'domains';
export const DEFAULT_STREAM_GROUPS_PART_NAME = 'stream-groups';
export const PROFILE_FIELDS_PART_NAME = 'profile-fields';
export const NEW_USER_SETTING_DEFAULTS_PART_NAME = 'user-defaults';
export const REALM_PICTURES_PART_NAME = 'pictures';

/** Prefix of the parts of realm 0 that hold the unfinished imports, by subdomain. */
export const UNFINISHED_IMPORT_PART_PREFIX = 'import/';
/** Name of the part of realm 0 that holds the lease of the import that runs. */
export const IMPORT_LEASE_PART_NAME = 'import-lease';
/** Prefix of parts, one per stream: the number of its messages in the last 28 days. */
export const STREAM_TRAFFIC_PART_PREFIX = 'traffic/';
/** Prefix of parts with the recipient ids of direct-message groups. */
export const DIRECT_GROUP_RECIPIENT_PART_PREFIX = 'group/';
/** Prefix of parts with the uploads of one picture each; see commands/files/pictures.ts. */
export const PICTURE_UPLOADS_PART_PREFIX = 'uploads/';

/** Prefix of each collection's parts: one part per record, named by the prefix and the record's number. */
export const DIRECTORY_RECORD_PART_PREFIXES: { readonly [C in keyof DirectoryRecordTypeByCollection]: string } = {
  users: USER_PART_PREFIX,
  streams: STREAM_PART_PREFIX,
  realms: REALM_ENTRY_PART_PREFIX,
  personals: PREFERENCES_PART_PREFIX,
  groups: USER_GROUP_PART_PREFIX,
  emoji: EMOJI_PART_PREFIX,
  profiles: PROFILE_PART_PREFIX,
  bots: BOT_PART_PREFIX,
  sessions: SESSIONS_PART_PREFIX,
};

/** Parts that each hold a whole list or table. */
export const DIRECTORY_SINGLETON_PART_NAMES: { readonly [W in keyof DirectorySingletons]: string } = {
  linkifiers: LINKIFIERS_PART_NAME,
  playgrounds: PLAYGROUNDS_PART_NAME,
  domains: EMAIL_DOMAINS_PART_NAME,
  streamGroups: DEFAULT_STREAM_GROUPS_PART_NAME,
  profileFields: PROFILE_FIELDS_PART_NAME,
  userDefaults: NEW_USER_SETTING_DEFAULTS_PART_NAME,
  pictures: REALM_PICTURES_PART_NAME,
};

export type { ActorParts };

/** Makes the function that lists all records of a collection, in the order of the parts' names. */
const makeDirectoryRecordLister = <C extends keyof DirectoryRecordTypeByCollection>(collection: C) => {
  const table = new ActorPartAccessor<DirectoryRecordTypeByCollection[C]>(DIRECTORY_RECORD_PART_PREFIXES[collection]);
  return (parts: ActorParts): Iterable<DirectoryRecordTypeByCollection[C]> => table.values(parts);
};

/** Makes the function that finds one record of a collection. */
const makeDirectoryRecordFinder = <C extends keyof DirectoryRecordTypeByCollection>(collection: C) => {
  const table = new ActorPartAccessor<DirectoryRecordTypeByCollection[C]>(DIRECTORY_RECORD_PART_PREFIXES[collection]);
  return (parts: ActorParts, id: number): DirectoryRecordTypeByCollection[C] | undefined =>
    table.findPartValue(parts, id);
};

const makeDirectorySingletonReader =
  <W extends keyof DirectorySingletons>(name: W) =>
  (parts: ActorParts): DirectorySingletons[W] =>
    (parts.get(DIRECTORY_SINGLETON_PART_NAMES[name]) as unknown as DirectorySingletons[W] | undefined) ??
    EMPTY_DIRECTORY_SINGLETONS[name];

export const listUserRecords = makeDirectoryRecordLister('users');
export const findUserRecord = makeDirectoryRecordFinder('users');
export const listStreamRecords = makeDirectoryRecordLister('streams');
export const findStreamRecord = makeDirectoryRecordFinder('streams');
export const listRealmRecords = makeDirectoryRecordLister('realms');
export const findRealmRecord = makeDirectoryRecordFinder('realms');
export const listUserGroupRecords = makeDirectoryRecordLister('groups');
export const findUserGroupRecord = makeDirectoryRecordFinder('groups');
export const listEmojiRecords = makeDirectoryRecordLister('emoji');
export const listBotRecords = makeDirectoryRecordLister('bots');
export const findBotRecord = makeDirectoryRecordFinder('bots');

const findStoredPreferences = makeDirectoryRecordFinder('personals');
export const readPreferencesRecord = (parts: ActorParts, user: number): DirectoryUserPreferences =>
  findStoredPreferences(parts, user) ?? { user: toUserId(user), settings: {}, alertWords: [], muted: [] };

const findStoredProfile = makeDirectoryRecordFinder('profiles');
export const readProfileRecord = (parts: ActorParts, user: number): DirectoryUserProfileValues =>
  findStoredProfile(parts, user) ?? { user: toUserId(user), values: {} };

export const listSessionsOfAllAccounts = makeDirectoryRecordLister('sessions');
const findStoredSessions = makeDirectoryRecordFinder('sessions');
export const readSessionsOfAccount = (parts: ActorParts, user: number): AccountSessions =>
  findStoredSessions(parts, user) ?? { user: toUserId(user), last: 0, sessions: [], links: [], endedAt: 0 };

export const readLinkifierRecords = makeDirectorySingletonReader('linkifiers');
export const readPlaygroundRecords = makeDirectorySingletonReader('playgrounds');
export const readEmailDomainRecords = makeDirectorySingletonReader('domains');
export const readDefaultStreamGroupRecords = makeDirectorySingletonReader('streamGroups');
export const readProfileFieldRecords = makeDirectorySingletonReader('profileFields');
export const readNewUserSettingDefaultsRecord = makeDirectorySingletonReader('userDefaults');
export const readRealmPicturesRecord = makeDirectorySingletonReader('pictures');

/** Traffic of the streams as their actors reported it last. */
export const listStreamTrafficRecords = (parts: ActorParts): StreamRecentMessageCount[] =>
  [...parts]
    .filter(([name]) => name.startsWith(STREAM_TRAFFIC_PART_PREFIX))
    .map(([name, recent]) => [Number(name.slice(STREAM_TRAFFIC_PART_PREFIX.length)), recent as number]);

/** Encodes a record or list of the directory into its stored form. */
export const encodeDirectoryRecord = (
  value:
    | DirectoryRecordTypeByCollection[keyof DirectoryRecordTypeByCollection]
    | DirectorySingletons[keyof DirectorySingletons],
): Json => value as unknown as Json;
