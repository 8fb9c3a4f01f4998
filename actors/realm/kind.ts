/**
 * The realm actor: declaration of the kind. Commands stand by area, and each area is a folder of `commands/`; the
 * phases that refuse commands are in `machine.ts`.
 */

import { FIRST_CUSTOM_GROUP_ID } from '#domain/people';
import { addMissingRealmSettings, DEFAULT_REALM_SETTINGS, parseActorKey } from '#model';
import { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import { regenerateApiKey, regenerateBotApiKey, renewApiKey, renewBotApiKey } from './commands/accounts/api-keys.js';
import { setAccountRateLimits, setBillingAdmin } from './commands/accounts/command-line.js';
import { createUser } from './commands/accounts/create-user.js';
import { deactivateBot, deactivateSelf, deactivateUser } from './commands/accounts/deactivate-user.js';
import { confirmEmailChange, EMAIL_CHANGE_PART_PREFIX } from './commands/accounts/email-change.js';
import { announceFullMembers } from './commands/accounts/full-members.js';
import { reactivateUser } from './commands/accounts/reactivate-user.js';
import {
  addSignInLink,
  endSession,
  endSessions,
  noteSessionUse,
  startSession,
  startSessionByLink,
} from './commands/accounts/sessions.js';
import { updateUser } from './commands/accounts/update-user.js';
import { publishVisibleAddresses } from './commands/accounts/visibility-change.js';
import { createBot } from './commands/bots/create-bot.js';
import { updateBot } from './commands/bots/update-bot.js';
import { withDirectoryVersion } from './commands/command.js';
import { removeAvatar, setAvatar } from './commands/files/avatar.js';
import { addCustomEmoji, beginEmojiUpload, removeCustomEmoji } from './commands/files/emoji.js';
import { readSpaceUsed, recordFileChanges, reserveFileNumber } from './commands/files/files.js';
import { setRealmPicture } from './commands/files/organization-pictures.js';
import { beginPictureUpload } from './commands/files/pictures.js';
import { editGroupMembers, editGroupSubgroups } from './commands/groups/group-members.js';
import { createUserGroup, removeUserGroup, updateUserGroup } from './commands/groups/user-groups.js';
import { allocateGroupRecipient, reserveMessageIds, returnMessageIds } from './commands/ids.js';
import { sendInvitations } from './commands/invitations/invite.js';
import { joinByInvitation, readInvitationPage } from './commands/invitations/join.js';
import {
  createInvitationLink,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  revokeInvitationLink,
} from './commands/invitations/manage-invitations.js';
import { readSignUpPage, requestSignUp, signUp } from './commands/invitations/sign-up.js';
import {
  createRealm,
  initializeRealm,
  isSubdomainTaken,
  readNextRealmId,
} from './commands/organization/create-realm.js';
import { addEmailDomain, removeEmailDomain, updateEmailDomain } from './commands/organization/domains.js';
import { addLinkifier, removeLinkifier, updateLinkifier } from './commands/organization/linkifiers.js';
import { addPlayground, removePlayground } from './commands/organization/playgrounds.js';
import {
  addProfileField,
  orderProfileFields,
  removeProfileField,
  updateProfileField,
} from './commands/organization/profile-fields.js';
import { deactivateRealm, reactivateRealm, recordRealmActivity } from './commands/organization/realm-activity.js';
import { updateRealmSettings, updateUserDefaults } from './commands/organization/realm-settings.js';
import { addAlertWords, removeAlertWords } from './commands/preferences/alert-words.js';
import { muteUser, unmuteUser } from './commands/preferences/mute-user.js';
import { updateOwnAccount, updateOwnSettings } from './commands/preferences/own-settings.js';
import { clearOwnProfile, updateOwnProfile } from './commands/preferences/profile-data.js';
import { setUserStatus } from './commands/preferences/user-status.js';
import { readWholeDirectory } from './commands/snapshot.js';
import { archiveStream, archiveVacatedStreams } from './commands/streams/archive-stream.js';
import {
  createStreamGroup,
  editStreamGroup,
  removeStreamGroup,
  setDefaultStream,
  updateStreamGroup,
} from './commands/streams/default-streams.js';
import { recordFirstMessage, recordStreamTraffic } from './commands/streams/stream-reports.js';
import { updateStream } from './commands/streams/update-stream.js';
import { continueJoining, subscribeUsers } from './commands/subscriptions/subscribe.js';
import { unsubscribeUsers, updateSubscriptions } from './commands/subscriptions/unsubscribe.js';
import { INVITATION_PART_PREFIXES } from './invitations.js';
import { realmMachine } from './machine.js';
import { MAIL_COUNT_PART_PREFIX } from './mail-limits.js';
import { RealmSidecar } from './sidecar.js';
import {
  DIRECT_GROUP_PART_PREFIX,
  RECORD_PART_PREFIXES,
  type RealmState,
  SINGLETON_PARTS,
  TRAFFIC_PART_PREFIX,
  UPLOADS_PART_PREFIX,
} from './state.js';
import { RealmVolatile } from './volatile.js';

export const realmKind: ActorKind<RealmState, RealmVolatile, ActorServices> = {
  name: 'realm',
  summary: 'An organization: its directory, its policies and its sequence of message ids.',
  machine: realmMachine,
  directory: false,
  loadedParts: [
    ...Object.values(RECORD_PART_PREFIXES),
    ...Object.values(SINGLETON_PARTS),
    TRAFFIC_PART_PREFIX,
    DIRECT_GROUP_PART_PREFIX,
    EMAIL_CHANGE_PART_PREFIX,
    UPLOADS_PART_PREFIX,
    ...Object.values(INVITATION_PART_PREFIXES),
    MAIL_COUNT_PART_PREFIX,
  ],
  commands: withDirectoryVersion(
    mapHandlersByName(realmCommands, {
      // ids.ts and snapshot.ts: ids for other actors, the directory for replicas
      takeIds: reserveMessageIds,
      returnIds: returnMessageIds,
      groupRecipient: allocateGroupRecipient,
      snapshot: readWholeDirectory,
      // organization/: organizations come and go
      peekRealm: readNextRealmId,
      createRealm,
      init: initializeRealm,
      subdomainTaken: isSubdomainTaken,
      deactivate: deactivateRealm,
      reactivate: reactivateRealm,
      noteActivity: recordRealmActivity,
      // organization/: settings and lists
      changeRealm: updateRealmSettings,
      changeUserDefaults: updateUserDefaults,
      addLinkifier,
      updateLinkifier,
      removeLinkifier,
      addPlayground,
      removePlayground,
      addDomain: addEmailDomain,
      changeDomain: updateEmailDomain,
      removeDomain: removeEmailDomain,
      addProfileField,
      updateProfileField,
      orderProfileFields,
      removeProfileField,
      // accounts/: people, roles and keys
      createUser,
      updateUser,
      deactivateUser,
      deactivateSelf,
      reactivateUser,
      showAddresses: publishVisibleAddresses,
      due: announceFullMembers,
      confirmEmail: confirmEmailChange,
      regenerateKey: regenerateApiKey,
      renewKey: renewApiKey,
      renewBotKey: renewBotApiKey,
      setBilling: setBillingAdmin,
      setRateLimits: setAccountRateLimits,
      // accounts/sessions.ts: browsers that are signed in
      startSession,
      startSessionByLink,
      noteSessionUse,
      endSession,
      endSessions,
      addSignInLink,
      // bots/ (deactivation and keys are in accounts/)
      createBot,
      updateBot,
      deactivateBot,
      regenerateBotKey: regenerateBotApiKey,
      // preferences/: what users choose for themselves
      changeSettings: updateOwnSettings,
      changeOwnAccount: updateOwnAccount,
      setStatus: setUserStatus,
      addAlertWords,
      removeAlertWords,
      muteUser,
      unmuteUser,
      changeOwnProfile: updateOwnProfile,
      clearOwnProfile,
      // invitations/: ways to join the organization
      invite: sendInvitations,
      inviteByLink: createInvitationLink,
      listInvitations,
      revokeInvitation,
      revokeLink: revokeInvitationLink,
      resendInvitation,
      peekInvitation: readInvitationPage,
      join: joinByInvitation,
      peekSignUp: readSignUpPage,
      askSignUp: requestSignUp,
      signUp,
      // groups/
      createGroup: createUserGroup,
      updateGroup: updateUserGroup,
      removeGroup: removeUserGroup,
      editMembers: editGroupMembers,
      editSubgroups: editGroupSubgroups,
      // streams/
      updateStream,
      archiveStream,
      vacated: archiveVacatedStreams,
      setDefaultStream,
      createStreamGroup,
      updateStreamGroup,
      editStreamGroup,
      removeStreamGroup,
      firstMessage: recordFirstMessage,
      streamTraffic: recordStreamTraffic,
      // subscriptions/
      subscribe: subscribeUsers,
      unsubscribe: unsubscribeUsers,
      updateSubscriptions,
      carryOnJoining: continueJoining,
      // files/: pictures and uploaded files
      emojiBegin: beginEmojiUpload,
      emojiAdd: addCustomEmoji,
      emojiRemove: removeCustomEmoji,
      pictureBegin: beginPictureUpload,
      setAvatar,
      removeAvatar,
      setRealmPicture,
      fileId: reserveFileNumber,
      filesChanged: recordFileChanges,
      spaceUsed: readSpaceUsed,
    }),
  ),
  initial: (key) => ({
    phase: 'active',
    id: parseActorKey(key).realm,
    subdomain: '',
    created: 0,
    settings: DEFAULT_REALM_SETTINGS,
    nextUser: 1,
    nextStream: 1,
    nextRecipient: 1,
    nextGroup: FIRST_CUSTOM_GROUP_ID,
    nextLinkifier: 1,
    nextPlayground: 1,
    nextStreamGroup: 1,
    nextDomain: 1,
    invitations: { nextSingle: 1, nextLink: 1 },
    reservedIds: 0,
    directoryVersion: 0,
    nextRealm: 1,
    uploads: { next: 1, used: 0 },
    nextEmoji: 1,
    fullMembersAt: 0,
    nextProfileField: 1,
  }),
  upgrade: (state) => {
    const settings = addMissingRealmSettings(state.settings);
    return settings === state.settings ? state : { ...state, settings };
  },
  volatile: (_key, state, parts) => new RealmVolatile(state, parts),
  sidecar: (handle) => new RealmSidecar(handle),
  takeBack: ({ parts, volatile }) => volatile.rebuild(parts),
  missing: () => ({ error: apiError('INVALID_SUBDOMAIN').toReply() }),
  refusals: { deactivated: () => ({ error: apiError('ORGANIZATION_DEACTIVATED').toReply() }) },
};
