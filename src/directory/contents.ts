/** The data of a realm's directory: its collections, its changes in the log, and its snapshot. */
import type { Json, JsonObject } from '#base';
import type { RealmSettings } from '#model';
import type {
  AccountSessions,
  DirectoryBot,
  DirectoryDomain,
  DirectoryEmoji,
  DirectoryGroup,
  DirectoryLinkifier,
  DirectoryPlayground,
  DirectoryPreferences,
  DirectoryProfile,
  DirectoryProfileField,
  DirectoryStream,
  DirectoryStreamGroup,
  DirectoryUser,
  RealmEntry,
  RealmPictures,
  UserDefaults,
} from '#model/records';

/** Collections whose records change one by one. The keys are fields of the snapshot. */
export interface Records {
  readonly users: DirectoryUser;
  readonly streams: DirectoryStream;
  /** Realm 0 only. */
  readonly realms: RealmEntry;
  readonly personals: DirectoryPreferences;
  readonly groups: DirectoryGroup;
  readonly emoji: DirectoryEmoji;
  readonly profiles: DirectoryProfile;
  readonly bots: DirectoryBot;
  readonly sessions: AccountSessions;
}

/** Collection → field of `DirectoryChange` that holds one of its records. */
export const RECORD_NAMES = {
  users: 'user',
  streams: 'stream',
  realms: 'realm',
  personals: 'personal',
  groups: 'group',
  emoji: 'emoji',
  profiles: 'profile',
  bots: 'bot',
  sessions: 'session',
} as const satisfies { readonly [C in keyof Records]: string };

/** Small lists and objects that a change replaces as a whole. The keys are fields of snapshots and changes. */
export interface Singletons {
  readonly linkifiers: readonly DirectoryLinkifier[];
  readonly playgrounds: readonly DirectoryPlayground[];
  readonly domains: readonly DirectoryDomain[];
  readonly streamGroups: readonly DirectoryStreamGroup[];
  /** By order. */
  readonly profileFields: readonly DirectoryProfileField[];
  readonly userDefaults: UserDefaults;
  readonly pictures: RealmPictures;
}

export const NO_SINGLETONS: Singletons = {
  linkifiers: [],
  playgrounds: [],
  domains: [],
  streamGroups: [],
  profileFields: [],
  userDefaults: {},
  pictures: {},
};

/** A stream and the number of its messages in the last 28 days. */
export type Traffic = readonly [stream: number, recent: number];

type OneOfEach = { readonly [C in keyof Records as (typeof RECORD_NAMES)[C]]?: Records[C] };
type AllOfEach = { readonly [C in keyof Records]: readonly Records[C][] };

/** A change as the realm actor logs it (`DirectoryItem.change`). */
export interface DirectoryChange extends OneOfEach, Partial<Singletons> {
  /** The settings that changed. */
  readonly settings?: Partial<RealmSettings>;
  /** The organization was deactivated or reactivated. */
  readonly deactivated?: boolean;
  readonly fullMembersAt?: number;
  readonly groupGone?: number;
  readonly traffic?: readonly Traffic[];
}

/** Answer of the realm actor's `snapshot` command. Records are in the order of their numbers. */
export interface DirectorySnapshot extends AllOfEach, Singletons {
  readonly version: number;
  readonly subdomain: string;
  readonly deactivated: boolean;
  /** Settings that are newer than the answering host are missing. */
  readonly settings: Partial<RealmSettings>;
  readonly fullMembersAt: number;
  readonly traffic: readonly Traffic[];
}

export const asDirectorySnapshot = (value: Json): DirectorySnapshot => value as unknown as DirectorySnapshot;
export const asChange = (change: JsonObject): DirectoryChange => change as unknown as DirectoryChange;
