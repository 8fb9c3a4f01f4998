import { type Signal, signal } from '@preact/signals-core';
import type { Message } from '../../contract/index.js';

/** Changes that a fetch may have missed are remembered for this many messages. */
const MAX_TOUCHED = 5_000;

/**
 * Every message that some window shows, each as a signal, so that a reaction renders one message again.
 *
 * A fetch and the events run beside each other: an answer may be older than an event that came before it. Each change
 * therefore gets a number, and the answer of a fetch never replaces what changed after the fetch began.
 */
export class MessageStore {
  readonly #messages = new Map<number, Signal<Message>>();
  /** Id → number of its last change by an event; also for messages that are not here. */
  readonly #touched = new Map<number, number>();
  readonly #deleted = new Set<number>();
  #changes = 0;
  #allReadAt = 0;

  get(id: number): Signal<Message> | undefined {
    return this.#messages.get(id);
  }

  peek(id: number): Message | undefined {
    return this.#messages.get(id)?.peek();
  }

  has(id: number): boolean {
    return this.#messages.has(id);
  }

  get size(): number {
    return this.#messages.size;
  }

  /** Number of the last change; a fetch notes it when it begins. */
  get now(): number {
    return this.#changes;
  }

  /** A message by an event. */
  arrive(message: Message): void {
    this.#touch(message.id);
    this.#put(message);
  }

  change(id: number, change: (before: Message) => Message): void {
    this.#touch(id);
    const of = this.#messages.get(id);
    if (of) of.value = change(of.peek());
  }

  /** Every message of the user was marked as read; the event names none of them. */
  markAllRead(): void {
    this.#allReadAt = ++this.#changes;
    for (const of of this.#messages.values()) {
      const message = of.peek();
      if (!message.flags.includes('read')) of.value = { ...message, flags: ['read', ...message.flags] };
    }
  }

  delete(ids: readonly number[]): void {
    for (const id of ids) {
      this.#touch(id);
      this.#deleted.add(id);
      this.#messages.delete(id);
    }
  }

  /**
   * Takes the messages of a fetch.
   * @param since `now` when the fetch began
   * @returns ids that are there; undefined when the fetch has to be repeated, because it may hold an older text of a
   * message that is not here
   */
  merge(messages: readonly Message[], since: number): number[] | undefined {
    if (this.#allReadAt > since) return undefined;
    const there = messages.filter(({ id }) => !this.#deleted.has(id));
    const isNewer = ({ id }: Message): boolean => (this.#touched.get(id) ?? 0) > since;
    if (there.some((message) => isNewer(message) && !this.has(message.id))) return undefined;
    for (const message of there) if (!isNewer(message)) this.#put(message);
    return there.map(({ id }) => id);
  }

  /** Forgets all messages but these. */
  keep(ids: ReadonlySet<number>): void {
    for (const id of this.#messages.keys()) if (!ids.has(id)) this.#messages.delete(id);
  }

  /** Ids of the messages that are here. */
  ids(): Iterable<number> {
    return this.#messages.keys();
  }

  #put(message: Message): void {
    const of = this.#messages.get(message.id);
    if (of) of.value = message;
    else this.#messages.set(message.id, signal(message));
  }

  #touch(id: number): void {
    this.#touched.delete(id);
    this.#touched.set(id, ++this.#changes);
    if (this.#touched.size > MAX_TOUCHED) this.#touched.delete(this.#touched.keys().next().value!);
  }
}
