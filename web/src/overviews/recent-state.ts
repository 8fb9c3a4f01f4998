import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import { narrowParam } from '../core/index.js';
import { RecentMessages } from './recent-list.js';

const PAGE = 400;

/** The messages behind the list of recent conversations: fetched when the view opens, then kept by events. */
const messages = new RecentMessages();
/** Counts changes of `messages`. */
export const version = signal(0);
export const phase = signal<'loading' | 'ready' | 'failed'>('loading');
/** No older messages are left. */
export const complete = signal(false);

/** The queue whose events keep the list; another one means that events were lost. */
let queue: string | undefined;
let listening = false;
let fetching = false;

export const recentConversations = () => {
  version.value;
  return messages.conversations();
};

function listen(): void {
  if (listening) return;
  listening = true;
  core.listen('message', ({ message }) => {
    messages.put(message, core.state.me.userId.peek());
    version.value++;
  });
  core.listen('update_message', ({ message_ids, stream_id, new_stream_id, subject }) => {
    const to = new_stream_id ?? stream_id;
    if (to === undefined || (new_stream_id === undefined && subject === undefined)) return;
    messages.move(message_ids, to, subject);
    version.value++;
  });
  core.listen('delete_message', ({ message_ids, message_id }) => {
    messages.delete(message_ids ?? (message_id === undefined ? [] : [message_id]));
    version.value++;
  });
}

async function fetchPage(anchor: string, include: boolean): Promise<void> {
  if (fetching) return;
  fetching = true;
  try {
    const { messages: page, found_oldest } = await core.api.get('/messages', {
      anchor,
      include_anchor: include,
      num_before: PAGE,
      num_after: 0,
      narrow: narrowParam([], core.state.me.id),
      client_gravatar: false,
      apply_markdown: false,
    });
    const me = core.state.me.userId.peek();
    for (const message of page) messages.put(message, me);
    complete.value = found_oldest;
    phase.value = 'ready';
    version.value++;
  } catch {
    if (phase.peek() === 'loading') phase.value = 'failed';
    throw new Error('the page did not come');
  } finally {
    fetching = false;
  }
}

/** Fetches the newest messages, unless they are there and events have kept them. */
export async function loadRecent(): Promise<void> {
  listen();
  if (phase.peek() === 'ready' && queue === core.queue.id) return;
  const current = core.queue.id;
  if (queue !== undefined && queue !== current) messages.clear();
  if (messages.size === 0) phase.value = 'loading';
  try {
    await fetchPage('newest', true);
    queue = current;
  } catch {
    // The view says so, with a button.
  }
}

/** Fetches older messages, and with them older conversations. */
export const loadOlderRecent = (): Promise<void> => fetchPage(String(messages.oldest ?? 'newest'), false);
