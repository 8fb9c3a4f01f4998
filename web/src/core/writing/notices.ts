import type { Api } from '../api.js';
import { type Conversation, conversationKey } from '../narrow.js';
import type { Platform, Timer } from '../ports.js';
import type { State } from '../state/state.js';

/** A notice is repeated while the user types, and ends when the keyboard rests. */
const REPEAT_MS = 10_000;
const REST_MS = 5_000;

/** Own typing: `notices.typed(conversation)` at every keystroke, `notices.stopped()` when the box empties or closes. */
export class TypingNotices {
  #to: Conversation | undefined;
  #sentAt = 0;
  #rest: Timer | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly api: Api,
    private readonly state: State,
  ) {}

  typed(to: Conversation): void {
    const { send_private_typing_notifications, send_stream_typing_notifications } = this.state.me.settings.peek();
    if (!('users' in to ? send_private_typing_notifications : send_stream_typing_notifications)) return;
    if (this.#to && conversationKey(this.#to) !== conversationKey(to)) this.stopped();
    if (this.#rest !== undefined) this.platform.clearTimer(this.#rest);
    this.#rest = this.platform.setTimer(() => this.stopped(), REST_MS);
    const now = this.platform.now();
    if (this.#to && now - this.#sentAt < REPEAT_MS) return;
    this.#to = to;
    this.#sentAt = now;
    this.#send('start', to);
  }

  stopped(): void {
    if (this.#rest !== undefined) this.platform.clearTimer(this.#rest);
    this.#rest = undefined;
    if (this.#to) this.#send('stop', this.#to);
    this.#to = undefined;
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
