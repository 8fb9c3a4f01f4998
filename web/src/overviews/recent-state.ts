import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import { makeNarrowApiParam } from '../core/index.js';
import { RecentMessages } from './recent-list.js';

const MESSAGES_PER_PAGE = 400;

/** The messages behind the list of recent conversations: fetched when the view opens, then kept by events. */
const recentMessages = new RecentMessages();
/** Raised by each change of `recentMessages`. */
export const recentMessagesVersion = signal(0);
export const recentLoadPhase = signal<'loading' | 'ready' | 'failed'>('loading');
/** True if there are no older messages to fetch. */
export const isOldestLoaded = signal(false);

/** The queue whose events keep the list; another one means that events were lost. */
let loadedQueueId: string | undefined;
let isListening = false;
let isFetching = false;

export const listRecentConversations = () => {
  recentMessagesVersion.value;
  return recentMessages.listConversations();
};

function startListening(): void {
  if (isListening) return;
  isListening = true;
  core.listenToEvents('message', ({ message }) => {
    recentMessages.putMessage(message, core.state.me.userIdSignal.peek());
    recentMessagesVersion.value++;
  });
  core.listenToEvents('update_message', ({ message_ids, stream_id, new_stream_id, subject }) => {
    const to = new_stream_id ?? stream_id;
    if (to === undefined || (new_stream_id === undefined && subject === undefined)) return;
    recentMessages.moveMessages(message_ids, to, subject);
    recentMessagesVersion.value++;
  });
  core.listenToEvents('delete_message', ({ message_ids, message_id }) => {
    recentMessages.deleteMessages(message_ids ?? (message_id === undefined ? [] : [message_id]));
    recentMessagesVersion.value++;
  });
}

async function fetchRecentMessagesPage(anchor: string, include: boolean): Promise<void> {
  if (isFetching) return;
  isFetching = true;
  try {
    const { messages: page, found_oldest } = await core.api.get('/messages', {
      anchor,
      include_anchor: include,
      num_before: MESSAGES_PER_PAGE,
      num_after: 0,
      narrow: makeNarrowApiParam([], core.state.me.id),
      apply_markdown: false,
    });
    const me = core.state.me.userIdSignal.peek();
    for (const message of page) recentMessages.putMessage(message, me);
    isOldestLoaded.value = found_oldest;
    recentLoadPhase.value = 'ready';
    recentMessagesVersion.value++;
  } catch {
    if (recentLoadPhase.peek() === 'loading') recentLoadPhase.value = 'failed';
    throw new Error('the page did not come');
  } finally {
    isFetching = false;
  }
}

/** Fetches the newest messages, unless they are there and events have kept them. */
export async function loadRecentUnlessCurrent(): Promise<void> {
  startListening();
  if (recentLoadPhase.peek() === 'ready' && loadedQueueId === core.eventQueue.queueId) return;
  const current = core.eventQueue.queueId;
  if (loadedQueueId !== undefined && loadedQueueId !== current) recentMessages.deleteAllMessages();
  if (recentMessages.messageCount === 0) recentLoadPhase.value = 'loading';
  try {
    await fetchRecentMessagesPage('newest', true);
    loadedQueueId = current;
  } catch {
    // The view shows a button to try again.
  }
}

/** Fetches older messages, and with them older conversations. */
export const loadOlderRecent = (): Promise<void> =>
  fetchRecentMessagesPage(String(recentMessages.oldestMessageId ?? 'newest'), false);
