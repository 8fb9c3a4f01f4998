/** The directory of one realm in memory: a DirectoryView that changes are applied to. */
import type { Json, JsonObject, RealmId, StreamId, UserId } from '../core/index.js';
import type { ExtraEmoji } from '../emoji/extra.js';
import { isCalledBot, makeSystemBots, presentProfile, SYSTEM_BOT_EMAILS } from '../people/index.js';
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
  DirectoryView,
  ProfileData,
  RealmEntry,
  RealmPictures,
  RealmSettings,
  UserDefaults,
  UserStatus,
} from './view.js';

/** What the realm actor puts into the log (`DirectoryItem.change`) and, all of them, into a snapshot. */
export interface DirectoryChange {
  readonly user?: DirectoryUser;
  readonly stream?: DirectoryStream;
  readonly settings?: RealmSettings;
  readonly realm?: RealmEntry;
  /** Of the organization itself. */
  readonly deactivated?: boolean;
  readonly personal?: DirectoryPersonal;
  readonly fullMembersAt?: number;
  readonly group?: DirectoryGroup;
  readonly groupGone?: number;
  /** The whole list. */
  readonly linkifiers?: readonly DirectoryLinkifier[];
  /** The whole list. */
  readonly playgrounds?: readonly DirectoryPlayground[];
  /** Stream, messages of the last 28 days. */
  readonly traffic?: readonly (readonly [number, number])[];
  /** The whole list. */
  readonly streamGroups?: readonly DirectoryStreamGroup[];
  /** The whole list. */
  readonly domains?: readonly DirectoryDomain[];
  readonly emoji?: DirectoryEmoji;
  /** All of them. */
  readonly userDefaults?: UserDefaults;
  /** The whole list, by order. */
  readonly profileFields?: readonly DirectoryProfileField[];
  readonly profile?: DirectoryProfile;
  readonly bot?: DirectoryBot;
  /** All of them. */
  readonly pictures?: RealmPictures;
}

/** Answer of the realm actor's `snapshot` command. */
export interface DirectorySnapshot {
  readonly version: number;
  readonly subdomain: string;
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  readonly users: readonly DirectoryUser[];
  readonly streams: readonly DirectoryStream[];
  readonly realms: readonly RealmEntry[];
  readonly personals: readonly DirectoryPersonal[];
  readonly fullMembersAt: number;
  readonly groups: readonly DirectoryGroup[];
  readonly linkifiers: readonly DirectoryLinkifier[];
  readonly playgrounds: readonly DirectoryPlayground[];
  readonly domains: readonly DirectoryDomain[];
  readonly streamGroups: readonly DirectoryStreamGroup[];
  readonly traffic: readonly (readonly [number, number])[];
  readonly emoji: readonly DirectoryEmoji[];
  readonly userDefaults: UserDefaults;
  readonly profileFields: readonly DirectoryProfileField[];
  readonly profiles: readonly DirectoryProfile[];
  readonly bots: readonly DirectoryBot[];
  readonly pictures: RealmPictures;
}

export const asSnapshot = (value: Json): DirectorySnapshot => value as unknown as DirectorySnapshot;
export const asChange = (change: JsonObject): DirectoryChange => change as unknown as DirectoryChange;

/** Names of streams are compared ignoring case. */
export const foldName = (name: string): string => name.toLowerCase();

const NOTHING_FILLED_IN: ProfileData = {};

export class RealmDirectory implements DirectoryView {
  version: number;
  readonly subdomain: string;
  deactivated: boolean;
  settings: RealmSettings;
  userDefaults: UserDefaults;
  pictures: RealmPictures;
  fullMembersAt: number;
  groupsVersion = 0;
  streamGroups: readonly DirectoryStreamGroup[];
  usersVersion = 0;
  streamsVersion = 0;
  profilesVersion = 0;
  choicesVersion = 0;
  readonly #systemBots: ReadonlyMap<UserId, DirectoryUser>;
  readonly #users = new Map<UserId, DirectoryUser>();
  readonly #keys = new Map<string, UserId>();
  readonly #emails = new Map<string, UserId>();
  readonly #avatars = new Map<string, UserId>();
  readonly #streams = new Map<StreamId, DirectoryStream>();
  readonly #names = new Map<string, StreamId>();
  readonly #realms = new Map<number, RealmEntry>();
  readonly #personals = new Map<UserId, DirectoryPersonal>();
  readonly #statuses = new Map<UserId, UserStatus>();
  readonly #traffic = new Map<number, number>();
  readonly #groups = new Map<number, DirectoryGroup>();
  readonly #emoji = new Map<number, DirectoryEmoji>();
  readonly #bots = new Map<UserId, DirectoryBot>();
  readonly #silentBots = new Set<UserId>();
  #linkifiers: readonly DirectoryLinkifier[] = [];
  #playgrounds: readonly DirectoryPlayground[] = [];
  #domains: readonly DirectoryDomain[] = [];
  readonly #profiles = new Map<UserId, DirectoryProfile>();
  /** Made when they are asked for. */
  readonly #shownProfiles = new Map<UserId, ProfileData>();
  #profileFields: readonly DirectoryProfileField[] = [];

  constructor(
    readonly realm: RealmId,
    snapshot: DirectorySnapshot,
    readonly extraEmoji: ExtraEmoji,
  ) {
    this.version = snapshot.version;
    this.subdomain = snapshot.subdomain;
    this.deactivated = snapshot.deactivated;
    this.settings = snapshot.settings;
    this.fullMembersAt = snapshot.fullMembersAt;
    this.userDefaults = snapshot.userDefaults;
    this.pictures = snapshot.pictures;
    this.streamGroups = snapshot.streamGroups;
    const since = snapshot.users.reduce((first, { joined }) => Math.min(first, joined), Number.MAX_SAFE_INTEGER);
    const bots = makeSystemBots(snapshot.users.length > 0 ? since : 0);
    this.#systemBots = new Map(bots.map((bot) => [bot.id, bot]));
    for (const user of snapshot.users) this.apply({ user });
    for (const stream of snapshot.streams) this.apply({ stream });
    for (const realm of snapshot.realms) this.apply({ realm });
    for (const personal of snapshot.personals) this.apply({ personal });
    for (const group of snapshot.groups) this.apply({ group });
    for (const emoji of snapshot.emoji) this.apply({ emoji });
    for (const profile of snapshot.profiles) this.apply({ profile });
    const { linkifiers, playgrounds, domains, profileFields } = snapshot;
    this.apply({ linkifiers, playgrounds, domains, profileFields });
    for (const bot of snapshot.bots) this.apply({ bot });
    this.apply({ traffic: snapshot.traffic });
  }

  apply(change: DirectoryChange): void {
    if (change.user) this.#putUser(change.user);
    if (change.stream) this.#putStream(change.stream);
    if (change.settings) this.settings = { ...this.settings, ...change.settings };
    if (change.deactivated !== undefined) this.deactivated = change.deactivated;
    if (change.realm) this.#realms.set(change.realm.id, change.realm);
    if (change.personal) this.#putPersonal(change.personal);
    if (change.fullMembersAt !== undefined) this.fullMembersAt = change.fullMembersAt;
    if (change.group) this.#groups.set(change.group.id, change.group);
    if (change.groupGone !== undefined) this.#groups.delete(change.groupGone);
    if (change.group || change.groupGone !== undefined) this.groupsVersion++;
    if (change.bot) this.#bots.set(change.bot.user, change.bot);
    if (change.emoji) this.#emoji.set(change.emoji.id, change.emoji);
    for (const [stream, recent] of change.traffic ?? []) this.#traffic.set(stream, recent);
    if (change.streamGroups) this.streamGroups = change.streamGroups;
    if (change.pictures) this.pictures = change.pictures;
    if (change.linkifiers) this.#linkifiers = change.linkifiers;
    if (change.userDefaults) this.userDefaults = change.userDefaults;
    if (change.playgrounds) this.#playgrounds = change.playgrounds;
    if (change.domains) this.#domains = change.domains;
    if (change.profileFields) this.#putProfileFields(change.profileFields);
    if (change.profile) this.#putProfile(change.profile);
  }

  /** From the message itself: the realm actor hears of it later, and no event would tell those who look before. */
  noteFirstMessage(stream: StreamId, id: number): void {
    const known = this.#streams.get(stream);
    if (known?.firstMessage === null) this.#putStream({ ...known, firstMessage: id });
  }

  user(id: UserId): DirectoryUser | undefined {
    return this.#users.get(id) ?? this.#systemBots.get(id);
  }

  userByKeyHash(hash: string): DirectoryUser | undefined {
    const id = this.#keys.get(hash);
    return id === undefined ? undefined : this.#users.get(id);
  }

  userByEmail(email: string): DirectoryUser | undefined {
    const folded = email.toLowerCase();
    const id = this.#emails.get(folded) ?? SYSTEM_BOT_EMAILS.get(folded);
    return id === undefined ? undefined : this.user(id);
  }

  userByAvatar(hash: string): DirectoryUser | undefined {
    const id = this.#avatars.get(hash);
    return id === undefined ? undefined : this.#users.get(id);
  }

  users(): Iterable<DirectoryUser> {
    return this.#users.values();
  }

  stream(id: StreamId): DirectoryStream | undefined {
    return this.#streams.get(id);
  }

  streamByName(name: string): DirectoryStream | undefined {
    const id = this.#names.get(foldName(name));
    return id === undefined ? undefined : this.#streams.get(id);
  }

  traffic(stream: StreamId): number {
    return this.#traffic.get(stream) ?? 0;
  }

  streams(): Iterable<DirectoryStream> {
    return this.#streams.values();
  }

  realms(): Iterable<RealmEntry> {
    return this.#realms.values();
  }

  bot(user: UserId): DirectoryBot | undefined {
    return this.#bots.get(user);
  }

  silentBots(): ReadonlySet<UserId> {
    return this.#silentBots;
  }

  bots(): Iterable<DirectoryBot> {
    return this.#bots.values();
  }

  personal(user: UserId): DirectoryPersonal {
    return this.#personals.get(user) ?? { user, settings: {}, alertWords: [], muted: [] };
  }

  *personals(): Iterable<DirectoryPersonal> {
    for (const one of this.#personals.values()) if (one.alertWords.length > 0 || one.muted.length > 0) yield one;
  }

  statuses(): Iterable<readonly [UserId, UserStatus]> {
    return this.#statuses;
  }

  group(id: number): DirectoryGroup | undefined {
    return this.#groups.get(id);
  }

  groups(): Iterable<DirectoryGroup> {
    return this.#groups.values();
  }

  linkifiers(): readonly DirectoryLinkifier[] {
    return this.#linkifiers;
  }

  playgrounds(): readonly DirectoryPlayground[] {
    return this.#playgrounds;
  }

  domains(): readonly DirectoryDomain[] {
    return this.#domains;
  }

  profileFields(): readonly DirectoryProfileField[] {
    return this.#profileFields;
  }

  profile(user: UserId): ProfileData {
    const known = this.#shownProfiles.get(user);
    if (known) return known;
    const profile = this.#profiles.get(user);
    if (!profile) return NOTHING_FILLED_IN;
    const shown = presentProfile(profile, this.#profileFields);
    this.#shownProfiles.set(user, shown);
    return shown;
  }

  emoji(): Iterable<DirectoryEmoji> {
    return this.#emoji.values();
  }

  #putProfile(profile: DirectoryProfile): void {
    this.#profiles.set(profile.user, profile);
    this.#shownProfiles.delete(profile.user);
    this.profilesVersion++;
  }

  #putProfileFields(fields: readonly DirectoryProfileField[]): void {
    this.#profileFields = fields;
    this.#shownProfiles.clear();
    this.profilesVersion++;
  }

  #putPersonal(personal: DirectoryPersonal): void {
    this.#personals.set(personal.user, personal);
    if (personal.status) this.#statuses.set(personal.user, personal.status);
    else this.#statuses.delete(personal.user);
    this.choicesVersion++;
  }

  #putUser(user: DirectoryUser): void {
    const before = this.#users.get(user.id);
    if (before) {
      this.#keys.delete(before.keyHash);
      this.#emails.delete(before.email.toLowerCase());
      this.#emails.delete(before.deliveryEmail.toLowerCase());
    }
    this.#users.set(user.id, user);
    if (isCalledBot(user)) this.#silentBots.add(user.id);
    // The name never changes, so one that is out of use may stay.
    if (user.avatar) this.#avatars.set(user.avatar.hash, user.id);
    if (user.keyHash) this.#keys.set(user.keyHash, user.id);
    this.#emails.set(user.email.toLowerCase(), user.id);
    this.#emails.set(user.deliveryEmail.toLowerCase(), user.id);
    this.usersVersion++;
  }

  #putStream(stream: DirectoryStream): void {
    const before = this.#streams.get(stream.id);
    if (before && this.#names.get(foldName(before.name)) === before.id) this.#names.delete(foldName(before.name));
    // A change that the realm actor made before it heard of the first message must not take it back.
    const firstMessage = stream.firstMessage ?? before?.firstMessage ?? null;
    this.#streams.set(stream.id, firstMessage === stream.firstMessage ? stream : { ...stream, firstMessage });
    if (!stream.archived) this.#names.set(foldName(stream.name), stream.id);
    this.streamsVersion++;
  }
}
