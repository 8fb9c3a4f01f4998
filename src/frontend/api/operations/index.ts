/**
 * All operations of the API, in the order of the reference. Routing, checks and documentation are made from this list.
 *
 * Areas: `messages/` (sending, reading, changing, flags, drafts, typing), `streams/` (streams, subscriptions, topics),
 * `people/` (accounts, profiles, settings, presence, groups), `organization/` (settings, pictures, lists, server),
 * `bots/`, `invitations/` (invitations and the pages for joining), `web/` (sessions of browsers), `events.ts` (event
 * queues), `files.ts` (uploads) and `external-content.ts` (pictures of other hosts). Operations that are one unit in
 * the reference come as a list of their file; the others are listed one by one, because the reference mixes areas.
 */
import type { ApiOperation } from '../operation.js';
import { BOT_STORAGE_OPERATIONS } from './bots/bot-storage.js';
import { BOT_OPERATIONS } from './bots/bots.js';
import { deleteQueue, getEvents, registerQueue } from './events.js';
import { EXTERNAL_CONTENT_OPERATIONS } from './external-content.js';
import { FILE_OPERATIONS } from './files.js';
import { INVITATION_OPERATIONS } from './invitations/invitations.js';
import { JOINING_OPERATIONS } from './invitations/joining.js';
import { SIGN_UP_OPERATIONS } from './invitations/signing-up.js';
import { createDrafts, deleteDraft, editDraft, getDrafts } from './messages/drafts.js';
import {
  markAllAsRead,
  markStreamAsRead,
  markTopicAsRead,
  setMessageFlags,
  setMessageFlagsInNarrow,
} from './messages/flags.js';
import {
  deleteMessage,
  deleteTopic,
  getMessageHistory,
  getStreamTopics,
  updateMessage,
} from './messages/message-changes.js';
import {
  checkMessagesMatchNarrow,
  getMessage,
  getMessages,
  getReadReceipts,
  renderMessage,
  sendMessage,
} from './messages/messages.js';
import { addReaction, removeReaction } from './messages/reactions.js';
import {
  createScheduledMessage,
  deleteScheduledMessage,
  getScheduledMessages,
  updateScheduledMessage,
} from './messages/scheduled.js';
import { addSubmessage } from './messages/submessages.js';
import { setTypingStatus } from './messages/typing.js';
import { DOMAIN_OPERATIONS } from './organization/domains.js';
import { EMOJI_OPERATIONS } from './organization/emoji.js';
import {
  addLinkifier,
  addPlayground,
  getLinkifiers,
  removeLinkifier,
  removePlayground,
  updateLinkifier,
} from './organization/linkifiers.js';
import { deactivateRealm, updateRealm } from './organization/organization.js';
import { ORGANIZATION_PICTURE_OPERATIONS } from './organization/organization-pictures.js';
import { PICTURE_OPERATIONS } from './organization/pictures.js';
import { checkCompatibility, checkSubdomain, getServerSettings } from './organization/server.js';
import { STATIC_OPERATIONS } from './organization/static.js';
import { DATA_EXPORT_OPERATIONS, VIDEO_CALL_OPERATIONS } from './organization/unavailable.js';
import { ACCOUNT_OPERATIONS } from './people/accounts.js';
import { AVATAR_OPERATIONS } from './people/avatars.js';
import { confirmEmail, showEmailConfirmation } from './people/confirm-email.js';
import { addAlertWords, getAlertWords, muteUser, removeAlertWords, unmuteUser } from './people/personal.js';
import { PRESENCE_OPERATIONS } from './people/presence.js';
import { PROFILE_OPERATIONS } from './people/profile.js';
import { PUSH_TOKEN_OPERATIONS } from './people/push-tokens.js';
import {
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
  updateSettingsDefaults,
} from './people/settings.js';
import {
  createUserGroup,
  getUserGroupMembers,
  getUserGroupSubgroups,
  getUserGroups,
  isUserGroupMember,
  removeUserGroup,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from './people/user-groups.js';
import { STATUS_OPERATIONS } from './people/user-status.js';
import {
  createUser,
  fetchApiKey,
  fetchApiKeyByToken,
  getOwnUser,
  getUser,
  getUserByEmail,
  getUsers,
  regenerateOwnApiKey,
} from './people/users.js';
import { runSlashCommand } from './people/zcommand.js';
import { addDefaultStream, archiveStream, removeDefaultStream, updateStream } from './streams/stream-admin.js';
import { STREAM_GROUP_OPERATIONS } from './streams/stream-groups.js';
import { getStreamId, getStreams, getSubscriptions, subscribeToStreams } from './streams/streams.js';
import {
  getStream,
  getSubscribers,
  getSubscriptionStatus,
  unsubscribeFromStreams,
  updateSubscriptionSetting,
  updateSubscriptionSettings,
  updateSubscriptions,
} from './streams/subscriptions.js';
import { muteTopic, setUserTopicPolicy } from './streams/user-topics.js';
import { WEB_OPERATIONS } from './web/sessions.js';

export const OPERATIONS = [
  getDrafts,
  createDrafts,
  deleteDraft,
  editDraft,
  deleteQueue,
  getEvents,
  fetchApiKey,
  getStreamId,
  markAllAsRead,
  markStreamAsRead,
  markTopicAsRead,
  getMessages,
  sendMessage,
  setMessageFlags,
  setMessageFlagsInNarrow,
  renderMessage,
  getMessage,
  updateMessage,
  deleteMessage,
  getMessageHistory,
  registerQueue,
  getServerSettings,
  getStreams,
  deleteTopic,
  getStreamTopics,
  getUsers,
  createUser,
  getOwnUser,
  getSubscriptions,
  subscribeToStreams,
  muteTopic,
  setUserTopicPolicy,
  getUser,
  getUserByEmail,
  updateSettings,
  updateDisplaySettings,
  updateNotificationSettings,
  getAlertWords,
  addAlertWords,
  removeAlertWords,
  muteUser,
  unmuteUser,
  updateRealm,
  getLinkifiers,
  addLinkifier,
  updateLinkifier,
  removeLinkifier,
  addPlayground,
  removePlayground,
  getUserGroups,
  createUserGroup,
  updateUserGroup,
  removeUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
  getUserGroupMembers,
  getUserGroupSubgroups,
  isUserGroupMember,
  getScheduledMessages,
  createScheduledMessage,
  deleteScheduledMessage,
  updateScheduledMessage,
  setTypingStatus,
  addReaction,
  removeReaction,
  addSubmessage,
  getReadReceipts,
  addDefaultStream,
  removeDefaultStream,
  getStream,
  updateStream,
  archiveStream,
  getSubscribers,
  unsubscribeFromStreams,
  updateSubscriptions,
  updateSubscriptionSettings,
  updateSubscriptionSetting,
  getSubscriptionStatus,
  checkMessagesMatchNarrow,
  ...EXTERNAL_CONTENT_OPERATIONS,
  ...FILE_OPERATIONS,
  ...EMOJI_OPERATIONS,
  ...DOMAIN_OPERATIONS,
  ...INVITATION_OPERATIONS,
  ...JOINING_OPERATIONS,
  ...PROFILE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...BOT_OPERATIONS,
  ...BOT_STORAGE_OPERATIONS,
  ...AVATAR_OPERATIONS,
  ...ORGANIZATION_PICTURE_OPERATIONS,
  ...PICTURE_OPERATIONS,
  ...STATIC_OPERATIONS,
  ...PRESENCE_OPERATIONS,
  ...STATUS_OPERATIONS,
  checkCompatibility,
  checkSubdomain,
  updateSettingsDefaults,
  showEmailConfirmation,
  confirmEmail,
  regenerateOwnApiKey,
  ...PUSH_TOKEN_OPERATIONS,
  runSlashCommand,
  deactivateRealm,
  ...VIDEO_CALL_OPERATIONS,
  ...DATA_EXPORT_OPERATIONS,
  fetchApiKeyByToken,
  ...STREAM_GROUP_OPERATIONS,
  ...SIGN_UP_OPERATIONS,
  ...WEB_OPERATIONS,
] as unknown as readonly ApiOperation[];
