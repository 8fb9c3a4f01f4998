import type { Api } from '../api.js';
import { type Conversation, conversationKey } from '../narrow.js';
import type { Platform, Timer } from '../ports.js';
import type { State } from '../state/state.js';

/** A notice is repeated while the user types, and ends when the keyboard rests. */
const NOTICE_REPEAT_MS = 10_000;
const KEYBOARD_REST_MS = 5_000;

/** Own typing: `notices.typed(conversation)` at every keystroke, `notices.stopped()` when the box empties or closes. */
export class TypingNotices {
  #typingConversation: Conversation | undefined;
  #noticeSentAt = 0;
  #restTimer: Timer | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly api: Api,
    private readonly state: State,
  ) {}

  noteKeystroke(to: Conversation): void {
    const { send_private_typing_notifications, send_stream_typing_notifications } = this.state.me.settings.peek();
    if (!('users' in to ? send_private_typing_notifications : send_stream_typing_notifications)) return;
    if (this.#typingConversation && conversationKey(this.#typingConversation) !== conversationKey(to))
      this.noteStopped();
    if (this.#restTimer !== undefined) this.platform.clearTimer(this.#restTimer);
    this.#restTimer = this.platform.setTimer(() => this.noteStopped(), KEYBOARD_REST_MS);
    const now = this.platform.now();
    if (this.#typingConversation && now - this.#noticeSentAt < NOTICE_REPEAT_MS) return;
    this.#typingConversation = to;
    this.#noticeSentAt = now;
    this.#send('start', to);
  }

  noteStopped(): void {
    if (this.#restTimer !== undefined) this.platform.clearTimer(this.#restTimer);
    this.#restTimer = undefined;
    if (this.#typingConversation) this.#send('stop', this.#typingConversation);
    this.#typingConversation = undefined;
  }

  /** A lost notice is no loss. */
  #send(op: 'start' | 'stop', to: Conversation): void {
    const call =
      'users' in to
        ? this.api.post('/typing', { op, type: 'direct', to: to.users })
        : this.api.post('/typing', { op, type: 'stream', to: [to.stream], topic: to.topic });
    call.catch(() => {});
  }
}
