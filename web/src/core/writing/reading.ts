import { batch, effect, type ReadonlySignal } from '@preact/signals-core';
import { type ApiClient, ApiFailure, ServerUnreachable } from '../api.js';
import { getMessageConversation } from '../match.js';
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
import { findMentionKindInFlags, type UnreadState } from '../state/unread.js';

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
  /** Messages whose marks the server has refused. They stay unread though they are on screen. */
  readonly #refusedReadIds = new Set<number>();
  #isSendScheduledOrRunning = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly state: ClientState,
    private readonly windows: MessageWindows,
    private readonly signedInUserId: ReadonlySignal<number>,
  ) {
    effect(() => {
      // The ids belong to one account, whose next state shows the messages as unread again.
      void this.signedInUserId.value;
      this.#pendingReadIds.clear();
      this.#refusedReadIds.clear();
    });
  }

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
      (id) =>
        messageStore.peek(id)?.flags.includes('read') === false &&
        !this.#pendingReadIds.has(id) &&
        !this.#refusedReadIds.has(id),
    );
    if (unread.length === 0) return;
    batch(() => {
      for (const id of unread) this.#setReadFlag(id, true);
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
    const putBack = batch(() => {
      for (const id of ids) this.#setReadFlag(id, true);
      return unread.takeMessages(ids);
    });
    try {
      await send();
    } catch (error) {
      batch(() => {
        for (const id of ids) this.#setReadFlag(id, false);
        putBack();
      });
      throw error;
    }
  }

  #setReadFlag(id: number, read: boolean): void {
    const { messageStore } = this.windows;
    if (messageStore.peek(id)?.flags.includes('read') === !read)
      messageStore.changeMessage(id, ({ flags, ...rest }) => ({
        ...rest,
        flags: read ? ['read', ...flags] : flags.filter((flag) => flag !== 'read'),
      }));
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
    const user = this.signedInUserId.peek();
    let pause = READ_BATCH_DELAY_MS;
    try {
      if (messages.length > 0) await this.api.post('/messages/flags', { messages, op: 'add', flag: 'read' });
      if (user === this.signedInUserId.peek()) for (const id of messages) this.#pendingReadIds.delete(id);
    } catch (error) {
      const retryAfterMs = findRetryPauseMs(error);
      if (retryAfterMs !== undefined) pause = retryAfterMs;
      else if (user === this.signedInUserId.peek()) this.#showRefusedAsUnread(messages);
    }
    this.#isSendScheduledOrRunning = false;
    if (this.#pendingReadIds.size > 0) this.#scheduleSendingReads(pause);
  }

  #showRefusedAsUnread(ids: readonly number[]): void {
    const me = this.state.me.userIdSignal.peek();
    batch(() => {
      for (const id of ids) {
        this.#pendingReadIds.delete(id);
        this.#refusedReadIds.add(id);
        const message = this.windows.messageStore.peek(id);
        if (!message) continue;
        this.#setReadFlag(id, false);
        this.state.unread.putUnread(id, getMessageConversation(message, me), findMentionKindInFlags(message.flags));
      }
    });
  }
}

/** Time after which a request may be repeated; undefined after a refusal. */
function findRetryPauseMs(error: unknown): number | undefined {
  if (error instanceof ServerUnreachable) return READ_RETRY_MS;
  return error instanceof ApiFailure ? error.retryAfterMs : undefined;
}
