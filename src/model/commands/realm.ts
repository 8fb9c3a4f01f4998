import type { Json } from '#base';
import type { RealmSettings } from '#model';
import {
  type ActorFieldsReply,
  type ActorValueReply,
  makeCommandDeclarer,
  type NoCommandArguments,
} from './command.js';
import type {
  BeginRealmImportArgs,
  BeginRealmImportReply,
  ChangeOwnAccountArgs,
  ChangeOwnSettingsArgs,
  ContinueSubscribingArgs,
  CreateBotArgs,
  CreateUserArgs,
  DropRealmImportArgs,
  DropRealmImportReply,
  ExternalSignInArgs,
  InvitationOffer,
  LinkifierContent,
  MarkRealmImportDroppedReply,
  NewAccountApplicantArgs,
  NewRealmArgs,
  NewWebSession,
  OpenedInvitationLink,
  OpenedPasswordResetLink,
  PlaygroundContent,
  ProfileFieldContent,
  ProfileFieldValueInput,
  RealmEmailDomain,
  RenewApiKeyArgs,
  RequestSignUpArgs,
  SetAvatarArgs,
  SetRealmPictureArgs,
  SetUserStatusArgs,
  StartExportArgs,
  StreamNamesArgs,
  SubscribeAndUnsubscribeArgs,
  SubscribeArgs,
  UnsubscribeArgs,
  UpdateBotArgs,
  UpdateStreamArgs,
  UpdateUserArgs,
  UserFilesChangedArgs,
  UserGroupAddAndRemoveArgs,
  UserSettingChanges,
  VacatedPrivateStream,
} from './realm-args.js';

type UserIdArgs = { readonly user_id: number };
type BotIdArgs = { readonly bot_id: number };
type IdArgs = { readonly id: number };
type SealedSecretReply = ActorFieldsReply<{ readonly sealed: string }>;
type SignedInUserReply = ActorFieldsReply<{ readonly user_id: number }>;
type JoinedOrganizationReply = ActorFieldsReply<{
  readonly organization: string;
  readonly email: string;
  readonly hasPassword: boolean;
}>;

const declareCommand = makeCommandDeclarer<'realm'>();

/** Commands of the realm actor, which keeps the directory of an organization. */
export const realmActorCommands = {
  // Commands about organizations. Those about imports and entries go to realm 0, which stands for the server.
  /** Replies with the number that the next organization will get. */
  peekRealm: declareCommand<NoCommandArguments, ActorValueReply<number>>('peek-realm'),
  /** Reserves the new organization's number and subdomain, and sends `init` to its actor. */
  createRealm: declareCommand<NewRealmArgs & { readonly realm: number }, ActorValueReply<number>>('create-realm'),
  subdomainTaken: declareCommand<{ readonly subdomain: string }, ActorFieldsReply<{ readonly taken: boolean }>>(
    'subdomain-taken',
  ),
  init: declareCommand<NewRealmArgs>('init'),
  /**
   * Takes the lease of imports, and reserves number and subdomain of an organization that an import makes. A repeat
   * gets the first reservation.
   */
  beginImport: declareCommand<BeginRealmImportArgs, ActorValueReply<BeginRealmImportReply>>('begin-import'),
  /** Raises the beat of the lease of an import, or of its drop. Replies false if another process holds the lease. */
  renewImport: declareCommand<{ readonly subdomain: string; readonly holder: string }, ActorValueReply<boolean>>(
    'renew-import',
  ),
  /** Returns the lease; the reservation stays. */
  releaseImport: declareCommand<{ readonly holder: string }>('release-import'),
  /** Opens the imported organization, and returns the lease. */
  endImport: declareCommand<{ readonly subdomain: string; readonly deactivated: boolean; readonly holder: string }>(
    'end-import',
  ),
  /** Ends an import for good, before its records are removed. Its reservation stays until `dropImport`. */
  markImportDropped: declareCommand<DropRealmImportArgs, ActorValueReply<MarkRealmImportDroppedReply>>(
    'mark-import-dropped',
  ),
  /** Gives up an import that has not ended: its subdomain is free again. */
  dropImport: declareCommand<DropRealmImportArgs, ActorValueReply<DropRealmImportReply>>('drop-import'),
  deactivate: declareCommand<NoCommandArguments, ActorFieldsReply>('deactivate'),
  reactivate: declareCommand<NoCommandArguments, ActorFieldsReply>('reactivate'),
  noteActivity: declareCommand<{ readonly realm: number; readonly deactivated: boolean }>('note-activity'),
  /** Begins the deletion of a deactivated organization: from then on its actor refuses every other command. */
  deleteRealm: declareCommand<NoCommandArguments, ActorValueReply<null>>('delete-realm'),
  /** Sent to realm 0 by the organization's actor: marks the organization's entry and hides it from all processes. */
  noteDeletion: declareCommand<{ readonly realm: number }>('note-deletion'),
  /** Sent to realm 0 when all data are removed: removes the entry, so that the subdomain is free again. */
  endDeletion: declareCommand<{ readonly realm: number }, ActorValueReply<null>>('end-deletion'),
  /** Tells whether an import that has not ended has reserved the subdomain. */
  hasUnfinishedImport: declareCommand<{ readonly subdomain: string }, ActorValueReply<boolean>>(
    'has-unfinished-import',
  ),
  changeRealm: declareCommand<
    {
      readonly values: Partial<RealmSettings>;
      /** Base URL of the organization; absent from frontends of older versions. */
      readonly origin?: string;
      /** True if the server is configured with an identity provider of the organization. */
      readonly hasSingleSignOn: boolean;
    },
    ActorFieldsReply
  >('change-realm'),
  changeUserDefaults: declareCommand<UserSettingChanges, ActorFieldsReply>('change-user-defaults'),
  /** Replies with the whole directory. */
  snapshot: declareCommand<NoCommandArguments, ActorValueReply<Json>>('snapshot'),
  /** Sent by the actor's timer: announces accounts that have become full members, and plans weekly digests. */
  due: declareCommand('due'),

  // Commands about ids.
  /** Reserves `count` message ids; replies with the first id. */
  takeIds: declareCommand<{ readonly count: number }, ActorValueReply<number>>('take-ids'),
  /**
   * Sent by the realm actor to itself before it leaves memory: releases the message ids that it reserved and did not
   * hand out, so that its next activation continues without a gap.
   */
  returnIds: declareCommand('return-ids'),
  /** Replies with the recipient id of a group conversation; `group`: rest of its actor key. */
  groupRecipient: declareCommand<{ readonly group: string }, ActorValueReply<number>>('group-recipient'),

  // Commands about accounts.
  createUser: declareCommand<CreateUserArgs, ActorFieldsReply<{ readonly user_id: number }>>('create-user'),
  updateUser: declareCommand<UpdateUserArgs, ActorFieldsReply>('update-user'),
  /** Deactivates an account. `comment`: text in the mail to the user; null: no mail is sent. */
  deactivateUser: declareCommand<UserIdArgs & { readonly comment: string | null }, ActorFieldsReply>('deactivate-user'),
  deactivateSelf: declareCommand<NoCommandArguments, ActorFieldsReply>('deactivate-self'),
  reactivateUser: declareCommand<UserIdArgs, ActorFieldsReply>('reactivate-user'),
  setBilling: declareCommand<UserIdArgs & { readonly on: boolean }, ActorFieldsReply>('set-billing'),
  setRateLimits: declareCommand<UserIdArgs & { readonly rules: string | null }, ActorFieldsReply>('set-rate-limits'),
  /**
   * Sent by this actor to itself: publishes to `viewer` the real addresses of the users in `of`, which became visible.
   */
  showAddresses: declareCommand<{ readonly viewer: number; readonly of: readonly number[] }>('show-addresses'),
  regenerateKey: declareCommand<NoCommandArguments, SealedSecretReply>('regenerate-key'),
  /**
   * Replaces an API key. The encrypted key `sealed` in the reply is null if another call has already replaced the key
   * of this user.
   */
  renewKey: declareCommand<RenewApiKeyArgs, ActorFieldsReply<{ readonly sealed: string | null }>>('renew-key'),
  /** Replaces a bot's API key; sent by other actors, which read the new key from the directory. */
  renewBotKey: declareCommand<RenewApiKeyArgs>('renew-bot-key'),
  /**
   * Confirms a new e-mail address by the link of a mail. `shown` is true if the link was opened at the host of this
   * organization.
   */
  confirmEmail: declareCommand<
    { readonly user: number; readonly hash: string; readonly shown: boolean },
    ActorFieldsReply<{ readonly email: string }>
  >('confirm-email'),

  // Commands about forgotten passwords.
  /**
   * Sent for any visitor: mails a reset link to the account with this address. The reply doesn't reveal whether the
   * account exists.
   */
  askPasswordReset: declareCommand<{ readonly email: string; readonly origin: string }, ActorFieldsReply>(
    'ask-password-reset',
  ),
  /** Sent for an administrator: mails a reset link to an account of the organization. */
  /** Sent by the actor's timer: invites the next imported accounts to set a password. */
  mailPasswordInvitations: declareCommand<NoCommandArguments>('mail-password-invitations'),
  sendPasswordReset: declareCommand<UserIdArgs & { readonly origin: string }, ActorFieldsReply>('send-password-reset'),
  /** Replies with the content of the page behind a reset link. */
  peekPasswordReset: declareCommand<
    OpenedPasswordResetLink,
    ActorFieldsReply<{ readonly organization: string; readonly email: string }>
  >('peek-password-reset'),
  /**
   * Sets a new password. `newKey`: the API key is replaced, too. `shown`: the link was opened at the host of this
   * organization.
   */
  resetPassword: declareCommand<
    OpenedPasswordResetLink & { readonly password: string; readonly newKey: boolean; readonly shown: boolean },
    ActorFieldsReply<{ readonly organization: string; readonly email: string }>
  >('reset-password'),
  /** Sent by the command line: sets the password of an account. */
  setPasswordOf: declareCommand<UserIdArgs & { readonly password: string }, ActorFieldsReply>('set-password-of'),

  // Commands about single sign-on.
  /** Finds or makes the account of an identity, and begins its session. `created` is true for a new account. */
  signInExternally: declareCommand<
    ExternalSignInArgs,
    ActorFieldsReply<{ readonly user_id: number; readonly created: boolean }>
  >('sign-in-externally'),
  /** Sent by the command line: removes the account's identities at identity providers. */
  forgetIdentities: declareCommand<UserIdArgs, ActorFieldsReply>('forget-identities'),

  // Commands about browser sessions; the caller is the account.
  /** Begins a session. `checkedAt`: realm version that the frontend showed before the password was checked. */
  startSession: declareCommand<NewWebSession & { readonly checkedAt: number }, SignedInUserReply>('start-session'),
  /** Begins a session by the hash of a one-time link; the caller is unknown, and the actor finds the account. */
  startSessionByLink: declareCommand<NewWebSession & { readonly link: string }, SignedInUserReply>(
    'start-session-by-link',
  ),
  /** Returns the account of a one-time link by the link's hash. The link stays unused; the caller is unknown. */
  peekSignInLink: declareCommand<
    { readonly link: string },
    ActorFieldsReply<{ readonly user_id: number; readonly full_name: string }>
  >('peek-sign-in-link'),
  /** Records that the session was used today. */
  noteSessionUse: declareCommand<{ readonly hash: string }, ActorFieldsReply>('note-session-use'),
  endSession: declareCommand<{ readonly session: number }, ActorFieldsReply>('end-session'),
  /** Ends all sessions of the caller. `except`: id of a session that stays; null: none stays. */
  endSessions: declareCommand<{ readonly except: number | null }, ActorFieldsReply>('end-sessions'),
  /** Begins or (null) ends the push notifications of a session. */
  setSessionPush: declareCommand<
    { readonly session: number; readonly push: { readonly endpointHash: string; readonly sealed: string } | null },
    ActorFieldsReply
  >('set-session-push'),
  /** From the push actor: the push service says that the subscription has ended. Never refused. */
  dropSessionPush: declareCommand<{ readonly user: number; readonly endpointHash: string }>('drop-session-push'),
  /** Notes that the caller has registered a mobile device. */
  notePushDevice: declareCommand<NoCommandArguments, ActorFieldsReply>('note-push-device'),
  /** Sent by the command line: makes a one-time link for signing in. */
  addSignInLink: declareCommand<UserIdArgs & { readonly hash: string }, ActorFieldsReply>('add-sign-in-link'),

  // Commands about bots.
  createBot: declareCommand<CreateBotArgs, ActorFieldsReply>('create-bot'),
  updateBot: declareCommand<UpdateBotArgs, ActorFieldsReply>('update-bot'),
  regenerateBotKey: declareCommand<BotIdArgs, SealedSecretReply>('regenerate-bot-key'),
  deactivateBot: declareCommand<BotIdArgs, ActorFieldsReply>('deactivate-bot'),

  // Commands about the caller's own settings.
  changeSettings: declareCommand<ChangeOwnSettingsArgs, ActorFieldsReply>('change-settings'),
  changeOwnAccount: declareCommand<
    ChangeOwnSettingsArgs & { readonly account: ChangeOwnAccountArgs },
    ActorFieldsReply
  >('change-own-account'),
  setStatus: declareCommand<SetUserStatusArgs, ActorFieldsReply>('set-status'),
  addAlertWords: declareCommand<{ readonly words: readonly string[] }, ActorFieldsReply>('add-alert-words'),
  removeAlertWords: declareCommand<{ readonly words: readonly string[] }, ActorFieldsReply>('remove-alert-words'),
  /**
   * Stores that the caller muted a user. The caller's user actor has marked that user's messages as read and redirects
   * the request to this command.
   */
  muteUser: declareCommand<{ readonly muted_user_id: number }, ActorFieldsReply>('mute-user'),
  unmuteUser: declareCommand<{ readonly muted_user_id: number }, ActorFieldsReply>('unmute-user'),
  changeOwnProfile: declareCommand<
    { readonly data: readonly { readonly id: number; readonly value: ProfileFieldValueInput }[] },
    ActorFieldsReply
  >('change-own-profile'),
  clearOwnProfile: declareCommand<{ readonly data: readonly number[] }, ActorFieldsReply>('clear-own-profile'),

  // Commands about streams.
  subscribe: declareCommand<SubscribeArgs, ActorFieldsReply>('subscribe'),
  unsubscribe: declareCommand<UnsubscribeArgs, ActorFieldsReply>('unsubscribe'),
  updateSubscriptions: declareCommand<SubscribeAndUnsubscribeArgs, ActorFieldsReply>('update-subscriptions'),
  /** Sent by this actor to itself: subscribes the next batch of users. */
  carryOnJoining: declareCommand<ContinueSubscribingArgs>('carry-on-joining'),
  updateStream: declareCommand<UpdateStreamArgs, ActorFieldsReply>('update-stream'),
  archiveStream: declareCommand<{ readonly stream_id: number }, ActorFieldsReply>('archive-stream'),
  /** Sent by this actor to itself: archives private streams without active subscribers. */
  vacated: declareCommand<{ readonly streams: readonly VacatedPrivateStream[] }>('vacated'),
  setDefaultStream: declareCommand<{ readonly stream_id: number; readonly isDefault: boolean }, ActorFieldsReply>(
    'default-stream',
  ),
  /** Sent by a stream's actor: reports the id of the stream's first message. */
  firstMessage: declareCommand<{ readonly stream: number; readonly id: number }>('first-message'),
  /** Sent by a stream's actor: reports the number of the stream's recent messages. */
  streamTraffic: declareCommand<{ readonly stream: number; readonly recent: number }>('stream-traffic'),
  createStreamGroup: declareCommand<
    StreamNamesArgs & { readonly name: string; readonly description: string },
    ActorFieldsReply
  >('create-stream-group'),
  /** Changes a default stream group; null: no change. */
  updateStreamGroup: declareCommand<
    { readonly group_id: number; readonly name: string | null; readonly description: string | null },
    ActorFieldsReply
  >('update-stream-group'),
  editStreamGroup: declareCommand<
    StreamNamesArgs & { readonly group_id: number; readonly op: string },
    ActorFieldsReply
  >('edit-stream-group'),
  removeStreamGroup: declareCommand<{ readonly group_id: number }, ActorFieldsReply>('remove-stream-group'),

  // Commands about groups of users.
  createGroup: declareCommand<
    { readonly name: string; readonly description: string; readonly members: readonly number[] },
    ActorFieldsReply
  >('create-group'),
  /** Changes name and description of a user group; null: no change. */
  updateGroup: declareCommand<
    { readonly user_group_id: number; readonly name: string | null; readonly description: string | null },
    ActorFieldsReply
  >('update-group'),
  removeGroup: declareCommand<{ readonly user_group_id: number }, ActorFieldsReply>('remove-group'),
  editMembers: declareCommand<UserGroupAddAndRemoveArgs & { readonly origin: string }, ActorFieldsReply>(
    'edit-group-members',
  ),
  editSubgroups: declareCommand<UserGroupAddAndRemoveArgs, ActorFieldsReply>('edit-subgroups'),

  // Commands about files and pictures.
  /**
   * Replies with the number of a new file; null if there is no space. `size` and `quota` in bytes; `quota` null: no
   * limit.
   */
  fileId: declareCommand<{ readonly size: number; readonly quota: number | null }, ActorValueReply<number | null>>(
    'file-id',
  ),
  filesChanged: declareCommand<UserFilesChangedArgs>('files-changed'),
  /** Replies with the number of bytes that all files take. */
  spaceUsed: declareCommand<NoCommandArguments, ActorValueReply<number>>('space-used'),
  /** Replies with the number of a new upload of a picture. */
  pictureBegin: declareCommand<{ readonly picture: string }, ActorFieldsReply<{ readonly number: number }>>(
    'picture-begin',
  ),
  setAvatar: declareCommand<SetAvatarArgs & { readonly number: number }, ActorFieldsReply>('set-avatar'),
  removeAvatar: declareCommand<SetAvatarArgs, ActorFieldsReply>('remove-avatar'),
  setRealmPicture: declareCommand<SetRealmPictureArgs, ActorFieldsReply>('set-realm-picture'),
  /** Checks the upload of a custom emoji. The frontend has checked `name`; `mib`: maximum size of the file, MiB. */
  emojiBegin: declareCommand<
    { readonly name: string; readonly files: number; readonly tooLarge: boolean; readonly mib: number },
    ActorFieldsReply<{ readonly id: number }>
  >('emoji-begin'),
  emojiAdd: declareCommand<
    IdArgs & { readonly name: string; readonly extension: string; readonly animated: boolean },
    ActorFieldsReply
  >('emoji-add'),
  emojiRemove: declareCommand<{ readonly name: string }, ActorFieldsReply>('emoji-remove'),

  // Commands about lists of the organization, such as linkifiers.
  addLinkifier: declareCommand<LinkifierContent, ActorFieldsReply>('add-linkifier'),
  updateLinkifier: declareCommand<LinkifierContent & { readonly filter_id: number }, ActorFieldsReply>(
    'update-linkifier',
  ),
  removeLinkifier: declareCommand<{ readonly filter_id: number }, ActorFieldsReply>('remove-linkifier'),
  addPlayground: declareCommand<PlaygroundContent, ActorFieldsReply>('add-playground'),
  removePlayground: declareCommand<{ readonly playground_id: number }, ActorFieldsReply>('remove-playground'),
  addDomain: declareCommand<RealmEmailDomain, ActorFieldsReply>('add-domain'),
  changeDomain: declareCommand<RealmEmailDomain, ActorFieldsReply>('change-domain'),
  removeDomain: declareCommand<{ readonly domain: string }, ActorFieldsReply>('remove-domain'),
  addProfileField: declareCommand<ProfileFieldContent & { readonly field_type: number }, ActorFieldsReply>(
    'add-profile-field',
  ),
  updateProfileField: declareCommand<ProfileFieldContent & { readonly field_id: number }, ActorFieldsReply>(
    'update-profile-field',
  ),
  orderProfileFields: declareCommand<{ readonly order: readonly number[] }, ActorFieldsReply>('order-profile-fields'),
  removeProfileField: declareCommand<{ readonly field_id: number }, ActorFieldsReply>('remove-profile-field'),

  // Commands about data exports.
  listExports: declareCommand<{ readonly origin: string }, ActorFieldsReply>('list-exports'),
  startExport: declareCommand<StartExportArgs, ActorFieldsReply<{ readonly id: number }>>('start-export'),
  deleteExport: declareCommand<IdArgs & { readonly origin: string }, ActorFieldsReply>('delete-export'),
  /** Sent by the actor's sidecar: the archive of an export is stored, or never will be. */
  endExport: declareCommand<IdArgs & { readonly archive: string; readonly stored: boolean }>('end-export'),
  /** Sent by the actor's sidecar: an earlier activation left this export unfinished, and it starts again. */
  restartExport: declareCommand<IdArgs>('restart-export'),
  /** Sent by the actor to itself: deletes the archive of an export. */
  eraseExport: declareCommand<{ readonly archive: string }>('erase-export'),

  // Commands about invitations and joining.
  invite: declareCommand<InvitationOffer & { readonly emails: readonly string[] }, ActorFieldsReply>('invite'),
  inviteByLink: declareCommand<InvitationOffer, SealedSecretReply>('invite-by-link'),
  listInvitations: declareCommand<{ readonly origin: string }, ActorFieldsReply>('list-invitations'),
  revokeInvitation: declareCommand<IdArgs, ActorFieldsReply>('revoke-invitation'),
  revokeLink: declareCommand<IdArgs, ActorFieldsReply>('revoke-invitation-link'),
  resendInvitation: declareCommand<IdArgs & { readonly origin: string }, ActorFieldsReply>('resend-invitation'),
  peekInvitation: declareCommand<
    OpenedInvitationLink,
    ActorFieldsReply<{
      readonly organization: string;
      readonly inviter: string;
      readonly email: string | null;
      readonly hasPassword: boolean;
    }>
  >('peek-invitation'),
  join: declareCommand<OpenedInvitationLink & NewAccountApplicantArgs, JoinedOrganizationReply>('join'),
  peekSignUp: declareCommand<
    NoCommandArguments,
    ActorFieldsReply<{ readonly organization: string; readonly hasPassword: boolean }>
  >('peek-sign-up'),
  /** Mails a link for creating an account to an address, which may have an account already. */
  askSignUp: declareCommand<RequestSignUpArgs, ActorFieldsReply>('ask-sign-up'),
  signUp: declareCommand<NewAccountApplicantArgs, JoinedOrganizationReply>('sign-up'),
};
