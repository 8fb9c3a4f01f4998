import type { ExtraEmoji, RealmId, RealmSettings, StreamId, UserId } from '#model';
import type { DirectoryPreferences, DirectoryUser, UserStatus } from './accounts.js';
import type { DirectoryBot } from './bots.js';
import type { DirectoryEmoji } from './emoji.js';
import type { DirectoryGroup } from './groups.js';
import type {
  DirectoryDomain,
  DirectoryLinkifier,
  DirectoryPlayground,
  RealmEntry,
  RealmPictures,
  UserDefaults,
} from './organization.js';
import type { DirectoryProfileField, ProfileData } from './profiles.js';
import type { AccountSessions, WebSession } from './sessions.js';
import type { DirectoryStream, DirectoryStreamGroup } from './streams.js';

export interface DirectoryView {
  readonly realm: RealmId;
  /** Version of the realm actor that this view shows. It only grows. */
  readonly version: number;
  readonly subdomain: string;
  /** True if the organization is deactivated, and refuses all calls. */
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  readonly pictures: RealmPictures;
  /** The account with this id; also system bots, which `users` leaves out. */
  user(id: UserId): DirectoryUser | undefined;
  /** The account whose API key has this keyed hash. */
  userByKeyHash(hash: string): DirectoryUser | undefined;
  /** By keyed hash of the secret in a browser's cookie. */
  sessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined;
  /** undefined: no session was ever begun for the account. */
  sessionsOf(user: UserId): AccountSessions | undefined;
  /** The account with this API e-mail or real address, ignoring case; also system bots. */
  userByEmail(email: string): DirectoryUser | undefined;
  /** The account whose uploaded avatar has this name. */
  userByAvatar(hash: string): DirectoryUser | undefined;
  /** All accounts by id, deactivated ones included, system bots excluded. */
  users(): Iterable<DirectoryUser>;
  stream(id: StreamId): DirectoryStream | undefined;
  /** The live stream with this name, ignoring case. */
  streamByName(name: string): DirectoryStream | undefined;
  streams(): Iterable<DirectoryStream>;
  bot(user: UserId): DirectoryBot | undefined;
  /** Ids of bots that the server calls; they get no copies of messages to streams. */
  silentBots(): ReadonlySet<UserId>;
  /** All bots in the order of creation, deactivated ones too. */
  bots(): Iterable<DirectoryBot>;
  /** Preferences of an account; empty if the user changed none. */
  preferencesOf(user: UserId): DirectoryPreferences;
  /** Preferences of the accounts that have alert words or muted users. */
  alertsAndMutes(): Iterable<DirectoryPreferences>;
  /** Accounts whose settings ask for mails or pushes of the messages in all their streams. */
  notifiedOfStreams(): ReadonlySet<UserId>;
  /** Statuses of all accounts that have one, deactivated accounts too. */
  statuses(): Iterable<readonly [UserId, UserStatus]>;
  group(id: number): DirectoryGroup | undefined;
  /** Groups that users made, by id. System groups follow from roles (people/groups.ts). */
  groups(): Iterable<DirectoryGroup>;
  /** Number of the stream's messages in the last 28 days, as of the last count. */
  traffic(stream: StreamId): number;
  /** Default stream groups, in no particular order. */
  readonly streamGroups: readonly DirectoryStreamGroup[];
  /** Linkifiers in the order in which they apply. */
  linkifiers(): readonly DirectoryLinkifier[];
  /** Code playgrounds, by id. */
  playgrounds(): readonly DirectoryPlayground[];
  readonly userDefaults: UserDefaults;
  /** E-mail domains of the organization, by id. */
  domains(): readonly DirectoryDomain[];
  /** Profile fields in the order in which profiles show them. */
  profileFields(): readonly DirectoryProfileField[];
  /** Profile values of the account. The same object until a value or a field changes. */
  profile(user: UserId): ProfileData;
  /** Custom emoji by id, deactivated ones too. */
  emoji(): Iterable<DirectoryEmoji>;
  /** The product's own emoji in the form in which this server sends it. */
  readonly extraEmoji: ExtraEmoji;
  /** Organizations of the server; only realm 0 has any. */
  realms(): Iterable<RealmEntry>;
  /** Number of changes of users (and of streams). Data encoded from them is current while the number stands. */
  readonly usersVersion: number;
  readonly streamsVersion: number;
  /** Number of changes of profile values and fields. */
  readonly profilesVersion: number;
  /**
   * Time up to which events have reported accounts that became full members by age, ms since 1970. It changes
   * together with the waiting period.
   */
  readonly fullMembersAt: number;
  /** Number of changes of groups that users made. */
  readonly groupsVersion: number;
  /** Number of changes of preferences. */
  readonly preferencesVersion: number;
}
