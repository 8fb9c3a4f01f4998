import type { Json } from '#base';
import type { RealmSettings } from '#model';
import {
  type ActorFieldsReply,
  type ActorValueReply,
  makeCommandDeclarer,
  type NoCommandArguments,
} from './command.js';
import type {
  ApplicantArgs,
  BeginImportArgs,
  ChangeOwnAccountArgs,
  ChangeUserSettingsArgs,
  ContinueSubscribingArgs,
  CreateBotArgs,
  CreateUserArgs,
  ExternalSignInArgs,
  FilesChangedArgs,
  ImportReservation,
  InvitationOffer,
  LinkifierContent,
  NewRealmArgs,
  NewWebSession,
  OpenedInvitationLink,
  OpenedResetLink,
  PlaygroundContent,
  ProfileFieldContent,
  ProfileFieldValueInput,
  RealmEmailDomain,
  RenewApiKeyArgs,
  RequestSignUpArgs,
  SetAvatarArgs,
  SetRealmPictureArgs,
  SetUserStatusArgs,
  StreamNamesArgs,
  SubscribeAndUnsubscribeArgs,
  SubscribeArgs,
  UnsubscribeArgs,
  UpdateBotArgs,
  UpdateStreamArgs,
  UpdateUserArgs,
  UserGroupEditArgs,
  UserSettingChanges,
  VacatedStream,
} from './realm-args.js';

type UserRef = { readonly user_id: number };
type BotRef = { readonly bot_id: number };
type Id = { readonly id: number };
type Sealed = ActorFieldsReply<{ readonly sealed: string }>;
type SignedIn = ActorFieldsReply<{ readonly user_id: number }>;
type Joined = ActorFieldsReply<{ readonly organization: string; readonly email: string }>;

const command = makeCommandDeclarer<'realm'>();

/** Commands of the realm actor, which keeps the directory of an organization. */
export const realmActorCommands = {
  // Commands about organizations. The first three and `note-activity` go to realm 0, which stands for the server.
  /** Replies with the number that the next organization will get. */
  peekRealm: command<NoCommandArguments, ActorValueReply<number>>('peek-realm'),
  /** Reserves the new organization's number and subdomain, and sends `init` to its actor. */
  createRealm: command<NewRealmArgs & { readonly realm: number }, ActorValueReply<number>>('create-realm'),
  subdomainTaken: command<{ readonly subdomain: string }, ActorFieldsReply<{ readonly taken: boolean }>>(
    'subdomain-taken',
  ),
  init: command<NewRealmArgs>('init'),
  /** Reserves number and subdomain of an organization that an import makes; a repeat gets the first answer. */
  beginImport: command<BeginImportArgs, ActorValueReply<ImportReservation>>('begin-import'),
  /** Opens the imported organization. */
  endImport: command<{ readonly subdomain: string; readonly deactivated: boolean }>('end-import'),
  /** Gives up an import that has not ended: its subdomain is free again. */
  dropImport: command<{ readonly subdomain: string }, ActorValueReply<boolean>>('drop-import'),
  deactivate: command<NoCommandArguments, ActorFieldsReply>('deactivate'),
  reactivate: command<NoCommandArguments, ActorFieldsReply>('reactivate'),
  noteActivity: command<{ readonly realm: number; readonly deactivated: boolean }>('note-activity'),
  changeRealm: command<{ readonly values: Partial<RealmSettings> }, ActorFieldsReply>('change-realm'),
  changeUserDefaults: command<UserSettingChanges, ActorFieldsReply>('change-user-defaults'),
  /** Replies with the whole directory. */
  snapshot: command<NoCommandArguments, ActorValueReply<Json>>('snapshot'),
  /** Sent by the actor's timer: announces accounts that have become full members. */
  due: command('due'),

  // Commands about ids.
  /** Reserves `count` message ids; replies with the first id. */
  takeIds: command<{ readonly count: number }, ActorValueReply<number>>('take-ids'),
  /** Sent by the actor's sidecar when the actor leaves memory: returns reserved message ids that were not used. */
  returnIds: command('return-ids'),
  /** Replies with the recipient id of a group conversation; `group`: rest of its actor key. */
  groupRecipient: command<{ readonly group: string }, ActorValueReply<number>>('group-recipient'),

  // Commands about accounts.
  createUser: command<CreateUserArgs, ActorFieldsReply<{ readonly user_id: number }>>('create-user'),
  updateUser: command<UpdateUserArgs, ActorFieldsReply>('update-user'),
  /** Deactivates an account. `comment`: text in the mail to the user; null: no mail is sent. */
  deactivateUser: command<UserRef & { readonly comment: string | null }, ActorFieldsReply>('deactivate-user'),
  deactivateSelf: command<NoCommandArguments, ActorFieldsReply>('deactivate-self'),
  reactivateUser: command<UserRef, ActorFieldsReply>('reactivate-user'),
  setBilling: command<UserRef & { readonly on: boolean }, ActorFieldsReply>('set-billing'),
  setRateLimits: command<UserRef & { readonly rules: string | null }, ActorFieldsReply>('set-rate-limits'),
  /**
   * Sent by this actor to itself: publishes to `viewer` the real addresses of the users in `of`, which became visible.
   */
  showAddresses: command<{ readonly viewer: number; readonly of: readonly number[] }>('show-addresses'),
  regenerateKey: command<NoCommandArguments, Sealed>('regenerate-key'),
  /**
   * Replaces an API key. The encrypted key `sealed` in the reply is null if another call has already replaced the key
   * of this user.
   */
  renewKey: command<RenewApiKeyArgs, ActorFieldsReply<{ readonly sealed: string | null }>>('renew-key'),
  /** Replaces a bot's API key; sent by other actors, which read the new key from the directory. */
  renewBotKey: command<RenewApiKeyArgs>('renew-bot-key'),
  /**
   * Confirms a new e-mail address by the link of a mail. `shown` is true if the link was opened at the host of this
   * organization.
   */
  confirmEmail: command<
    { readonly user: number; readonly hash: string; readonly shown: boolean },
    ActorFieldsReply<{ readonly email: string }>
  >('confirm-email'),

  // Commands about forgotten passwords.
  /**
   * Sent for any visitor: mails a reset link to the account with this address. The reply doesn't reveal whether the
   * account exists.
   */
  askPasswordReset: command<{ readonly email: string; readonly origin: string }, ActorFieldsReply>(
    'ask-password-reset',
  ),
  /** Sent for an administrator: mails a reset link to an account of the organization. */
  sendPasswordReset: command<UserRef & { readonly origin: string }, ActorFieldsReply>('send-password-reset'),
  /** Replies with the content of the page behind a reset link. */
  peekPasswordReset: command<
    OpenedResetLink,
    ActorFieldsReply<{ readonly organization: string; readonly email: string }>
  >('peek-password-reset'),
  /**
   * Sets a new password. `newKey`: the API key is replaced, too. `shown`: the link was opened at the host of this
   * organization.
   */
  resetPassword: command<
    OpenedResetLink & { readonly password: string; readonly newKey: boolean; readonly shown: boolean },
    ActorFieldsReply<{ readonly organization: string; readonly email: string }>
  >('reset-password'),
  /** Sent by the command line: sets the password of an account. */
  setPasswordOf: command<UserRef & { readonly password: string }, ActorFieldsReply>('set-password-of'),

  // Commands about single sign-on.
  /** Finds or makes the account of an identity, and begins its session. `created` is true for a new account. */
  signInExternally: command<
    ExternalSignInArgs,
    ActorFieldsReply<{ readonly user_id: number; readonly created: boolean }>
  >('sign-in-externally'),
  /** Sent by the command line: removes the account's identities at identity providers. */
  forgetIdentities: command<UserRef, ActorFieldsReply>('forget-identities'),

  // Commands about browser sessions; the caller is the account.
  /** Begins a session. `checkedAt`: realm version that the frontend showed before the password was checked. */
  startSession: command<NewWebSession & { readonly checkedAt: number }, SignedIn>('start-session'),
  /** Begins a session by the hash of a one-time link; the caller is unknown, and the actor finds the account. */
  startSessionByLink: command<NewWebSession & { readonly link: string }, SignedIn>('start-session-by-link'),
  /** Records that the session was used today. */
  noteSessionUse: command<{ readonly hash: string }, ActorFieldsReply>('note-session-use'),
  endSession: command<{ readonly session: number }, ActorFieldsReply>('end-session'),
  /** Ends all sessions of the caller. `except`: id of a session that stays; null: none stays. */
  endSessions: command<{ readonly except: number | null }, ActorFieldsReply>('end-sessions'),
  /** Begins or (null) ends the push notifications of a session. */
  setSessionPush: command<
    { readonly session: number; readonly push: { readonly endpointHash: string; readonly sealed: string } | null },
    ActorFieldsReply
  >('set-session-push'),
  /** From the push actor: the push service says that the subscription has ended. Never refused. */
  dropSessionPush: command<{ readonly user: number; readonly endpointHash: string }>('drop-session-push'),
  /** Notes that the caller has registered a mobile device. */
  notePushDevice: command<NoCommandArguments, ActorFieldsReply>('note-push-device'),
  /** Sent by the command line: makes a one-time link for signing in. */
  addSignInLink: command<UserRef & { readonly hash: string }, ActorFieldsReply>('add-sign-in-link'),

  // Commands about bots.
  createBot: command<CreateBotArgs, ActorFieldsReply>('create-bot'),
  updateBot: command<UpdateBotArgs, ActorFieldsReply>('update-bot'),
  regenerateBotKey: command<BotRef, Sealed>('regenerate-bot-key'),
  deactivateBot: command<BotRef, ActorFieldsReply>('deactivate-bot'),

  // Commands about the caller's own settings.
  changeSettings: command<ChangeUserSettingsArgs, ActorFieldsReply>('change-settings'),
  changeOwnAccount: command<ChangeUserSettingsArgs & { readonly account: ChangeOwnAccountArgs }, ActorFieldsReply>(
    'change-own-account',
  ),
  setStatus: command<SetUserStatusArgs, ActorFieldsReply>('set-status'),
  addAlertWords: command<{ readonly words: readonly string[] }, ActorFieldsReply>('add-alert-words'),
  removeAlertWords: command<{ readonly words: readonly string[] }, ActorFieldsReply>('remove-alert-words'),
  /**
   * Stores that the caller muted a user. The caller's user actor has marked that user's messages as read and redirects
   * the request to this command.
   */
  muteUser: command<{ readonly muted_user_id: number }, ActorFieldsReply>('mute-user'),
  unmuteUser: command<{ readonly muted_user_id: number }, ActorFieldsReply>('unmute-user'),
  changeOwnProfile: command<
    { readonly data: readonly { readonly id: number; readonly value: ProfileFieldValueInput }[] },
    ActorFieldsReply
  >('change-own-profile'),
  clearOwnProfile: command<{ readonly data: readonly number[] }, ActorFieldsReply>('clear-own-profile'),

  // Commands about streams.
  subscribe: command<SubscribeArgs, ActorFieldsReply>('subscribe'),
  unsubscribe: command<UnsubscribeArgs, ActorFieldsReply>('unsubscribe'),
  updateSubscriptions: command<SubscribeAndUnsubscribeArgs, ActorFieldsReply>('update-subscriptions'),
  /** Sent by this actor to itself: subscribes the next batch of users. */
  carryOnJoining: command<ContinueSubscribingArgs>('carry-on-joining'),
  updateStream: command<UpdateStreamArgs, ActorFieldsReply>('update-stream'),
  archiveStream: command<{ readonly stream_id: number }, ActorFieldsReply>('archive-stream'),
  /** Sent by this actor to itself: archives private streams without active subscribers. */
  vacated: command<{ readonly streams: readonly VacatedStream[] }>('vacated'),
  setDefaultStream: command<{ readonly stream_id: number; readonly isDefault: boolean }, ActorFieldsReply>(
    'default-stream',
  ),
  /** Sent by a stream's actor: reports the id of the stream's first message. */
  firstMessage: command<{ readonly stream: number; readonly id: number }>('first-message'),
  /** Sent by a stream's actor: reports the number of the stream's recent messages. */
  streamTraffic: command<{ readonly stream: number; readonly recent: number }>('stream-traffic'),
  createStreamGroup: command<
    StreamNamesArgs & { readonly name: string; readonly description: string },
    ActorFieldsReply
  >('create-stream-group'),
  /** Changes a default stream group; null: no change. */
  updateStreamGroup: command<
    { readonly group_id: number; readonly name: string | null; readonly description: string | null },
    ActorFieldsReply
  >('update-stream-group'),
  editStreamGroup: command<StreamNamesArgs & { readonly group_id: number; readonly op: string }, ActorFieldsReply>(
    'edit-stream-group',
  ),
  removeStreamGroup: command<{ readonly group_id: number }, ActorFieldsReply>('remove-stream-group'),

  // Commands about groups of users.
  createGroup: command<
    { readonly name: string; readonly description: string; readonly members: readonly number[] },
    ActorFieldsReply
  >('create-group'),
  /** Changes name and description of a user group; null: no change. */
  updateGroup: command<
    { readonly user_group_id: number; readonly name: string | null; readonly description: string | null },
    ActorFieldsReply
  >('update-group'),
  removeGroup: command<{ readonly user_group_id: number }, ActorFieldsReply>('remove-group'),
  editMembers: command<UserGroupEditArgs & { readonly origin: string }, ActorFieldsReply>('edit-group-members'),
  editSubgroups: command<UserGroupEditArgs, ActorFieldsReply>('edit-subgroups'),

  // Commands about files and pictures.
  /**
   * Replies with the number of a new file; null if there is no space. `size` and `quota` in bytes; `quota` null: no
   * limit.
   */
  fileId: command<{ readonly size: number; readonly quota: number | null }, ActorValueReply<number | null>>('file-id'),
  filesChanged: command<FilesChangedArgs>('files-changed'),
  /** Replies with the number of bytes that all files take. */
  spaceUsed: command<NoCommandArguments, ActorValueReply<number>>('space-used'),
  /** Replies with the number of a new upload of a picture. */
  pictureBegin: command<{ readonly picture: string }, ActorFieldsReply<{ readonly number: number }>>('picture-begin'),
  setAvatar: command<SetAvatarArgs & { readonly number: number }, ActorFieldsReply>('set-avatar'),
  removeAvatar: command<SetAvatarArgs, ActorFieldsReply>('remove-avatar'),
  setRealmPicture: command<SetRealmPictureArgs, ActorFieldsReply>('set-realm-picture'),
  /** Checks the upload of a custom emoji. The frontend has checked `name`; `mib`: maximum size of the file, MiB. */
  emojiBegin: command<
    { readonly name: string; readonly files: number; readonly tooLarge: boolean; readonly mib: number },
    ActorFieldsReply<{ readonly id: number }>
  >('emoji-begin'),
  emojiAdd: command<
    Id & { readonly name: string; readonly extension: string; readonly animated: boolean },
    ActorFieldsReply
  >('emoji-add'),
  emojiRemove: command<{ readonly name: string }, ActorFieldsReply>('emoji-remove'),

  // Commands about lists of the organization, such as linkifiers.
  addLinkifier: command<LinkifierContent, ActorFieldsReply>('add-linkifier'),
  updateLinkifier: command<LinkifierContent & { readonly filter_id: number }, ActorFieldsReply>('update-linkifier'),
  removeLinkifier: command<{ readonly filter_id: number }, ActorFieldsReply>('remove-linkifier'),
  addPlayground: command<PlaygroundContent, ActorFieldsReply>('add-playground'),
  removePlayground: command<{ readonly playground_id: number }, ActorFieldsReply>('remove-playground'),
  addDomain: command<RealmEmailDomain, ActorFieldsReply>('add-domain'),
  changeDomain: command<RealmEmailDomain, ActorFieldsReply>('change-domain'),
  removeDomain: command<{ readonly domain: string }, ActorFieldsReply>('remove-domain'),
  addProfileField: command<ProfileFieldContent & { readonly field_type: number }, ActorFieldsReply>(
    'add-profile-field',
  ),
  updateProfileField: command<ProfileFieldContent & { readonly field_id: number }, ActorFieldsReply>(
    'update-profile-field',
  ),
  orderProfileFields: command<{ readonly order: readonly number[] }, ActorFieldsReply>('order-profile-fields'),
  removeProfileField: command<{ readonly field_id: number }, ActorFieldsReply>('remove-profile-field'),

  // Commands about invitations and joining.
  invite: command<InvitationOffer & { readonly emails: readonly string[] }, ActorFieldsReply>('invite'),
  inviteByLink: command<InvitationOffer, Sealed>('invite-by-link'),
  listInvitations: command<{ readonly origin: string }, ActorFieldsReply>('list-invitations'),
  revokeInvitation: command<Id, ActorFieldsReply>('revoke-invitation'),
  revokeLink: command<Id, ActorFieldsReply>('revoke-invitation-link'),
  resendInvitation: command<Id & { readonly origin: string }, ActorFieldsReply>('resend-invitation'),
  peekInvitation: command<
    OpenedInvitationLink,
    ActorFieldsReply<{ readonly organization: string; readonly inviter: string; readonly email: string | null }>
  >('peek-invitation'),
  join: command<OpenedInvitationLink & ApplicantArgs, Joined>('join'),
  peekSignUp: command<NoCommandArguments, ActorFieldsReply<{ readonly organization: string }>>('peek-sign-up'),
  /** Mails a link for creating an account to an address, which may have an account already. */
  askSignUp: command<RequestSignUpArgs, ActorFieldsReply>('ask-sign-up'),
  signUp: command<ApplicantArgs, Joined>('sign-up'),
};
