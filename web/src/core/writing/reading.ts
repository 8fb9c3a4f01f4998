import { batch } from '@preact/signals-core';
import { type ApiClient, ServerUnreachable } from '../api.js';
import type { MessageWindows } from '../messages/windows.js';
import {
  type Conversation,
  findExactNarrowConversation,
  makeConversationKey,
  makeConversationNarrow,
  makeNarrowApiParam,
  type Narrow,
} from '../narrow.js';
import type { Platform } from '../ports.js';
import type { ClientState } from '../state/state.js';
import type { UnreadState } from '../state/unread.js';

const READ_BATCH_DELAY_MS = 400;
const READ_RETRY_MS = 5_000;
const MAX_MESSAGES_PER_FLAG_REQUEST = 1_000;

/** Values of the setting web_mark_read_on_scroll_policy. */
const MARK_READ_ON_SCROLL_POLICY = { always: 1, conversations: 2, never: 3 } as const;

/**
 * Read marks.
 *
 *     readMarker.markSeenAsReadIfEnabled(ids, narrow)   were on screen; counts change at once, requests go in batches
 *     readMarker.markConversationRead(conversation)     all of it, loaded or not; `markStreamRead(id)`, `markAllRead()`
 *     readMarker.markUnreadFrom(id, narrow)
 */
export class ReadMarker {
  readonly #pendingReadIds = new Set<number>();
  #isSendScheduledOrRunning = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly state: ClientState,
    private readonly windows: MessageWindows,
  ) {}

  /** Whether messages on screen count as read in this view, by the user's setting. */
  marksReadOnScrollIn(narrow: Narrow): boolean {
    if (this.state.me.id === 0) return false;
    const policy = this.state.me.settings.value.web_mark_read_on_scroll_policy;
    return policy === MARK_READ_ON_SCROLL_POLICY.conversations
      ? findExactNarrowConversation(narrow) !== undefined
      : policy !== MARK_READ_ON_SCROLL_POLICY.never;
  }

  markSeenAsReadIfEnabled(ids: readonly number[], narrow: Narrow): void {
    if (!this.marksReadOnScrollIn(narrow)) return;
    const { messageStore } = this.windows;
    const unread = ids.filter(
      (id) => messageStore.peek(id)?.flags.includes('read') === false && !this.#pendingReadIds.has(id),
    );
    if (unread.length === 0) return;
    batch(() => {
      for (const id of unread)
        messageStore.changeMessage(id, (message) => ({ ...message, flags: ['read', ...message.flags] }));
      this.state.unread.removeMessages(unread);
    });
    this.reportRead(unread);
  }

  /** Tells the server that messages were read which the client shows as read. */
  reportRead(ids: readonly number[]): void {
    for (const id of ids) this.#pendingReadIds.add(id);
    this.#scheduleSendingReads(READ_BATCH_DELAY_MS);
  }

  async markConversationRead(of: Conversation): Promise<void> {
    const wanted = makeConversationKey(of);
    await this.#runShownAsRead(
      ({ key }) => key === wanted,
      () =>
        'users' in of
          ? // Also what the client doesn't know of, by steps of the size that the server takes at once.
            this.#changeReadFlagInNarrow(makeConversationNarrow(of), 'add', 'oldest')
          : this.api.post('/mark_topic_as_read', { stream_id: of.stream, topic_name: of.topic }),
    );
  }

  async markStreamRead(stream: number): Promise<void> {
    await this.#runShownAsRead(
      ({ conversation }) => 'stream' in conversation && conversation.stream === stream,
      () => this.api.post('/mark_stream_as_read', { stream_id: stream }),
    );
  }

  async markAllRead(): Promise<void> {
    await this.#runShownAsRead(
      () => true,
      async () => {
        let done = false;
        while (!done) done = (await this.api.post('/mark_all_as_read', {})).result === 'success';
      },
    );
  }

  /** Shows these messages as read at once, and as unread again when the server refuses. */
  async #runShownAsRead(
    isMeant: Parameters<UnreadState['unreadIdsWhere']>[0],
    send: () => Promise<unknown>,
  ): Promise<void> {
    const { unread } = this.state;
    const ids = unread.unreadIdsWhere(isMeant);
    const setRead = (id: number, read: boolean): void => {
      const { messageStore } = this.windows;
      if (messageStore.peek(id)?.flags.includes('read') === !read)
        messageStore.changeMessage(id, ({ flags, ...rest }) => ({
          ...rest,
          flags: read ? ['read', ...flags] : flags.filter((flag) => flag !== 'read'),
        }));
    };
    const putBack = batch(() => {
      for (const id of ids) setRead(id, true);
      return unread.takeMessages(ids);
    });
    try {
      await send();
    } catch (error) {
      batch(() => {
        for (const id of ids) setRead(id, false);
        putBack();
      });
      throw error;
    }
  }

  /** Marks this message and all below it in the view as unread. */
  async markUnreadFrom(id: number, narrow: Narrow): Promise<void> {
    await this.#changeReadFlagInNarrow(narrow, 'remove', id);
  }

  async #changeReadFlagInNarrow(narrow: Narrow, op: 'add' | 'remove', from: number | 'oldest'): Promise<void> {
    let anchor = String(from);
    let include_anchor = true;
    for (;;) {
      const answer = await this.api.post('/messages/flags/narrow', {
        anchor,
        include_anchor,
        num_before: 0,
        num_after: MAX_MESSAGES_PER_FLAG_REQUEST,
        narrow: makeNarrowApiParam(narrow),
        op,
        flag: 'read',
      });
      if (answer.found_newest || answer.last_processed_id === null) return;
      anchor = String(answer.last_processed_id);
      include_anchor = false;
    }
  }

  #scheduleSendingReads(ms: number): void {
    if (this.#isSendScheduledOrRunning) return;
    this.#isSendScheduledOrRunning = true;
    this.platform.setTimer(() => void this.#sendPendingReadBatch(), ms);
  }

  async #sendPendingReadBatch(): Promise<void> {
    const messages = [...this.#pendingReadIds].slice(0, MAX_MESSAGES_PER_FLAG_REQUEST);
    let pause = READ_BATCH_DELAY_MS;
    try {
      await this.api.post('/messages/flags', { messages, op: 'add', flag: 'read' });
      for (const id of messages) this.#pendingReadIds.delete(id);
    } catch (error) {
      if (error instanceof ServerUnreachable) pause = READ_RETRY_MS;
      else for (const id of messages) this.#pendingReadIds.delete(id);
    }
    this.#isSendScheduledOrRunning = false;
    if (this.#pendingReadIds.size > 0) this.#scheduleSendingReads(pause);
  }
}
