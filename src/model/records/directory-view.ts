import type { ExtraEmoji, RealmId, StreamId, UserId } from '#model';
import type { DirectoryPersonal, DirectoryUser, UserStatus } from './accounts.js';
import type { DirectoryBot } from './bots.js';
import type { DirectoryGroup } from './groups.js';
import type {
  DirectoryDomain,
  DirectoryEmoji,
  DirectoryLinkifier,
  DirectoryPlayground,
  RealmEntry,
  RealmPictures,
  RealmSettings,
  UserDefaults,
} from './organization.js';
import type { DirectoryProfileField, ProfileData } from './profiles.js';
import type { DirectoryStream, DirectoryStreamGroup } from './streams.js';

export interface DirectoryView {
  readonly realm: RealmId;
  /** Version of the realm actor that this view shows; grows. */
  readonly version: number;
  readonly subdomain: string;
  /** Deactivated organization: nobody may call anything. */
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  readonly pictures: RealmPictures;
  /** System bots too, which `users` leaves out. */
  user(id: UserId): DirectoryUser | undefined;
  /** By keyed hash of the API key. */
  userByKeyHash(hash: string): DirectoryUser | undefined;
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
  /** Bots that are called by the server, and get no copies of what is sent to streams. */
  silentBots(): ReadonlySet<UserId>;
  /** Deactivated ones too, in the order in which they were made. */
  bots(): Iterable<DirectoryBot>;
  /** Own choices of an account; those of an account that chose nothing are empty. */
  personal(user: UserId): DirectoryPersonal;
  /** Accounts with alert words or muted users. */
  personals(): Iterable<DirectoryPersonal>;
  /** Of all who have one, deactivated accounts too. */
  statuses(): Iterable<readonly [UserId, UserStatus]>;
  group(id: number): DirectoryGroup | undefined;
  /** Groups made by people, by id; system groups follow from roles (people/groups.ts). */
  groups(): Iterable<DirectoryGroup>;
  /** Messages of the last 28 days, as of the last time it was counted. */
  traffic(stream: StreamId): number;
  /** Default stream groups, in no particular order. */
  readonly streamGroups: readonly DirectoryStreamGroup[];
  /** In the order in which they apply. */
  linkifiers(): readonly DirectoryLinkifier[];
  /** By id. */
  playgrounds(): readonly DirectoryPlayground[];
  readonly userDefaults: UserDefaults;
  /** By id. */
  domains(): readonly DirectoryDomain[];
  /** By their order. */
  profileFields(): readonly DirectoryProfileField[];
  /** What this account has filled in: the same object until it, or a field, changes. */
  profile(user: UserId): ProfileData;
  /** Custom emoji by id, deactivated ones too. */
  emoji(): Iterable<DirectoryEmoji>;
  /** How this server names the emoji that is neither Unicode nor the organization's. */
  readonly extraEmoji: ExtraEmoji;
  /** Realms of the server; only realm 0 has any. */
  realms(): Iterable<RealmEntry>;
  /** Counts changes of users (resp. streams): what was encoded from them is current while it stands. */
  readonly usersVersion: number;
  readonly streamsVersion: number;
  /** Counts changes of what `profile` gives. */
  readonly profilesVersion: number;
  /**
   * Until when it was told who became a full member by age, ms since 1970; changes together with the waiting period.
   */
  readonly fullMembersAt: number;
  /** Counts changes of groups made by people. */
  readonly groupsVersion: number;
  /** Counts changes of what `personal` gives. */
  readonly choicesVersion: number;
}
