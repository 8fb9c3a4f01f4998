/** Arguments of the commands of the realm actor. */
import type { JsonObject } from '#base';
import type { UserSettings } from '#model';
import type { RealmPictureName } from '#model/records';
import type { OutboxCommand } from './command.js';

/** First account of an organization, prepared by the administration without secrets in clear. */
export type NewRealmOwnerAccount = {
  readonly email: string;
  readonly fullName: string;
  readonly passwordHash: string | null;
  readonly keyHash: string;
  readonly keySealed: string;
};

export type NewRealmArgs = {
  readonly subdomain: string;
  readonly name: string;
  readonly owner: NewRealmOwnerAccount;
  /** Type of the organization (school, company, …) as a number (realm.md § Settings). */
  readonly orgType: number;
  /**
   * Base URL of the organization, for the messages in its first streams; null: the organization begins without streams.
   */
  readonly origin: string | null;
};

export type CreateUserArgs = {
  readonly email: string;
  readonly password: string;
  readonly full_name: string;
  /** Role of the new account; only the administration sets a role. */
  readonly role?: number;
  /** Base URL of the organization, for the greeting message; absent: the user gets no greeting. */
  readonly origin?: string;
};

/** Names of a bot's default streams; null: no choice, '': no stream. */
export type BotDefaultStreamNames = { readonly sending: string | null; readonly events: string | null };

export type BotRequestOptions = {
  /** Number of files in the request's form. */
  readonly files: number;
  /** True for a dry run: the request is only checked, and no bot is made. */
  readonly dry: boolean;
};

export type CreateBotArgs = BotDefaultStreamNames &
  BotRequestOptions & {
    readonly fullName: string;
    readonly shortName: string;
    readonly type: number;
    readonly payloadUrl: string;
    readonly service: string | null;
    readonly config: { readonly [key: string]: string };
    readonly interface: number;
    readonly allPublicStreams: boolean;
    /** Domain of the bots' e-mail addresses. */
    readonly domain: string;
  };

/** Arguments of PATCH /bots/{bot_id}; null: no change. */
export type UpdateBotArgs = BotDefaultStreamNames &
  BotRequestOptions & {
    readonly bot_id: number;
    readonly full_name: string | null;
    readonly role: number | null;
    readonly bot_owner_id: number | null;
    readonly allPublicStreams: boolean | null;
    readonly payloadUrl: string | null;
    readonly interface: number;
    readonly config: { readonly [key: string]: string } | null;
  };

/** Value of a profile field, already checked against the schema of the parameter. */
export type ProfileFieldValueInput = string | readonly number[];

/** A profile field and its new value; `value` null (PATCH /users/{user_id} only) deletes the value. */
export type ProfileFieldUpdate = { readonly id: number; readonly value: ProfileFieldValueInput | null };

/** Arguments of PATCH /users/{user_id}; null: no change. */
export type UpdateUserArgs = {
  readonly user_id: number;
  readonly full_name: string | null;
  readonly role: number | null;
  readonly profile_data: readonly ProfileFieldUpdate[] | null;
};

/** Account whose key is renewed. */
export type RenewApiKeyArgs = {
  readonly user: number;
  /**
   * The key to replace: a bot's encrypted key, another account's key hash. The command changes nothing if the account
   * has a newer key by now. null: replace any key.
   */
  readonly instead: string | null;
};

/** Users named by id or API e-mail; an empty list means the caller. */
export type TargetUsersOrCallerArgs = { readonly principals: readonly (string | number)[] };

export type SubscribeArgs = TargetUsersOrCallerArgs & {
  readonly subscriptions: readonly { readonly name: string; readonly description?: string; readonly color?: string }[];
  readonly authorization_errors_fatal: boolean;
  readonly announce: boolean;
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly history_public_to_subscribers: boolean | null;
  readonly stream_post_policy: number;
  readonly message_retention_days: string | number;
  readonly can_remove_subscribers_group_id: number | null;
  /** True if the server's configuration allows streams that are open to the web. */
  readonly server_web_public: boolean;
  /** Base URL of the organization. */
  readonly origin: string;
};

export type UnsubscribeArgs = TargetUsersOrCallerArgs & { readonly subscriptions: readonly string[] };

export type SubscribeAndUnsubscribeArgs = {
  readonly add: SubscribeArgs;
  /** Names of the streams to unsubscribe from. */
  readonly delete: readonly string[];
};

/** Arguments of PATCH /streams/{stream_id}; null: not given. */
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
  /** True if the server's configuration allows streams that are open to the web. */
  readonly server_web_public: boolean;
  readonly origin: string;
};

/** A private stream that has no active subscribers any more. */
export type VacatedPrivateStream = {
  readonly stream: number;
  /** Deactivated accounts that are still subscribed to the stream. */
  readonly members: readonly number[];
};

/** Users who will join a stream in a later commit of the same request. */
export type UsersYetToJoinStream = {
  readonly stream: number;
  readonly users: readonly number[];
  /** Color of the stream for the caller; null: the server picks a color. */
  readonly color: string | null;
};

export type ContinueSubscribingArgs = {
  readonly streams: readonly UsersYetToJoinStream[];
  /** Stages of commands that are sent after all joins. */
  readonly afterwards?: readonly (readonly OutboxCommand[])[];
};

export type SetAvatarArgs = {
  readonly user: number;
  /**
   * Hash that stands for the account in URLs of avatars. It is made with the server's secret, which actors don't know.
   */
  readonly hash: string;
};

export type SetRealmPictureArgs = {
  readonly name: RealmPictureName;
  /** Number of the stored upload; null: the organization returns to the default picture. */
  readonly number: number | null;
};

/** A change of a user's files. The realm actor counts the space and publishes the event for the owner. */
export type UserFileChange = {
  readonly op: 'add' | 'update' | 'remove';
  readonly attachment: JsonObject;
  /** Number of bytes by which the space in use changes; negative when files are deleted. */
  readonly bytes: number;
};

export type UserFilesChangedArgs = {
  readonly owner: number;
  readonly changes: readonly UserFileChange[];
  /** Paths of files whose bytes can be deleted, because the commit that removed them is durable. */
  readonly erase: readonly string[];
};

/** Settings of a user in a request, checked by the frontend. */
export type UserSettingChanges = { readonly values: Partial<UserSettings> };

export type ChangeOwnSettingsArgs = UserSettingChanges & {
  /** Domain of the API e-mails that stand in for hidden addresses. */
  readonly domain: string;
};

/** Arguments for name, e-mail address and password of the caller's account; null: no change. */
export type ChangeOwnAccountArgs = {
  readonly full_name: string | null;
  readonly email: string | null;
  readonly old_password: string;
  /** The new password; '': no change. */
  readonly new_password: string;
  /**
   * Session that stays signed in after a change of the password: the session of this call; null: the call has an API
   * key.
   */
  readonly session: number | null;
  /** Base URL of the organization. */
  readonly origin: string;
};

/** Content of a link that sets a new password, after its encryption and its expiry were checked. */
export type OpenedPasswordResetLink = {
  readonly user: number;
  /** Hash of the token in the link. */
  readonly hash: string;
};

/** A browser session that begins. */
export type NewWebSession = {
  readonly hash: string;
  /** Names of the browser and its operating system. */
  readonly client: string;
};

/** Arguments for a person who signed in at an identity provider. */
export type ExternalSignInArgs = {
  readonly issuer: string;
  /** Id of the person at the issuer, which never changes. */
  readonly subject: string;
  /** E-mail address that the issuer has verified; null if there is none. */
  readonly email: string | null;
  readonly fullName: string | null;
  /** True if the full name replaces that of the account. */
  readonly updateName: boolean;
  /** New role of the account; null: no change. */
  readonly role: number | null;
  /** The sign-in flow that ends; each flow ends in at most one sign-in. */
  readonly flow: { readonly hash: string; readonly expires: number };
  /** The browser session that begins; null: none. */
  readonly session: NewWebSession | null;
  /** Hash of a one-time link with which another program begins a session; null: none. */
  readonly link: string | null;
  /** Base URL of the organization. */
  readonly origin: string;
};

/** An emoji in stored form, and (`shown`) in the form that this server sends. */
export type UserStatusEmoji = {
  readonly name: string;
  readonly code: string;
  /** Kind of emoji; 'extra' is the product's own emoji, neither Unicode nor custom (README.md § Names). */
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'extra';
  readonly shown: JsonObject;
};

/** Arguments of POST /users/me/status. Absent fields are not changed. */
export type SetUserStatusArgs = {
  readonly text?: string;
  readonly away?: boolean;
  /** The emoji of the status; null: removes the emoji. */
  readonly emoji?: UserStatusEmoji | null;
  readonly domain: string;
};

export type LinkifierContent = { readonly pattern: string; readonly url_template: string };

/** A code playground, trimmed and checked by the frontend; the handler refuses blank values. */
export type PlaygroundContent = { readonly name: string; readonly language: string; readonly url_prefix: string };

/** An e-mail domain of the organization, checked by the frontend. */
export type RealmEmailDomain = { readonly domain: string; readonly allow_subdomains: boolean };

export type StreamNamesArgs = { readonly stream_names: readonly string[] };

export type InvitationOffer = {
  /** Minutes until the invitation expires; null: never. */
  readonly minutes: number | null;
  readonly role: number;
  readonly stream_ids: readonly number[];
  /** Base URL of the organization. */
  readonly origin: string;
};

/** An invitation read from its link, after the signature was checked. */
export type OpenedInvitationLink = {
  readonly kind: 'single' | 'link';
  readonly id: number;
  readonly nonce: string;
};

/** Data of a new account that the future user fills in. */
export type NewAccountApplicantArgs = {
  /** E-mail address of the new account, confirmed by a mail. An invitation to one address uses that address instead. */
  readonly email: string;
  readonly full_name: string;
  readonly password: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** Code of the language of the newcomer's browser; absent: the account gets that of the organization. */
  readonly language?: string;
};

export type RequestSignUpArgs = {
  readonly email: string;
  /**
   * The invitation whose link led to the sign-up; null: there is none, because the organization needs no invitation.
   */
  readonly by: { readonly id: number; readonly nonce: string } | null;
  /** Base URL of the organization. */
  readonly origin: string;
};

export type ProfileFieldContent = {
  /** Name of the profile field, trimmed. */
  readonly name: string;
  readonly hint: string;
  /** JSON text of the field's data object. */
  readonly field_data: string;
  readonly display_in_profile_summary: boolean;
};

/** Ids of members (or subgroups) that are added to a user group and removed from it. */
export type UserGroupAddAndRemoveArgs = {
  readonly user_group_id: number;
  readonly add: readonly number[];
  readonly delete: readonly number[];
};

/** The reservation of an import: what is chosen at its begin and stays equal when it is repeated after a crash. */
export type RealmImportReservation = {
  readonly realm: number;
  /** Fingerprint of the export. */
  readonly source: string;
  /** Random text from which new keys and names are derived. */
  readonly seed: string;
  /** Time of the begin, ms. */
  readonly begun: number;
  /** True if the import was given up: its records are being removed, and it can't be continued. */
  readonly isDropped?: true;
  /** Lease of the process that drops the import. */
  readonly droppedBy?: RealmImportLease;
};

/**
 * The lease of the one import that may run in a cluster. The holder raises `beat` while it runs. A lease whose beat
 * stood still for long enough can be taken over.
 */
export type RealmImportLease = {
  readonly subdomain: string;
  /** Random id of the process that imports. */
  readonly holder: string;
  /** Host and number of that process, for operators. */
  readonly place: string;
  readonly beat: number;
  /** True if the process drops the import. */
  readonly isDrop?: true;
};

export type BeginRealmImportArgs = {
  readonly subdomain: string;
  readonly source: string;
  readonly seed: string;
  readonly holder: string;
  readonly place: string;
  /** Lease that stood still while the caller watched it, and that the caller takes over; null: no such lease. */
  readonly stale: RealmImportLease | null;
};

/** Reply to an import that wants to begin: its reservation, or the lease of another import. */
export type BeginRealmImportReply =
  | { readonly reserved: RealmImportReservation }
  | { readonly heldBy: RealmImportLease };

export type DropRealmImportArgs = {
  readonly subdomain: string;
  /** Id of the calling process; '' if it holds no lease. */
  readonly holder: string;
  /** Host and process of the caller, for the operator. */
  readonly place: string;
  readonly stale: RealmImportLease | null;
};

/**
 * Reply of `markImportDropped`: the reservation (null: there is none), or the lease of the process that imports or
 * drops it.
 */
export type MarkRealmImportDroppedReply =
  | { readonly reserved: RealmImportReservation | null }
  | { readonly heldBy: RealmImportLease };

/** Reply to a drop: whether there was an import to drop, or the lease of the process that imports or drops it. */
export type DropRealmImportReply = { readonly dropped: boolean } | { readonly heldBy: RealmImportLease };

export type StartExportArgs = {
  /** Path under which the archive will be stored, with its random part. */
  readonly archive: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** E-mail address of the administrators of the server, for the refusal of a large organization. */
  readonly administratorEmail: string;
};
