/**
 * All operations of the API, in the order of the reference: those of the base level, then those of newer levels alone.
 * Routing, checks and documentation are made from this list.
 *
 * Areas: `messages/` (sending, reading, changing, flags, drafts, typing), `streams/` (streams, subscriptions, topics),
 * `people/` (accounts, profiles, settings, presence, groups), `organization/` (settings, pictures, lists, server),
 * `bots/`, `invitations/` (invitations and the pages for joining), `accounts/` (forgotten passwords), `single-sign-
 * on/`, `web/` (sessions of browsers), `events.ts` (event queues), `files.ts` (uploads) and `external-content.ts`
 * (pictures of other hosts). Operations that are one unit in the reference come as a list of their file; the others
 * are listed one by one, because the reference mixes areas.
 */
import { type ApiLevel, BASE_API_LEVEL } from '#domain/levels';
import type { ApiOperation } from '../operation.js';
import { PASSWORD_RESET_OPERATIONS } from './accounts/password-reset.js';
import { BOT_STORAGE_OPERATIONS } from './bots/bot-storage.js';
import { BOT_OPERATIONS } from './bots/bots.js';
import { postIncomingWebhookOperation } from './bots/incoming-webhooks.js';
import { deleteEventQueueOperation, getEventsOperation, registerEventQueueOperation } from './events.js';
import { EXTERNAL_CONTENT_OPERATIONS } from './external-content.js';
import { FILE_OPERATIONS } from './files.js';
import { INVITATION_OPERATIONS } from './invitations/invitations.js';
import { INVITATION_JOIN_OPERATIONS } from './invitations/joining.js';
import { SIGN_UP_OPERATIONS } from './invitations/signing-up.js';
import {
  createDraftsOperation,
  deleteDraftOperation,
  editDraftOperation,
  getOwnDraftsOperation,
} from './messages/drafts.js';
import {
  markAllAsReadOperation,
  markStreamAsReadOperation,
  markTopicAsReadOperation,
  setMessageFlagsInNarrowOperation,
  setMessageFlagsOperation,
} from './messages/flags.js';
import {
  deleteMessageOperation,
  deleteTopicOperation,
  editOrMoveMessageOperation,
  getMessageEditHistoryOperation,
  getStreamTopicsOperation,
} from './messages/message-changes.js';
import {
  checkMessagesMatchNarrowOperation,
  getMessageOperation,
  getMessagesOperation,
  getReadReceiptsOperation,
  renderMessageOperation,
  sendMessageOperation,
} from './messages/messages.js';
import { addReactionOperation, removeReactionOperation } from './messages/reactions.js';
import { SAVED_SNIPPET_OPERATIONS } from './messages/saved-snippets.js';
import {
  createScheduledMessageOperation,
  deleteScheduledMessageOperation,
  getOwnScheduledMessagesOperation,
  updateScheduledMessageOperation,
} from './messages/scheduled.js';
import { addSubmessageOperation } from './messages/submessages.js';
import { setTypingStatusOperation } from './messages/typing.js';
import { DATA_EXPORT_OPERATIONS } from './organization/data-exports.js';
import { EMAIL_DOMAIN_OPERATIONS } from './organization/domains.js';
import { CUSTOM_EMOJI_OPERATIONS } from './organization/emoji.js';
import {
  addCodePlaygroundOperation,
  addLinkifierOperation,
  getLinkifiersOperation,
  removeCodePlaygroundOperation,
  removeLinkifierOperation,
  updateLinkifierOperation,
} from './organization/linkifiers.js';
import { deactivateRealmOperation, updateRealmSettingsOperation } from './organization/organization.js';
import { ORGANIZATION_PICTURE_OPERATIONS } from './organization/organization-pictures.js';
import { PICTURE_OPERATIONS } from './organization/pictures.js';
import {
  checkClientCompatibilityOperation,
  checkSubdomainAvailabilityOperation,
  getServerSettingsOperation,
} from './organization/server.js';
import { STATIC_FILE_OPERATIONS } from './organization/static.js';
import { VIDEO_CALL_OPERATIONS } from './organization/unavailable.js';
import { ACCOUNT_CHANGE_OPERATIONS } from './people/accounts.js';
import { AVATAR_OPERATIONS } from './people/avatars.js';
import { confirmNewEmailOperation, showEmailConfirmationPageOperation } from './people/confirm-email.js';
import {
  addAlertWordsOperation,
  getOwnAlertWordsOperation,
  muteUserOperation,
  removeAlertWordsOperation,
  unmuteUserOperation,
} from './people/personal.js';
import { PRESENCE_OPERATIONS } from './people/presence.js';
import { PROFILE_FIELD_AND_VALUE_OPERATIONS } from './people/profile.js';
import { PUSH_TOKEN_OPERATIONS } from './people/push-tokens.js';
import {
  updateNewUserDefaultsOperation,
  updateOwnSettingsByDisplayPathOperation,
  updateOwnSettingsByNotifyPathOperation,
  updateOwnSettingsOperation,
} from './people/settings.js';
import { showUnsubscribePageOperation, unsubscribeFromMailKindOperation } from './people/unsubscribe.js';
import {
  createUserGroupOperation,
  getUserGroupMembersOperation,
  getUserGroupSubgroupsOperation,
  getUserGroupsOperation,
  isUserGroupMemberOperation,
  removeUserGroupOperation,
  updateUserGroupMembersOperation,
  updateUserGroupOperation,
  updateUserGroupSubgroupsOperation,
} from './people/user-groups.js';
import { USER_STATUS_AND_ONBOARDING_OPERATIONS } from './people/user-status.js';
import {
  createUserOperation,
  fetchApiKeyByJwtOperation,
  fetchApiKeyByPasswordOperation,
  getAllUsersOperation,
  getOwnUserOperation,
  getUserByEmailOperation,
  getUserOperation,
  regenerateOwnApiKeyOperation,
} from './people/users.js';
import { runSlashCommandOperation } from './people/zcommand.js';
import { SINGLE_SIGN_ON_OPERATIONS } from './single-sign-on/signing-in.js';
import {
  addDefaultStreamOperation,
  archiveStreamOperation,
  removeDefaultStreamOperation,
  updateStreamOperation,
} from './streams/stream-admin.js';
import { DEFAULT_STREAM_GROUP_OPERATIONS } from './streams/stream-groups.js';
import {
  getOwnSubscriptionsOperation,
  getStreamIdByNameOperation,
  getVisibleStreamsOperation,
  subscribeAndCreateStreamsOperation,
} from './streams/streams.js';
import {
  getStreamOperation,
  getSubscribersOperation,
  getSubscriptionStatusOperation,
  subscribeAndUnsubscribeOperation,
  unsubscribeFromStreamsOperation,
  updateOwnSubscriptionSettingsOperation,
  updateSubscriptionColorOperation,
} from './streams/subscriptions.js';
import { muteOrUnmuteTopicOperation, setTopicVisibilityPolicyOperation } from './streams/user-topics.js';
import { WEB_BOT_OPERATIONS } from './web/bots.js';
import { WEB_PUSH_OPERATIONS } from './web/push.js';
import { WEB_SESSION_OPERATIONS } from './web/sessions.js';

/** The operations of the base level, which clients of all levels have. */
export const API_OPERATIONS = [
  getOwnDraftsOperation,
  createDraftsOperation,
  deleteDraftOperation,
  editDraftOperation,
  deleteEventQueueOperation,
  getEventsOperation,
  fetchApiKeyByPasswordOperation,
  getStreamIdByNameOperation,
  markAllAsReadOperation,
  markStreamAsReadOperation,
  markTopicAsReadOperation,
  getMessagesOperation,
  sendMessageOperation,
  setMessageFlagsOperation,
  setMessageFlagsInNarrowOperation,
  renderMessageOperation,
  getMessageOperation,
  editOrMoveMessageOperation,
  deleteMessageOperation,
  getMessageEditHistoryOperation,
  registerEventQueueOperation,
  getServerSettingsOperation,
  getVisibleStreamsOperation,
  deleteTopicOperation,
  getStreamTopicsOperation,
  getAllUsersOperation,
  createUserOperation,
  getOwnUserOperation,
  getOwnSubscriptionsOperation,
  subscribeAndCreateStreamsOperation,
  muteOrUnmuteTopicOperation,
  setTopicVisibilityPolicyOperation,
  getUserOperation,
  getUserByEmailOperation,
  updateOwnSettingsOperation,
  updateOwnSettingsByDisplayPathOperation,
  updateOwnSettingsByNotifyPathOperation,
  getOwnAlertWordsOperation,
  addAlertWordsOperation,
  removeAlertWordsOperation,
  muteUserOperation,
  unmuteUserOperation,
  updateRealmSettingsOperation,
  getLinkifiersOperation,
  addLinkifierOperation,
  updateLinkifierOperation,
  removeLinkifierOperation,
  addCodePlaygroundOperation,
  removeCodePlaygroundOperation,
  getUserGroupsOperation,
  createUserGroupOperation,
  updateUserGroupOperation,
  removeUserGroupOperation,
  updateUserGroupMembersOperation,
  updateUserGroupSubgroupsOperation,
  getUserGroupMembersOperation,
  getUserGroupSubgroupsOperation,
  isUserGroupMemberOperation,
  getOwnScheduledMessagesOperation,
  createScheduledMessageOperation,
  deleteScheduledMessageOperation,
  updateScheduledMessageOperation,
  setTypingStatusOperation,
  addReactionOperation,
  removeReactionOperation,
  addSubmessageOperation,
  getReadReceiptsOperation,
  addDefaultStreamOperation,
  removeDefaultStreamOperation,
  getStreamOperation,
  updateStreamOperation,
  archiveStreamOperation,
  getSubscribersOperation,
  unsubscribeFromStreamsOperation,
  subscribeAndUnsubscribeOperation,
  updateOwnSubscriptionSettingsOperation,
  updateSubscriptionColorOperation,
  getSubscriptionStatusOperation,
  checkMessagesMatchNarrowOperation,
  ...EXTERNAL_CONTENT_OPERATIONS,
  ...FILE_OPERATIONS,
  ...CUSTOM_EMOJI_OPERATIONS,
  ...EMAIL_DOMAIN_OPERATIONS,
  ...INVITATION_OPERATIONS,
  ...INVITATION_JOIN_OPERATIONS,
  ...PROFILE_FIELD_AND_VALUE_OPERATIONS,
  ...ACCOUNT_CHANGE_OPERATIONS,
  ...BOT_OPERATIONS,
  ...BOT_STORAGE_OPERATIONS,
  postIncomingWebhookOperation,
  ...AVATAR_OPERATIONS,
  ...ORGANIZATION_PICTURE_OPERATIONS,
  ...PICTURE_OPERATIONS,
  ...STATIC_FILE_OPERATIONS,
  ...PRESENCE_OPERATIONS,
  ...USER_STATUS_AND_ONBOARDING_OPERATIONS,
  checkClientCompatibilityOperation,
  checkSubdomainAvailabilityOperation,
  updateNewUserDefaultsOperation,
  showEmailConfirmationPageOperation,
  confirmNewEmailOperation,
  showUnsubscribePageOperation,
  unsubscribeFromMailKindOperation,
  regenerateOwnApiKeyOperation,
  ...PUSH_TOKEN_OPERATIONS,
  runSlashCommandOperation,
  deactivateRealmOperation,
  ...VIDEO_CALL_OPERATIONS,
  ...DATA_EXPORT_OPERATIONS,
  fetchApiKeyByJwtOperation,
  ...DEFAULT_STREAM_GROUP_OPERATIONS,
  ...SIGN_UP_OPERATIONS,
  ...WEB_SESSION_OPERATIONS,
  ...WEB_PUSH_OPERATIONS,
  ...WEB_BOT_OPERATIONS,
  ...PASSWORD_RESET_OPERATIONS,
  ...SINGLE_SIGN_ON_OPERATIONS,
] as unknown as readonly ApiOperation[];

/** Operations that clients of the base level don't have (`since`). */
export const NEWER_API_OPERATIONS = [...SAVED_SNIPPET_OPERATIONS] as unknown as readonly ApiOperation[];

/** The operations that clients of this level have. */
export const apiOperationsOfLevel = (level: ApiLevel): readonly ApiOperation[] => [
  ...API_OPERATIONS,
  ...NEWER_API_OPERATIONS.filter(({ since = BASE_API_LEVEL }) => since <= level),
];
