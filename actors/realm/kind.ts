/**
 * The realm actor: declaration of the kind. Commands are listed by area, and each area is a folder of `commands/`. The
 * phases that refuse commands are in `machine.ts`.
 */

import { FIRST_CUSTOM_GROUP_ID } from '#domain/people';
import { type ActorReply, addMissingRealmSettings, DEFAULT_REALM_SETTINGS, parseActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, MAX_ACTOR_SLEEP_MS, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import {
  regenerateBotApiKeyHandler,
  regenerateOwnApiKeyHandler,
  renewApiKeyHandler,
  renewBotApiKeyHandler,
} from './commands/accounts/api-keys.js';
import { setAccountRateLimitsHandler, setBillingAdminHandler } from './commands/accounts/command-line.js';
import { createUserHandler } from './commands/accounts/create-user.js';
import {
  deactivateBotHandler,
  deactivateOwnAccountHandler,
  deactivateUserHandler,
} from './commands/accounts/deactivate-user.js';
import { confirmEmailChangeHandler } from './commands/accounts/email-change.js';
import {
  EXTERNAL_IDENTITY_PART_PREFIX,
  forgetExternalIdentitiesHandler,
  SPENT_SIGN_IN_FLOW_PART_PREFIX,
  signInExternallyHandler,
} from './commands/accounts/identities.js';
import { EMAIL_CHANGE_PART_PREFIX, PASSWORD_RESET_LINKS_PART_PREFIX } from './commands/accounts/mailed-links.js';
import {
  mailPasswordInvitationsHandler,
  PASSWORD_INVITATIONS_PART_NAME,
} from './commands/accounts/password-invitations.js';
import {
  mailPasswordResetByAdminHandler,
  readPasswordResetPageHandler,
  requestPasswordResetHandler,
  resetPasswordHandler,
  setPasswordOfUserHandler,
} from './commands/accounts/password-reset.js';
import { reactivateUserHandler } from './commands/accounts/reactivate-user.js';
import {
  addOneTimeSignInLinkHandler,
  endOtherSessionsHandler,
  endOwnSessionHandler,
  markAccountHasPushDeviceHandler,
  readOneTimeSignInLinkHandler,
  recordSessionUseHandler,
  removeSessionPushEndpointHandler,
  setSessionPushEndpointHandler,
  startSessionByOneTimeLinkHandler,
  startSessionHandler,
} from './commands/accounts/sessions.js';
import { updateUserHandler } from './commands/accounts/update-user.js';
import { publishEmailVisibilityHandler } from './commands/accounts/visibility-change.js';
import { createBotHandler } from './commands/bots/create-bot.js';
import { updateBotHandler } from './commands/bots/update-bot.js';
import { wrapAllRealmCommandHandlers } from './commands/command.js';
import { runDueRealmTasksHandler } from './commands/due.js';
import { activateUploadedAvatarHandler, removeAvatarHandler } from './commands/files/avatar.js';
import {
  addCustomEmojiHandler,
  beginEmojiUploadHandler,
  deactivateCustomEmojiHandler,
} from './commands/files/emoji.js';
import {
  eraseBlobsAndRecordFileChangesHandler,
  readFileSpaceUsedHandler,
  reserveFileNumberAndSpaceHandler,
} from './commands/files/files.js';
import { setOrClearRealmPictureHandler } from './commands/files/organization-pictures.js';
import { reservePictureUploadNumberHandler } from './commands/files/pictures.js';
import { editGroupMembersHandler, editGroupSubgroupsHandler } from './commands/groups/group-members.js';
import {
  createUserGroupHandler,
  removeUserGroupHandler,
  updateUserGroupHandler,
} from './commands/groups/user-groups.js';
import {
  getOrAllocateGroupRecipientIdHandler,
  handOutMessageIdsHandler,
  shrinkReservedMessageIdsHandler,
} from './commands/ids.js';
import { sendInvitationsHandler } from './commands/invitations/invite.js';
import { joinByInvitationHandler, readInvitationPageHandler } from './commands/invitations/join.js';
import {
  createInvitationLinkHandler,
  listInvitationsHandler,
  resendInvitationHandler,
  revokeInvitationHandler,
  revokeInvitationLinkHandler,
} from './commands/invitations/manage-invitations.js';
import { readSignUpPageHandler, requestSignUpHandler, signUpHandler } from './commands/invitations/sign-up.js';
import {
  initializeRealmHandler,
  isSubdomainTakenHandler,
  readNextRealmIdHandler,
  registerNewRealmHandler,
} from './commands/organization/create-realm.js';
import {
  deleteDataExportHandler,
  endDataExportHandler,
  eraseDataExportHandler,
  listDataExportsHandler,
  restartDataExportHandler,
  startDataExportHandler,
} from './commands/organization/data-exports.js';
import {
  deleteRealmHandler,
  recordRealmDeletionHandler,
  removeDeletedRealmEntryHandler,
} from './commands/organization/delete-realm.js';
import {
  addEmailDomainHandler,
  removeEmailDomainHandler,
  updateEmailDomainHandler,
} from './commands/organization/domains.js';
import {
  dropRealmImportReservationHandler,
  endRealmImportHandler,
  hasUnfinishedImportHandler,
  markRealmImportDroppedHandler,
  releaseImportLeaseHandler,
  renewImportLeaseHandler,
  reserveRealmForImportHandler,
} from './commands/organization/import-realm.js';
import {
  addLinkifierHandler,
  removeLinkifierHandler,
  updateLinkifierHandler,
} from './commands/organization/linkifiers.js';
import { addPlaygroundHandler, removePlaygroundHandler } from './commands/organization/playgrounds.js';
import {
  addProfileFieldHandler,
  orderProfileFieldsHandler,
  removeProfileFieldHandler,
  updateProfileFieldHandler,
} from './commands/organization/profile-fields.js';
import {
  deactivateRealmHandler,
  reactivateRealmHandler,
  recordRealmActiveStateHandler,
} from './commands/organization/realm-activity.js';
import {
  updateNewUserSettingDefaultsHandler,
  updateRealmSettingsHandler,
} from './commands/organization/realm-settings.js';
import { addAlertWordsHandler, removeAlertWordsHandler } from './commands/preferences/alert-words.js';
import { recordUserMutedHandler, recordUserUnmutedHandler } from './commands/preferences/mute-user.js';
import { updateOwnAccountAndSettingsHandler, updateOwnSettingsHandler } from './commands/preferences/own-settings.js';
import { clearOwnProfileHandler, updateOwnProfileHandler } from './commands/preferences/profile-data.js';
import { setUserStatusHandler } from './commands/preferences/user-status.js';
import { readWholeDirectoryHandler } from './commands/snapshot.js';
import { archiveStreamHandler, archiveVacatedStreamsHandler } from './commands/streams/archive-stream.js';
import {
  addOrRemoveDefaultStreamHandler,
  createDefaultStreamGroupHandler,
  editStreamsOfDefaultStreamGroupHandler,
  removeDefaultStreamGroupHandler,
  updateDefaultStreamGroupHandler,
} from './commands/streams/default-streams.js';
import { recordFirstMessageIdHandler, recordStreamTrafficHandler } from './commands/streams/stream-reports.js';
import { updateStreamHandler } from './commands/streams/update-stream.js';
import { subscribeRemainingUsersHandler, subscribeUsersHandler } from './commands/subscriptions/subscribe.js';
import { subscribeAndUnsubscribeUsersHandler, unsubscribeUsersHandler } from './commands/subscriptions/unsubscribe.js';
import { DATA_EXPORT_PARTS } from './data-exports.js';
import { INVITATION_PART_PREFIXES } from './invitations.js';
import { realmStateMachine } from './machine.js';
import { DAILY_INVITATIONS_PART_PREFIX, MAIL_REQUEST_TIMES_PART_PREFIX } from './mail-limits.js';
import { RealmActorSidecar } from './sidecar.js';
import {
  DIRECT_GROUP_RECIPIENT_PART_PREFIX,
  DIRECTORY_RECORD_PART_PREFIXES,
  DIRECTORY_SINGLETON_PART_NAMES,
  IMPORT_LEASE_PART_NAME,
  PICTURE_UPLOADS_PART_PREFIX,
  type RealmActorState,
  STREAM_TRAFFIC_PART_PREFIX,
  UNFINISHED_IMPORT_PART_PREFIX,
} from './state.js';
import { RealmMemoryState } from './volatile.js';

const replyAsMissingRealm = (): ActorReply => ({ error: apiError('INVALID_SUBDOMAIN').toReply() });

export const realmActorKind: ActorKindDefinition<RealmActorState, RealmMemoryState, ActorServices> = {
  name: 'realm',
  summary: 'An organization: its directory, its policies and its sequence of message ids.',
  phaseMachine: realmStateMachine,
  usesDirectory: false,
  maxDueDelayMs: MAX_ACTOR_SLEEP_MS,
  loadedParts: [
    ...Object.values(DIRECTORY_RECORD_PART_PREFIXES),
    ...Object.values(DIRECTORY_SINGLETON_PART_NAMES),
    STREAM_TRAFFIC_PART_PREFIX,
    DIRECT_GROUP_RECIPIENT_PART_PREFIX,
    EMAIL_CHANGE_PART_PREFIX,
    PASSWORD_RESET_LINKS_PART_PREFIX,
    EXTERNAL_IDENTITY_PART_PREFIX,
    SPENT_SIGN_IN_FLOW_PART_PREFIX,
    PICTURE_UPLOADS_PART_PREFIX,
    ...Object.values(INVITATION_PART_PREFIXES),
    MAIL_REQUEST_TIMES_PART_PREFIX,
    DAILY_INVITATIONS_PART_PREFIX,
    UNFINISHED_IMPORT_PART_PREFIX,
    IMPORT_LEASE_PART_NAME,
    PASSWORD_INVITATIONS_PART_NAME,
    DATA_EXPORT_PARTS.prefix,
  ],
  commands: wrapAllRealmCommandHandlers(
    mapHandlersByName(realmActorCommands, {
      // Handlers in ids.ts and snapshot.ts: ids for other actors, and the directory for replicas
      takeIds: handOutMessageIdsHandler,
      returnIds: shrinkReservedMessageIdsHandler,
      groupRecipient: getOrAllocateGroupRecipientIdHandler,
      snapshot: readWholeDirectoryHandler,
      // Handlers in organization/: creation, deactivation, reactivation and deletion of an organization
      peekRealm: readNextRealmIdHandler,
      createRealm: registerNewRealmHandler,
      init: initializeRealmHandler,
      beginImport: reserveRealmForImportHandler,
      renewImport: renewImportLeaseHandler,
      releaseImport: releaseImportLeaseHandler,
      endImport: endRealmImportHandler,
      markImportDropped: markRealmImportDroppedHandler,
      dropImport: dropRealmImportReservationHandler,
      subdomainTaken: isSubdomainTakenHandler,
      deactivate: deactivateRealmHandler,
      reactivate: reactivateRealmHandler,
      noteActivity: recordRealmActiveStateHandler,
      deleteRealm: deleteRealmHandler,
      noteDeletion: recordRealmDeletionHandler,
      endDeletion: removeDeletedRealmEntryHandler,
      hasUnfinishedImport: hasUnfinishedImportHandler,
      // Handlers in organization/: settings of an organization and its lists, such as linkifiers
      changeRealm: updateRealmSettingsHandler,
      changeUserDefaults: updateNewUserSettingDefaultsHandler,
      addLinkifier: addLinkifierHandler,
      updateLinkifier: updateLinkifierHandler,
      removeLinkifier: removeLinkifierHandler,
      addPlayground: addPlaygroundHandler,
      removePlayground: removePlaygroundHandler,
      addDomain: addEmailDomainHandler,
      changeDomain: updateEmailDomainHandler,
      removeDomain: removeEmailDomainHandler,
      addProfileField: addProfileFieldHandler,
      updateProfileField: updateProfileFieldHandler,
      orderProfileFields: orderProfileFieldsHandler,
      removeProfileField: removeProfileFieldHandler,
      // Handlers in accounts/: people, roles and API keys
      createUser: createUserHandler,
      updateUser: updateUserHandler,
      deactivateUser: deactivateUserHandler,
      deactivateSelf: deactivateOwnAccountHandler,
      reactivateUser: reactivateUserHandler,
      showAddresses: publishEmailVisibilityHandler,
      due: runDueRealmTasksHandler,
      confirmEmail: confirmEmailChangeHandler,
      regenerateKey: regenerateOwnApiKeyHandler,
      renewKey: renewApiKeyHandler,
      renewBotKey: renewBotApiKeyHandler,
      setBilling: setBillingAdminHandler,
      setRateLimits: setAccountRateLimitsHandler,
      // Handlers of accounts/password-reset.ts: forgotten passwords
      askPasswordReset: requestPasswordResetHandler,
      mailPasswordInvitations: mailPasswordInvitationsHandler,
      sendPasswordReset: mailPasswordResetByAdminHandler,
      peekPasswordReset: readPasswordResetPageHandler,
      resetPassword: resetPasswordHandler,
      setPasswordOf: setPasswordOfUserHandler,
      // Handlers of accounts/identities.ts: single sign-on
      signInExternally: signInExternallyHandler,
      forgetIdentities: forgetExternalIdentitiesHandler,
      // Handlers in accounts/sessions.ts: sessions of browsers
      startSession: startSessionHandler,
      startSessionByLink: startSessionByOneTimeLinkHandler,
      peekSignInLink: readOneTimeSignInLinkHandler,
      noteSessionUse: recordSessionUseHandler,
      endSession: endOwnSessionHandler,
      endSessions: endOtherSessionsHandler,
      setSessionPush: setSessionPushEndpointHandler,
      dropSessionPush: removeSessionPushEndpointHandler,
      notePushDevice: markAccountHasPushDeviceHandler,
      addSignInLink: addOneTimeSignInLinkHandler,
      // Handlers in bots/: creation and changes of bots; deactivation and keys are in accounts/
      createBot: createBotHandler,
      updateBot: updateBotHandler,
      deactivateBot: deactivateBotHandler,
      regenerateBotKey: regenerateBotApiKeyHandler,
      // Handlers in preferences/: settings that users choose for themselves
      changeSettings: updateOwnSettingsHandler,
      changeOwnAccount: updateOwnAccountAndSettingsHandler,
      setStatus: setUserStatusHandler,
      addAlertWords: addAlertWordsHandler,
      removeAlertWords: removeAlertWordsHandler,
      muteUser: recordUserMutedHandler,
      unmuteUser: recordUserUnmutedHandler,
      changeOwnProfile: updateOwnProfileHandler,
      clearOwnProfile: clearOwnProfileHandler,
      // Handlers in invitations/: ways to join the organization
      invite: sendInvitationsHandler,
      inviteByLink: createInvitationLinkHandler,
      listInvitations: listInvitationsHandler,
      revokeInvitation: revokeInvitationHandler,
      revokeLink: revokeInvitationLinkHandler,
      resendInvitation: resendInvitationHandler,
      peekInvitation: readInvitationPageHandler,
      join: joinByInvitationHandler,
      peekSignUp: readSignUpPageHandler,
      askSignUp: requestSignUpHandler,
      signUp: signUpHandler,
      // Handlers of organization/data-exports.ts
      listExports: listDataExportsHandler,
      startExport: startDataExportHandler,
      deleteExport: deleteDataExportHandler,
      endExport: endDataExportHandler,
      restartExport: restartDataExportHandler,
      eraseExport: eraseDataExportHandler,
      // Handlers in groups/: user groups and their members
      createGroup: createUserGroupHandler,
      updateGroup: updateUserGroupHandler,
      removeGroup: removeUserGroupHandler,
      editMembers: editGroupMembersHandler,
      editSubgroups: editGroupSubgroupsHandler,
      // Handlers in streams/: properties of streams, archiving, default streams
      updateStream: updateStreamHandler,
      archiveStream: archiveStreamHandler,
      vacated: archiveVacatedStreamsHandler,
      setDefaultStream: addOrRemoveDefaultStreamHandler,
      createStreamGroup: createDefaultStreamGroupHandler,
      updateStreamGroup: updateDefaultStreamGroupHandler,
      editStreamGroup: editStreamsOfDefaultStreamGroupHandler,
      removeStreamGroup: removeDefaultStreamGroupHandler,
      firstMessage: recordFirstMessageIdHandler,
      streamTraffic: recordStreamTrafficHandler,
      // Handlers in subscriptions/: users join and leave streams
      subscribe: subscribeUsersHandler,
      unsubscribe: unsubscribeUsersHandler,
      updateSubscriptions: subscribeAndUnsubscribeUsersHandler,
      carryOnJoining: subscribeRemainingUsersHandler,
      // Handlers in files/: pictures and uploaded files
      emojiBegin: beginEmojiUploadHandler,
      emojiAdd: addCustomEmojiHandler,
      emojiRemove: deactivateCustomEmojiHandler,
      pictureBegin: reservePictureUploadNumberHandler,
      setAvatar: activateUploadedAvatarHandler,
      removeAvatar: removeAvatarHandler,
      setRealmPicture: setOrClearRealmPictureHandler,
      fileId: reserveFileNumberAndSpaceHandler,
      filesChanged: eraseBlobsAndRecordFileChangesHandler,
      spaceUsed: readFileSpaceUsedHandler,
    }),
  ),
  makeInitialState: (key) => ({
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
  makeVolatile: (_key, state, parts) => new RealmMemoryState(state, parts),
  sidecar: (handle, sources) => new RealmActorSidecar(handle, sources),
  takeBack: ({ parts, volatile }) => volatile.rebuildIndexesAndCounts(parts),
  makeMissingActorReply: replyAsMissingRealm,
  refusalByPhase: {
    active: () => ({ error: apiError('REALM_NOT_DEACTIVATED').toReply() }),
    deactivated: () => ({ error: apiError('ORGANIZATION_DEACTIVATED').toReply() }),
    deleted: replyAsMissingRealm,
  },
};
