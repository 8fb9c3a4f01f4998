/**
 * The realm actor: declaration of the kind. Commands stand by area, and each area is a folder of `commands/`; the
 * phases that refuse commands are in `machine.ts`.
 */

import { FIRST_CUSTOM_GROUP } from '#domain/people';
import { completeRealmSettings, DEFAULT_REALM_SETTINGS, parseKey } from '#model';
import { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, handlersOf } from '#runtime';
import type { ActorServices } from '../services.js';
import { regenerateBotKey, regenerateKey, renewBotKey, renewKey } from './commands/accounts/api-keys.js';
import { setBilling, setRateLimits } from './commands/accounts/command-line.js';
import { createUser } from './commands/accounts/create-user.js';
import { deactivateBot, deactivateSelf, deactivateUser } from './commands/accounts/deactivate-user.js';
import { confirmEmail, EMAIL_CHANGE_PART } from './commands/accounts/email-change.js';
import { due } from './commands/accounts/full-members.js';
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
import { showAddresses } from './commands/accounts/visibility-change.js';
import { createBot } from './commands/bots/create-bot.js';
import { updateBot } from './commands/bots/update-bot.js';
import { withDirectoryVersion } from './commands/command.js';
import { removeAvatar, setAvatar } from './commands/files/avatar.js';
import { emojiAdd, emojiBegin, emojiRemove } from './commands/files/emoji.js';
import { fileId, filesChanged, spaceUsed } from './commands/files/files.js';
import { setRealmPicture } from './commands/files/organization-pictures.js';
import { pictureBegin } from './commands/files/pictures.js';
import { editMembers, editSubgroups } from './commands/groups/group-members.js';
import { createGroup, removeGroup, updateGroup } from './commands/groups/user-groups.js';
import { groupRecipient, returnIds, takeIds } from './commands/ids.js';
import { invite } from './commands/invitations/invite.js';
import { join, peekInvitation } from './commands/invitations/join.js';
import {
  inviteByLink,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  revokeLink,
} from './commands/invitations/manage-invitations.js';
import { askSignUp, peekSignUp, signUp } from './commands/invitations/sign-up.js';
import { createRealm, init, peekRealm, subdomainTaken } from './commands/organization/create-realm.js';
import { addDomain, changeDomain, removeDomain } from './commands/organization/domains.js';
import { addLinkifier, removeLinkifier, updateLinkifier } from './commands/organization/linkifiers.js';
import { addPlayground, removePlayground } from './commands/organization/playgrounds.js';
import {
  addProfileField,
  orderProfileFields,
  removeProfileField,
  updateProfileField,
} from './commands/organization/profile-fields.js';
import { deactivate, noteActivity, reactivate } from './commands/organization/realm-activity.js';
import { changeRealm, changeUserDefaults } from './commands/organization/realm-settings.js';
import { addAlertWords, removeAlertWords } from './commands/preferences/alert-words.js';
import { muteUser, unmuteUser } from './commands/preferences/mute-user.js';
import { changeOwnAccount, changeSettings } from './commands/preferences/own-settings.js';
import { changeOwnProfile, clearOwnProfile } from './commands/preferences/profile-data.js';
import { setStatus } from './commands/preferences/user-status.js';
import { snapshot } from './commands/snapshot.js';
import { archiveStream, vacated } from './commands/streams/archive-stream.js';
import {
  createStreamGroup,
  editStreamGroup,
  removeStreamGroup,
  setDefaultStream,
  updateStreamGroup,
} from './commands/streams/default-streams.js';
import { firstMessage, streamTraffic } from './commands/streams/stream-reports.js';
import { updateStream } from './commands/streams/update-stream.js';
import { carryOnJoining, subscribe } from './commands/subscriptions/subscribe.js';
import { unsubscribe, updateSubscriptions } from './commands/subscriptions/unsubscribe.js';
import { INVITATION_PARTS } from './invitations.js';
import { realmMachine } from './machine.js';
import { MAILS_PART } from './mail-limits.js';
import { RealmSidecar } from './sidecar.js';
import { GROUP_PART, RECORD_PARTS, type RealmState, SINGLETON_PARTS, TRAFFIC_PART, UPLOADS_PART } from './state.js';
import { RealmVolatile } from './volatile.js';

export const realmKind: ActorKind<RealmState, RealmVolatile, ActorServices> = {
  name: 'realm',
  summary: 'An organization: its directory, its policies and its sequence of message ids.',
  machine: realmMachine,
  directory: false,
  loadedParts: [
    ...Object.values(RECORD_PARTS),
    ...Object.values(SINGLETON_PARTS),
    TRAFFIC_PART,
    GROUP_PART,
    EMAIL_CHANGE_PART,
    UPLOADS_PART,
    ...Object.values(INVITATION_PARTS),
    MAILS_PART,
  ],
  commands: withDirectoryVersion(
    handlersOf(realmCommands, {
      // ids.ts and snapshot.ts: ids for other actors, the directory for replicas
      takeIds,
      returnIds,
      groupRecipient,
      snapshot,
      // organization/: organizations come and go
      peekRealm,
      createRealm,
      init,
      subdomainTaken,
      deactivate,
      reactivate,
      noteActivity,
      // organization/: settings and lists
      changeRealm,
      changeUserDefaults,
      addLinkifier,
      updateLinkifier,
      removeLinkifier,
      addPlayground,
      removePlayground,
      addDomain,
      changeDomain,
      removeDomain,
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
      showAddresses,
      due,
      confirmEmail,
      regenerateKey,
      renewKey,
      renewBotKey,
      setBilling,
      setRateLimits,
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
      regenerateBotKey,
      // preferences/: what users choose for themselves
      changeSettings,
      changeOwnAccount,
      setStatus,
      addAlertWords,
      removeAlertWords,
      muteUser,
      unmuteUser,
      changeOwnProfile,
      clearOwnProfile,
      // invitations/: ways to join the organization
      invite,
      inviteByLink,
      listInvitations,
      revokeInvitation,
      revokeLink,
      resendInvitation,
      peekInvitation,
      join,
      peekSignUp,
      askSignUp,
      signUp,
      // groups/
      createGroup,
      updateGroup,
      removeGroup,
      editMembers,
      editSubgroups,
      // streams/
      updateStream,
      archiveStream,
      vacated,
      setDefaultStream,
      createStreamGroup,
      updateStreamGroup,
      editStreamGroup,
      removeStreamGroup,
      firstMessage,
      streamTraffic,
      // subscriptions/
      subscribe,
      unsubscribe,
      updateSubscriptions,
      carryOnJoining,
      // files/: pictures and uploaded files
      emojiBegin,
      emojiAdd,
      emojiRemove,
      pictureBegin,
      setAvatar,
      removeAvatar,
      setRealmPicture,
      fileId,
      filesChanged,
      spaceUsed,
    }),
  ),
  initial: (key) => ({
    phase: 'active',
    id: parseKey(key).realm,
    subdomain: '',
    created: 0,
    settings: DEFAULT_REALM_SETTINGS,
    nextUser: 1,
    nextStream: 1,
    nextRecipient: 1,
    nextGroup: FIRST_CUSTOM_GROUP,
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
    const settings = completeRealmSettings(state.settings);
    return settings === state.settings ? state : { ...state, settings };
  },
  volatile: (_key, state, parts) => new RealmVolatile(state, parts),
  sidecar: (handle) => new RealmSidecar(handle),
  takeBack: ({ parts, volatile }) => volatile.rebuild(parts),
  missing: () => ({ error: apiError('INVALID_SUBDOMAIN').toReply() }),
  refusals: { deactivated: () => ({ error: apiError('ORGANIZATION_DEACTIVATED').toReply() }) },
};
