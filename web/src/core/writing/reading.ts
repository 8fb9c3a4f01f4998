import { batch } from '@preact/signals-core';
import { type Api, Unreachable } from '../api.js';
import type { Windows } from '../messages/windows.js';
import { type Conversation, conversationNarrow, type Narrow, narrowConversation, narrowParam } from '../narrow.js';
import type { Platform } from '../ports.js';
import type { State } from '../state/state.js';

const BATCH_MS = 400;
const RETRY_MS = 5_000;
const MAX_IDS = 1_000;

/** Values of the setting web_mark_read_on_scroll_policy. */
const MARK = { always: 1, conversations: 2, never: 3 } as const;

/**
 * Read marks.
 *
 *     reading.seen(ids, narrow)      these messages were on screen; counts change at once, the server hears in batches
 *     reading.markRead(conversation) all of it, loaded or not;  markStreamRead(id), markAllRead()
 *     reading.markUnreadFrom(id, narrow)
 */
export class Reading {
  readonly #pending = new Set<number>();
  #flushing = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: Api,
    private readonly state: State,
    private readonly windows: Windows,
  ) {}

  /** Whether messages on screen count as read in this view, by the user's setting. */
  marksIn(narrow: Narrow): boolean {
    if (this.state.me.id === 0) return false;
    const policy = this.state.me.settings.value.web_mark_read_on_scroll_policy;
    return policy === MARK.conversations ? narrowConversation(narrow) !== undefined : policy !== MARK.never;
  }

  seen(ids: readonly number[], narrow: Narrow): void {
    if (!this.marksIn(narrow)) return;
    const { store } = this.windows;
    const unread = ids.filter((id) => store.peek(id)?.flags.includes('read') === false && !this.#pending.has(id));
    if (unread.length === 0) return;
    batch(() => {
      for (const id of unread) store.change(id, (message) => ({ ...message, flags: ['read', ...message.flags] }));
      this.state.unread.remove(unread);
    });
    for (const id of unread) this.#pending.add(id);
    this.#flushIn(BATCH_MS);
  }

  async markRead(of: Conversation): Promise<void> {
    if ('users' in of) {
      // Also what the client doesn't know of, by steps of the size that the server takes at once.
      await this.#flagNarrow(conversationNarrow(of), 'add', 'oldest');
    } else await this.api.post('/mark_topic_as_read', { stream_id: of.stream, topic_name: of.topic });
  }

  async markStreamRead(stream: number): Promise<void> {
    await this.api.post('/mark_stream_as_read', { stream_id: stream });
  }

  async markAllRead(): Promise<void> {
    let done = false;
    while (!done) done = (await this.api.post('/mark_all_as_read', {})).result === 'success';
  }

  /** This message and all behind it in the view. */
  async markUnreadFrom(id: number, narrow: Narrow): Promise<void> {
    await this.#flagNarrow(narrow, 'remove', id);
  }

  async #flagNarrow(narrow: Narrow, op: 'add' | 'remove', from: number | 'oldest'): Promise<void> {
    let anchor = String(from);
    let include_anchor = true;
    for (;;) {
      const answer = await this.api.post('/messages/flags/narrow', {
        anchor,
        include_anchor,
        num_before: 0,
        num_after: MAX_IDS,
        narrow: narrowParam(narrow),
        op,
        flag: 'read',
      });
      if (answer.found_newest || answer.last_processed_id === null) return;
      anchor = String(answer.last_processed_id);
      include_anchor = false;
    }
  }

  #flushIn(ms: number): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.platform.setTimer(() => void this.#flush(), ms);
  }

  async #flush(): Promise<void> {
    const messages = [...this.#pending].slice(0, MAX_IDS);
    let pause = BATCH_MS;
    try {
      await this.api.post('/messages/flags', { messages, op: 'add', flag: 'read' });
      for (const id of messages) this.#pending.delete(id);
    } catch (error) {
      if (error instanceof Unreachable) pause = RETRY_MS;
      else for (const id of messages) this.#pending.delete(id);
    }
    this.#flushing = false;
    if (this.#pending.size > 0) this.#flushIn(pause);
  }
}
