import type { Json, JsonObject } from '#base';
import type { RealmSettings, UserSettings } from '#model';
import type { RealmPictureName } from '#model/records';
import { commandOf, type Fields, type NoArgs, type OutboxCommand, type Value } from './command.js';

/** First account of an organization as the administration prepares it: no secret in clear. */
export type FirstAccount = {
  readonly email: string;
  readonly fullName: string;
  readonly passwordHash: string | null;
  readonly keyHash: string;
  readonly keySealed: string;
};

export type NewRealmArgs = {
  readonly subdomain: string;
  readonly name: string;
  readonly owner: FirstAccount;
  /** realm.md § Settings. */
  readonly orgType: number;
  /** Base URL, for the notices in its first streams; null: the organization begins without streams. */
  readonly origin: string | null;
};

export type CreateUserArgs = {
  readonly email: string;
  readonly password: string;
  readonly full_name: string;
  /** Only from the administration. */
  readonly role?: number;
  /** Base URL of the organization; absent: the user gets no greeting. */
  readonly origin?: string;
};

/** Names of streams; null: not given, '': none. */
export type BotStreamChoices = { readonly sending: string | null; readonly events: string | null };

export type BotRequest = {
  /** How many files were sent along. */
  readonly files: number;
  /** Only check. */
  readonly dry: boolean;
};

export type CreateBotArgs = BotStreamChoices &
  BotRequest & {
    readonly fullName: string;
    readonly shortName: string;
    readonly type: number;
    readonly payloadUrl: string;
    readonly service: string | null;
    readonly config: { readonly [key: string]: string };
    readonly interface: number;
    readonly allPublicStreams: boolean;
    /** Domain of the addresses of bots. */
    readonly domain: string;
  };

/** null: not given. */
export type UpdateBotArgs = BotStreamChoices &
  BotRequest & {
    readonly bot_id: number;
    readonly full_name: string | null;
    readonly role: number | null;
    readonly bot_owner_id: number | null;
    readonly allPublicStreams: boolean | null;
    readonly payloadUrl: string | null;
    readonly interface: number;
    readonly config: { readonly [key: string]: string } | null;
  };

/** Value of a profile field as the parameters' schemas let it through. */
export type ProfileInput = string | readonly number[];

/** `value` null (PATCH /users/{user_id} only) deletes. */
export type ProfileEntry = { readonly id: number; readonly value: ProfileInput | null };

/** null: not given. */
export type UpdateUserArgs = {
  readonly user_id: number;
  readonly full_name: string | null;
  readonly role: number | null;
  readonly profile_data: readonly ProfileEntry[] | null;
};

/** A key to be renewed. */
export type RenewKeyArgs = {
  readonly user: number;
  /**
   * The key to replace: a bot's sealed key, another account's key hash. The command changes nothing if the account has
   * a newer key by now. null: replace any key.
   */
  readonly instead: string | null;
};

/** Users by id or API e-mail; empty: the caller. */
export type Principals = { readonly principals: readonly (string | number)[] };

export type SubscribeArgs = Principals & {
  readonly subscriptions: readonly { readonly name: string; readonly description?: string; readonly color?: string }[];
  readonly authorization_errors_fatal: boolean;
  readonly announce: boolean;
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly history_public_to_subscribers: boolean | null;
  readonly stream_post_policy: number;
  readonly message_retention_days: string | number;
  readonly can_remove_subscribers_group_id: number | null;
  /** The configuration allows streams that are open to the web. */
  readonly server_web_public: boolean;
  /** Base URL of the organization. */
  readonly origin: string;
};

export type UnsubscribeArgs = Principals & { readonly subscriptions: readonly string[] };

export type UpdateSubscriptionsArgs = {
  readonly add: SubscribeArgs;
  /** Names. */
  readonly delete: readonly string[];
};

/** null: not given. */
export type UpdateStreamArgs = {
  readonly stream_id: number;
  readonly description: string | null;
  readonly new_name: string | null;
  readonly is_private: boolean | null;
  readonly is_web_public: boolean | null;
  readonly history_public_to_subscribers: boolean | null;
  readonly is_announcement_only: boolean | null;
  readonly stream_post_policy: number | null;
  readonly message_retention_days: string | number | null;
  readonly can_remove_subscribers_group_id: number | null;
  /** The configuration allows streams that are open to the web. */
  readonly server_web_public: boolean;
  readonly origin: string;
};

/** A private stream that everybody has left. */
export type VacatedStream = {
  readonly stream: number;
  /** Deactivated accounts that are still subscribed. */
  readonly members: readonly number[];
};

/** Users who join a stream with a later commit. */
export type RemainingJoin = {
  readonly stream: number;
  readonly users: readonly number[];
  /** For the caller. */
  readonly color: string | null;
};

export type CarryOnJoiningArgs = {
  readonly streams: readonly RemainingJoin[];
  /** Stages that come after all who join. */
  readonly afterwards?: readonly (readonly OutboxCommand[])[];
};

export type AvatarArgs = {
  readonly user: number;
  /** Names the account in addresses; made with the server's secret, which actors don't know. */
  readonly hash: string;
};

export type RealmPictureArgs = {
  readonly name: RealmPictureName;
  /** Number of the stored upload; null: back to the default. */
  readonly number: number | null;
};

/** A change of a user's files, for the realm actor: it counts the space and tells the owner. */
export type FileChange = {
  readonly op: 'add' | 'update' | 'remove';
  readonly attachment: JsonObject;
  /** Bytes that more are in use than before. */
  readonly bytes: number;
};

export type FilesChangedArgs = {
  readonly owner: number;
  readonly changes: readonly FileChange[];
  /** Paths of files whose bytes are deleted: the commit that removed them is durable. */
  readonly erase: readonly string[];
};

/** The settings that the request has; checked by the frontend. */
export type SettingChanges = { readonly values: Partial<UserSettings> };

export type ChangeSettingsArgs = SettingChanges & {
  /** Domain of the addresses that stand for hidden ones in this organization. */
  readonly domain: string;
};

/** null: not given. */
export type AccountArgs = {
  readonly full_name: string | null;
  readonly email: string | null;
  readonly old_password: string;
  /** '': not given. */
  readonly new_password: string;
  /** Base URL of the organization. */
  readonly origin: string;
};

/** An emoji as it is stored, and (`shown`) as this server names it. */
export type StatusEmoji = {
  readonly name: string;
  readonly code: string;
  /** 'extra' is the emoji that is neither Unicode nor the organization's (README.md § Names). */
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'extra';
  readonly shown: JsonObject;
};

/** Absent: not given. */
export type SetStatusArgs = {
  readonly text?: string;
  readonly away?: boolean;
  /** null: none from now on. */
  readonly emoji?: StatusEmoji | null;
  readonly domain: string;
};

export type LinkifierContent = { readonly pattern: string; readonly url_template: string };

/** Trimmed and checked by the frontend, but for being blank. */
export type PlaygroundContent = { readonly name: string; readonly language: string; readonly url_prefix: string };

/** A domain, checked by the frontend. */
export type RealmDomain = { readonly domain: string; readonly allow_subdomains: boolean };

export type StreamNames = { readonly stream_names: readonly string[] };

export type InvitationOffer = {
  /** Minutes that the invitation stands; null: for ever. */
  readonly minutes: number | null;
  readonly role: number;
  readonly stream_ids: readonly number[];
  /** Base URL of the organization. */
  readonly origin: string;
};

/** An invitation as its link names it, checked to be of this server's making. */
export type InvitationLink = {
  readonly kind: 'single' | 'link';
  readonly id: number;
  readonly nonce: string;
};

/** A new account as the user fills it in. */
export type ApplicantArgs = {
  /** Confirmed by a mail. An invitation to one address uses that address instead. */
  readonly email: string;
  readonly full_name: string;
  readonly password: string;
  /** Base URL of the organization. */
  readonly origin: string;
};

export type AskSignUpArgs = {
  readonly email: string;
  /** The link of an invitation that was opened. */
  readonly by: { readonly id: number; readonly nonce: string } | null;
  /** Base URL of the organization. */
  readonly origin: string;
};

export type ProfileFieldContent = {
  /** Trimmed. */
  readonly name: string;
  readonly hint: string;
  /** JSON text of the object. */
  readonly field_data: string;
  readonly display_in_profile_summary: boolean;
};

/** Users (or subgroups) of a group to be added and removed. */
export type GroupEdit = {
  readonly user_group_id: number;
  readonly add: readonly number[];
  readonly delete: readonly number[];
};

type UserRef = { readonly user_id: number };
type BotRef = { readonly bot_id: number };
type Id = { readonly id: number };
type Sealed = Fields<{ readonly sealed: string }>;
type Joined = Fields<{ readonly organization: string; readonly email: string }>;

const command = commandOf<'realm'>();

/** Commands of the realm actor, which keeps the directory of an organization. */
export const realmCommands = {
  // Organizations; the first three and `note-activity` are for realm 0, the server itself.
  /** Number that the next organization gets. */
  peekRealm: command<NoArgs, Value<number>>('peek-realm'),
  /** Reserve number and subdomain, and have the organization made. */
  createRealm: command<NewRealmArgs & { readonly realm: number }, Value<number>>('create-realm'),
  subdomainTaken: command<{ readonly subdomain: string }, Fields<{ readonly taken: boolean }>>('subdomain-taken'),
  init: command<NewRealmArgs>('init'),
  deactivate: command<NoArgs, Fields>('deactivate'),
  reactivate: command<NoArgs, Fields>('reactivate'),
  noteActivity: command<{ readonly realm: number; readonly deactivated: boolean }>('note-activity'),
  changeRealm: command<{ readonly values: Partial<RealmSettings> }, Fields>('change-realm'),
  changeUserDefaults: command<SettingChanges, Fields>('change-user-defaults'),
  /** The whole directory. */
  snapshot: command<NoArgs, Value<Json>>('snapshot'),
  /** Timer: accounts become full members. */
  due: command('due'),

  // Ids.
  /** Reserve `count` message ids; answers the first. */
  takeIds: command<{ readonly count: number }, Value<number>>('take-ids'),
  /** From the live side: the actor leaves memory, and reserved ids that were not used may be given out again. */
  returnIds: command('return-ids'),
  /** Recipient id of a group conversation; `group` names it as its actor key does. */
  groupRecipient: command<{ readonly group: string }, Value<number>>('group-recipient'),

  // Accounts.
  createUser: command<CreateUserArgs, Fields<{ readonly user_id: number }>>('create-user'),
  updateUser: command<UpdateUserArgs, Fields>('update-user'),
  /** `comment` for the mail to the user; null: no mail. */
  deactivateUser: command<UserRef & { readonly comment: string | null }, Fields>('deactivate-user'),
  deactivateSelf: command<NoArgs, Fields>('deactivate-self'),
  reactivateUser: command<UserRef, Fields>('reactivate-user'),
  setBilling: command<UserRef & { readonly on: boolean }, Fields>('set-billing'),
  setRateLimits: command<UserRef & { readonly rules: string | null }, Fields>('set-rate-limits'),
  /** From this actor itself: `viewer` may see the real addresses of these users from now on. */
  showAddresses: command<{ readonly viewer: number; readonly of: readonly number[] }>('show-addresses'),
  regenerateKey: command<NoArgs, Sealed>('regenerate-key'),
  /** `sealed` null: the key of a person has been replaced meanwhile. */
  renewKey: command<RenewKeyArgs, Fields<{ readonly sealed: string | null }>>('renew-key'),
  /** The same for other actors, which see the new key in the directory. */
  renewBotKey: command<RenewKeyArgs>('renew-bot-key'),
  /** The link in a mail to a new address was opened. `shown`: the frontend that asked shows this organization. */
  confirmEmail: command<
    { readonly user: number; readonly hash: string; readonly shown: boolean },
    Fields<{ readonly email: string }>
  >('confirm-email'),

  // Bots.
  createBot: command<CreateBotArgs, Fields>('create-bot'),
  updateBot: command<UpdateBotArgs, Fields>('update-bot'),
  regenerateBotKey: command<BotRef, Sealed>('regenerate-bot-key'),
  deactivateBot: command<BotRef, Fields>('deactivate-bot'),

  // Own settings.
  changeSettings: command<ChangeSettingsArgs, Fields>('change-settings'),
  changeOwnAccount: command<ChangeSettingsArgs & { readonly account: AccountArgs }, Fields>('change-own-account'),
  setStatus: command<SetStatusArgs, Fields>('set-status'),
  addAlertWords: command<{ readonly words: readonly string[] }, Fields>('add-alert-words'),
  removeAlertWords: command<{ readonly words: readonly string[] }, Fields>('remove-alert-words'),
  /** By way of the caller's own actor. */
  muteUser: command<{ readonly muted_user_id: number }, Fields>('mute-user'),
  unmuteUser: command<{ readonly muted_user_id: number }, Fields>('unmute-user'),
  changeOwnProfile: command<
    { readonly data: readonly { readonly id: number; readonly value: ProfileInput }[] },
    Fields
  >('change-own-profile'),
  clearOwnProfile: command<{ readonly data: readonly number[] }, Fields>('clear-own-profile'),

  // Streams.
  subscribe: command<SubscribeArgs, Fields>('subscribe'),
  unsubscribe: command<UnsubscribeArgs, Fields>('unsubscribe'),
  updateSubscriptions: command<UpdateSubscriptionsArgs, Fields>('update-subscriptions'),
  /** From this actor itself: the next users join. */
  carryOnJoining: command<CarryOnJoiningArgs>('carry-on-joining'),
  updateStream: command<UpdateStreamArgs, Fields>('update-stream'),
  archiveStream: command<{ readonly stream_id: number }, Fields>('archive-stream'),
  /** From this actor itself: archive private streams that everybody has left. */
  vacated: command<{ readonly streams: readonly VacatedStream[] }>('vacated'),
  setDefaultStream: command<{ readonly stream_id: number; readonly isDefault: boolean }, Fields>('default-stream'),
  /** From the stream's actor. */
  firstMessage: command<{ readonly stream: number; readonly id: number }>('first-message'),
  /** From the stream's actor: its messages of late. */
  streamTraffic: command<{ readonly stream: number; readonly recent: number }>('stream-traffic'),
  createStreamGroup: command<StreamNames & { readonly name: string; readonly description: string }, Fields>(
    'create-stream-group',
  ),
  /** null: not given. */
  updateStreamGroup: command<
    { readonly group_id: number; readonly name: string | null; readonly description: string | null },
    Fields
  >('update-stream-group'),
  editStreamGroup: command<StreamNames & { readonly group_id: number; readonly op: string }, Fields>(
    'edit-stream-group',
  ),
  removeStreamGroup: command<{ readonly group_id: number }, Fields>('remove-stream-group'),

  // Groups of users.
  createGroup: command<
    { readonly name: string; readonly description: string; readonly members: readonly number[] },
    Fields
  >('create-group'),
  /** null: not given. */
  updateGroup: command<
    { readonly user_group_id: number; readonly name: string | null; readonly description: string | null },
    Fields
  >('update-group'),
  removeGroup: command<{ readonly user_group_id: number }, Fields>('remove-group'),
  editMembers: command<GroupEdit & { readonly origin: string }, Fields>('edit-group-members'),
  editSubgroups: command<GroupEdit, Fields>('edit-subgroups'),

  // Files and pictures.
  /** Number of a new file; null: no space. `size` and `quota` in bytes, quota null: no limit. */
  fileId: command<{ readonly size: number; readonly quota: number | null }, Value<number | null>>('file-id'),
  filesChanged: command<FilesChangedArgs>('files-changed'),
  /** Bytes that all files take. */
  spaceUsed: command<NoArgs, Value<number>>('space-used'),
  /** Number of a new upload of a picture. */
  pictureBegin: command<{ readonly picture: string }, Fields<{ readonly number: number }>>('picture-begin'),
  setAvatar: command<AvatarArgs & { readonly number: number }, Fields>('set-avatar'),
  removeAvatar: command<AvatarArgs, Fields>('remove-avatar'),
  setRealmPicture: command<RealmPictureArgs, Fields>('set-realm-picture'),
  /** Check the upload of an emoji: `name` is checked before, `mib` is what one may have. */
  emojiBegin: command<
    { readonly name: string; readonly files: number; readonly tooLarge: boolean; readonly mib: number },
    Fields<{ readonly id: number }>
  >('emoji-begin'),
  emojiAdd: command<Id & { readonly name: string; readonly extension: string; readonly animated: boolean }, Fields>(
    'emoji-add',
  ),
  emojiRemove: command<{ readonly name: string }, Fields>('emoji-remove'),

  // Lists of the organization.
  addLinkifier: command<LinkifierContent, Fields>('add-linkifier'),
  updateLinkifier: command<LinkifierContent & { readonly filter_id: number }, Fields>('update-linkifier'),
  removeLinkifier: command<{ readonly filter_id: number }, Fields>('remove-linkifier'),
  addPlayground: command<PlaygroundContent, Fields>('add-playground'),
  removePlayground: command<{ readonly playground_id: number }, Fields>('remove-playground'),
  addDomain: command<RealmDomain, Fields>('add-domain'),
  changeDomain: command<RealmDomain, Fields>('change-domain'),
  removeDomain: command<{ readonly domain: string }, Fields>('remove-domain'),
  addProfileField: command<ProfileFieldContent & { readonly field_type: number }, Fields>('add-profile-field'),
  updateProfileField: command<ProfileFieldContent & { readonly field_id: number }, Fields>('update-profile-field'),
  orderProfileFields: command<{ readonly order: readonly number[] }, Fields>('order-profile-fields'),
  removeProfileField: command<{ readonly field_id: number }, Fields>('remove-profile-field'),

  // Invitations and joining.
  invite: command<InvitationOffer & { readonly emails: readonly string[] }, Fields>('invite'),
  inviteByLink: command<InvitationOffer, Sealed>('invite-by-link'),
  listInvitations: command<{ readonly origin: string }, Fields>('list-invitations'),
  revokeInvitation: command<Id, Fields>('revoke-invitation'),
  revokeLink: command<Id, Fields>('revoke-invitation-link'),
  resendInvitation: command<Id & { readonly origin: string }, Fields>('resend-invitation'),
  peekInvitation: command<
    InvitationLink,
    Fields<{ readonly organization: string; readonly inviter: string; readonly email: string | null }>
  >('peek-invitation'),
  join: command<InvitationLink & ApplicantArgs, Joined>('join'),
  peekSignUp: command<NoArgs, Fields<{ readonly organization: string }>>('peek-sign-up'),
  /** Send the mail with which an account can be made, to an address that may have one already. */
  askSignUp: command<AskSignUpArgs, Fields>('ask-sign-up'),
  signUp: command<ApplicantArgs, Joined>('sign-up'),
};
