/**
 * All operations of the API, in the order of the reference. Routing, checks and documentation are made from this list.
 *
 * Areas: `messages/` (sending, reading, changing, flags, drafts, typing), `streams/` (streams, subscriptions, topics),
 * `people/` (accounts, profiles, settings, presence, groups), `organization/` (settings, pictures, lists, server),
 * `bots/`, `invitations/` (invitations and the pages for joining), `web/` (sessions of browsers), `events.ts` (event
 * queues), `files.ts` (uploads) and `external-content.ts` (pictures of other hosts). Operations that are one unit in
 * the reference come as a list of their file; the others are listed one by one, because the reference mixes areas.
 */
import type { Operation } from '../operation.js';
import { BOT_STORAGE_OPERATIONS } from './bots/bot-storage.js';
import { BOT_OPERATIONS } from './bots/bots.js';
import { deleteQueue, getEvents, register } from './events.js';
import { EXTERNAL_CONTENT_OPERATIONS } from './external-content.js';
import { FILE_OPERATIONS } from './files.js';
import { INVITATION_OPERATIONS } from './invitations/invitations.js';
import { JOINING_OPERATIONS } from './invitations/joining.js';
import { SIGN_UP_OPERATIONS } from './invitations/signing-up.js';
import { createDrafts, deleteDraft, editDraft, getDrafts } from './messages/drafts.js';
import { markAllAsRead, markStreamAsRead, markTopicAsRead, setFlags, setFlagsInNarrow } from './messages/flags.js';
import {
  deleteMessage,
  deleteTopic,
  getMessageHistory,
  getStreamTopics,
  updateMessage,
} from './messages/message-changes.js';
import {
  getMessage,
  getMessages,
  getReadReceipts,
  matchesNarrow,
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
import { getCompatibility, getServerSettings, getSubdomain } from './organization/server.js';
import { STATIC_OPERATIONS } from './organization/static.js';
import { EXPORT_OPERATIONS, VIDEO_CALL_OPERATIONS } from './organization/unavailable.js';
import { ACCOUNT_OPERATIONS } from './people/accounts.js';
import { AVATAR_OPERATIONS } from './people/avatars.js';
import { confirmEmail, showConfirmation } from './people/confirm-email.js';
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
  fetchKeyByToken,
  getOwnUser,
  getUser,
  getUserByEmail,
  getUsers,
  regenerateKey,
} from './people/users.js';
import { zcommand } from './people/zcommand.js';
import { addDefaultStream, archiveStream, removeDefaultStream, updateStream } from './streams/stream-admin.js';
import { STREAM_GROUP_OPERATIONS } from './streams/stream-groups.js';
import { getStreamId, getStreams, getSubscriptions, subscribe } from './streams/streams.js';
import {
  getStream,
  getSubscribers,
  getSubscriptionStatus,
  unsubscribe,
  updateSubscriptionSetting,
  updateSubscriptionSettings,
  updateSubscriptions,
} from './streams/subscriptions.js';
import { muteTopic, setUserTopic } from './streams/user-topics.js';
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
  setFlags,
  setFlagsInNarrow,
  renderMessage,
  getMessage,
  updateMessage,
  deleteMessage,
  getMessageHistory,
  register,
  getServerSettings,
  getStreams,
  deleteTopic,
  getStreamTopics,
  getUsers,
  createUser,
  getOwnUser,
  getSubscriptions,
  subscribe,
  muteTopic,
  setUserTopic,
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
  unsubscribe,
  updateSubscriptions,
  updateSubscriptionSettings,
  updateSubscriptionSetting,
  getSubscriptionStatus,
  matchesNarrow,
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
  getCompatibility,
  getSubdomain,
  updateSettingsDefaults,
  showConfirmation,
  confirmEmail,
  regenerateKey,
  ...PUSH_TOKEN_OPERATIONS,
  zcommand,
  deactivateRealm,
  ...VIDEO_CALL_OPERATIONS,
  ...EXPORT_OPERATIONS,
  fetchKeyByToken,
  ...STREAM_GROUP_OPERATIONS,
  ...SIGN_UP_OPERATIONS,
  ...WEB_OPERATIONS,
] as unknown as readonly Operation[];
