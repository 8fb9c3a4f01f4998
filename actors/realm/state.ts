/**
 * Stored state of a realm actor. The root holds settings and counters; records and lists of the directory are parts,
 * because they grow.
 */

import type { Json, JsonObject } from '#base';
import { NO_SINGLETONS, type Records, type Singletons, type Traffic } from '#directory';
import { type Parts, PartTable, type RealmSettings, userId } from '#model';
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
  /** Next numbers of an invitation to an address, and of a link. */
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

export const USER_PART = 'user/';
export const STREAM_PART = 'stream/';
export const REALM_PART = 'realm/';
export const PREFERENCES_PART = 'personal/';
export const USER_GROUP_PART = 'user-group/';
export const EMOJI_PART = 'emoji/';
export const PROFILE_PART = 'profile/';
export const BOT_PART = 'bot/';
export const SESSIONS_PART = 'sessions/';

export const LINKIFIERS_PART = 'linkifiers';
export const PLAYGROUNDS_PART = 'playgrounds';
export const DOMAINS_PART = 'domains';
export const STREAM_GROUPS_PART = 'stream-groups';
export const PROFILE_FIELDS_PART = 'profile-fields';
export const USER_DEFAULTS_PART = 'user-defaults';
export const PICTURES_PART = 'pictures';

/** One part per stream: its messages of the last 28 days. */
export const TRAFFIC_PART = 'traffic/';
/** Recipient ids of direct-message groups. */
export const GROUP_PART = 'group/';
/** One part per picture: its uploads; see commands/files/pictures.ts. */
export const UPLOADS_PART = 'uploads/';

/** Prefix of each collection's parts: one part per record, named by prefix and number. */
export const RECORD_PARTS: { readonly [C in keyof Records]: string } = {
  users: USER_PART,
  streams: STREAM_PART,
  realms: REALM_PART,
  personals: PREFERENCES_PART,
  groups: USER_GROUP_PART,
  emoji: EMOJI_PART,
  profiles: PROFILE_PART,
  bots: BOT_PART,
  sessions: SESSIONS_PART,
};

/** Parts that hold a whole list or table each. */
export const SINGLETON_PARTS: { readonly [W in keyof Singletons]: string } = {
  linkifiers: LINKIFIERS_PART,
  playgrounds: PLAYGROUNDS_PART,
  domains: DOMAINS_PART,
  streamGroups: STREAM_GROUPS_PART,
  profileFields: PROFILE_FIELDS_PART,
  userDefaults: USER_DEFAULTS_PART,
  pictures: PICTURES_PART,
};

export type { Parts };

/** All records of a collection, in the order of the parts' names. */
const records = <C extends keyof Records>(collection: C) => {
  const table = new PartTable<Records[C]>(RECORD_PARTS[collection]);
  return (parts: Parts): Iterable<Records[C]> => table.values(parts);
};

/** One record of a collection. */
const record = <C extends keyof Records>(collection: C) => {
  const table = new PartTable<Records[C]>(RECORD_PARTS[collection]);
  return (parts: Parts, id: number): Records[C] | undefined => table.get(parts, id);
};

const singleton =
  <W extends keyof Singletons>(name: W) =>
  (parts: Parts): Singletons[W] =>
    (parts.get(SINGLETON_PARTS[name]) as unknown as Singletons[W] | undefined) ?? NO_SINGLETONS[name];

export const usersOf = records('users');
export const userOf = record('users');
export const streamsOf = records('streams');
export const streamOf = record('streams');
export const realmsOf = records('realms');
export const groupsOf = records('groups');
export const groupOf = record('groups');
export const emojiOf = records('emoji');
export const botsOf = records('bots');
export const botOf = record('bots');

const storedPreferences = record('personals');
export const preferencesOf = (parts: Parts, user: number): DirectoryPreferences =>
  storedPreferences(parts, user) ?? { user: userId(user), settings: {}, alertWords: [], muted: [] };

const storedProfile = record('profiles');
export const profileOf = (parts: Parts, user: number): DirectoryProfile =>
  storedProfile(parts, user) ?? { user: userId(user), values: {} };

export const accountSessionsOf = records('sessions');
const storedSessions = record('sessions');
export const sessionsOf = (parts: Parts, user: number): AccountSessions =>
  storedSessions(parts, user) ?? { user: userId(user), last: 0, sessions: [], links: [], endedAt: 0 };

export const linkifiersOf = singleton('linkifiers');
export const playgroundsOf = singleton('playgrounds');
export const domainsOf = singleton('domains');
export const streamGroupsOf = singleton('streamGroups');
export const profileFieldsOf = singleton('profileFields');
export const userDefaultsOf = singleton('userDefaults');
export const picturesOf = singleton('pictures');

/** Traffic as the stream actors reported it last. */
export const trafficOf = (parts: Parts): Traffic[] =>
  [...parts]
    .filter(([name]) => name.startsWith(TRAFFIC_PART))
    .map(([name, recent]) => [Number(name.slice(TRAFFIC_PART.length)), recent as number]);

/** Stored form of a record or singleton. */
export const toPart = (value: Records[keyof Records] | Singletons[keyof Singletons]): Json => value as unknown as Json;
