import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import { type Conversation, type ConversationKey, conversationKey } from '../narrow.js';
import type { Platform, Timer } from '../ports.js';

/** A notice counts this long unless it is repeated. */
const EXPIRES_MS = 15_000;

/** Users who are typing: `typing.in(conversation).value` is a list of their ids. */
export class TypingState {
  readonly #users = signal<ReadonlyMap<ConversationKey, ReadonlyMap<number, Timer>>>(new Map());

  constructor(private readonly platform: Platform) {}

  in(of: Conversation): ReadonlySignal<readonly number[]> {
    const key = conversationKey(of);
    return computed(() => [...(this.#users.value.get(key)?.keys() ?? [])]);
  }

  start(of: Conversation, user: number): void {
    const key = conversationKey(of);
    this.stop(of, user);
    const timer = this.platform.setTimer(() => this.stop(of, user), EXPIRES_MS);
    const users = new Map(this.#users.peek().get(key)).set(user, timer);
    this.#users.value = new Map(this.#users.peek()).set(key, users);
  }

  stop(of: Conversation, user: number): void {
    const key = conversationKey(of);
    const users = new Map(this.#users.peek().get(key));
    const timer = users.get(user);
    if (timer === undefined) return;
    this.platform.clearTimer(timer);
    users.delete(user);
    this.#users.value = new Map(this.#users.peek()).set(key, users);
  }
}
