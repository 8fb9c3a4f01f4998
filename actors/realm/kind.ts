/** The realm actor: directory, policies, names, and the message-id sequence of one organization. */

import { FIRST_GROUP } from '#domain/people';
import { completeRealmSettings, DEFAULT_REALM_SETTINGS, parseKey } from '#model';
import { apiError } from '#model/errors';
import type { ActorKind } from '#runtime';
import type { ActorServices } from '../services.js';
import { setBilling } from './commands/accounts/billing.js';
import { createUser } from './commands/accounts/create-user.js';
import { deactivateSelf, deactivateUser } from './commands/accounts/deactivate-user.js';
import { confirmEmail, EMAIL_CHANGE_PART } from './commands/accounts/email-change.js';
import { due } from './commands/accounts/full-members.js';
import { regenerateKey, renewBotKey, renewKey } from './commands/accounts/own-key.js';
import { setRateLimits } from './commands/accounts/rate-limits.js';
import { reactivateUser } from './commands/accounts/reactivate-user.js';
import { showAddresses } from './commands/accounts/role-sight.js';
import { updateUser } from './commands/accounts/update-user.js';
import { regenerateBotKey } from './commands/bots/bot-key.js';
import { createBot } from './commands/bots/create-bot.js';
import { deactivateBot } from './commands/bots/deactivate-bot.js';
import { updateBot } from './commands/bots/update-bot.js';
import { versioned } from './commands/command.js';
import { removeAvatar, setAvatar } from './commands/files/avatar.js';
import { emojiAdd, emojiBegin, emojiRemove } from './commands/files/emoji.js';
import { fileId, filesChanged, spaceUsed } from './commands/files/files.js';
import { setRealmPicture } from './commands/files/organization-pictures.js';
import { pictureBegin } from './commands/files/pictures.js';
import { groupRecipient } from './commands/group-recipient.js';
import { editMembers, editSubgroups } from './commands/groups/group-members.js';
import { createGroup, removeGroup, updateGroup } from './commands/groups/user-groups.js';
import { returnIds, takeIds } from './commands/ids.js';
import {
  inviteByLink,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  revokeLink,
} from './commands/invitations/invitations.js';
import { invite } from './commands/invitations/invite.js';
import { join, peekInvitation } from './commands/invitations/join.js';
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
import { changeRealm } from './commands/organization/realm-settings.js';
import { changeUserDefaults } from './commands/organization/user-defaults.js';
import { addAlertWords, removeAlertWords } from './commands/personal/alert-words.js';
import { muteUser, unmuteUser } from './commands/personal/mute-user.js';
import { changeOwnAccount, changeSettings } from './commands/personal/own-settings.js';
import { changeOwnProfile, clearOwnProfile } from './commands/personal/profile-data.js';
import { setStatus } from './commands/personal/user-status.js';
import { snapshot } from './commands/snapshot.js';
import { archiveStream, vacated } from './commands/streams/archive-stream.js';
import { setDefaultStream } from './commands/streams/default-streams.js';
import { firstMessage } from './commands/streams/first-message.js';
import {
  createStreamGroup,
  editStreamGroup,
  removeStreamGroup,
  updateStreamGroup,
} from './commands/streams/stream-groups.js';
import { streamTraffic } from './commands/streams/stream-traffic.js';
import { updateStream } from './commands/streams/update-stream.js';
import { carryOnJoining, subscribe } from './commands/subscriptions/subscribe.js';
import { unsubscribe, updateSubscriptions } from './commands/subscriptions/unsubscribe.js';
import { INVITATION_PARTS } from './invitations.js';
import { LETTERS_PART } from './letters.js';
import { LiveRealm } from './live.js';
import { realmMachine } from './machine.js';
import { GROUP_PART, RECORD_PARTS, type RealmState, TRAFFIC_PART, UPLOADS_PART, WHOLE_PARTS } from './state.js';
import { RealmVolatile } from './volatile.js';

export const realmKind: ActorKind<RealmState, RealmVolatile, ActorServices> = {
  name: 'realm',
  summary: 'An organization: its directory, its policies and its sequence of message ids.',
  machine: realmMachine,
  directory: false,
  loadedParts: [
    ...Object.values(RECORD_PARTS),
    ...Object.values(WHOLE_PARTS),
    TRAFFIC_PART,
    GROUP_PART,
    EMAIL_CHANGE_PART,
    UPLOADS_PART,
    ...Object.values(INVITATION_PARTS),
    LETTERS_PART,
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
    'return-ids': returnIds,
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
    'set-rate-limits': setRateLimits,
    subscribe,
    unsubscribe,
    'update-subscriptions': updateSubscriptions,
    'update-stream': updateStream,
    'archive-stream': archiveStream,
    vacated,
    'carry-on-joining': carryOnJoining,
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
    'renew-key': renewKey,
    'renew-bot-key': renewBotKey,
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
    settings: DEFAULT_REALM_SETTINGS,
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
  upgrade: (state) => {
    const settings = completeRealmSettings(state.settings);
    return settings === state.settings ? state : { ...state, settings };
  },
  volatile: (_key, state, parts) => new RealmVolatile(state, parts),
  sidecar: (handle) => new LiveRealm(handle),
  takeBack: ({ parts, volatile }) => volatile.rebuild(parts),
  missing: () => ({ error: apiError('INVALID_SUBDOMAIN').toReply() }),
  refusals: { deactivated: () => ({ error: apiError('ORGANIZATION_DEACTIVATED').toReply() }) },
};
