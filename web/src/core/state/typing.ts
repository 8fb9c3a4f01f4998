import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import { type Conversation, type ConversationKey, makeConversationKey } from '../narrow.js';
import type { Platform, TimerHandle } from '../ports.js';

/** A notice counts this long unless it is repeated. */
const TYPING_EXPIRES_MS = 15_000;

/** One array for all conversations without users who type, so that notices of other ones render nothing there. */
const NO_USERS: readonly number[] = [];

/** Users who are typing: `typing.makeTypingUserIdsSignal(conversation).value` is a list of their ids. */
export class TypingState {
  readonly #expiryTimersByConversation = signal<ReadonlyMap<ConversationKey, ReadonlyMap<number, TimerHandle>>>(
    new Map(),
  );

  constructor(private readonly platform: Platform) {}

  makeTypingUserIdsSignal(of: Conversation): ReadonlySignal<readonly number[]> {
    const key = makeConversationKey(of);
    return computed(() => {
      const users = this.#expiryTimersByConversation.value.get(key);
      return users?.size ? [...users.keys()] : NO_USERS;
    });
  }

  noteTypingStarted(of: Conversation, user: number): void {
    const key = makeConversationKey(of);
    this.noteTypingStopped(of, user);
    const timer = this.platform.setTimer(() => this.noteTypingStopped(of, user), TYPING_EXPIRES_MS);
    const users = new Map(this.#expiryTimersByConversation.peek().get(key)).set(user, timer);
    this.#expiryTimersByConversation.value = new Map(this.#expiryTimersByConversation.peek()).set(key, users);
  }

  noteTypingStopped(of: Conversation, user: number): void {
    const key = makeConversationKey(of);
    const users = new Map(this.#expiryTimersByConversation.peek().get(key));
    const timer = users.get(user);
    if (timer === undefined) return;
    this.platform.clearTimer(timer);
    users.delete(user);
    this.#expiryTimersByConversation.value = new Map(this.#expiryTimersByConversation.peek()).set(key, users);
  }
}
