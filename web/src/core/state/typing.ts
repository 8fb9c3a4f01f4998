import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import { type Conversation, type ConversationKey, conversationKey } from '../narrow.js';
import type { Platform, Timer } from '../ports.js';

/** A notice counts this long unless it is repeated. */
const TYPING_EXPIRES_MS = 15_000;

/** Users who are typing: `typing.in(conversation).value` is a list of their ids. */
export class TypingState {
  readonly #timersByConversation = signal<ReadonlyMap<ConversationKey, ReadonlyMap<number, Timer>>>(new Map());

  constructor(private readonly platform: Platform) {}

  typingUsersIn(of: Conversation): ReadonlySignal<readonly number[]> {
    const key = conversationKey(of);
    return computed(() => [...(this.#timersByConversation.value.get(key)?.keys() ?? [])]);
  }

  noteStarted(of: Conversation, user: number): void {
    const key = conversationKey(of);
    this.noteStopped(of, user);
    const timer = this.platform.setTimer(() => this.noteStopped(of, user), TYPING_EXPIRES_MS);
    const users = new Map(this.#timersByConversation.peek().get(key)).set(user, timer);
    this.#timersByConversation.value = new Map(this.#timersByConversation.peek()).set(key, users);
  }

  noteStopped(of: Conversation, user: number): void {
    const key = conversationKey(of);
    const users = new Map(this.#timersByConversation.peek().get(key));
    const timer = users.get(user);
    if (timer === undefined) return;
    this.platform.clearTimer(timer);
    users.delete(user);
    this.#timersByConversation.value = new Map(this.#timersByConversation.peek()).set(key, users);
  }
}
