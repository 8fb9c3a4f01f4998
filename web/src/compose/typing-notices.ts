import type { ReadonlySignal } from '@preact/signals-core';
import type { ApiClient } from '../api.js';
import { type Conversation, makeConversationKey } from '../narrow.js';
import type { Platform, TimerHandle } from '../ports.js';
import type { ClientState } from '../state/state.js';

/** A notice is repeated while the user types, and taken back after a pause. */
const TYPING_NOTICE_REPEAT_MS = 10_000;
const KEYBOARD_REST_MS = 5_000;

/**
 * Own typing. The compose box calls `noteKeystroke(conversation)` at every keystroke and `sendStopIfTyping()` when it
 * is emptied or closed. A notice belongs to the account that typed; nothing is sent once another one is signed in.
 */
export class OwnTypingNotices {
  #typingConversation: Conversation | undefined;
  /** The account that types. */
  #typingUserId = 0;
  #noticeSentAt = 0;
  #restTimer: TimerHandle | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly state: ClientState,
    private readonly signedInUserId: ReadonlySignal<number>,
  ) {}

  noteKeystroke(to: Conversation): void {
    const { send_private_typing_notifications, send_stream_typing_notifications } = this.state.me.settings.peek();
    if (!('users' in to ? send_private_typing_notifications : send_stream_typing_notifications)) return;
    const userId = this.signedInUserId.peek();
    const typesElsewhere =
      this.#typingConversation && makeConversationKey(this.#typingConversation) !== makeConversationKey(to);
    if (typesElsewhere || userId !== this.#typingUserId) this.sendStopIfTyping();
    this.platform.clearTimer(this.#restTimer);
    this.#restTimer = this.platform.setTimer(() => this.sendStopIfTyping(), KEYBOARD_REST_MS);
    const now = this.platform.now();
    if (this.#typingConversation && now - this.#noticeSentAt < TYPING_NOTICE_REPEAT_MS) return;
    this.#typingConversation = to;
    this.#typingUserId = userId;
    this.#noticeSentAt = now;
    this.#sendNotice('start', to);
  }

  sendStopIfTyping(): void {
    this.platform.clearTimer(this.#restTimer);
    this.#restTimer = undefined;
    if (this.#typingConversation && this.signedInUserId.peek() === this.#typingUserId)
      this.#sendNotice('stop', this.#typingConversation);
    this.#typingConversation = undefined;
  }

  /** A notice that is lost is not sent again. */
  #sendNotice(op: 'start' | 'stop', to: Conversation): void {
    const call =
      'users' in to
        ? this.api.post('/typing', { op, type: 'direct', to: to.users })
        : this.api.post('/typing', { op, type: 'stream', to: [to.stream], topic: to.topic });
    call.catch(() => {});
  }
}
