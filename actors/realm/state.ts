/** Persisted state of a realm actor. Everything that grows, such as records and lists of the directory, is in parts. */

import type { Json, JsonObject } from '#base';
import type { Records, Singletons, Traffic } from '#directory';
import { NO_SINGLETONS } from '#directory';
import type { Parts, RealmSettings } from '#model';
import { userId } from '#model';
import type { DirectoryPreferences, DirectoryProfile } from '#model/records';

export interface RealmState extends JsonObject {
  readonly phase: string;
  readonly id: number;
  readonly subdomain: string;
  readonly created: number;
  readonly settings: RealmSettings;
  readonly nextUser: number;
  readonly nextStream: number;
  readonly nextRecipient: number;
  /** Highest message id that may have been handed out: after a crash the sequence continues above it. */
  readonly reservedIds: number;
  readonly nextGroup: number;
  readonly nextLinkifier: number;
  readonly nextPlayground: number;
  readonly nextStreamGroup: number;
  readonly nextDomain: number;
  /** Numbers of the next invitation to an address, and of the next link. */
  readonly invitations: { readonly nextSingle: number; readonly nextLink: number };
  /** Version of the newest commit that changed the directory; receivers of commands wait for it in their replicas. */
  readonly directoryVersion: number;
  /** Realm 0 only: number of the next realm. */
  readonly nextRealm: number;
  /** Uploaded files: number of the next, bytes that all take. */
  readonly uploads: { readonly next: number; readonly used: number };
  readonly nextEmoji: number;
  /** Wall time up to which new full members (by age of the account) were announced, ms. */
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

export const LINKIFIERS_PART = 'linkifiers';
export const PLAYGROUNDS_PART = 'playgrounds';
export const DOMAINS_PART = 'domains';
export const STREAM_GROUPS_PART = 'stream-groups';
export const PROFILE_FIELDS_PART = 'profile-fields';
export const USER_DEFAULTS_PART = 'user-defaults';
export const PICTURES_PART = 'pictures';

/** A part per stream: messages of the last 28 days. */
export const TRAFFIC_PART = 'traffic/';
/** Recipients of direct-message groups. */
export const GROUP_PART = 'group/';
/** Uploads of one picture each; see commands/files/pictures.ts. */
export const UPLOADS_PART = 'uploads/';

/** A part for each record, named by prefix and number. */
export const RECORD_PARTS: { readonly [C in keyof Records]: string } = {
  users: USER_PART,
  streams: STREAM_PART,
  realms: REALM_PART,
  personals: PREFERENCES_PART,
  groups: USER_GROUP_PART,
  emoji: EMOJI_PART,
  profiles: PROFILE_PART,
  bots: BOT_PART,
};

/** One part with all of it. */
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

export function* withPrefix<T>(parts: Parts, prefix: string): Iterable<T> {
  for (const [name, value] of parts) if (name.startsWith(prefix)) yield value as unknown as T;
}

const records =
  <C extends keyof Records>(collection: C) =>
  (parts: Parts): Iterable<Records[C]> =>
    withPrefix(parts, RECORD_PARTS[collection]);

const record =
  <C extends keyof Records>(collection: C) =>
  (parts: Parts, id: number): Records[C] | undefined =>
    parts.get(`${RECORD_PARTS[collection]}${id}`) as unknown as Records[C] | undefined;

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

export const linkifiersOf = singleton('linkifiers');
export const playgroundsOf = singleton('playgrounds');
export const domainsOf = singleton('domains');
export const streamGroupsOf = singleton('streamGroups');
export const profileFieldsOf = singleton('profileFields');
export const userDefaultsOf = singleton('userDefaults');
export const picturesOf = singleton('pictures');

/** As the streams' actors told last. */
export const trafficOf = (parts: Parts): Traffic[] =>
  [...parts]
    .filter(([name]) => name.startsWith(TRAFFIC_PART))
    .map(([name, recent]) => [Number(name.slice(TRAFFIC_PART.length)), recent as number]);

/** What is stored of a record, or of all that is kept whole. */
export const toPart = (value: Records[keyof Records] | Singletons[keyof Singletons]): Json => value as unknown as Json;
