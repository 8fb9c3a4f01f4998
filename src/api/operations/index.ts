/** Every operation of the API, in the order of the reference. Routing, checks and documentation come from this list. */

import type { Operation } from '../operation.js';
import { ACCOUNT_OPERATIONS } from './accounts.js';
import { AVATAR_OPERATIONS } from './avatars.js';
import { BOT_STORAGE_OPERATIONS } from './bot-storage.js';
import { BOT_OPERATIONS } from './bots.js';
import { confirmEmail, showConfirmation } from './confirm-email.js';
import { DOMAIN_OPERATIONS } from './domains.js';
import { createDrafts, deleteDraft, editDraft, getDrafts } from './drafts.js';
import { EMOJI_OPERATIONS } from './emoji.js';
import { deleteQueue, getEvents, register } from './events.js';
import { FILE_OPERATIONS } from './files.js';
import { markAllAsRead, markStreamAsRead, markTopicAsRead, setFlags, setFlagsInNarrow } from './flags.js';
import { INVITATION_OPERATIONS } from './invitations.js';
import { JOINING_OPERATIONS } from './joining.js';
import {
  addLinkifier,
  addPlayground,
  getLinkifiers,
  removeLinkifier,
  removePlayground,
  updateLinkifier,
} from './linkifiers.js';
import { deleteMessage, deleteTopic, getMessageHistory, getStreamTopics, updateMessage } from './message-changes.js';
import { getMessage, getMessages, getReadReceipts, matchesNarrow, renderMessage, sendMessage } from './messages.js';
import { deactivateRealm, updateRealm } from './organization.js';
import { ORGANIZATION_PICTURE_OPERATIONS } from './organization-pictures.js';
import { addAlertWords, getAlertWords, muteUser, removeAlertWords, unmuteUser } from './personal.js';
import { PICTURE_OPERATIONS } from './pictures.js';
import { PRESENCE_OPERATIONS } from './presence.js';
import { PROFILE_OPERATIONS } from './profile.js';
import { PUSH_TOKEN_OPERATIONS } from './push-tokens.js';
import { addReaction, removeReaction } from './reactions.js';
import {
  createScheduledMessage,
  deleteScheduledMessage,
  getScheduledMessages,
  updateScheduledMessage,
} from './scheduled.js';
import { getCompatibility, getServerSettings, getSubdomain } from './server.js';
import {
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
  updateSettingsDefaults,
} from './settings.js';
import { SIGN_UP_OPERATIONS } from './signing-up.js';
import { STATIC_OPERATIONS } from './static.js';
import { addDefaultStream, archiveStream, removeDefaultStream, updateStream } from './stream-admin.js';
import { STREAM_GROUP_OPERATIONS } from './stream-groups.js';
import { getStreamId, getStreams, getSubscriptions, subscribe } from './streams.js';
import { addSubmessage } from './submessages.js';
import {
  getStream,
  getSubscribers,
  getSubscriptionStatus,
  unsubscribe,
  updateSubscriptionSetting,
  updateSubscriptionSettings,
  updateSubscriptions,
} from './subscriptions.js';
import { setTypingStatus } from './typing.js';
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
} from './user-groups.js';
import { STATUS_OPERATIONS } from './user-status.js';
import { muteTopic, setUserTopic } from './user-topics.js';
import { createUser, fetchApiKey, getOwnUser, getUser, getUserByEmail, getUsers, regenerateKey } from './users.js';
import { zcommand } from './zcommand.js';

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
  ...STREAM_GROUP_OPERATIONS,
  ...SIGN_UP_OPERATIONS,
] as unknown as readonly Operation[];
