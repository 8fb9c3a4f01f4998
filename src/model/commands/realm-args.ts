/** Arguments of the commands of the realm actor. */
import type { JsonObject } from '#base';
import type { UserSettings } from '#model';
import type { RealmPictureName } from '#model/records';
import type { OutboxCommand } from './command.js';

/** First account of an organization, prepared by the administration without secrets in clear. */
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
  /** Type of the organization, a number of realm.md § Settings. */
  readonly orgType: number;
  /**
   * Base URL of the organization, for the notices in its first streams; null: the organization begins without streams.
   */
  readonly origin: string | null;
};

export type CreateUserArgs = {
  readonly email: string;
  readonly password: string;
  readonly full_name: string;
  /** Role of the new account; only the administration gives one. */
  readonly role?: number;
  /** Base URL of the organization; absent: the user gets no greeting. */
  readonly origin?: string;
};

/** Names of a bot's default streams; null: not given, '': none. */
export type BotStreamChoices = { readonly sending: string | null; readonly events: string | null };

export type BotRequest = {
  /** Number of files in the request's form. */
  readonly files: number;
  /** If true, the request is only checked, and no bot is made. */
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
    /** E-mail domain of the bots' addresses. */
    readonly domain: string;
  };

/** Arguments of PATCH /bots/{bot_id}; null: not given. */
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

/** Value of a profile field, checked against the schema of the parameter. */
export type ProfileInput = string | readonly number[];

/** A profile field and its new value; `value` null (PATCH /users/{user_id} only) deletes the value. */
export type ProfileEntry = { readonly id: number; readonly value: ProfileInput | null };

/** Arguments of PATCH /users/{user_id}; null: not given. */
export type UpdateUserArgs = {
  readonly user_id: number;
  readonly full_name: string | null;
  readonly role: number | null;
  readonly profile_data: readonly ProfileEntry[] | null;
};

/** Account whose key is renewed. */
export type RenewKeyArgs = {
  readonly user: number;
  /**
   * The key to replace: a bot's sealed key, another account's key hash. The command changes nothing if the account has
   * a newer key by now. null: replace any key.
   */
  readonly instead: string | null;
};

/** Users named by id or API e-mail; an empty list means the caller. */
export type PrincipalArgs = { readonly principals: readonly (string | number)[] };

export type SubscribeArgs = PrincipalArgs & {
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

export type UnsubscribeArgs = PrincipalArgs & { readonly subscriptions: readonly string[] };

export type UpdateSubscriptionsArgs = {
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

/** A private stream without active subscribers. */
export type VacatedStream = {
  readonly stream: number;
  /** Deactivated accounts that are still subscribed to the stream. */
  readonly members: readonly number[];
};

/** Users who join a stream in a later commit of the same request. */
export type RemainingStreamJoin = {
  readonly stream: number;
  readonly users: readonly number[];
  /** Color of the stream for the caller; null: a color is picked. */
  readonly color: string | null;
};

export type ContinueJoiningArgs = {
  readonly streams: readonly RemainingStreamJoin[];
  /** Stages of commands that are sent after all joins. */
  readonly afterwards?: readonly (readonly OutboxCommand[])[];
};

export type AvatarArgs = {
  readonly user: number;
  /** Hash that stands for the account in URLs of avatars. Made with the server's secret, which actors don't know. */
  readonly hash: string;
};

export type RealmPictureArgs = {
  readonly name: RealmPictureName;
  /** Number of the stored upload; null: the organization returns to the default picture. */
  readonly number: number | null;
};

/** A change of a user's files. The realm actor counts the space and publishes the event for the owner. */
export type FileChange = {
  readonly op: 'add' | 'update' | 'remove';
  readonly attachment: JsonObject;
  /** Number of bytes by which the space in use changes. */
  readonly bytes: number;
};

export type FilesChangedArgs = {
  readonly owner: number;
  readonly changes: readonly FileChange[];
  /** Paths of files whose bytes can be deleted, because the commit that removed them is durable. */
  readonly erase: readonly string[];
};

/** Settings of a user in a request, checked by the frontend. */
export type SettingChanges = { readonly values: Partial<UserSettings> };

export type ChangeSettingsArgs = SettingChanges & {
  /** Domain of the API e-mails that stand in for hidden addresses. */
  readonly domain: string;
};

/** Arguments for name, address and password of one's own account; null: not given. */
export type ChangeOwnAccountArgs = {
  readonly full_name: string | null;
  readonly email: string | null;
  readonly old_password: string;
  /** The new password; '': not given. */
  readonly new_password: string;
  /** Session that a new password leaves: the one of this call; null: the call has an API key. */
  readonly session: number | null;
  /** Base URL of the organization. */
  readonly origin: string;
};

/** A link that sets a new password, opened; its seal and its expiry were checked. */
export type OpenedResetLink = {
  readonly user: number;
  /** Hash of the token in the link. */
  readonly hash: string;
};

/** A session of a browser that begins. */
export type NewSession = {
  readonly hash: string;
  /** Browser and system. */
  readonly client: string;
};

/** A person who signed in at a provider of identities. */
export type ExternalSignInArgs = {
  readonly issuer: string;
  /** Name of the person at the issuer. */
  readonly subject: string;
  /** Address that the issuer has verified; null: none. */
  readonly email: string | null;
  readonly fullName: string | null;
  /** true: the full name replaces that of the account. */
  readonly updateName: boolean;
  /** Role of the account from now on; null: it keeps its role. */
  readonly role: number | null;
  /** The flow that ends; each ends in one sign-in. */
  readonly flow: { readonly hash: string; readonly expires: number };
  /** The session that begins; null: none. */
  readonly session: NewSession | null;
  /** Hash of a one-time link for a session of another program; null: none. */
  readonly link: string | null;
  /** Base URL of the organization. */
  readonly origin: string;
};

/** An emoji as stored, and (`shown`) as this server sends it. */
export type StatusEmoji = {
  readonly name: string;
  readonly code: string;
  /** Kind of emoji; 'extra' is the product's own emoji, neither Unicode nor custom (README.md § Names). */
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'extra';
  readonly shown: JsonObject;
};

/** Arguments of POST /users/me/status. Absent fields are not changed. */
export type SetStatusArgs = {
  readonly text?: string;
  readonly away?: boolean;
  /** The emoji of the status; null: removes the emoji. */
  readonly emoji?: StatusEmoji | null;
  readonly domain: string;
};

export type LinkifierContent = { readonly pattern: string; readonly url_template: string };

/** A code playground, trimmed and checked by the frontend; the handler refuses blank values. */
export type PlaygroundContent = { readonly name: string; readonly language: string; readonly url_prefix: string };

/** An e-mail domain of the organization, checked by the frontend. */
export type RealmDomain = { readonly domain: string; readonly allow_subdomains: boolean };

export type StreamNames = { readonly stream_names: readonly string[] };

export type InvitationOffer = {
  /** Minutes until the invitation expires; null: never. */
  readonly minutes: number | null;
  readonly role: number;
  readonly stream_ids: readonly number[];
  /** Base URL of the organization. */
  readonly origin: string;
};

/** An invitation from its link, whose signature was checked. */
export type OpenedInvitationLink = {
  readonly kind: 'single' | 'link';
  readonly id: number;
  readonly nonce: string;
};

/** Data of a new account that its future user fills in. */
export type ApplicantArgs = {
  /** Address of the new account, confirmed by a mail. An invitation to one address uses that address instead. */
  readonly email: string;
  readonly full_name: string;
  readonly password: string;
  /** Base URL of the organization. */
  readonly origin: string;
};

export type AskSignUpArgs = {
  readonly email: string;
  /** The invitation whose link led to the sign-up; null: none, the organization needs no invitation. */
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
export type GroupEdit = {
  readonly user_group_id: number;
  readonly add: readonly number[];
  readonly delete: readonly number[];
};

/** The reservation of an import: what is chosen at its begin and stays equal when it is repeated after a crash. */
export type ImportReservation = {
  readonly realm: number;
  /** Fingerprint of the export. */
  readonly source: string;
  /** Random text from which new keys and names are derived. */
  readonly seed: string;
  /** Time of the begin, ms. */
  readonly begun: number;
};

export type BeginImportArgs = { readonly subdomain: string; readonly source: string; readonly seed: string };
