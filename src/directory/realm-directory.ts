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
  ChangedIds,
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
  CHANGE_FIELD_BY_DIRECTORY_COLLECTION,
  type DirectoryChange,
  type DirectoryRecordTypeByCollection,
  type DirectorySingletons,
  type DirectorySnapshot,
  EMPTY_DIRECTORY_SINGLETONS,
} from './contents.js';

const COLLECTION_NAMES = Object.keys(CHANGE_FIELD_BY_DIRECTORY_COLLECTION) as (keyof DirectoryRecordTypeByCollection)[];
const SINGLETON_NAMES = Object.keys(EMPTY_DIRECTORY_SINGLETONS) as (keyof DirectorySingletons)[];

export class RealmDirectory implements DirectoryView {
  version: number;
  readonly subdomain: string;
  deactivated: boolean;
  settings: RealmSettings;
  fullMembersAt: number;
  recentMessageCountsVersion = 0;
  #singletonValues = EMPTY_DIRECTORY_SINGLETONS;
  readonly #users: DirectoryUserCollection;
  readonly #streams = new DirectoryStreamCollection();
  readonly #userPreferences = new DirectoryPreferenceCollection();
  readonly #profiles = new DirectoryProfileCollection();
  readonly #realms = new DirectoryRecordCollection<RealmId, DirectoryRealmEntry>(({ id }) => id);
  readonly #groups = new DirectoryRecordCollection<number, DirectoryUserGroup>(({ id }) => id);
  readonly #customEmoji = new DirectoryRecordCollection<number, DirectoryEmoji>(({ id }) => id);
  readonly #bots = new DirectoryRecordCollection<UserId, DirectoryBot>(({ user }) => user);
  readonly #sessions: DirectorySessionCollection;
  readonly #recentMessageCountByStream = new Map<number, number>();
  readonly #collections: {
    readonly [C in keyof DirectoryRecordTypeByCollection]: { put(record: DirectoryRecordTypeByCollection[C]): void };
  };

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
    this.#users = new DirectoryUserCollection(computeRealmFoundedAtMs(snapshot.users), snapshot.users.length);
    this.#sessions = new DirectorySessionCollection(snapshot.sessions?.length ?? 0);
    this.#collections = {
      users: this.#users,
      streams: this.#streams,
      realms: this.#realms,
      personals: this.#userPreferences,
      groups: this.#groups,
      emoji: this.#customEmoji,
      profiles: this.#profiles,
      bots: this.#bots,
      sessions: this.#sessions,
    };
    // A host of an older version may leave a collection out of the snapshot, such as the sessions.
    for (const name of COLLECTION_NAMES) for (const record of snapshot[name] ?? []) this.#putRecord(name, record);
    for (const { id, isBeingDeleted } of snapshot.realms ?? []) if (isBeingDeleted) this.#realms.remove(id);
    this.#replaceSingletons(snapshot);
    for (const [stream, recent] of snapshot.traffic) this.#recentMessageCountByStream.set(stream, recent);
  }

  applyChange(change: DirectoryChange): void {
    for (const name of COLLECTION_NAMES) {
      const record = change[CHANGE_FIELD_BY_DIRECTORY_COLLECTION[name]];
      if (record) this.#putRecord(name, record);
    }
    if (change.realm?.isBeingDeleted) this.#realms.remove(change.realm.id);
    this.#replaceSingletons(change);
    if (change.settings) this.settings = { ...this.settings, ...change.settings };
    if (change.deactivated !== undefined) this.deactivated = change.deactivated;
    if (change.fullMembersAt !== undefined) this.fullMembersAt = change.fullMembersAt;
    if (change.groupGone !== undefined) this.#groups.remove(change.groupGone);
    if (change.traffic) this.recentMessageCountsVersion++;
    for (const [stream, recent] of change.traffic ?? []) this.#recentMessageCountByStream.set(stream, recent);
  }

  setStreamFirstMessageIfUnset(stream: StreamId, id: number): void {
    this.#streams.setFirstMessageIfUnset(stream, id);
  }

  user(id: UserId): DirectoryUser | undefined {
    return this.#users.get(id);
  }

  userByKeyHash(hash: string): DirectoryUser | undefined {
    return this.#users.findByKeyHash(hash);
  }

  sessionByHash(hash: string): { readonly user: UserId; readonly session: WebSession } | undefined {
    return this.#sessions.findSessionByHash(hash);
  }

  hasSessionEndedByDeactivation(hash: string): boolean {
    const user = this.#sessions.findUserIdByEndedHash(hash);
    return user !== undefined && this.user(user)?.isActive === false;
  }

  sessionsOf(user: UserId): AccountSessions | undefined {
    return this.#sessions.get(user);
  }

  hasPushDevice(user: UserId): boolean {
    return this.#sessions.userIdsWithPushDevice.has(user);
  }

  hasAnyPushDevice(): boolean {
    return this.#sessions.userIdsWithPushDevice.size > 0;
  }

  sessions(): Iterable<AccountSessions> {
    return this.#sessions.allRecords();
  }

  userByApiEmail(email: string): DirectoryUser | undefined {
    const user = this.#users.findByApiOrRealEmail(email);
    return user?.email.toLowerCase() === email.toLowerCase() ? user : undefined;
  }

  userByEmail(email: string): DirectoryUser | undefined {
    return this.#users.findByApiOrRealEmail(email);
  }

  userByAvatarHash(hash: string): DirectoryUser | undefined {
    return this.#users.findByAvatarHash(hash);
  }

  users(): Iterable<DirectoryUser> {
    return this.#users.allRecords();
  }

  get usersVersion(): number {
    return this.#users.changeCount;
  }

  usersChangedSince(usersVersion: number): ChangedIds<UserId> {
    return this.#users.changedSince(usersVersion);
  }

  stream(id: StreamId): DirectoryStream | undefined {
    return this.#streams.get(id);
  }

  streamByName(name: string): DirectoryStream | undefined {
    return this.#streams.findUnarchivedByName(name);
  }

  streams(): Iterable<DirectoryStream> {
    return this.#streams.allRecords();
  }

  get streamsVersion(): number {
    return this.#streams.changeCount;
  }

  recentMessageCountOf(stream: StreamId): number {
    return this.#recentMessageCountByStream.get(stream) ?? 0;
  }

  get streamGroups(): readonly DirectoryDefaultStreamGroup[] {
    return this.#singletonValues.streamGroups;
  }

  bot(user: UserId): DirectoryBot | undefined {
    return this.#bots.get(user);
  }

  bots(): Iterable<DirectoryBot> {
    return this.#bots.allRecords();
  }

  silentBotIds(): ReadonlySet<UserId> {
    return this.#users.serverCalledBotIds;
  }

  preferencesOf(user: UserId): DirectoryUserPreferences {
    return this.#userPreferences.preferencesOf(user);
  }

  preferencesWithAlertsOrMutes(): Iterable<DirectoryUserPreferences> {
    return this.#userPreferences.recordsWithAlertsOrMutes();
  }

  streamNotifiedUserIds(): ReadonlySet<UserId> {
    return this.#userPreferences.userIdsNotifiedOfAllStreams;
  }

  statuses(): Iterable<readonly [UserId, UserStatus]> {
    return this.#userPreferences.statusByUser;
  }

  get preferencesVersion(): number {
    return this.#userPreferences.changeCount;
  }

  get alertsAndMutesVersion(): number {
    return this.#userPreferences.alertsAndMutesChangeCount;
  }

  group(id: number): DirectoryUserGroup | undefined {
    return this.#groups.get(id);
  }

  groups(): Iterable<DirectoryUserGroup> {
    return this.#groups.allRecords();
  }

  get groupsVersion(): number {
    return this.#groups.changeCount;
  }

  linkifiers(): readonly DirectoryLinkifier[] {
    return this.#singletonValues.linkifiers;
  }

  playgrounds(): readonly DirectoryPlayground[] {
    return this.#singletonValues.playgrounds;
  }

  emailDomains(): readonly DirectoryEmailDomain[] {
    return this.#singletonValues.domains;
  }

  customEmoji(): Iterable<DirectoryEmoji> {
    return this.#customEmoji.allRecords();
  }

  get userDefaults(): NewUserSettingDefaults {
    return this.#singletonValues.userDefaults;
  }

  get pictures(): RealmPictures {
    return this.#singletonValues.pictures;
  }

  profileFields(): readonly DirectoryProfileField[] {
    return this.#singletonValues.profileFields;
  }

  profile(user: UserId): ApiProfileData {
    return this.#profiles.apiProfileDataOf(user);
  }

  get profilesVersion(): number {
    return this.#profiles.changeCount;
  }

  profilesChangedSince(profilesVersion: number): ChangedIds<UserId> {
    return this.#profiles.changedSince(profilesVersion);
  }

  realms(): Iterable<DirectoryRealmEntry> {
    return this.#realms.allRecords();
  }

  #putRecord<C extends keyof DirectoryRecordTypeByCollection>(
    collection: C,
    record: DirectoryRecordTypeByCollection[keyof DirectoryRecordTypeByCollection],
  ): void {
    this.#collections[collection].put(record as DirectoryRecordTypeByCollection[C]);
  }

  #replaceSingletons(change: Partial<DirectorySingletons>): void {
    for (const name of SINGLETON_NAMES) {
      if (change[name] !== undefined) this.#singletonValues = { ...this.#singletonValues, [name]: change[name] };
    }
    if (change.profileFields) this.#profiles.setProfileFields(change.profileFields);
  }
}

/** Creation time of an organization, wall ms. An organization is as old as its first account. */
const computeRealmFoundedAtMs = (users: readonly DirectoryUser[]): number =>
  users.length === 0 ? 0 : users.reduce((first, { joined }) => Math.min(first, joined), Number.MAX_SAFE_INTEGER);
