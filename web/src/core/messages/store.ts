import { type Signal, signal } from '@preact/signals-core';
import type { Message } from '../../contract/index.js';

/** Number of messages whose last change is remembered, for fetches that began before it. */
const MAX_REMEMBERED_CHANGES = 5_000;

/**
 * Every message that some window shows, each as a signal, so that a reaction renders one message again.
 *
 * A fetch and the events run beside each other: an answer may be older than an event that came before it. Each change
 * therefore gets a number, and the answer of a fetch never replaces what changed after the fetch began.
 */
export class MessageStore {
  readonly #messageSignalById = new Map<number, Signal<Message>>();
  /** Number of the last change by an event, by id. It has messages that are not in the store, too. */
  readonly #lastChangeNumberById = new Map<number, number>();
  readonly #deletedIds = new Set<number>();
  #changeCount = 0;
  #lastMarkAllReadChangeNumber = 0;

  getSignal(id: number): Signal<Message> | undefined {
    return this.#messageSignalById.get(id);
  }

  peek(id: number): Message | undefined {
    return this.#messageSignalById.get(id)?.peek();
  }

  holdsMessage(id: number): boolean {
    return this.#messageSignalById.has(id);
  }

  get heldMessageCount(): number {
    return this.#messageSignalById.size;
  }

  /** Number of the last change; a fetch notes it when it begins. */
  get lastChangeNumber(): number {
    return this.#changeCount;
  }

  /** Adds the message of an event. */
  addArrivedMessage(message: Message): void {
    this.#recordChangeNumber(message.id);
    this.#putMessage(message);
  }

  changeMessage(id: number, change: (before: Message) => Message): void {
    this.#recordChangeNumber(id);
    const of = this.#messageSignalById.get(id);
    if (of) of.value = change(of.peek());
  }

  /** Every message of the user was marked as read; the event names none of them. */
  markAllRead(): void {
    this.#lastMarkAllReadChangeNumber = ++this.#changeCount;
    for (const of of this.#messageSignalById.values()) {
      const message = of.peek();
      if (!message.flags.includes('read')) of.value = { ...message, flags: ['read', ...message.flags] };
    }
  }

  deleteMessages(ids: readonly number[]): void {
    for (const id of ids) {
      this.#recordChangeNumber(id);
      this.#deletedIds.add(id);
      this.#messageSignalById.delete(id);
    }
  }

  /**
   * Stores the messages of a fetch.
   * @param since `lastChangeNumber` when the fetch began
   * @returns ids of the messages that are stored; undefined if the fetch must be repeated, because it may have an older
   * text of a message that is not in the store
   */
  mergeFetchedMessages(messages: readonly Message[], since: number): number[] | undefined {
    if (this.#lastMarkAllReadChangeNumber > since) return undefined;
    const there = messages.filter(({ id }) => !this.#deletedIds.has(id));
    const isNewer = ({ id }: Message): boolean => (this.#lastChangeNumberById.get(id) ?? 0) > since;
    if (there.some((message) => isNewer(message) && !this.holdsMessage(message.id))) return undefined;
    for (const message of there) if (!isNewer(message)) this.#putMessage(message);
    return there.map(({ id }) => id);
  }

  /** Removes all messages but these. */
  dropAllMessagesExcept(ids: ReadonlySet<number>): void {
    for (const id of this.#messageSignalById.keys()) if (!ids.has(id)) this.#messageSignalById.delete(id);
  }

  /** Ids of the stored messages. */
  heldIds(): Iterable<number> {
    return this.#messageSignalById.keys();
  }

  #putMessage(message: Message): void {
    const of = this.#messageSignalById.get(message.id);
    if (of) of.value = message;
    else this.#messageSignalById.set(message.id, signal(message));
  }

  #recordChangeNumber(id: number): void {
    this.#lastChangeNumberById.delete(id);
    this.#lastChangeNumberById.set(id, ++this.#changeCount);
    if (this.#lastChangeNumberById.size > MAX_REMEMBERED_CHANGES)
      this.#lastChangeNumberById.delete(this.#lastChangeNumberById.keys().next().value!);
  }
}
