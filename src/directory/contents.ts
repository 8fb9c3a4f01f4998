/** The data of a realm's directory: its collections, its changes in the log, and its snapshot. */
import type { Json, JsonObject } from '#base';
import type { RealmSettings } from '#model';
import type {
  AccountSessions,
  DirectoryBot,
  DirectoryDefaultStreamGroup,
  DirectoryEmailDomain,
  DirectoryEmoji,
  DirectoryLinkifier,
  DirectoryPlayground,
  DirectoryProfileField,
  DirectoryRealmEntry,
  DirectoryStream,
  DirectoryUser,
  DirectoryUserGroup,
  DirectoryUserPreferences,
  DirectoryUserProfileValues,
  NewUserSettingDefaults,
  RealmPictures,
} from '#model/records';

/** Collections whose records change one by one. The keys are fields of the snapshot. */
export interface DirectoryRecordTypeByCollection {
  readonly users: DirectoryUser;
  readonly streams: DirectoryStream;
  /** Organizations of the server; only the directory of realm 0 has them. */
  readonly realms: DirectoryRealmEntry;
  readonly personals: DirectoryUserPreferences;
  readonly groups: DirectoryUserGroup;
  readonly emoji: DirectoryEmoji;
  readonly profiles: DirectoryUserProfileValues;
  readonly bots: DirectoryBot;
  readonly sessions: AccountSessions;
}

/** Collection → field of `DirectoryChange` that holds one of its records. */
export const CHANGE_FIELD_BY_DIRECTORY_COLLECTION = {
  users: 'user',
  streams: 'stream',
  realms: 'realm',
  personals: 'personal',
  groups: 'group',
  emoji: 'emoji',
  profiles: 'profile',
  bots: 'bot',
  sessions: 'session',
} as const satisfies { readonly [C in keyof DirectoryRecordTypeByCollection]: string };

/** Small lists and objects that a change replaces as a whole. The keys are fields of snapshots and changes. */
export interface DirectorySingletons {
  readonly linkifiers: readonly DirectoryLinkifier[];
  readonly playgrounds: readonly DirectoryPlayground[];
  readonly domains: readonly DirectoryEmailDomain[];
  readonly streamGroups: readonly DirectoryDefaultStreamGroup[];
  /** Custom profile fields in their display order. */
  readonly profileFields: readonly DirectoryProfileField[];
  readonly userDefaults: NewUserSettingDefaults;
  readonly pictures: RealmPictures;
}

export const EMPTY_DIRECTORY_SINGLETONS: DirectorySingletons = {
  linkifiers: [],
  playgrounds: [],
  domains: [],
  streamGroups: [],
  profileFields: [],
  userDefaults: {},
  pictures: {},
};

/** A stream and the number of its messages in the last 28 days. */
export type StreamRecentMessageCount = readonly [stream: number, recent: number];

type DirectoryChangedRecords = {
  readonly [C in keyof DirectoryRecordTypeByCollection as (typeof CHANGE_FIELD_BY_DIRECTORY_COLLECTION)[C]]?: DirectoryRecordTypeByCollection[C];
};
type DirectoryRecordLists = {
  readonly [C in keyof DirectoryRecordTypeByCollection]: readonly DirectoryRecordTypeByCollection[C][];
};

/** A change as the realm actor logs it (`DirectoryLogItem.change`). */
export interface DirectoryChange extends DirectoryChangedRecords, Partial<DirectorySingletons> {
  /** Settings of the organization that changed, with their new values. */
  readonly settings?: Partial<RealmSettings>;
  /** True if the organization was deactivated, false if it was reactivated. */
  readonly deactivated?: boolean;
  readonly fullMembersAt?: number;
  readonly groupGone?: number;
  readonly traffic?: readonly StreamRecentMessageCount[];
}

/** Answer of the realm actor's `snapshot` command. Records are in the order of their numbers. */
export interface DirectorySnapshot extends DirectoryRecordLists, DirectorySingletons {
  readonly version: number;
  readonly subdomain: string;
  readonly deactivated: boolean;
  /** Settings of the organization. Settings that are newer than the answering host are missing. */
  readonly settings: Partial<RealmSettings>;
  readonly fullMembersAt: number;
  readonly traffic: readonly StreamRecentMessageCount[];
}

export const castToDirectorySnapshot = (value: Json): DirectorySnapshot => value as unknown as DirectorySnapshot;
export const castToDirectoryChange = (change: JsonObject): DirectoryChange => change as unknown as DirectoryChange;
