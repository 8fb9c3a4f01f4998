import type { Json } from '#base';
import type { RealmSettings } from '#model';
import { commandOf, type Fields, type NoArgs, type Value } from './command.js';
import type {
  AccountArgs,
  ApplicantArgs,
  AskSignUpArgs,
  AvatarArgs,
  CarryOnJoiningArgs,
  ChangeSettingsArgs,
  CreateBotArgs,
  CreateUserArgs,
  FilesChangedArgs,
  GroupEdit,
  InvitationLink,
  InvitationOffer,
  LinkifierContent,
  NewRealmArgs,
  NewSession,
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
type Sealed = Fields<{ readonly sealed: string }>;
type SignedIn = Fields<{ readonly user_id: number }>;
type Joined = Fields<{ readonly organization: string; readonly email: string }>;

const command = commandOf<'realm'>();

/** Commands of the realm actor, which keeps the directory of an organization. */
export const realmCommands = {
  // Organizations. The first three and `note-activity` are for realm 0, which stands for the server.
  /** Number of the next organization. */
  peekRealm: command<NoArgs, Value<number>>('peek-realm'),
  /** Reserves number and subdomain, and sends `init` to the new organization. */
  createRealm: command<NewRealmArgs & { readonly realm: number }, Value<number>>('create-realm'),
  subdomainTaken: command<{ readonly subdomain: string }, Fields<{ readonly taken: boolean }>>('subdomain-taken'),
  init: command<NewRealmArgs>('init'),
  deactivate: command<NoArgs, Fields>('deactivate'),
  reactivate: command<NoArgs, Fields>('reactivate'),
  noteActivity: command<{ readonly realm: number; readonly deactivated: boolean }>('note-activity'),
  changeRealm: command<{ readonly values: Partial<RealmSettings> }, Fields>('change-realm'),
  changeUserDefaults: command<SettingChanges, Fields>('change-user-defaults'),
  /** The directory with all lists. */
  snapshot: command<NoArgs, Value<Json>>('snapshot'),
  /** Timer: new accounts become full members. */
  due: command('due'),

  // Ids.
  /** Reserves `count` message ids; the reply is the first. */
  takeIds: command<{ readonly count: number }, Value<number>>('take-ids'),
  /** From the sidecar: the actor leaves memory; reserved ids that were not used can be given out again. */
  returnIds: command('return-ids'),
  /** Recipient id of a group conversation; `group`: rest of its actor key. */
  groupRecipient: command<{ readonly group: string }, Value<number>>('group-recipient'),

  // Accounts.
  createUser: command<CreateUserArgs, Fields<{ readonly user_id: number }>>('create-user'),
  updateUser: command<UpdateUserArgs, Fields>('update-user'),
  /** `comment`: text in the mail to the user; null: no mail. */
  deactivateUser: command<UserRef & { readonly comment: string | null }, Fields>('deactivate-user'),
  deactivateSelf: command<NoArgs, Fields>('deactivate-self'),
  reactivateUser: command<UserRef, Fields>('reactivate-user'),
  setBilling: command<UserRef & { readonly on: boolean }, Fields>('set-billing'),
  setRateLimits: command<UserRef & { readonly rules: string | null }, Fields>('set-rate-limits'),
  /** From this actor itself: publishes to `viewer` the real addresses of these users, which became visible. */
  showAddresses: command<{ readonly viewer: number; readonly of: readonly number[] }>('show-addresses'),
  regenerateKey: command<NoArgs, Sealed>('regenerate-key'),
  /** `sealed` null: another call has replaced the key of this user meanwhile. */
  renewKey: command<RenewKeyArgs, Fields<{ readonly sealed: string | null }>>('renew-key'),
  /** As `renewKey`, for other actors, which see the new key in the directory. */
  renewBotKey: command<RenewKeyArgs>('renew-bot-key'),
  /** Confirms a new address by the link of a mail. `shown`: the link was opened at the host of this organization. */
  confirmEmail: command<
    { readonly user: number; readonly hash: string; readonly shown: boolean },
    Fields<{ readonly email: string }>
  >('confirm-email'),

  // Sessions of browsers; the caller is the account.
  /** `checkedAt`: realm version that the frontend showed before the password was checked. */
  startSession: command<NewSession & { readonly checkedAt: number }, SignedIn>('start-session'),
  /** The same by the hash of a one-time link; the caller is unknown, and the actor finds the account. */
  startSessionByLink: command<NewSession & { readonly link: string }, SignedIn>('start-session-by-link'),
  /** Notes that the session was used today. */
  noteSessionUse: command<{ readonly hash: string }, Fields>('note-session-use'),
  endSession: command<{ readonly session: number }, Fields>('end-session'),
  /** `except`: id of the session that stays; null: none stays. */
  endSessions: command<{ readonly except: number | null }, Fields>('end-sessions'),
  /** From the command line: makes a one-time link. */
  addSignInLink: command<UserRef & { readonly hash: string }, Fields>('add-sign-in-link'),

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
  /** Redirected here by the caller's user actor, which marked the messages as read. */
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
  /** From this actor itself: the next batch of users joins. */
  carryOnJoining: command<CarryOnJoiningArgs>('carry-on-joining'),
  updateStream: command<UpdateStreamArgs, Fields>('update-stream'),
  archiveStream: command<{ readonly stream_id: number }, Fields>('archive-stream'),
  /** From this actor itself: archives private streams without active subscribers. */
  vacated: command<{ readonly streams: readonly VacatedStream[] }>('vacated'),
  setDefaultStream: command<{ readonly stream_id: number; readonly isDefault: boolean }, Fields>('default-stream'),
  /** From the stream's actor: id of its first message. */
  firstMessage: command<{ readonly stream: number; readonly id: number }>('first-message'),
  /** From the stream's actor: number of its recent messages. */
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
  /** Bytes of all files. */
  spaceUsed: command<NoArgs, Value<number>>('space-used'),
  /** Number of a new upload of a picture. */
  pictureBegin: command<{ readonly picture: string }, Fields<{ readonly number: number }>>('picture-begin'),
  setAvatar: command<AvatarArgs & { readonly number: number }, Fields>('set-avatar'),
  removeAvatar: command<AvatarArgs, Fields>('remove-avatar'),
  setRealmPicture: command<RealmPictureArgs, Fields>('set-realm-picture'),
  /** Checks the upload of an emoji. `name` was checked by the frontend; `mib`: bound of the file. */
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
  /** Sends the mail with the link for making an account. The address may have an account already. */
  askSignUp: command<AskSignUpArgs, Fields>('ask-sign-up'),
  signUp: command<ApplicantArgs, Joined>('sign-up'),
};
