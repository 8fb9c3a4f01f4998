/** The realm actor: directory, policies, names, and the message-id sequence of one organization. */
import { apiError } from '../../src/api/errors.js';
import { parseKey } from '../../src/core/index.js';
import { FIRST_GROUP } from '../../src/people/index.js';
import type { ActorKind } from '../../src/runtime/index.js';
import { addAlertWords, removeAlertWords } from './commands/alert-words.js';
import { archiveStream, vacated } from './commands/archive-stream.js';
import { removeAvatar, setAvatar } from './commands/avatar.js';
import { setBilling } from './commands/billing.js';
import { regenerateBotKey } from './commands/bot-key.js';
import { versioned } from './commands/command.js';
import { createBot } from './commands/create-bot.js';
import { createRealm, init, peekRealm, subdomainTaken } from './commands/create-realm.js';
import { createUser } from './commands/create-user.js';
import { deactivateBot } from './commands/deactivate-bot.js';
import { deactivateSelf, deactivateUser } from './commands/deactivate-user.js';
import { setDefaultStream } from './commands/default-streams.js';
import { addDomain, changeDomain, removeDomain } from './commands/domains.js';
import { confirmEmail, EMAIL_CHANGE_PART } from './commands/email-change.js';
import { emojiAdd, emojiBegin, emojiRemove } from './commands/emoji.js';
import { fileId, filesChanged, spaceUsed } from './commands/files.js';
import { firstMessage } from './commands/first-message.js';
import { due } from './commands/full-members.js';
import { editMembers, editSubgroups } from './commands/group-members.js';
import { groupRecipient } from './commands/group-recipient.js';
import { takeIds } from './commands/ids.js';
import {
  inviteByLink,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  revokeLink,
} from './commands/invitations.js';
import { invite } from './commands/invite.js';
import { join, peekInvitation } from './commands/join.js';
import { addLinkifier, removeLinkifier, updateLinkifier } from './commands/linkifiers.js';
import { muteUser, unmuteUser } from './commands/mute-user.js';
import { setRealmPicture } from './commands/organization-pictures.js';
import { regenerateKey } from './commands/own-key.js';
import { changeOwnAccount, changeSettings } from './commands/own-settings.js';
import { pictureBegin } from './commands/pictures.js';
import { addPlayground, removePlayground } from './commands/playgrounds.js';
import { changeOwnProfile, clearOwnProfile } from './commands/profile-data.js';
import {
  addProfileField,
  orderProfileFields,
  removeProfileField,
  updateProfileField,
} from './commands/profile-fields.js';
import { reactivateUser } from './commands/reactivate-user.js';
import { deactivate, noteActivity, reactivate } from './commands/realm-activity.js';
import { changeRealm } from './commands/realm-settings.js';
import { showAddresses } from './commands/role-sight.js';
import { askSignUp, peekSignUp, signUp } from './commands/sign-up.js';
import { snapshot } from './commands/snapshot.js';
import { createStreamGroup, editStreamGroup, removeStreamGroup, updateStreamGroup } from './commands/stream-groups.js';
import { streamTraffic } from './commands/stream-traffic.js';
import { subscribe } from './commands/subscribe.js';
import { unsubscribe, updateSubscriptions } from './commands/unsubscribe.js';
import { updateBot } from './commands/update-bot.js';
import { updateStream } from './commands/update-stream.js';
import { updateUser } from './commands/update-user.js';
import { changeUserDefaults } from './commands/user-defaults.js';
import { createGroup, removeGroup, updateGroup } from './commands/user-groups.js';
import { setStatus } from './commands/user-status.js';
import { INVITATION_PARTS } from './invitations.js';
import { realmMachine } from './machine.js';
import {
  BOT_PART,
  DOMAINS_PART,
  EMOJI_PART,
  GROUP_PART,
  LINKIFIERS_PART,
  PERSONAL_PART,
  PICTURES_PART,
  PLAYGROUNDS_PART,
  PROFILE_FIELDS_PART,
  PROFILE_PART,
  REALM_PART,
  type RealmState,
  STREAM_GROUPS_PART,
  STREAM_PART,
  TRAFFIC_PART,
  UPLOADS_PART,
  USER_DEFAULTS_PART,
  USER_GROUP_PART,
  USER_PART,
} from './state.js';
import { RealmVolatile } from './volatile.js';

export const realmKind: ActorKind<RealmState, RealmVolatile> = {
  name: 'realm',
  machine: realmMachine,
  directory: false,
  loads: [
    USER_PART,
    STREAM_PART,
    GROUP_PART,
    REALM_PART,
    PERSONAL_PART,
    USER_GROUP_PART,
    LINKIFIERS_PART,
    PLAYGROUNDS_PART,
    STREAM_GROUPS_PART,
    TRAFFIC_PART,
    DOMAINS_PART,
    EMOJI_PART,
    EMAIL_CHANGE_PART,
    USER_DEFAULTS_PART,
    BOT_PART,
    PICTURES_PART,
    UPLOADS_PART,
    ...Object.values(INVITATION_PARTS),
    PROFILE_FIELDS_PART,
    PROFILE_PART,
  ],
  commands: versioned({
    'peek-realm': peekRealm,
    'create-realm': createRealm,
    init,
    deactivate,
    reactivate,
    'note-activity': noteActivity,
    'subdomain-taken': subdomainTaken,
    'take-ids': takeIds,
    snapshot,
    due,
    'create-user': createUser,
    'create-bot': createBot,
    'update-bot': updateBot,
    'regenerate-bot-key': regenerateBotKey,
    'deactivate-bot': deactivateBot,
    'update-user': updateUser,
    'show-addresses': showAddresses,
    'deactivate-user': deactivateUser,
    'deactivate-self': deactivateSelf,
    'reactivate-user': reactivateUser,
    'set-billing': setBilling,
    subscribe,
    unsubscribe,
    'update-subscriptions': updateSubscriptions,
    'update-stream': updateStream,
    'archive-stream': archiveStream,
    vacated,
    'default-stream': setDefaultStream,
    'group-recipient': groupRecipient,
    'first-message': firstMessage,
    'stream-traffic': streamTraffic,
    'emoji-begin': emojiBegin,
    'emoji-add': emojiAdd,
    'emoji-remove': emojiRemove,
    'picture-begin': pictureBegin,
    'set-avatar': setAvatar,
    'remove-avatar': removeAvatar,
    'set-realm-picture': setRealmPicture,
    'file-id': fileId,
    'files-changed': filesChanged,
    'space-used': spaceUsed,
    'change-settings': changeSettings,
    'change-own-account': changeOwnAccount,
    'confirm-email': confirmEmail,
    'regenerate-key': regenerateKey,
    'change-user-defaults': changeUserDefaults,
    'set-status': setStatus,
    'add-alert-words': addAlertWords,
    'remove-alert-words': removeAlertWords,
    'mute-user': muteUser,
    'unmute-user': unmuteUser,
    'change-realm': changeRealm,
    'add-linkifier': addLinkifier,
    'update-linkifier': updateLinkifier,
    'remove-linkifier': removeLinkifier,
    'create-stream-group': createStreamGroup,
    'update-stream-group': updateStreamGroup,
    'edit-stream-group': editStreamGroup,
    'remove-stream-group': removeStreamGroup,
    'add-playground': addPlayground,
    'remove-playground': removePlayground,
    'add-domain': addDomain,
    'change-domain': changeDomain,
    'remove-domain': removeDomain,
    invite,
    'invite-by-link': inviteByLink,
    'list-invitations': listInvitations,
    'revoke-invitation': revokeInvitation,
    'revoke-invitation-link': revokeLink,
    'resend-invitation': resendInvitation,
    'peek-sign-up': peekSignUp,
    'ask-sign-up': askSignUp,
    'sign-up': signUp,
    'peek-invitation': peekInvitation,
    join,
    'add-profile-field': addProfileField,
    'update-profile-field': updateProfileField,
    'order-profile-fields': orderProfileFields,
    'remove-profile-field': removeProfileField,
    'change-own-profile': changeOwnProfile,
    'clear-own-profile': clearOwnProfile,
    'create-group': createGroup,
    'update-group': updateGroup,
    'remove-group': removeGroup,
    'edit-group-members': editMembers,
    'edit-subgroups': editSubgroups,
  }),
  initial: (key) => ({
    phase: 'active',
    id: parseKey(key).realm,
    subdomain: '',
    created: 0,
    settings: {},
    nextUser: 1,
    nextStream: 1,
    nextRecipient: 1,
    nextGroup: FIRST_GROUP,
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
  volatile: (_key, state, parts) => new RealmVolatile(state, parts),
  missing: () => ({ error: apiError('INVALID_SUBDOMAIN').toReply() }),
  refuse: () => ({ error: apiError('ORGANIZATION_DEACTIVATED').toReply() }),
};
