import type { Json } from '#base';
import type { RealmSettings } from '#model';
import { commandOf, type FieldsReply, type NoArguments, type ValueReply } from './command.js';
import type {
  ApplicantArgs,
  AskSignUpArgs,
  AvatarArgs,
  BeginImportArgs,
  ChangeOwnAccountArgs,
  ChangeSettingsArgs,
  ContinueJoiningArgs,
  CreateBotArgs,
  CreateUserArgs,
  ExternalSignInArgs,
  FilesChangedArgs,
  GroupEdit,
  ImportReservation,
  InvitationOffer,
  LinkifierContent,
  NewRealmArgs,
  NewSession,
  OpenedInvitationLink,
  OpenedResetLink,
  PlaygroundContent,
  ProfileFieldContent,
  ProfileInput,
  RealmDomain,
  RealmPictureArgs,
  RenewKeyArgs,
  SetStatusArgs,
  SettingChanges,
  StreamNames,
  SubscribeArgs,
  UnsubscribeArgs,
  UpdateBotArgs,
  UpdateStreamArgs,
  UpdateSubscriptionsArgs,
  UpdateUserArgs,
  VacatedStream,
} from './realm-args.js';

type UserRef = { readonly user_id: number };
type BotRef = { readonly bot_id: number };
type Id = { readonly id: number };
type Sealed = FieldsReply<{ readonly sealed: string }>;
type SignedIn = FieldsReply<{ readonly user_id: number }>;
type Joined = FieldsReply<{ readonly organization: string; readonly email: string }>;

const command = commandOf<'realm'>();

/** Commands of the realm actor, which keeps the directory of an organization. */
export const realmCommands = {
  // Organizations. The first three and `note-activity` are for realm 0, which stands for the server.
  /** Replies with the number of the next organization. */
  peekRealm: command<NoArguments, ValueReply<number>>('peek-realm'),
  /** Reserves the organization's number and subdomain, and sends `init` to its actor. */
  createRealm: command<NewRealmArgs & { readonly realm: number }, ValueReply<number>>('create-realm'),
  subdomainTaken: command<{ readonly subdomain: string }, FieldsReply<{ readonly taken: boolean }>>('subdomain-taken'),
  init: command<NewRealmArgs>('init'),
  /** Reserves number and subdomain of an organization that an import makes; a repeat gets the first answer. */
  beginImport: command<BeginImportArgs, ValueReply<ImportReservation>>('begin-import'),
  /** Opens the imported organization. */
  endImport: command<{ readonly subdomain: string; readonly deactivated: boolean }>('end-import'),
  /** Gives up an import that has not ended: its subdomain is free again. */
  dropImport: command<{ readonly subdomain: string }, ValueReply<boolean>>('drop-import'),
  deactivate: command<NoArguments, FieldsReply>('deactivate'),
  reactivate: command<NoArguments, FieldsReply>('reactivate'),
  noteActivity: command<{ readonly realm: number; readonly deactivated: boolean }>('note-activity'),
  changeRealm: command<{ readonly values: Partial<RealmSettings> }, FieldsReply>('change-realm'),
  changeUserDefaults: command<SettingChanges, FieldsReply>('change-user-defaults'),
  /** Replies with the whole directory. */
  snapshot: command<NoArguments, ValueReply<Json>>('snapshot'),
  /** Timer: announces accounts that have become full members. */
  due: command('due'),

  // Ids.
  /** Reserves `count` message ids; replies with the first. */
  takeIds: command<{ readonly count: number }, ValueReply<number>>('take-ids'),
  /** From the sidecar, when the actor leaves memory: returns reserved message ids that were not used. */
  returnIds: command('return-ids'),
  /** Replies with the recipient id of a group conversation; `group`: rest of its actor key. */
  groupRecipient: command<{ readonly group: string }, ValueReply<number>>('group-recipient'),

  // Accounts.
  createUser: command<CreateUserArgs, FieldsReply<{ readonly user_id: number }>>('create-user'),
  updateUser: command<UpdateUserArgs, FieldsReply>('update-user'),
  /** `comment`: text in the mail to the user; null: no mail. */
  deactivateUser: command<UserRef & { readonly comment: string | null }, FieldsReply>('deactivate-user'),
  deactivateSelf: command<NoArguments, FieldsReply>('deactivate-self'),
  reactivateUser: command<UserRef, FieldsReply>('reactivate-user'),
  setBilling: command<UserRef & { readonly on: boolean }, FieldsReply>('set-billing'),
  setRateLimits: command<UserRef & { readonly rules: string | null }, FieldsReply>('set-rate-limits'),
  /** From this actor itself: publishes to `viewer` the real addresses of the users in `of`, which became visible. */
  showAddresses: command<{ readonly viewer: number; readonly of: readonly number[] }>('show-addresses'),
  regenerateKey: command<NoArguments, Sealed>('regenerate-key'),
  /** Replaces an API key. Reply with `sealed` null: another call has replaced the key of this user meanwhile. */
  renewKey: command<RenewKeyArgs, FieldsReply<{ readonly sealed: string | null }>>('renew-key'),
  /** Replaces a bot's API key, for other actors: the new key is in the directory. */
  renewBotKey: command<RenewKeyArgs>('renew-bot-key'),
  /**
   * Confirms a new e-mail address by the link of a mail. `shown`: the link was opened at the host of this organization.
   */
  confirmEmail: command<
    { readonly user: number; readonly hash: string; readonly shown: boolean },
    FieldsReply<{ readonly email: string }>
  >('confirm-email'),

  // Forgotten passwords.
  /** From anybody: mails a link to the account with this address. The reply doesn't tell whether there is one. */
  askPasswordReset: command<{ readonly email: string; readonly origin: string }, FieldsReply>('ask-password-reset'),
  /** From an administrator: the same for an account of the organization. */
  sendPasswordReset: command<UserRef & { readonly origin: string }, FieldsReply>('send-password-reset'),
  /** Replies with what the page of a link shows. */
  peekPasswordReset: command<OpenedResetLink, FieldsReply<{ readonly organization: string; readonly email: string }>>(
    'peek-password-reset',
  ),
  /** `newKey`: the API key is replaced, too. `shown`: the link was opened at the host of this organization. */
  resetPassword: command<
    OpenedResetLink & { readonly password: string; readonly newKey: boolean; readonly shown: boolean },
    FieldsReply<{ readonly organization: string; readonly email: string }>
  >('reset-password'),
  /** From the command line. */
  setPasswordOf: command<UserRef & { readonly password: string }, FieldsReply>('set-password-of'),

  // Single sign-on.
  /** Finds or makes the account of an identity, and begins its session. `created`: the account is new. */
  signInExternally: command<ExternalSignInArgs, FieldsReply<{ readonly user_id: number; readonly created: boolean }>>(
    'sign-in-externally',
  ),
  /** From the command line: the account's identities at providers are forgotten. */
  forgetIdentities: command<UserRef, FieldsReply>('forget-identities'),

  // Sessions of browsers; the caller is the account.
  /** `checkedAt`: realm version that the frontend showed before the password was checked. */
  startSession: command<NewSession & { readonly checkedAt: number }, SignedIn>('start-session'),
  /** The same by the hash of a one-time link; the caller is unknown, and the actor finds the account. */
  startSessionByLink: command<NewSession & { readonly link: string }, SignedIn>('start-session-by-link'),
  /** Notes that the session was used today. */
  noteSessionUse: command<{ readonly hash: string }, FieldsReply>('note-session-use'),
  endSession: command<{ readonly session: number }, FieldsReply>('end-session'),
  /** `except`: id of the session that stays; null: none stays. */
  endSessions: command<{ readonly except: number | null }, FieldsReply>('end-sessions'),
  /** From the command line: makes a one-time link. */
  addSignInLink: command<UserRef & { readonly hash: string }, FieldsReply>('add-sign-in-link'),

  // Bots.
  createBot: command<CreateBotArgs, FieldsReply>('create-bot'),
  updateBot: command<UpdateBotArgs, FieldsReply>('update-bot'),
  regenerateBotKey: command<BotRef, Sealed>('regenerate-bot-key'),
  deactivateBot: command<BotRef, FieldsReply>('deactivate-bot'),

  // Own settings.
  changeSettings: command<ChangeSettingsArgs, FieldsReply>('change-settings'),
  changeOwnAccount: command<ChangeSettingsArgs & { readonly account: ChangeOwnAccountArgs }, FieldsReply>(
    'change-own-account',
  ),
  setStatus: command<SetStatusArgs, FieldsReply>('set-status'),
  addAlertWords: command<{ readonly words: readonly string[] }, FieldsReply>('add-alert-words'),
  removeAlertWords: command<{ readonly words: readonly string[] }, FieldsReply>('remove-alert-words'),
  /** Stores the mute. Redirected here by the caller's user actor, which has marked that user's messages as read. */
  muteUser: command<{ readonly muted_user_id: number }, FieldsReply>('mute-user'),
  unmuteUser: command<{ readonly muted_user_id: number }, FieldsReply>('unmute-user'),
  changeOwnProfile: command<
    { readonly data: readonly { readonly id: number; readonly value: ProfileInput }[] },
    FieldsReply
  >('change-own-profile'),
  clearOwnProfile: command<{ readonly data: readonly number[] }, FieldsReply>('clear-own-profile'),

  // Streams.
  subscribe: command<SubscribeArgs, FieldsReply>('subscribe'),
  unsubscribe: command<UnsubscribeArgs, FieldsReply>('unsubscribe'),
  updateSubscriptions: command<UpdateSubscriptionsArgs, FieldsReply>('update-subscriptions'),
  /** From this actor itself: subscribes the next batch of users. */
  carryOnJoining: command<ContinueJoiningArgs>('carry-on-joining'),
  updateStream: command<UpdateStreamArgs, FieldsReply>('update-stream'),
  archiveStream: command<{ readonly stream_id: number }, FieldsReply>('archive-stream'),
  /** From this actor itself: archives private streams without active subscribers. */
  vacated: command<{ readonly streams: readonly VacatedStream[] }>('vacated'),
  setDefaultStream: command<{ readonly stream_id: number; readonly isDefault: boolean }, FieldsReply>('default-stream'),
  /** From a stream's actor: reports the id of the stream's first message. */
  firstMessage: command<{ readonly stream: number; readonly id: number }>('first-message'),
  /** From a stream's actor: reports the number of the stream's recent messages. */
  streamTraffic: command<{ readonly stream: number; readonly recent: number }>('stream-traffic'),
  createStreamGroup: command<StreamNames & { readonly name: string; readonly description: string }, FieldsReply>(
    'create-stream-group',
  ),
  /** Changes a default stream group; null: not given. */
  updateStreamGroup: command<
    { readonly group_id: number; readonly name: string | null; readonly description: string | null },
    FieldsReply
  >('update-stream-group'),
  editStreamGroup: command<StreamNames & { readonly group_id: number; readonly op: string }, FieldsReply>(
    'edit-stream-group',
  ),
  removeStreamGroup: command<{ readonly group_id: number }, FieldsReply>('remove-stream-group'),

  // Groups of users.
  createGroup: command<
    { readonly name: string; readonly description: string; readonly members: readonly number[] },
    FieldsReply
  >('create-group'),
  /** Changes name and description of a user group; null: not given. */
  updateGroup: command<
    { readonly user_group_id: number; readonly name: string | null; readonly description: string | null },
    FieldsReply
  >('update-group'),
  removeGroup: command<{ readonly user_group_id: number }, FieldsReply>('remove-group'),
  editMembers: command<GroupEdit & { readonly origin: string }, FieldsReply>('edit-group-members'),
  editSubgroups: command<GroupEdit, FieldsReply>('edit-subgroups'),

  // Files and pictures.
  /** Replies with the number of a new file; null: no space. `size` and `quota` in bytes, quota null: no limit. */
  fileId: command<{ readonly size: number; readonly quota: number | null }, ValueReply<number | null>>('file-id'),
  filesChanged: command<FilesChangedArgs>('files-changed'),
  /** Replies with the bytes that all files take. */
  spaceUsed: command<NoArguments, ValueReply<number>>('space-used'),
  /** Replies with the number of a new upload of a picture. */
  pictureBegin: command<{ readonly picture: string }, FieldsReply<{ readonly number: number }>>('picture-begin'),
  setAvatar: command<AvatarArgs & { readonly number: number }, FieldsReply>('set-avatar'),
  removeAvatar: command<AvatarArgs, FieldsReply>('remove-avatar'),
  setRealmPicture: command<RealmPictureArgs, FieldsReply>('set-realm-picture'),
  /** Checks the upload of a custom emoji. The frontend has checked `name`; `mib`: maximum size of the file, MiB. */
  emojiBegin: command<
    { readonly name: string; readonly files: number; readonly tooLarge: boolean; readonly mib: number },
    FieldsReply<{ readonly id: number }>
  >('emoji-begin'),
  emojiAdd: command<
    Id & { readonly name: string; readonly extension: string; readonly animated: boolean },
    FieldsReply
  >('emoji-add'),
  emojiRemove: command<{ readonly name: string }, FieldsReply>('emoji-remove'),

  // Lists of the organization.
  addLinkifier: command<LinkifierContent, FieldsReply>('add-linkifier'),
  updateLinkifier: command<LinkifierContent & { readonly filter_id: number }, FieldsReply>('update-linkifier'),
  removeLinkifier: command<{ readonly filter_id: number }, FieldsReply>('remove-linkifier'),
  addPlayground: command<PlaygroundContent, FieldsReply>('add-playground'),
  removePlayground: command<{ readonly playground_id: number }, FieldsReply>('remove-playground'),
  addDomain: command<RealmDomain, FieldsReply>('add-domain'),
  changeDomain: command<RealmDomain, FieldsReply>('change-domain'),
  removeDomain: command<{ readonly domain: string }, FieldsReply>('remove-domain'),
  addProfileField: command<ProfileFieldContent & { readonly field_type: number }, FieldsReply>('add-profile-field'),
  updateProfileField: command<ProfileFieldContent & { readonly field_id: number }, FieldsReply>('update-profile-field'),
  orderProfileFields: command<{ readonly order: readonly number[] }, FieldsReply>('order-profile-fields'),
  removeProfileField: command<{ readonly field_id: number }, FieldsReply>('remove-profile-field'),

  // Invitations and joining.
  invite: command<InvitationOffer & { readonly emails: readonly string[] }, FieldsReply>('invite'),
  inviteByLink: command<InvitationOffer, Sealed>('invite-by-link'),
  listInvitations: command<{ readonly origin: string }, FieldsReply>('list-invitations'),
  revokeInvitation: command<Id, FieldsReply>('revoke-invitation'),
  revokeLink: command<Id, FieldsReply>('revoke-invitation-link'),
  resendInvitation: command<Id & { readonly origin: string }, FieldsReply>('resend-invitation'),
  peekInvitation: command<
    OpenedInvitationLink,
    FieldsReply<{ readonly organization: string; readonly inviter: string; readonly email: string | null }>
  >('peek-invitation'),
  join: command<OpenedInvitationLink & ApplicantArgs, Joined>('join'),
  peekSignUp: command<NoArguments, FieldsReply<{ readonly organization: string }>>('peek-sign-up'),
  /** Mails a link for creating an account to an address, which may have an account already. */
  askSignUp: command<AskSignUpArgs, FieldsReply>('ask-sign-up'),
  signUp: command<ApplicantArgs, Joined>('sign-up'),
};
