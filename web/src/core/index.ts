/**
 * State core of the web client: everything but the views. It has no DOM and no components, so tests run it in Node
 * against a real server; browsers give it a `Platform` (web/src/platform).
 *
 *     platform → api → snapshot and events (sync, apply) → state slices and message windows → signals → views
 *
 * Views read signals (`.value` in a component subscribes it) and call methods. The parts of a `Core`:
 *
 *     session            'signed-in' | 'visitor' | 'signed-out' | 'unknown'; signIn, signOut
 *     state              realm, me, people, streams, muting, unread, own, conversations, emoji, typing: each
 *                        slice says in its comment which signals it offers
 *     windows            `openWindow(narrow)` → the messages of a view, paged in both directions
 *     outbox             `sendMessage`, `retryItem`, `discardItem`; messages on their way
 *     draftService       `openNewestOrNew(conversation)` → a draft that saves itself
 *     readMarker         `markSeenAsReadIfEnabled(ids, narrow)`, marks as read and unread
 *     presenceReporter   `noteUserInput()` for every input of the user
 *     router             `route.value`, `navigate(route)`; `formatHash(route)` for links
 *     sharedViewState    requests between views: compose to …, selected message
 *     eventQueue         `status.value` for the status line: 'starting' | 'live' | 'connecting' | 'offline'
 *     api                any other operation: `core.api.post('/messages/{message_id}/reactions', {…})`
 *     listenToEvents     for what no signal shows: notifications, lists that a view fetched itself
 *     stateReloadCount   signal for what a listener may have missed: the state was loaded again
 *     loadAllTopicsOnce  fetches the topics of one stream
 *
 * Invariants: the snapshot and the events after it make the state that a new registration would return; a window has
 * no gap; a message is sent once; an action of the user changes the state through the event that comes back, except
 * for read marks, local echo and the toggles of ../toggles, which show at once.
 */
export { type ApiCallOptions, ApiClient, ApiFailure, ServerUnreachable } from './api.js';
export { Core } from './core.js';
export { type ComposeRequest, type EmojiPickerRequest, SharedViewState } from './focus.js';
export { type AddressNameLookup, decodeHashPart, encodeHashPart, formatNarrowHash, parseNarrowHash } from './hash.js';
export { decodeHtmlEntities, extractPlainText } from './html-text.js';
export {
  getDirectParticipantIds,
  getMessageConversation,
  isTopicResolved,
  matchesNarrow,
  type NarrowMatchFacts,
  RESOLVED_TOPIC_PREFIX,
} from './match.js';
export { FIRST_LOAD_MESSAGES_PER_SIDE, makeMessagesParams, type WindowAnchor } from './messages/request.js';
export { MessageStore } from './messages/store.js';
export { MessageWindow, type WindowListChange, type WindowPhase } from './messages/window.js';
export { MessageWindows } from './messages/windows.js';
export {
  ALL_MESSAGES_NARROW,
  type Conversation,
  type ConversationKey,
  findExactNarrowConversation,
  findPositiveOperand,
  getOtherOrOwnUserIds,
  makeConversationKey,
  makeConversationNarrow,
  makeDirectNarrow,
  makeNarrowApiParam,
  makeNarrowKey,
  makeStreamNarrow,
  makeTopicNarrow,
  type Narrow,
  type NarrowOperator,
  type NarrowTerm,
} from './narrow.js';
export type {
  BrowserTabs,
  HttpAnswer,
  HttpRequest,
  KeyValueStore,
  LocalFile,
  PageAddress,
  Platform,
  StoredValue,
  TimerHandle,
  UploadRequest,
} from './ports.js';
export { formatRouteHash, parseRoute, type Route, Router } from './route.js';
export { type SessionState, SignInSession } from './session.js';
export type { DirectConversation, KnownTopic } from './state/conversations.js';
export { MeState, ROLE, type UserSettings } from './state/me.js';
export { TOPIC_VISIBILITY_POLICY, type TopicPolicyEntry } from './state/muting.js';
export type { StoredDraft } from './state/own.js';
export type { Person, Presence, PresenceLevel, UserStatus } from './state/people.js';
export { ClientState } from './state/state.js';
export { parseUnseenStreamName, type Stream, type UnseenStream } from './state/streams.js';
export type { UnreadConversation } from './state/unread.js';
export { BrowserEventQueue, type SyncStatus } from './sync/queue.js';
export { DraftService, type DraftTarget, OpenDraft } from './writing/drafts.js';
export { MessageOutbox, type OutboxItem, type OutboxPhase } from './writing/outbox.js';
export { ReadMarker } from './writing/reading.js';
