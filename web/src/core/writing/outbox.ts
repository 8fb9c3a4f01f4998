import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Events } from '../../contract/index.js';
import { type ApiClient, ApiFailure, ServerUnreachable } from '../api.js';
import type { MessageWindows } from '../messages/windows.js';
import {
  type Conversation,
  type ConversationKey,
  findPositiveOperand,
  makeConversationKey,
  makeConversationNarrow,
  makeNarrowApiParam,
  type Narrow,
} from '../narrow.js';
import type { Platform, StoredValue, TimerHandle } from '../ports.js';
import type { ClientState } from '../state/state.js';
import type { BrowserEventQueue } from '../sync/queue.js';

/**
 * `sending`: the message is being sent, or its event has not arrived yet. `waiting`: the server could not be reached;
 * the message is sent automatically later. `failed`: the server refused it, as `error` says; the user can retry, edit
 * or discard it.
 */
export type OutboxPhase = 'sending' | 'waiting' | 'failed';

export interface OutboxItem {
  readonly localId: string;
  /** Id of the account that wrote it. Another account on this page neither sees nor sends it. */
  readonly user: number;
  readonly to: Conversation;
  readonly content: string;
  readonly phase: OutboxPhase;
  readonly error?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Newest message that was known before the first attempt; the sent message has a higher id. */
  readonly after: number;
  /** Whether an attempt may have reached the server. */
  readonly tried: boolean;
}

/** After a broken connection, the server may still carry out the request within this time. */
const BROKEN_REQUEST_SETTLE_MS = 3_000;
/** The event of a sent message arrives within this time, unless the sender is not subscribed to the stream. */
const SENT_EVENT_TIMEOUT_MS = 2_500;
const SENT_SEARCH_MESSAGE_COUNT = 50;
const UNKNOWN_AUTHOR_ERROR = 'It is not known which account wrote this message';

/** Whether the narrow shows the item below its newest message. */
function isItemInNarrow({ to }: OutboxItem, narrow: Narrow, me: number): boolean {
  if (narrow.some(({ operator, negated }) => negated || !['stream', 'topic', 'dm', 'sender'].includes(operator))) {
    return false;
  }
  const sender = findPositiveOperand(narrow, 'sender');
  if (sender !== undefined && sender !== me) return false;
  const [stream, topic, users] = [
    findPositiveOperand(narrow, 'stream'),
    findPositiveOperand(narrow, 'topic'),
    findPositiveOperand(narrow, 'dm'),
  ];
  if ('users' in to) {
    return stream === undefined && topic === undefined && (users === undefined || String(users) === to.users.join());
  }
  if (users !== undefined || (stream !== undefined && stream !== to.stream)) return false;
  return topic === undefined || String(topic).toLowerCase() === to.topic.toLowerCase();
}

/** Content as the server stores it, for comparison with messages of the history. */
const normalizeContent = (content: string): string => content.replace(/^\n+/, '').trimEnd();

/**
 * Messages that are being sent.
 *
 *     outbox.sendMessage(conversation, text)             shows at once, in the signal of its narrow
 *     outbox.makeItemsSignalForNarrow(narrow).value      items to show below the newest message of a view
 *     outbox.retryItem(localId), outbox.discardItem(localId), outbox.removeItemForEditing(localId)
 *
 * An item stays in the browser's storage until the event of its message has arrived. After an attempt without an
 * answer, the next one first looks for the message among the newest own ones, so that none is sent twice. Messages of
 * one conversation are sent in the order of writing. When another account signs in on the page, the item stays until
 * its own account is back.
 */
export class MessageOutbox {
  /** Items of all accounts that were signed in on this page. */
  readonly #itemsOfAllAccounts = signal<readonly OutboxItem[]>([]);
  /** Items of this tab that the signed-in account wrote. */
  readonly itemsOfThisTab: ReadonlySignal<readonly OutboxItem[]> = computed(() =>
    this.#itemsOfAllAccounts.value.filter((item) => item.user === this.signedInUserId.value),
  );
  #localIdCount = 0;
  /** Ids of the messages that items have become. */
  readonly #sentMessageIds = new Set<number>();
  /** The last request of each conversation that has no answer yet. */
  readonly #lastPostByConversation = new Map<ConversationKey, Promise<void>>();
  #isSendingWaiting = false;
  readonly #canReachServer = computed(() => this.platform.online.value && this.queue.status.value === 'live');
  /** Ends the pause that the server asked for after too many calls. */
  #rateLimitTimer: TimerHandle | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly state: ClientState,
    private readonly windows: MessageWindows,
    private readonly queue: BrowserEventQueue,
    /** 0 while no account is signed in. */
    private readonly signedInUserId: ReadonlySignal<number>,
  ) {
    effect(() => {
      if (this.#canReachServer.value && this.signedInUserId.value !== 0) void this.#sendWaitingItems();
    });
    effect(() => {
      if (this.queue.isLeadingTab.value && this.signedInUserId.value !== 0) void this.#adoptItemsOfClosedTabs();
    });
  }

  makeItemsSignalForNarrow(narrow: Narrow): ReadonlySignal<readonly OutboxItem[]> {
    return computed(() =>
      this.itemsOfThisTab.value.filter((item) => isItemInNarrow(item, narrow, this.state.me.userIdSignal.value)),
    );
  }

  sendMessage(to: Conversation, content: string): OutboxItem {
    const item: OutboxItem = {
      localId: `${this.platform.tabs.id}.${++this.#localIdCount}`,
      user: this.state.me.userIdSignal.peek(),
      to,
      content,
      phase: 'sending',
      createdAt: this.platform.now(),
      after: this.state.realm.newestMessageId.peek(),
      tried: false,
    };
    this.#setAndStoreItems([...this.#itemsOfAllAccounts.peek(), item]);
    void this.#postInTurn(item);
    return item;
  }

  retryItem(localId: string): void {
    const item = this.#findItem(localId);
    if (!item) return;
    this.#changeItem(localId, { phase: 'sending' });
    void this.#postInTurn(item);
  }

  discardItem(localId: string): void {
    this.#setAndStoreItems(this.#itemsOfAllAccounts.peek().filter((item) => item.localId !== localId));
  }

  /** Removes a failed item for editing. @returns the item */
  removeItemForEditing(localId: string): OutboxItem | undefined {
    const item = this.#findItem(localId);
    this.discardItem(localId);
    return item;
  }

  /** Removes the item of a message whose event has arrived, maybe before the answer to its request. */
  dropItemOfArrivedMessage({ message, local_message_id }: Events['message']): void {
    if (local_message_id === undefined || !this.#findItem(local_message_id)) return;
    this.#sentMessageIds.add(message.id);
    this.discardItem(local_message_id);
  }

  #findItem(localId: string): OutboxItem | undefined {
    return this.#itemsOfAllAccounts.peek().find((item) => item.localId === localId);
  }

  #isOfSignedInAccount({ user }: OutboxItem): boolean {
    return user === this.signedInUserId.peek();
  }

  /** Whether an earlier message of its conversation waits. */
  #followsWaitingItem({ localId, to }: OutboxItem): boolean {
    const items = this.itemsOfThisTab.peek();
    const earlier = items.slice(
      0,
      items.findIndex((item) => item.localId === localId),
    );
    return earlier.some((item) => item.phase === 'waiting' && makeConversationKey(item.to) === makeConversationKey(to));
  }

  #changeItem(localId: string, change: Partial<OutboxItem>): void {
    this.#setAndStoreItems(
      this.#itemsOfAllAccounts.peek().map((item) => (item.localId === localId ? { ...item, ...change } : item)),
    );
  }

  #setAndStoreItems(items: readonly OutboxItem[]): void {
    this.#itemsOfAllAccounts.value = items;
    const key = makeOutboxStoreKeyOfTab(this.platform.tabs.id);
    // The type of an item has no index signature, which the store wants.
    void (items.length === 0
      ? this.platform.store.delete(key)
      : this.platform.store.set(key, items as readonly (OutboxItem & StoredOutboxItem)[]));
  }

  /** Posts as soon as the request before in the conversation has its answer, so that messages keep their order. */
  async #postInTurn(item: OutboxItem): Promise<void> {
    const key = makeConversationKey(item.to);
    const before = this.#lastPostByConversation.get(key);
    const post = before ? before.then(() => this.#postMessage(item)) : this.#postMessage(item);
    this.#lastPostByConversation.set(key, post);
    await post;
    if (this.#lastPostByConversation.get(key) === post) this.#lastPostByConversation.delete(key);
  }

  async #postMessage(item: OutboxItem): Promise<void> {
    const { localId, to, content } = item;
    if (!this.platform.online.peek() || !this.#isOfSignedInAccount(item) || this.#followsWaitingItem(item))
      return this.#changeItem(localId, { phase: 'waiting' });
    const queue_id = this.queue.queueId;
    try {
      const { id } = await this.api.post('/messages', {
        ...('users' in to ? { type: 'direct', to: [...to.users] } : { type: 'stream', to: to.stream, topic: to.topic }),
        content,
        ...(queue_id === undefined ? {} : { queue_id }),
        local_id: localId,
      });
      this.platform.setTimer(() => void this.#fetchSentMessageAndDropItem(localId, id), SENT_EVENT_TIMEOUT_MS);
    } catch (error) {
      this.#handleFailureOfRequest(item, error);
    }
  }

  /** Decides what becomes of an item whose request, or the search for its message, has failed. */
  #handleFailureOfRequest(item: OutboxItem, error: unknown): void {
    const { localId } = item;
    if (error instanceof ServerUnreachable) {
      this.#changeItem(localId, { phase: 'waiting', tried: true });
      if (this.#canReachServer.peek()) void this.#sendWaitingItems();
    } else if (error instanceof ApiFailure && error.retryAfterMs !== undefined) {
      this.#changeItem(localId, { phase: 'waiting' });
      this.#pauseForRateLimit(error.retryAfterMs);
    } else if (!this.#isOfSignedInAccount(item)) {
      this.#changeItem(localId, { phase: 'waiting' });
    } else {
      this.#changeItem(localId, { phase: 'failed', error: error instanceof Error ? error.message : String(error) });
    }
  }

  #pauseForRateLimit(ms: number): void {
    this.platform.clearTimer(this.#rateLimitTimer);
    this.#rateLimitTimer = this.platform.setTimer(() => {
      this.#rateLimitTimer = undefined;
      void this.#sendWaitingItems();
    }, ms);
  }

  /** Fetches a message without an event, whose sender is not subscribed, so that the sender sees it. */
  async #fetchSentMessageAndDropItem(localId: string, id: number): Promise<void> {
    const item = this.#findItem(localId);
    if (!item) return;
    if (!this.#isOfSignedInAccount(item)) return this.discardItem(localId);
    try {
      const { message } = await this.api.get('/messages/{message_id}', { message_id: id });
      if (!this.windows.addArrivedMessage(message)) await this.windows.lastOpenedWindow?.fetchNewerThanLast();
    } catch (error) {
      if (error instanceof ServerUnreachable) {
        this.platform.setTimer(() => void this.#fetchSentMessageAndDropItem(localId, id), SENT_EVENT_TIMEOUT_MS);
        return;
      }
    }
    this.#sentMessageIds.add(id);
    this.discardItem(localId);
  }

  /** Sends waiting items one after the other, unless they turn out to be sent. */
  async #sendWaitingItems(): Promise<void> {
    if (this.#isSendingWaiting) return;
    this.#isSendingWaiting = true;
    try {
      while (this.itemsOfThisTab.peek().some(({ phase }) => phase === 'waiting')) {
        const tried = this.itemsOfThisTab.peek().some((item) => item.phase === 'waiting' && item.tried);
        if (tried) await new Promise<void>((resolve) => this.platform.setTimer(resolve, BROKEN_REQUEST_SETTLE_MS));
        const item = this.itemsOfThisTab.peek().find(({ phase }) => phase === 'waiting');
        if (!item || !this.#canReachServer.peek() || this.#rateLimitTimer !== undefined) return;
        await this.#sendUnlessSent(item);
      }
    } finally {
      this.#isSendingWaiting = false;
    }
  }

  async #sendUnlessSent(item: OutboxItem): Promise<void> {
    try {
      const sent = item.tried ? await this.#findSentMessageId(item) : undefined;
      if (sent !== undefined) {
        this.#sentMessageIds.add(sent);
        this.discardItem(item.localId);
        return;
      }
    } catch (error) {
      this.#handleFailureOfRequest(item, error);
      return;
    }
    this.#changeItem(item.localId, { phase: 'sending' });
    await this.#postInTurn(item);
  }

  /** Id of the own message that the item has become. */
  async #findSentMessageId({ to, content, after }: OutboxItem): Promise<number | undefined> {
    const narrow = [
      ...makeConversationNarrow(to),
      { operator: 'sender' as const, operand: this.state.me.userIdSignal.peek() },
    ];
    const { messages } = await this.api.get('/messages', {
      anchor: 'newest',
      num_before: SENT_SEARCH_MESSAGE_COUNT,
      num_after: 0,
      narrow: makeNarrowApiParam(narrow),
      apply_markdown: false,
    });
    return messages.find(
      (one) =>
        one.id > after &&
        !this.#sentMessageIds.has(one.id) &&
        normalizeContent(one.content) === normalizeContent(content),
    )?.id;
  }

  /** Takes the items that the account wrote in tabs that were closed before their messages were sent. */
  async #adoptItemsOfClosedTabs(): Promise<void> {
    const { store, tabs } = this.platform;
    const user = this.signedInUserId.peek();
    const alive = new Set((await tabs.listOpenTabIds()).map(makeOutboxStoreKeyOfTab));
    for (const key of await store.keys(makeOutboxStoreKeyOfTab(''))) {
      if (alive.has(key) || key === makeOutboxStoreKeyOfTab(tabs.id)) continue;
      const items = ((await store.get(key)) ?? []) as readonly StoredOutboxItem[];
      const others = items.filter((item) => item.user !== undefined && item.user !== user);
      await (others.length === 0 ? store.delete(key) : store.set(key, others));
      const own = items.filter((item) => !others.includes(item) && !this.#findItem(item.localId));
      this.#setAndStoreItems([...this.#itemsOfAllAccounts.peek(), ...own.map((item) => makeAdoptedItem(item, user))]);
    }
    void this.#sendWaitingItems();
  }
}

/** `user` is missing in items of earlier versions. */
type StoredOutboxItem = Omit<OutboxItem, 'user'> & { readonly user?: number; readonly [key: string]: StoredValue };

const makeOutboxStoreKeyOfTab = (tab: string): string => `outbox/${tab}`;

/** Without its author, an item is not sent before the user of this account has seen it and asks for it. */
function makeAdoptedItem(item: StoredOutboxItem, user: number): OutboxItem {
  if (item.user === undefined) return { ...item, user, phase: 'failed', error: UNKNOWN_AUTHOR_ERROR };
  return { ...item, user, ...(item.phase === 'sending' ? { phase: 'waiting', tried: true } : {}) };
}
