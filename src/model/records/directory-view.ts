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
  /** The organization is deactivated and refuses all calls. */
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  readonly pictures: RealmPictures;
  /** System bots too, which `users` leaves out. */
  user(id: UserId): DirectoryUser | undefined;
  /** By keyed hash of the API key. */
  userByKeyHash(hash: string): DirectoryUser | undefined;
  /** By keyed hash of the secret in a browser's cookie. */
  sessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined;
  /** undefined: no session was ever begun for the account. */
  sessionsOf(user: UserId): AccountSessions | undefined;
  /** By API e-mail or real address, ignoring case; system bots too. */
  userByEmail(email: string): DirectoryUser | undefined;
  /** By the name of an uploaded avatar. */
  userByAvatar(hash: string): DirectoryUser | undefined;
  /** All accounts, deactivated ones included, by id. */
  users(): Iterable<DirectoryUser>;
  stream(id: StreamId): DirectoryStream | undefined;
  /** Live streams only, ignoring case. */
  streamByName(name: string): DirectoryStream | undefined;
  streams(): Iterable<DirectoryStream>;
  bot(user: UserId): DirectoryBot | undefined;
  /** Bots that the server calls; they get no copies of messages to streams. */
  silentBots(): ReadonlySet<UserId>;
  /** All bots, deactivated ones too, in the order of creation. */
  bots(): Iterable<DirectoryBot>;
  /** Preferences of an account; empty if it changed none. */
  preferencesOf(user: UserId): DirectoryPreferences;
  /** Preferences of the accounts that have alert words or muted users. */
  alertsAndMutes(): Iterable<DirectoryPreferences>;
  /** Statuses of all accounts that have one, deactivated accounts too. */
  statuses(): Iterable<readonly [UserId, UserStatus]>;
  group(id: number): DirectoryGroup | undefined;
  /** Groups that users made, by id. System groups follow from roles (people/groups.ts). */
  groups(): Iterable<DirectoryGroup>;
  /** Messages in the last 28 days, as of the last count. */
  traffic(stream: StreamId): number;
  /** Default stream groups, in no particular order. */
  readonly streamGroups: readonly DirectoryStreamGroup[];
  /** Linkifiers in the order in which they apply. */
  linkifiers(): readonly DirectoryLinkifier[];
  /** By id. */
  playgrounds(): readonly DirectoryPlayground[];
  readonly userDefaults: UserDefaults;
  /** By id. */
  domains(): readonly DirectoryDomain[];
  /** By their order. */
  profileFields(): readonly DirectoryProfileField[];
  /** Profile values of the account. The same object until a value or a field changes. */
  profile(user: UserId): ProfileData;
  /** Custom emoji by id, deactivated ones too. */
  emoji(): Iterable<DirectoryEmoji>;
  /** The form in which this server sends the extra emoji. */
  readonly extraEmoji: ExtraEmoji;
  /** Realms of the server; only realm 0 has any. */
  realms(): Iterable<RealmEntry>;
  /** Counts changes of users (streams). Data encoded from them is current while the count stands. */
  readonly usersVersion: number;
  readonly streamsVersion: number;
  /** Counts changes of profile values and fields. */
  readonly profilesVersion: number;
  /**
   * Time up to which events have reported accounts that became full members by age, ms since 1970. It changes
   * together with the waiting period.
   */
  readonly fullMembersAt: number;
  /** Counts changes of groups that users made. */
  readonly groupsVersion: number;
  /** Counts changes of preferences. */
  readonly preferencesVersion: number;
}
