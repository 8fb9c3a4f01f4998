import { signal } from '@preact/signals';
import { core } from '../client/index.js';
import type { Answers, Message } from '../contract/index.js';
import { makeNarrowApiParam } from '../core/index.js';
import { makePreviewText } from './preview-text.js';

/** The facts of a message that a row shows. */
export interface MessagePreview {
  readonly senderId: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly text: string;
  /** True for a message that begins with `/me`: its text is about the sender. */
  readonly isMeMessage: boolean;
}

const MESSAGES_PER_PAGE = 200;
/** Bounds the requests: a conversation without a message among the newest 1,000 unread ones has no preview. */
const MAX_PAGES = 5;
/** Maximum number of previews that are kept; the oldest are dropped. */
const MAX_PREVIEWS = 3_000;

type PreviewSource = Pick<Message, 'id' | 'sender_id' | 'timestamp' | 'content' | 'is_me_message'>;

/**
 * Previews of messages from events, from open conversations and from the fetch of the inbox, for the life of the page.
 */
const previewByMessageId = new Map<number, MessagePreview>();
/** Raised by each change of the previews. */
const previewsVersion = signal(0);
/** Ids of messages that a fetch has looked for; those that it did not find are not fetched again. */
const attemptedIds = new Set<number>();
/** The user to whom the previews belong. */
let previewsUserId = 0;
let isListening = false;
let isFetching = false;

function putPreview({ id, sender_id, timestamp, content, is_me_message: isMeMessage }: PreviewSource): void {
  const text = makePreviewText(isMeMessage ? content.replace('/me', '') : content);
  previewByMessageId.set(id, { senderId: sender_id, timestamp, text, isMeMessage });
  if (previewByMessageId.size > MAX_PREVIEWS) previewByMessageId.delete(previewByMessageId.keys().next().value!);
}

/** The preview of a message; undefined until it is known. Reads signals. */
export function findMessagePreview(id: number): MessagePreview | undefined {
  previewsVersion.value;
  const known = previewByMessageId.get(id);
  if (known) return known;
  // The message is loaded if its conversation was open before.
  const held = core.windows.messageStore.peek(id);
  if (held) putPreview(held);
  return previewByMessageId.get(id);
}

/** Begins to keep previews up to date by events, and drops those of another account that was signed in before. */
export function startKeepingPreviews(): void {
  if (previewsUserId !== core.state.me.id) {
    previewsUserId = core.state.me.id;
    previewByMessageId.clear();
    attemptedIds.clear();
  }
  if (isListening) return;
  isListening = true;
  core.listenToEvents('message', ({ message }) => {
    putPreview(message);
    previewsVersion.value++;
  });
  core.listenToEvents('update_message', ({ message_id: id, rendered_content: content, is_me_message = false }) => {
    const before = previewByMessageId.get(id);
    if (!before || content === undefined) return;
    const { senderId: sender_id, timestamp } = before;
    putPreview({ id, sender_id, timestamp, content, is_me_message });
    previewsVersion.value++;
  });
}

/**
 * Fetches the newest unread messages if one of these messages has no preview. A failure leaves rows without a preview.
 */
export async function loadMissingPreviews(messageIds: readonly number[]): Promise<void> {
  const isMissing = (id: number): boolean => findMessagePreview(id) === undefined && !attemptedIds.has(id);
  if (isFetching || !messageIds.some(isMissing)) return;
  isFetching = true;
  try {
    let anchor: number | 'newest' = 'newest';
    for (let page = 0; page < MAX_PAGES && messageIds.some(isMissing); page++) {
      const answer: Answers['GET /messages'] = await core.api.get('/messages', {
        anchor,
        include_anchor: page === 0,
        num_before: MESSAGES_PER_PAGE,
        num_after: 0,
        narrow: makeNarrowApiParam([{ operator: 'is', operand: 'unread' }], core.state.me.id),
        apply_markdown: true,
      });
      for (const message of answer.messages) putPreview(message);
      previewsVersion.value++;
      const oldest = answer.messages[0];
      if (answer.found_oldest || !oldest) break;
      anchor = oldest.id;
    }
    for (const id of messageIds) attemptedIds.add(id);
  } catch {
    // The next change of the inbox repeats the fetch.
  } finally {
    isFetching = false;
  }
}
