import { type Conversation, type Core, makeConversationKey, type TimerHandle } from '../core/index.js';

/** A notice is repeated while the user types, and taken back after a pause. */
const TYPING_NOTICE_REPEAT_MS = 10_000;
const KEYBOARD_REST_MS = 5_000;

/**
 * Own typing. The composer calls `noteKeystroke(conversation)` at every keystroke and `sendStopIfTyping()` when it is
 * emptied or closed.
 */
export class OwnTypingNotices {
  #typingConversation: Conversation | undefined;
  #noticeSentAt = 0;
  #restTimer: TimerHandle | undefined;

  /** @param userId the account that types; nothing is sent once another one is signed in */
  constructor(
    private readonly core: Core,
    private readonly userId: number,
  ) {}

  noteKeystroke(to: Conversation): void {
    const { state, platform } = this.core;
    const { send_private_typing_notifications, send_stream_typing_notifications } = state.me.settings.peek();
    if (!('users' in to ? send_private_typing_notifications : send_stream_typing_notifications)) return;
    if (this.#typingConversation && makeConversationKey(this.#typingConversation) !== makeConversationKey(to))
      this.sendStopIfTyping();
    platform.clearTimer(this.#restTimer);
    this.#restTimer = platform.setTimer(() => this.sendStopIfTyping(), KEYBOARD_REST_MS);
    const now = platform.now();
    if (this.#typingConversation && now - this.#noticeSentAt < TYPING_NOTICE_REPEAT_MS) return;
    this.#typingConversation = to;
    this.#noticeSentAt = now;
    this.#sendNotice('start', to);
  }

  sendStopIfTyping(): void {
    this.core.platform.clearTimer(this.#restTimer);
    this.#restTimer = undefined;
    if (this.#typingConversation) this.#sendNotice('stop', this.#typingConversation);
    this.#typingConversation = undefined;
  }

  /** A notice that is lost is not sent again. */
  #sendNotice(op: 'start' | 'stop', to: Conversation): void {
    const { api } = this.core;
    if (api.userId !== this.userId) return;
    const call =
      'users' in to
        ? api.post('/typing', { op, type: 'direct', to: to.users })
        : api.post('/typing', { op, type: 'stream', to: [to.stream], topic: to.topic });
    call.catch(() => {});
  }
}
