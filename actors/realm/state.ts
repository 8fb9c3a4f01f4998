/** Persisted state of a realm actor. Users, streams and group recipients are parts of their own. */
import { type Json, type JsonObject, userId } from '../../src/core/index.js';
import type {
  DirectoryBot,
  DirectoryDomain,
  DirectoryEmoji,
  DirectoryGroup,
  DirectoryLinkifier,
  DirectoryPersonal,
  DirectoryPlayground,
  DirectoryProfile,
  DirectoryProfileField,
  DirectoryStream,
  DirectoryStreamGroup,
  DirectoryUser,
  RealmEntry,
  RealmPictures,
  RealmSettings,
  UserDefaults,
} from '../../src/directory/index.js';

export interface RealmState extends JsonObject {
  readonly phase: string;
  readonly id: number;
  readonly subdomain: string;
  readonly created: number;
  readonly settings: RealmSettings;
  readonly nextUser: number;
  readonly nextStream: number;
  readonly nextRecipient: number;
  /** Message ids up to and including this one may have been given out: after a crash the sequence goes on above it. */
  readonly reservedIds: number;
  readonly nextGroup: number;
  readonly nextLinkifier: number;
  readonly nextPlayground: number;
  readonly nextStreamGroup: number;
  readonly nextDomain: number;
  /** Numbers of the next invitation to an address, and of the next link. */
  readonly invitations: { readonly nextSingle: number; readonly nextLink: number };
  /** Version of the newest commit that changed the directory: what outgoing commands need the replicas to have. */
  readonly directoryVersion: number;
  /** Realm 0 only: number of the next realm. */
  readonly nextRealm: number;
  /** Uploaded files: number of the next, bytes that all take. */
  readonly uploads: { readonly next: number; readonly used: number };
  readonly nextEmoji: number;
  /** Until when it was told who became a full member by age, ms. */
  readonly fullMembersAt: number;
  readonly nextProfileField: number;
}

export const USER_PART = 'user/';
export const STREAM_PART = 'stream/';
export const GROUP_PART = 'group/';
export const REALM_PART = 'realm/';

export const PERSONAL_PART = 'personal/';
export const USER_GROUP_PART = 'user-group/';
/** One part with the whole list: its order counts. */
export const LINKIFIERS_PART = 'linkifiers';
/** By stream: messages of the last 28 days. */
export const TRAFFIC_PART = 'traffic/';
/** One part with the whole list. */
export const STREAM_GROUPS_PART = 'stream-groups';
/** One part with the whole list. */
export const PLAYGROUNDS_PART = 'playgrounds';
/** One part with the whole list. */
export const DOMAINS_PART = 'domains';
export const EMOJI_PART = 'emoji/';
/** One part: settings that new accounts start with, where they differ from those of the program. */
export const USER_DEFAULTS_PART = 'user-defaults';
/** One part with the whole list, by order. */
export const PROFILE_FIELDS_PART = 'profile-fields';
export const PROFILE_PART = 'profile/';
export const BOT_PART = 'bot/';
/** One part with icon and logos. */
export const PICTURES_PART = 'pictures';
/** Uploads of one picture each; see commands/files/pictures.ts. */
export const UPLOADS_PART = 'uploads/';

export type Parts = ReadonlyMap<string, Json>;

export const userOf = (parts: Parts, id: number): DirectoryUser | undefined =>
  parts.get(`${USER_PART}${id}`) as unknown as DirectoryUser | undefined;
export const streamOf = (parts: Parts, id: number): DirectoryStream | undefined =>
  parts.get(`${STREAM_PART}${id}`) as unknown as DirectoryStream | undefined;

export function* withPrefix<T>(parts: Parts, prefix: string): Iterable<T> {
  for (const [name, value] of parts) if (name.startsWith(prefix)) yield value as unknown as T;
}

export const usersOf = (parts: Parts): Iterable<DirectoryUser> => withPrefix(parts, USER_PART);
export const streamsOf = (parts: Parts): Iterable<DirectoryStream> => withPrefix(parts, STREAM_PART);
export const realmsOf = (parts: Parts): Iterable<RealmEntry> => withPrefix(parts, REALM_PART);
export const personalsOf = (parts: Parts): Iterable<DirectoryPersonal> => withPrefix(parts, PERSONAL_PART);
export const groupsOf = (parts: Parts): Iterable<DirectoryGroup> => withPrefix(parts, USER_GROUP_PART);
export const emojiOf = (parts: Parts): Iterable<DirectoryEmoji> => withPrefix(parts, EMOJI_PART);
export const profilesOf = (parts: Parts): Iterable<DirectoryProfile> => withPrefix(parts, PROFILE_PART);
export const profileFieldsOf = (parts: Parts): readonly DirectoryProfileField[] =>
  (parts.get(PROFILE_FIELDS_PART) as unknown as readonly DirectoryProfileField[] | undefined) ?? NO_FIELDS;
const NO_FIELDS: readonly DirectoryProfileField[] = [];
export const profileOf = (parts: Parts, user: number): DirectoryProfile =>
  (parts.get(`${PROFILE_PART}${user}`) as unknown as DirectoryProfile | undefined) ?? {
    user: userId(user),
    values: {},
  };
export const botsOf = (parts: Parts): Iterable<DirectoryBot> => withPrefix(parts, BOT_PART);
export const botOf = (parts: Parts, user: number): DirectoryBot | undefined =>
  parts.get(`${BOT_PART}${user}`) as unknown as DirectoryBot | undefined;
export const linkifiersOf = (parts: Parts): readonly DirectoryLinkifier[] =>
  (parts.get(LINKIFIERS_PART) as unknown as readonly DirectoryLinkifier[] | undefined) ?? [];
export const streamGroupsOf = (parts: Parts): readonly DirectoryStreamGroup[] =>
  (parts.get(STREAM_GROUPS_PART) as unknown as readonly DirectoryStreamGroup[] | undefined) ?? [];
/** Stream and its messages of the last 28 days, as the streams' actors told last. */
export const trafficOf = (parts: Parts): (readonly [number, number])[] =>
  [...parts]
    .filter(([name]) => name.startsWith(TRAFFIC_PART))
    .map(([name, recent]) => [Number(name.slice(TRAFFIC_PART.length)), recent as number]);
export const playgroundsOf = (parts: Parts): readonly DirectoryPlayground[] =>
  (parts.get(PLAYGROUNDS_PART) as unknown as readonly DirectoryPlayground[] | undefined) ?? [];
export const userDefaultsOf = (parts: Parts): UserDefaults =>
  (parts.get(USER_DEFAULTS_PART) as unknown as UserDefaults | undefined) ?? {};
export const domainsOf = (parts: Parts): readonly DirectoryDomain[] =>
  (parts.get(DOMAINS_PART) as unknown as readonly DirectoryDomain[] | undefined) ?? [];
export const picturesOf = (parts: Parts): RealmPictures =>
  (parts.get(PICTURES_PART) as unknown as RealmPictures | undefined) ?? {};
export const groupOf = (parts: Parts, id: number): DirectoryGroup | undefined =>
  parts.get(`${USER_GROUP_PART}${id}`) as unknown as DirectoryGroup | undefined;
export const personalOf = (parts: Parts, user: number): DirectoryPersonal =>
  (parts.get(`${PERSONAL_PART}${user}`) as unknown as DirectoryPersonal | undefined) ?? {
    user: userId(user),
    settings: {},
    alertWords: [],
    muted: [],
  };
export const asPart = (
  value:
    | DirectoryUser
    | DirectoryStream
    | RealmEntry
    | DirectoryPersonal
    | DirectoryGroup
    | DirectoryEmoji
    | DirectoryBot
    | RealmPictures
    | readonly DirectoryLinkifier[]
    | readonly DirectoryPlayground[]
    | readonly DirectoryStreamGroup[]
    | readonly DirectoryDomain[]
    | DirectoryProfile
    | readonly DirectoryProfileField[],
): Json => value as unknown as Json;
