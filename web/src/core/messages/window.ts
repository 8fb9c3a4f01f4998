import { batch, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Message } from '../../contract/index.js';
import { type ApiClient, ApiFailure, ServerUnreachable } from '../api.js';
import { hasEventsForWholeNarrow, matchesNarrow, type NarrowMatchFacts, narrowShowsHistory } from '../match.js';
import { makeNarrowKey, type Narrow } from '../narrow.js';
import type { SavedWindow } from '../offline.js';
import { FIRST_LOAD_MESSAGES_PER_SIDE, makeMessagesParams, type WindowAnchor } from './request.js';
import type { MessageStore } from './store.js';

/** Number of messages of each page after the first load. */
const MESSAGES_PER_PAGE = 100;
const MAX_FETCH_REPEATS = 5;
/** A window drops its oldest rows at the first number, down to the second one. */
const TRIM_WHEN_MORE_ROWS_THAN = 2_000;
const ROWS_KEPT_AFTER_TRIM = 1_500;
/** A refreshed window keeps at most this many messages on each side of the reader's place. */
const MAX_REFRESHED_MESSAGES_PER_SIDE = 400;

/** The last change of a window's list; the view corrects its scroll position by it. */
export interface WindowListChange {
  readonly kind: 'loaded' | 'prepended' | 'appended' | 'arrived' | 'inserted' | 'removed' | 'refreshed';
  /** Number of rows that came or went. */
  readonly rowCount: number;
}

/** Kind of change of a message: its stream or topic, flags of the user, or its text and what follows from it. */
export type MessageChangeKind = 'place' | 'flags' | 'text';

export type WindowPhase = 'loading' | 'ready' | 'failed';

/** Finds the copy of a window by its key. */
export type SavedWindowReader = (key: string) => Promise<SavedWindow | undefined>;

/** Pages that are being fetched. */
type FetchDirection = 'older' | 'newer' | 'around';

interface FetchedRange {
  readonly ids: readonly number[];
  readonly anchor: number;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/**
 * The loaded messages of one narrow: ids without gaps, from some oldest to some newest one.
 *
 *     window.messageIds.value     ids in order; `getMessageSignal(id)` has each message
 *     window.foundOldest.value    nothing is before the first one (foundNewest: behind the last one)
 *     window.loadPhase.value      'loading' at first, or 'failed' with `loadFailure`; `reloadRequestedAnchor()` repeats
 *     window.loadOlder()          one more page; a second call during a fetch does nothing
 *     window.showOrLoadAround(anchor)   loads around another place, unless it is loaded already
 *     window.readerMessageId      message at which the reader is: set by the view, kept in the list by a refresh
 *
 * A message that arrives is put at the end only when the newest one is loaded. One that arrives during a fetch is kept
 * until the answer shows whether the window reaches the newest one.
 */
export class MessageWindow {
  readonly narrowKey: string;
  readonly messageIds = signal<readonly number[]>([]);
  readonly foundOldest = signal(false);
  readonly foundNewest = signal(false);
  readonly loadPhase = signal<WindowPhase>('loading');
  readonly loadFailure = signal<Error | undefined>(undefined);
  /** Direction of the page that is being fetched. */
  readonly fetchDirection = signal<FetchDirection | undefined>(undefined);
  readonly lastListChange = signal<WindowListChange>({ kind: 'loaded', rowCount: 0 });
  /** Message at which the first load was made: the first unread one, the requested one, or the newest. */
  readonly anchorMessageId = signal<number | undefined>(undefined);
  readerMessageId: number | undefined;
  /**
   * Set by the view: whether the next message that arrives will be on screen once it is rendered. A second message
   * before that render may push it off the screen, so the view answers true once for each render.
   */
  showsNextArrival: () => boolean = () => false;
  /** Results of a search: the text of the answer, and that text with marked matches. */
  readonly #searchMatchByMessageId = new Map<number, { readonly content: string; readonly markedContent: string }>();
  #idsArrivedDuringFetch: number[] = [];
  #requestedAnchor: WindowAnchor = 'first_unread';
  /** The first load, while it runs. */
  #firstLoad: Promise<void> | undefined;
  #latestLoadNumber = 0;
  #isStale = false;

  constructor(
    readonly narrow: Narrow,
    private readonly api: ApiClient,
    private readonly store: MessageStore,
    private readonly facts: NarrowMatchFacts,
    private readonly kept: SavedWindowReader,
  ) {
    this.narrowKey = makeNarrowKey(narrow);
  }

  getMessageSignal(id: number): ReadonlySignal<Message> | undefined {
    return this.store.getSignal(id);
  }

  /** HTML of a message; in a search with marked matches, unless the text has changed since. */
  getShownHtml({ id, content }: Message): string {
    const match = this.#searchMatchByMessageId.get(id);
    return match?.content === content ? match.markedContent : content;
  }

  get firstMessageId(): number | undefined {
    return this.messageIds.peek()[0];
  }

  get lastMessageId(): number | undefined {
    return this.messageIds.peek().at(-1);
  }

  /**
   * Loads around this place, and replaces what is loaded unless the place is in it. A second call for the same place
   * waits for the first one.
   */
  async showOrLoadAround(anchor: WindowAnchor): Promise<void> {
    if (this.#firstLoad && anchor === this.#requestedAnchor) return this.#firstLoad;
    this.#requestedAnchor = anchor;
    if (this.loadPhase.peek() === 'ready' && this.#isAnchorLoaded(anchor)) {
      this.anchorMessageId.value =
        anchor === 'newest' ? this.lastMessageId : anchor === 'oldest' ? this.firstMessageId : Number(anchor);
      return;
    }
    const load = this.#loadAround(anchor, FIRST_LOAD_MESSAGES_PER_SIDE, FIRST_LOAD_MESSAGES_PER_SIDE, 'loaded');
    this.#firstLoad = load;
    await load;
    if (this.#firstLoad === load) this.#firstLoad = undefined;
  }

  reloadRequestedAnchor(): Promise<void> {
    return this.#loadAround(
      this.#requestedAnchor,
      FIRST_LOAD_MESSAGES_PER_SIDE,
      FIRST_LOAD_MESSAGES_PER_SIDE,
      'loaded',
    );
  }

  loadOlder(): Promise<void> {
    return this.#loadPage('older', this.foundOldest.peek(), this.firstMessageId);
  }

  loadNewer(): Promise<void> {
    return this.#loadPage('newer', this.foundNewest.peek(), this.lastMessageId);
  }

  /** Fetches the loaded range again, around the reader's place, after events were lost. */
  async refetchAroundReader(): Promise<void> {
    if (this.loadPhase.peek() !== 'ready') return this.reloadRequestedAnchor();
    const ids = this.messageIds.peek();
    const place = this.readerMessageId ?? (this.foundNewest.peek() ? 'newest' : ids[Math.floor(ids.length / 2)]);
    if (place === undefined) return this.reloadRequestedAnchor();
    const at = typeof place === 'number' ? ids.findIndex((id) => id >= place) : ids.length;
    const before = at < 0 ? ids.length : at;
    const side = (count: number): number =>
      Math.min(Math.max(count + MESSAGES_PER_PAGE / 2, FIRST_LOAD_MESSAGES_PER_SIDE), MAX_REFRESHED_MESSAGES_PER_SIDE);
    await this.#loadAround(place, side(before), side(ids.length - before), 'refreshed');
  }

  /** Marks the window as out of date; the next `refreshIfStale` fetches it again. */
  markStale(): void {
    this.#isStale = true;
  }

  async refreshIfStale(): Promise<void> {
    if (this.#isStale) await this.refetchAroundReader();
  }

  /** Whether the message belongs here, as far as the client can tell. */
  matchesMessage(message: Message): boolean | undefined {
    return matchesNarrow(this.narrow, message, this.facts);
  }

  /** Whether events keep the window complete. Others catch up by fetching: `fetchNewerThanLast`. */
  get isKeptCompleteByEvents(): boolean {
    return hasEventsForWholeNarrow(this.narrow, this.facts);
  }

  /** Fetches what came behind the newest message, for windows without events. */
  async fetchNewerThanLast(): Promise<void> {
    if (this.loadPhase.peek() !== 'ready' || !this.foundNewest.peek()) return;
    if (this.lastMessageId === undefined) await this.refetchAroundReader();
    else await this.#loadPage('newer', false, this.lastMessageId);
  }

  /** Removes messages whose copies the user has lost by a move, unless the narrow shows history. */
  removeLostCopiesUnlessHistoryShown(ids: readonly number[]): void {
    if (!narrowShowsHistory(this.narrow)) this.removeRows(ids);
  }

  /** Whether an arriving message would be shown now or after the fetch that is under way. */
  acceptsArrival(message: Message): boolean {
    if (!this.isKeptCompleteByEvents || this.matchesMessage(message) !== true) return false;
    return this.foundNewest.peek() || this.fetchDirection.peek() !== undefined;
  }

  /** Adds a new message, which the store has already. */
  addArrivedMessage(id: number): void {
    if (this.fetchDirection.peek() !== undefined) this.#idsArrivedDuringFetch.push(id);
    if (!this.foundNewest.peek() || this.loadPhase.peek() !== 'ready') return;
    this.#insertMessageId(id, 'arrived');
    this.#trimOldestRows();
  }

  /**
   * Checks whether messages that changed still belong to the window. A row whose flags no longer fit stays until the
   * window is opened again, so that no row vanishes while it is being read.
   * @returns true if the window has to be refreshed, because a message that is not in the store may belong to the
   * loaded range
   */
  recheckChangedAndTellIfIncomplete(ids: readonly number[], why: MessageChangeKind): boolean {
    const here = new Set(this.messageIds.peek());
    const gone: number[] = [];
    let unknown = false;
    for (const id of ids) {
      const message = this.store.peek(id);
      const is = message && this.matchesMessage(message);
      if (here.has(id)) {
        if (is === false && why === 'place') gone.push(id);
      } else if (this.#isInLoadedRange(id)) {
        if (is === true) this.#insertMessageId(id, 'inserted');
        else if (is === undefined && this.#mayGainMessagesBy(why)) unknown = true;
      }
    }
    this.removeRows(gone);
    return unknown;
  }

  /** Removes rows that no longer fit. */
  removeRowsThatNoLongerMatch(): void {
    this.removeRows(
      this.messageIds.peek().filter((id) => {
        const message = this.store.peek(id);
        return message === undefined || this.matchesMessage(message) === false;
      }),
    );
  }

  /** Whether a change of this kind may bring in a message. */
  #mayGainMessagesBy(why: MessageChangeKind): boolean {
    if (why === 'place') return true;
    const operands = why === 'flags' ? ['starred', 'unread'] : ['mentioned', 'alerted'];
    return this.narrow.some(({ operator, operand }) => operator === 'is' && operands.includes(String(operand)));
  }

  removeRows(ids: readonly number[]): void {
    const gone = new Set(ids);
    this.#idsArrivedDuringFetch = this.#idsArrivedDuringFetch.filter((id) => !gone.has(id));
    const before = this.messageIds.peek();
    const after = before.filter((id) => !gone.has(id));
    if (after.length === before.length) return;
    batch(() => {
      this.messageIds.value = after;
      this.lastListChange.value = { kind: 'removed', rowCount: before.length - after.length };
    });
  }

  /**
   * Drops the oldest rows of a window that has followed the newest messages for days, unless the reader is near them.
   */
  #trimOldestRows(): void {
    const ids = this.messageIds.peek();
    if (ids.length <= TRIM_WHEN_MORE_ROWS_THAN || this.fetchDirection.peek() !== undefined) return;
    const cut = ids.length - ROWS_KEPT_AFTER_TRIM;
    if (this.readerMessageId !== undefined && this.readerMessageId < ids[cut + MESSAGES_PER_PAGE]!) return;
    batch(() => {
      this.foundOldest.value = false;
      this.removeRows(ids.slice(0, cut));
    });
  }

  /** Whether the id lies in the loaded range. */
  #isInLoadedRange(id: number): boolean {
    if (this.loadPhase.peek() !== 'ready') return false;
    const { firstMessageId, lastMessageId } = this;
    const behindFirst = this.foundOldest.peek() || (firstMessageId !== undefined && id > firstMessageId);
    return behindFirst && (this.foundNewest.peek() || (lastMessageId !== undefined && id < lastMessageId));
  }

  #isAnchorLoaded(anchor: WindowAnchor): boolean {
    if (this.#isStale) return false;
    if (anchor === 'newest') return this.foundNewest.peek();
    if (anchor === 'oldest') return this.foundOldest.peek();
    return typeof anchor === 'number' && this.messageIds.peek().includes(anchor);
  }

  #insertMessageId(id: number, kind: WindowListChange['kind']): void {
    const ids = this.messageIds.peek();
    if (ids.includes(id)) return;
    let at = ids.length;
    while (at > 0 && ids[at - 1]! > id) at--;
    batch(() => {
      this.messageIds.value = [...ids.slice(0, at), id, ...ids.slice(at)];
      this.lastListChange.value = { kind: at === ids.length ? kind : 'inserted', rowCount: 1 };
    });
  }

  async #loadAround(anchor: WindowAnchor, before: number, after: number, kind: 'loaded' | 'refreshed'): Promise<void> {
    const load = ++this.#latestLoadNumber;
    this.fetchDirection.value = 'around';
    this.loadFailure.value = undefined;
    if (kind === 'loaded') this.loadPhase.value = 'loading';
    this.#idsArrivedDuringFetch = [];
    const found = await this.#fetchIntoStore(load, anchor, before, after);
    if (load !== this.#latestLoadNumber || !found) return;
    batch(() => {
      this.fetchDirection.value = undefined;
      this.#isStale = false;
      this.foundOldest.value = found.foundOldest;
      this.foundNewest.value = found.foundNewest;
      this.messageIds.value = this.#takeAndMergeArrivedIds(found.ids);
      this.loadPhase.value = 'ready';
      if (kind === 'loaded') this.anchorMessageId.value = this.#findIdAtOrAfterOrLast(found.anchor);
      this.lastListChange.value = { kind, rowCount: found.ids.length };
    });
  }

  async #loadPage(direction: 'older' | 'newer', complete: boolean, from: number | undefined): Promise<void> {
    if (complete || from === undefined || this.loadPhase.peek() !== 'ready' || this.fetchDirection.peek() !== undefined)
      return;
    const load = ++this.#latestLoadNumber;
    this.fetchDirection.value = direction;
    this.loadFailure.value = undefined;
    this.#idsArrivedDuringFetch = [];
    const older = direction === 'older';
    const found = await this.#fetchIntoStore(load, from, older ? MESSAGES_PER_PAGE : 0, older ? 0 : MESSAGES_PER_PAGE);
    if (load !== this.#latestLoadNumber || !found) return;
    batch(() => {
      this.fetchDirection.value = undefined;
      const known = new Set(this.messageIds.peek());
      const more = found.ids.filter((id) => !known.has(id));
      const ids = this.messageIds.peek();
      if (older) {
        this.foundOldest.value = found.foundOldest;
        this.messageIds.value = [...more, ...ids];
      } else {
        this.foundNewest.value = found.foundNewest;
        this.messageIds.value = this.#takeAndMergeArrivedIds([...ids, ...more]);
      }
      this.lastListChange.value = {
        kind: older ? 'prepended' : 'appended',
        rowCount: this.messageIds.peek().length - ids.length,
      };
    });
  }

  /** @returns ids of a fetch, with those that arrived during it if no gap is between */
  #takeAndMergeArrivedIds(ids: readonly number[]): readonly number[] {
    const arrived = this.foundNewest.peek()
      ? this.#idsArrivedDuringFetch.filter((id) => this.store.holdsMessage(id))
      : [];
    this.#idsArrivedDuringFetch = [];
    return arrived.length === 0 ? ids : [...new Set([...ids, ...arrived])].sort((a, b) => a - b);
  }

  /**
   * Reads the copy of this window that an earlier page saved; after the next registration the window is fetched again.
   */
  async #readSavedCopyIntoStore(): Promise<FetchedRange | undefined> {
    const { messages, foundNewest } = (await this.kept(this.narrowKey)) ?? { messages: [], foundNewest: false };
    const ids = this.store.mergeFetchedMessages(messages, Number.POSITIVE_INFINITY);
    if (!ids || ids.length === 0) return undefined;
    const wanted = this.#requestedAnchor;
    const unread = messages.find(({ flags }) => !flags.includes('read'))?.id;
    const anchor =
      typeof wanted === 'number' ? wanted : ((wanted === 'first_unread' ? unread : undefined) ?? ids.at(-1)!);
    return { ids, anchor, foundOldest: false, foundNewest };
  }

  /** The message with the id, else the next one, else the last one. */
  #findIdAtOrAfterOrLast(anchor: number): number | undefined {
    return this.messageIds.peek().find((id) => id >= anchor) ?? this.lastMessageId;
  }

  async #fetchIntoStore(
    load: number,
    anchor: WindowAnchor,
    before: number,
    after: number,
  ): Promise<FetchedRange | undefined> {
    try {
      for (let repeats = 0; ; repeats++) {
        const since = this.store.lastChangeNumber;
        const params = makeMessagesParams(this.narrow, anchor, before, after, this.facts.ownUserId);
        const answer = await this.api.get('/messages', params);
        if (load !== this.#latestLoadNumber) return undefined;
        const ids = this.store.mergeFetchedMessages(
          answer.messages,
          repeats < MAX_FETCH_REPEATS ? since : Number.POSITIVE_INFINITY,
        );
        if (!ids) continue;
        for (const { id, content, match_content: markedContent } of answer.messages) {
          if (markedContent !== undefined) this.#searchMatchByMessageId.set(id, { content, markedContent });
        }
        const { found_oldest, found_newest } = answer;
        return { ids, anchor: answer.anchor, foundOldest: found_oldest, foundNewest: found_newest };
      }
    } catch (error) {
      const kept =
        error instanceof ServerUnreachable && this.loadPhase.peek() === 'loading'
          ? await this.#readSavedCopyIntoStore()
          : undefined;
      if (load !== this.#latestLoadNumber) return undefined;
      if (kept) return kept;
      batch(() => {
        this.fetchDirection.value = undefined;
        this.loadFailure.value = error instanceof Error ? error : new ApiFailure(0, '', String(error), undefined, {});
        if (this.loadPhase.peek() === 'loading') this.loadPhase.value = 'failed';
      });
      return undefined;
    }
  }
}
