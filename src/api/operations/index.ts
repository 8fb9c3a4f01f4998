/** Every operation of the API, in the order of the reference. Routing, checks and documentation come from this list. */
import type { Operation } from '../operation.js';
import { createDrafts, deleteDraft, editDraft, getDrafts } from './drafts.js';
import { deleteQueue, getEvents, register } from './events.js';
import { markAllAsRead, markStreamAsRead, markTopicAsRead, setFlags, setFlagsInNarrow } from './flags.js';
import { getMessage, getMessages, getReadReceipts, renderMessage, sendMessage } from './messages.js';
import { addReaction, removeReaction } from './reactions.js';
import { getServerSettings } from './server.js';
import { getStreamId, getStreams, getSubscriptions, subscribe } from './streams.js';
import { addSubmessage } from './submessages.js';
import { muteTopic, setUserTopic } from './user-topics.js';
import { createUser, fetchApiKey, getOwnUser, getUser, getUserByEmail, getUsers } from './users.js';

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
  addReaction,
  removeReaction,
  addSubmessage,
  getReadReceipts,
  register,
  getServerSettings,
  getStreams,
  getUsers,
  createUser,
  getOwnUser,
  getSubscriptions,
  subscribe,
  muteTopic,
  setUserTopic,
  getUser,
  getUserByEmail,
] as unknown as readonly Operation[];
