import type { ProductEmoji, RealmId, RealmSettings, StreamId, UserId } from '#model';
import type { DirectoryUser, DirectoryUserPreferences, UserStatus } from './accounts.js';
import type { DirectoryBot } from './bots.js';
import type { DirectoryEmoji } from './emoji.js';
import type { DirectoryUserGroup } from './groups.js';
import type {
  DirectoryEmailDomain,
  DirectoryLinkifier,
  DirectoryPlayground,
  DirectoryRealmEntry,
  NewUserSettingDefaults,
  RealmPictures,
} from './organization.js';
import type { ApiProfileData, DirectoryProfileField } from './profiles.js';
import type { AccountSessions, WebSession } from './sessions.js';
import type { DirectoryDefaultStreamGroup, DirectoryStream } from './streams.js';

/** Ids of records that changed; undefined if these are unknown, so that any may have changed. */
export type ChangedIds<Id> = readonly Id[] | undefined;

/** A credential that has ended: an API key, a session, or a session of an account that is deactivated. */
export type EndedCredentialKind = 'key' | 'session' | 'session of deactivated';

export interface DirectoryView {
  readonly realm: RealmId;
  /** Version of the realm actor that this view shows. The version only grows. */
  readonly version: number;
  readonly subdomain: string;
  /** True if the organization is deactivated, and refuses all calls. */
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  readonly pictures: RealmPictures;
  /** Finds the account with this id; also system bots, which `users` leaves out. */
  user(id: UserId): DirectoryUser | undefined;
  /** Finds the account whose API key has this keyed hash. */
  userByKeyHash(hash: string): DirectoryUser | undefined;
  /** Finds a browser session by the keyed hash of the secret in the browser's cookie. */
  sessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined;
  /** True if the session with this keyed hash ended because its account was deactivated, and the account still is. */
  hasSessionEndedByDeactivation(hash: string): boolean;
  /** Returns the sessions of an account; undefined if none was ever begun. */
  sessionsOf(user: UserId): AccountSessions | undefined;
  /** The account has devices to which notifications may be pushed: browsers or mobile ones. */
  hasPushDevice(user: UserId): boolean;
  /** Some account has such devices. */
  hasAnyPushDevice(): boolean;
  /** Finds the account with this API e-mail, ignoring case; also system bots. */
  userByApiEmail(email: string): DirectoryUser | undefined;
  /**
   * Finds the account with this API e-mail or real address, ignoring case; also system bots. Only log-ins and mails use
   * it: an answer to other callers would tell them whose hidden address it is.
   */
  userByEmail(email: string): DirectoryUser | undefined;
  /** Finds the account whose uploaded avatar has this hash. */
  userByAvatarHash(hash: string): DirectoryUser | undefined;
  /** Lists all accounts by id, including deactivated ones and excluding system bots. */
  users(): Iterable<DirectoryUser>;
  stream(id: StreamId): DirectoryStream | undefined;
  /** Finds the live stream with this name, ignoring case. */
  streamByName(name: string): DirectoryStream | undefined;
  streams(): Iterable<DirectoryStream>;
  bot(user: UserId): DirectoryBot | undefined;
  /** Ids of bots that the server calls (outgoing webhooks); they receive no messages to streams. */
  silentBotIds(): ReadonlySet<UserId>;
  /** Lists all bots in the order of creation, including deactivated ones. */
  bots(): Iterable<DirectoryBot>;
  /** Returns the preferences of an account; empty if the user changed none. */
  preferencesOf(user: UserId): DirectoryUserPreferences;
  /** Lists the preferences of the accounts that have alert words or muted users. */
  preferencesWithAlertsOrMutes(): Iterable<DirectoryUserPreferences>;
  /** Ids of the accounts whose settings ask for mails or pushes of all messages in their streams. */
  streamNotifiedUserIds(): ReadonlySet<UserId>;
  /** Lists the statuses of all accounts that have one, including deactivated accounts. */
  statuses(): Iterable<readonly [UserId, UserStatus]>;
  group(id: number): DirectoryUserGroup | undefined;
  /** Lists the groups that users made, by id. System groups follow from roles (people/groups.ts). */
  groups(): Iterable<DirectoryUserGroup>;
  /** Returns the number of the stream's messages in the last 28 days, by the last count. */
  recentMessageCountOf(stream: StreamId): number;
  /** Number of changes of these counts. */
  readonly recentMessageCountsVersion: number;
  /** Default stream groups, in no particular order. */
  readonly streamGroups: readonly DirectoryDefaultStreamGroup[];
  /** Lists the linkifiers in the order in which they apply. */
  linkifiers(): readonly DirectoryLinkifier[];
  /** Lists the code playgrounds, by id. */
  playgrounds(): readonly DirectoryPlayground[];
  readonly userDefaults: NewUserSettingDefaults;
  /** Lists the e-mail domains of the organization, by id. */
  emailDomains(): readonly DirectoryEmailDomain[];
  /** Lists the profile fields in the order in which profiles show them. */
  profileFields(): readonly DirectoryProfileField[];
  /** Returns the profile values of the account. The object stays the same until a value or a field changes. */
  profile(user: UserId): ApiProfileData;
  /** Lists the custom emoji by id, including deactivated ones. */
  customEmoji(): Iterable<DirectoryEmoji>;
  /** The product's own emoji in the form in which this server sends it. */
  readonly productEmoji: ProductEmoji;
  /** Lists the organizations of the server; only realm 0 has any. */
  realms(): Iterable<DirectoryRealmEntry>;
  /**
   * Number of changes of users; `streamsVersion` counts those of streams. Data encoded from them is current while the
   * number stays the same.
   */
  readonly usersVersion: number;
  /** Ids of the accounts that changed after `usersVersion` had this value. */
  usersChangedSince(usersVersion: number): ChangedIds<UserId>;
  readonly streamsVersion: number;
  /** Number of changes of profile values and fields. */
  readonly profilesVersion: number;
  /** Ids of the accounts whose profile changed after `profilesVersion` had this value. */
  profilesChangedSince(profilesVersion: number): ChangedIds<UserId>;
  /**
   * Time up to which events have announced the accounts that became full members by age, ms since 1970. The time
   * changes together with the waiting period.
   */
  readonly fullMembersAt: number;
  /** Number of changes of groups that users made. */
  readonly groupsVersion: number;
  /** Number of changes of preferences. */
  readonly preferencesVersion: number;
  /** Number of changes of alert words and muted users. */
  readonly alertsAndMutesVersion: number;
}
