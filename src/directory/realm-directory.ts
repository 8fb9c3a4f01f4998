/** The directory of one realm in memory: a DirectoryView to which changes are applied. */
import {
  addMissingRealmSettings,
  type ProductEmoji,
  type RealmId,
  type RealmSettings,
  type StreamId,
  type UserId,
} from '#model';
import type {
  AccountSessions,
  ApiProfileData,
  DirectoryBot,
  DirectoryEmailDomain,
  DirectoryEmoji,
  DirectoryLinkifier,
  DirectoryPlayground,
  DirectoryPreferences,
  DirectoryProfileField,
  DirectoryRealmEntry,
  DirectoryStream,
  DirectoryStreamGroup,
  DirectoryUser,
  DirectoryUserGroup,
  DirectoryView,
  NewUserSettingDefaults,
  RealmPictures,
  UserStatus,
  WebSession,
} from '#model/records';
import {
  DirectoryPreferenceCollection,
  DirectoryProfileCollection,
  DirectoryRecordCollection,
  DirectorySessionCollection,
  DirectoryStreamCollection,
  DirectoryUserCollection,
} from './collections/index.js';
import {
  DIRECTORY_CHANGE_FIELDS,
  type DirectoryChange,
  type DirectoryRecordTypes,
  type DirectorySingletons,
  type DirectorySnapshot,
  EMPTY_DIRECTORY_SINGLETONS,
} from './contents.js';

const COLLECTION_NAMES = Object.keys(DIRECTORY_CHANGE_FIELDS) as (keyof DirectoryRecordTypes)[];
const SINGLETON_NAMES = Object.keys(EMPTY_DIRECTORY_SINGLETONS) as (keyof DirectorySingletons)[];

export class RealmDirectory implements DirectoryView {
  version: number;
  readonly subdomain: string;
  deactivated: boolean;
  settings: RealmSettings;
  fullMembersAt: number;
  #singletons = EMPTY_DIRECTORY_SINGLETONS;
  readonly #users: DirectoryUserCollection;
  readonly #streams = new DirectoryStreamCollection();
  readonly #userPreferences = new DirectoryPreferenceCollection();
  readonly #profiles = new DirectoryProfileCollection();
  readonly #realms = new DirectoryRecordCollection<RealmId, DirectoryRealmEntry>(({ id }) => id);
  readonly #groups = new DirectoryRecordCollection<number, DirectoryUserGroup>(({ id }) => id);
  readonly #emoji = new DirectoryRecordCollection<number, DirectoryEmoji>(({ id }) => id);
  readonly #bots = new DirectoryRecordCollection<UserId, DirectoryBot>(({ user }) => user);
  readonly #sessions = new DirectorySessionCollection();
  readonly #traffic = new Map<number, number>();
  readonly #collections: { readonly [C in keyof DirectoryRecordTypes]: { put(record: DirectoryRecordTypes[C]): void } };

  constructor(
    readonly realm: RealmId,
    snapshot: DirectorySnapshot,
    readonly productEmoji: ProductEmoji,
  ) {
    this.version = snapshot.version;
    this.subdomain = snapshot.subdomain;
    this.deactivated = snapshot.deactivated;
    this.settings = addMissingRealmSettings(snapshot.settings);
    this.fullMembersAt = snapshot.fullMembersAt;
    this.#users = new DirectoryUserCollection(foundedAtMs(snapshot.users));
    this.#collections = {
      users: this.#users,
      streams: this.#streams,
      realms: this.#realms,
      personals: this.#userPreferences,
      groups: this.#groups,
      emoji: this.#emoji,
      profiles: this.#profiles,
      bots: this.#bots,
      sessions: this.#sessions,
    };
    // A host of an older version may leave a collection out of the snapshot, such as the sessions.
    for (const name of COLLECTION_NAMES) for (const record of snapshot[name] ?? []) this.#putRecord(name, record);
    this.#replaceSingletons(snapshot);
    for (const [stream, recent] of snapshot.traffic) this.#traffic.set(stream, recent);
  }

  apply(change: DirectoryChange): void {
    for (const name of COLLECTION_NAMES) {
      const record = change[DIRECTORY_CHANGE_FIELDS[name]];
      if (record) this.#putRecord(name, record);
    }
    this.#replaceSingletons(change);
    if (change.settings) this.settings = { ...this.settings, ...change.settings };
    if (change.deactivated !== undefined) this.deactivated = change.deactivated;
    if (change.fullMembersAt !== undefined) this.fullMembersAt = change.fullMembersAt;
    if (change.groupGone !== undefined) this.#groups.remove(change.groupGone);
    for (const [stream, recent] of change.traffic ?? []) this.#traffic.set(stream, recent);
  }

  noteFirstMessage(stream: StreamId, id: number): void {
    this.#streams.noteFirstMessage(stream, id);
  }

  user(id: UserId): DirectoryUser | undefined {
    return this.#users.get(id);
  }

  userByKeyHash(hash: string): DirectoryUser | undefined {
    return this.#users.byKeyHash(hash);
  }

  sessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined {
    return this.#sessions.byHash(hash);
  }

  sessionsOf(user: UserId): AccountSessions | undefined {
    return this.#sessions.get(user);
  }

  hasPushDevice(user: UserId): boolean {
    return this.#sessions.usersWithPush.has(user);
  }

  hasAnyPushDevice(): boolean {
    return this.#sessions.usersWithPush.size > 0;
  }

  sessions(): Iterable<AccountSessions> {
    return this.#sessions.all();
  }

  userByEmail(email: string): DirectoryUser | undefined {
    return this.#users.byEmail(email);
  }

  userByAvatarHash(hash: string): DirectoryUser | undefined {
    return this.#users.byAvatar(hash);
  }

  users(): Iterable<DirectoryUser> {
    return this.#users.all();
  }

  get usersVersion(): number {
    return this.#users.version;
  }

  stream(id: StreamId): DirectoryStream | undefined {
    return this.#streams.get(id);
  }

  streamByName(name: string): DirectoryStream | undefined {
    return this.#streams.byName(name);
  }

  streams(): Iterable<DirectoryStream> {
    return this.#streams.all();
  }

  get streamsVersion(): number {
    return this.#streams.version;
  }

  recentMessageCountOf(stream: StreamId): number {
    return this.#traffic.get(stream) ?? 0;
  }

  get streamGroups(): readonly DirectoryStreamGroup[] {
    return this.#singletons.streamGroups;
  }

  bot(user: UserId): DirectoryBot | undefined {
    return this.#bots.get(user);
  }

  bots(): Iterable<DirectoryBot> {
    return this.#bots.all();
  }

  silentBotIds(): ReadonlySet<UserId> {
    return this.#users.silentBots;
  }

  preferencesOf(user: UserId): DirectoryPreferences {
    return this.#userPreferences.preferencesOf(user);
  }

  preferencesWithAlertsOrMutes(): Iterable<DirectoryPreferences> {
    return this.#userPreferences.alertsAndMutes();
  }

  streamNotifiedUserIds(): ReadonlySet<UserId> {
    return this.#userPreferences.notifiedOfStreams;
  }

  statuses(): Iterable<readonly [UserId, UserStatus]> {
    return this.#userPreferences.statuses;
  }

  get preferencesVersion(): number {
    return this.#userPreferences.version;
  }

  group(id: number): DirectoryUserGroup | undefined {
    return this.#groups.get(id);
  }

  groups(): Iterable<DirectoryUserGroup> {
    return this.#groups.all();
  }

  get groupsVersion(): number {
    return this.#groups.version;
  }

  linkifiers(): readonly DirectoryLinkifier[] {
    return this.#singletons.linkifiers;
  }

  playgrounds(): readonly DirectoryPlayground[] {
    return this.#singletons.playgrounds;
  }

  emailDomains(): readonly DirectoryEmailDomain[] {
    return this.#singletons.domains;
  }

  customEmoji(): Iterable<DirectoryEmoji> {
    return this.#emoji.all();
  }

  get userDefaults(): NewUserSettingDefaults {
    return this.#singletons.userDefaults;
  }

  get pictures(): RealmPictures {
    return this.#singletons.pictures;
  }

  profileFields(): readonly DirectoryProfileField[] {
    return this.#singletons.profileFields;
  }

  profile(user: UserId): ApiProfileData {
    return this.#profiles.profileDataOf(user);
  }

  get profilesVersion(): number {
    return this.#profiles.version;
  }

  realms(): Iterable<DirectoryRealmEntry> {
    return this.#realms.all();
  }

  #putRecord<C extends keyof DirectoryRecordTypes>(
    collection: C,
    record: DirectoryRecordTypes[keyof DirectoryRecordTypes],
  ): void {
    this.#collections[collection].put(record as DirectoryRecordTypes[C]);
  }

  #replaceSingletons(change: Partial<DirectorySingletons>): void {
    for (const name of SINGLETON_NAMES) {
      if (change[name] !== undefined) this.#singletons = { ...this.#singletons, [name]: change[name] };
    }
    if (change.profileFields) this.#profiles.setFields(change.profileFields);
  }
}

/** Creation time of an organization, wall ms. An organization is as old as its first account. */
const foundedAtMs = (users: readonly DirectoryUser[]): number =>
  users.length === 0 ? 0 : users.reduce((first, { joined }) => Math.min(first, joined), Number.MAX_SAFE_INTEGER);
