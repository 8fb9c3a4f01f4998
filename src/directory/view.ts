/**
 * What every process knows of a realm: a read replica of the realm actor's directory. Handlers and frontends see this
 * interface only; how it is kept up is in replica.ts.
 */
import type { RealmId, StreamId, UserId } from '../core/index.js';
import type { EmojiRef } from '../emoji/emoji.js';
import type { ExtraEmoji } from '../emoji/extra.js';

/** Public facts of an account, as far as other parts need them without asking the user actor. */
export interface DirectoryUser {
  readonly id: UserId;
  /** recipient_id of direct messages to this account. */
  readonly recipient: number;
  readonly deliveryEmail: string;
  /** API e-mail. */
  readonly email: string;
  readonly fullName: string;
  /** 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. */
  readonly role: number;
  readonly isActive: boolean;
  readonly isBillingAdmin: boolean;
  /** null for humans; 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. */
  readonly botType: number | null;
  readonly botOwner: UserId | null;
  readonly timezone: string;
  readonly avatarSource: 'G' | 'U';
  /** 1, and one more with each change. */
  readonly avatarVersion: number;
  /** With source U. */
  readonly avatar?: UploadedAvatar | null;
  /** users.md: 1 everyone, 2 members, 3 admins, 4 nobody, 5 moderators. */
  readonly emailVisibility: number;
  /** Milliseconds since 1970. */
  readonly joined: number;
  readonly canCreateUsers: boolean;
  /** Keyed hash (hex) under which the API key is looked up. */
  readonly keyHash: string;
  /** Roles held before, newest last: [role, first realm version with the next role]. Replay needs the role of then. */
  readonly pastRoles: readonly (readonly [number, number])[];
}

/** Where an account's uploaded avatar is. */
export interface UploadedAvatar {
  readonly realm: RealmId;
  /** Names the account in addresses (secrets.ts). */
  readonly hash: string;
  /** Of the upload; each has one of its own. */
  readonly number: number;
}

export type RealmPictureName = 'icon' | 'logo' | 'night_logo';

export interface RealmPicture {
  /** Of the upload; 0: the default picture. */
  readonly number: number;
  /** One more with each change. */
  readonly version: number;
}

/** Absent: never changed. */
export type RealmPictures = { readonly [N in RealmPictureName]?: RealmPicture };

export interface DirectoryStream {
  readonly id: StreamId;
  readonly recipient: number;
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly creator: UserId;
  readonly inviteOnly: boolean;
  readonly historyPublic: boolean;
  readonly webPublic: boolean;
  /** 1 everyone, 2 admins, 3 full members, 4 moderators. */
  readonly postPolicy: number;
  readonly retentionDays: number | null;
  readonly canRemoveGroup: number;
  /** Id of the first message ever sent to it; never changes afterwards. */
  readonly firstMessage: number | null;
  readonly archived: boolean;
  /** New users who are no guests are subscribed to it. */
  readonly isDefault: boolean;
}

/** Where an outgoing webhook bot is told of messages. */
export interface BotService {
  /** As given, '' where nothing was. */
  readonly baseUrl: string;
  /** 1 generic, 2 for services that expect the form of Slack's outgoing webhooks. */
  readonly interface: number;
  /** Sent along with each call, encrypted under the server secret. */
  readonly tokenSealed: string;
}

/** What a bot has beside its account. */
export interface DirectoryBot {
  readonly user: UserId;
  /** API key, encrypted under the server secret: its owner and administrators may read it. */
  readonly keySealed: string;
  /** Where its messages go that name no stream. */
  readonly sendingStream: StreamId | null;
  /** What its queues are narrowed to. */
  readonly eventsStream: StreamId | null;
  /** Its queues get the messages of all public streams. */
  readonly allPublicStreams: boolean;
  /** Outgoing webhooks only. */
  readonly service: BotService | null;
  readonly config: { readonly [key: string]: string };
}

/** What others need of a user's own choices: kept by the realm actor, so that every replica has it. */
export interface DirectoryPersonal {
  readonly user: UserId;
  /** Settings of users.md that differ from the default. */
  readonly settings: { readonly [name: string]: boolean | number | string | null };
  readonly alertWords: readonly string[];
  /** Muted users, in the order of muting; seconds since 1970. */
  readonly muted: readonly { readonly id: number; readonly timestamp: number }[];
  /** Absent: says nothing. */
  readonly status?: UserStatus;
}

/** What a person tells of himself, beside his name. */
export interface UserStatus {
  readonly text: string;
  readonly emoji: EmojiRef | null;
  /** Said to be away, in the old way; the setting `presence_enabled` is off then. */
  readonly away: boolean;
}

export interface DirectoryGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Direct members, ascending. */
  readonly members: readonly UserId[];
  readonly subgroups: readonly number[];
  readonly system: boolean;
}

export interface DirectoryLinkifier {
  readonly id: number;
  /** RE2. */
  readonly pattern: string;
  /** RFC 6570. */
  readonly urlTemplate: string;
}

/** Where code blocks of a language can be run. */
export interface DirectoryPlayground {
  readonly id: number;
  readonly name: string;
  /** As the highlighter names it. */
  readonly language: string;
  readonly urlPrefix: string;
}

/** Accounts may have addresses of it. */
export interface DirectoryDomain {
  readonly id: number;
  /** Lower-case. */
  readonly domain: string;
  readonly allowSubdomains: boolean;
}

export interface DirectoryEmoji {
  readonly id: number;
  readonly name: string;
  /** Path under the organization's base URL. */
  readonly url: string;
  readonly stillUrl: string | null;
  readonly deactivated: boolean;
  readonly author: UserId | null;
}

/** A field that every human of the organization can fill in (realm.md § Custom profile fields). */
export interface DirectoryProfileField {
  readonly id: number;
  /** 1 short text … 8 pronouns (people/profile/profile-fields.ts); never changes. */
  readonly type: number;
  readonly name: string;
  readonly hint: string;
  /** JSON text; '' for types that need none. */
  readonly data: string;
  readonly order: number;
  readonly inSummary: boolean;
  /** Options that came after the field: [key, realm version]. What was chosen up to then was another option of that key. */
  readonly added: readonly (readonly [string, number])[];
}

/** What a human has filled in; fields and options that are gone may still be among it. */
export interface DirectoryProfile {
  readonly user: UserId;
  readonly values: { readonly [field: string]: ProfileValue };
}

export interface ProfileValue {
  /** As the API sends it. */
  readonly value: string;
  /** HTML; '' for types that are not rendered. */
  readonly rendered: string;
  /** Realm version of the commit that set it. */
  readonly at: number;
}

/** As user objects show it: field id → value. */
export interface ProfileData {
  readonly [field: string]: { readonly value: string; readonly rendered_value?: string };
}

/** Streams that belong together, offered to new users as one. */
export interface DirectoryStreamGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** In no particular order; archived ones may still be among them. */
  readonly streams: readonly StreamId[];
}

export type RealmSettings = { readonly [name: string]: boolean | number | string | null };

/** Settings that new accounts start with (users.md § Settings), where they differ from those of the program. */
export type UserDefaults = { readonly [name: string]: boolean | number | string };

/** One realm of the server, as realm 0 (the server's own) lists it. */
export interface RealmEntry {
  readonly id: RealmId;
  /** '' = the realm at the external host itself. */
  readonly subdomain: string;
  readonly deactivated: boolean;
}

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
