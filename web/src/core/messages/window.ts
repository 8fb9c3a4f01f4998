import { batch, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Message } from '../../contract/index.js';
import { type Api, ApiFailure, Unreachable } from '../api.js';
import { type Facts, hearsAll, matches, showsHistory } from '../match.js';
import { type Narrow, narrowKey, narrowParam } from '../narrow.js';
import type { KeptWindow } from '../offline.js';
import type { MessageStore } from './store.js';

/** Messages of a first load on each side of the anchor, and of each further page. */
const FIRST_SIDE = 50;
const PAGE = 100;
const MAX_REPEATS = 5;
/** A window with more rows lets go of the oldest ones while messages arrive, down to the second number. */
const MAX_FOLLOWED = 2_000;
const KEPT_FOLLOWED = 1_500;
/** A refreshed window keeps at most this many messages on each side of the reader's place. */
const MAX_REFRESHED_SIDE = 400;

export type Anchor = number | 'newest' | 'oldest' | 'first_unread';

/** The last change of a window's list; the view corrects its scroll position by it. */
export interface WindowChange {
  readonly kind: 'loaded' | 'prepended' | 'appended' | 'arrived' | 'inserted' | 'removed' | 'refreshed';
  /** Number of rows that came or went. */
  readonly count: number;
}

/** Kinds of changes of a message: its stream or topic, marks of the user, marks that follow from its text. */
export type ChangeKind = 'place' | 'flags' | 'text';

export type WindowPhase = 'loading' | 'ready' | 'failed';

/** Finds the copy of a window by its key. */
export type KeptMessages = (key: string) => Promise<KeptWindow | undefined>;

/** Pages that are being fetched. */
type Direction = 'older' | 'newer' | 'around';

interface Found {
  readonly ids: readonly number[];
  readonly anchor: number;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/**
 * The loaded messages of one narrow: ids without gaps, from some oldest to some newest one.
 *
 *     window.ids.value            ids in order; texts by `store.get(id)`
 *     window.foundOldest.value    nothing is before the first one (foundNewest: behind the last one)
 *     window.phase.value          'loading' at first, 'failed' with `failure`; `retry()` loads again
 *     window.loadOlder()          one more page; a second call during a fetch does nothing
 *     window.jumpTo(anchor)       loads around another place, unless it is loaded already
 *     window.place                id at which the reader is: the view sets it, and a refresh keeps it in the list
 *
 * A message that arrives is put at the end only when the newest one is loaded. One that arrives during a fetch is kept
 * until the answer shows whether the window reaches the newest one.
 */
export class MessageWindow {
  readonly key: string;
  readonly ids = signal<readonly number[]>([]);
  readonly foundOldest = signal(false);
  readonly foundNewest = signal(false);
  readonly phase = signal<WindowPhase>('loading');
  readonly failure = signal<Error | undefined>(undefined);
  /** Direction of the page that is being fetched. */
  readonly fetching = signal<Direction | undefined>(undefined);
  readonly change = signal<WindowChange>({ kind: 'loaded', count: 0 });
  /** Where the first load stands: the first unread message, the asked one, or the newest. */
  readonly anchor = signal<number | undefined>(undefined);
  /** Texts with marked matches, of searches. */
  readonly matchOf = new Map<number, { readonly content: string; readonly topic: string }>();
  place: number | undefined;
  #arrived: number[] = [];
  #wanted: Anchor = 'first_unread';
  #loads = 0;
  #stale = false;

  constructor(
    readonly narrow: Narrow,
    private readonly api: Api,
    private readonly store: MessageStore,
    private readonly facts: Facts,
    private readonly kept: KeptMessages,
  ) {
    this.key = narrowKey(narrow);
  }

  message(id: number): ReadonlySignal<Message> | undefined {
    return this.store.get(id);
  }

  get first(): number | undefined {
    return this.ids.peek()[0];
  }

  get last(): number | undefined {
    return this.ids.peek().at(-1);
  }

  /** Loads around this place, and replaces what is loaded unless the place is in it. */
  async jumpTo(anchor: Anchor): Promise<void> {
    this.#wanted = anchor;
    if (this.phase.peek() === 'ready' && this.#isLoaded(anchor)) {
      this.anchor.value = anchor === 'newest' ? this.last : anchor === 'oldest' ? this.first : Number(anchor);
      return;
    }
    await this.#load(anchor, FIRST_SIDE, FIRST_SIDE, 'loaded');
  }

  retry(): Promise<void> {
    return this.#load(this.#wanted, FIRST_SIDE, FIRST_SIDE, 'loaded');
  }

  loadOlder(): Promise<void> {
    return this.#page('older', this.foundOldest.peek(), this.first);
  }

  loadNewer(): Promise<void> {
    return this.#page('newer', this.foundNewest.peek(), this.last);
  }

  /** After lost events: fetches the loaded range again, around the reader's place. */
  async refresh(): Promise<void> {
    if (this.phase.peek() !== 'ready') return this.retry();
    const ids = this.ids.peek();
    const place = this.place ?? (this.foundNewest.peek() ? 'newest' : ids[Math.floor(ids.length / 2)]);
    if (place === undefined) return this.retry();
    const at = typeof place === 'number' ? ids.findIndex((id) => id >= place) : ids.length;
    const before = at < 0 ? ids.length : at;
    const side = (count: number): number => Math.min(Math.max(count + PAGE / 2, FIRST_SIDE), MAX_REFRESHED_SIDE);
    await this.#load(place, side(before), side(ids.length - before), 'refreshed');
  }

  /** Marks the window as out of date; the next `refreshIfStale` fetches it again. */
  markStale(): void {
    this.#stale = true;
  }

  async refreshIfStale(): Promise<void> {
    if (this.#stale) await this.refresh();
  }

  /** Whether the message belongs here, as far as the client can tell. */
  matches(message: Message): boolean | undefined {
    return matches(this.narrow, message, this.facts);
  }

  /** Whether events keep the window complete. Others catch up by fetching: `catchUp`. */
  get isLive(): boolean {
    return hearsAll(this.narrow, this.facts);
  }

  /** Fetches what came behind the newest message, for windows without events. */
  async catchUp(): Promise<void> {
    if (this.phase.peek() !== 'ready' || !this.foundNewest.peek()) return;
    if (this.last === undefined) await this.refresh();
    else await this.#page('newer', false, this.last);
  }

  /** The user lost the copies of these messages by a move. */
  lose(ids: readonly number[]): void {
    if (!showsHistory(this.narrow)) this.remove(ids);
  }

  /** Whether an arriving message would be shown now or after the fetch that is under way. */
  takes(message: Message): boolean {
    if (!this.isLive || this.matches(message) !== true) return false;
    return this.foundNewest.peek() || this.fetching.peek() !== undefined;
  }

  /** A new message, which the store holds already. */
  arrive(id: number): void {
    if (this.fetching.peek() !== undefined) this.#arrived.push(id);
    if (!this.foundNewest.peek() || this.phase.peek() !== 'ready') return;
    this.#insert(id, 'arrived');
    this.#trim();
  }

  /**
   * Messages that changed. A row whose flags no longer fit stays, so that nothing vanishes under the reader's eyes; it
   * goes when the window is opened again.
   * @returns whether the window has to be refreshed: a message that is not here may belong into the loaded range
   */
  reconsider(ids: readonly number[], why: ChangeKind): boolean {
    const here = new Set(this.ids.peek());
    const gone: number[] = [];
    let unknown = false;
    for (const id of ids) {
      const message = this.store.peek(id);
      const is = message && this.matches(message);
      if (here.has(id)) {
        if (is === false && why === 'place') gone.push(id);
      } else if (this.#covers(id)) {
        if (is === true) this.#insert(id, 'inserted');
        else if (is === undefined && this.#dependsOn(why)) unknown = true;
      }
    }
    this.remove(gone);
    return unknown;
  }

  /** Removes rows that no longer fit. */
  sweep(): void {
    this.remove(
      this.ids.peek().filter((id) => {
        const message = this.store.peek(id);
        return message === undefined || this.matches(message) === false;
      }),
    );
  }

  /** Whether a change of this kind may bring in a message. */
  #dependsOn(why: ChangeKind): boolean {
    if (why === 'place') return true;
    const operands = why === 'flags' ? ['starred', 'unread'] : ['mentioned', 'alerted'];
    return this.narrow.some(({ operator, operand }) => operator === 'is' && operands.includes(String(operand)));
  }

  remove(ids: readonly number[]): void {
    const gone = new Set(ids);
    this.#arrived = this.#arrived.filter((id) => !gone.has(id));
    const before = this.ids.peek();
    const after = before.filter((id) => !gone.has(id));
    if (after.length === before.length) return;
    batch(() => {
      this.ids.value = after;
      this.change.value = { kind: 'removed', count: before.length - after.length };
    });
  }

  /** A window that follows the newest messages for days lets go of the oldest ones, unless the reader is near them. */
  #trim(): void {
    const ids = this.ids.peek();
    if (ids.length <= MAX_FOLLOWED || this.fetching.peek() !== undefined) return;
    const cut = ids.length - KEPT_FOLLOWED;
    if (this.place !== undefined && this.place < ids[cut + PAGE]!) return;
    batch(() => {
      this.foundOldest.value = false;
      this.remove(ids.slice(0, cut));
    });
  }

  /** Whether the id lies in the loaded range. */
  #covers(id: number): boolean {
    if (this.phase.peek() !== 'ready') return false;
    const { first, last } = this;
    const behindFirst = this.foundOldest.peek() || (first !== undefined && id > first);
    return behindFirst && (this.foundNewest.peek() || (last !== undefined && id < last));
  }

  #isLoaded(anchor: Anchor): boolean {
    if (this.#stale) return false;
    if (anchor === 'newest') return this.foundNewest.peek();
    if (anchor === 'oldest') return this.foundOldest.peek();
    return typeof anchor === 'number' && this.ids.peek().includes(anchor);
  }

  #insert(id: number, kind: WindowChange['kind']): void {
    const ids = this.ids.peek();
    if (ids.includes(id)) return;
    let at = ids.length;
    while (at > 0 && ids[at - 1]! > id) at--;
    batch(() => {
      this.ids.value = [...ids.slice(0, at), id, ...ids.slice(at)];
      this.change.value = { kind: at === ids.length ? kind : 'inserted', count: 1 };
    });
  }

  async #load(anchor: Anchor, before: number, after: number, kind: 'loaded' | 'refreshed'): Promise<void> {
    const load = ++this.#loads;
    this.fetching.value = 'around';
    this.failure.value = undefined;
    if (kind === 'loaded') this.phase.value = 'loading';
    this.#arrived = [];
    const found = await this.#fetch(load, anchor, before, after);
    if (load !== this.#loads || !found) return;
    batch(() => {
      this.fetching.value = undefined;
      this.#stale = false;
      this.foundOldest.value = found.foundOldest;
      this.foundNewest.value = found.foundNewest;
      this.ids.value = this.#withArrived(found.ids);
      this.phase.value = 'ready';
      if (kind === 'loaded') this.anchor.value = this.#nearest(found.anchor);
      this.change.value = { kind, count: found.ids.length };
    });
  }

  async #page(direction: 'older' | 'newer', complete: boolean, from: number | undefined): Promise<void> {
    if (complete || from === undefined || this.phase.peek() !== 'ready' || this.fetching.peek() !== undefined) return;
    const load = ++this.#loads;
    this.fetching.value = direction;
    this.failure.value = undefined;
    this.#arrived = [];
    const older = direction === 'older';
    const found = await this.#fetch(load, from, older ? PAGE : 0, older ? 0 : PAGE);
    if (load !== this.#loads || !found) return;
    batch(() => {
      this.fetching.value = undefined;
      const known = new Set(this.ids.peek());
      const more = found.ids.filter((id) => !known.has(id));
      const ids = this.ids.peek();
      if (older) {
        this.foundOldest.value = found.foundOldest;
        this.ids.value = [...more, ...ids];
      } else {
        this.foundNewest.value = found.foundNewest;
        this.ids.value = this.#withArrived([...ids, ...more]);
      }
      this.change.value = { kind: older ? 'prepended' : 'appended', count: this.ids.peek().length - ids.length };
    });
  }

  /** Ids of a fetch, and those that arrived during it when they follow without a gap. */
  #withArrived(ids: readonly number[]): readonly number[] {
    const arrived = this.foundNewest.peek() ? this.#arrived.filter((id) => this.store.has(id)) : [];
    this.#arrived = [];
    return arrived.length === 0 ? ids : [...new Set([...ids, ...arrived])].sort((a, b) => a - b);
  }

  /** Takes the copy that an earlier page kept of this window; the next registration fetches it again. */
  async #restore(): Promise<Found | undefined> {
    const { messages, foundNewest } = (await this.kept(this.key)) ?? { messages: [], foundNewest: false };
    const ids = this.store.merge(messages, Number.POSITIVE_INFINITY);
    if (!ids || ids.length === 0) return undefined;
    const wanted = this.#wanted;
    const unread = messages.find(({ flags }) => !flags.includes('read'))?.id;
    const anchor =
      typeof wanted === 'number' ? wanted : ((wanted === 'first_unread' ? unread : undefined) ?? ids.at(-1)!);
    return { ids, anchor, foundOldest: false, foundNewest };
  }

  /** The anchor itself, or the first message behind it, or the last one. */
  #nearest(anchor: number): number | undefined {
    return this.ids.peek().find((id) => id >= anchor) ?? this.last;
  }

  async #fetch(load: number, anchor: Anchor, before: number, after: number): Promise<Found | undefined> {
    try {
      for (let repeats = 0; ; repeats++) {
        const since = this.store.now;
        const answer = await this.api.get('/messages', {
          anchor: String(anchor),
          num_before: before,
          num_after: after,
          narrow: narrowParam(this.narrow, this.facts.me),
          client_gravatar: false,
        });
        if (load !== this.#loads) return undefined;
        const ids = this.store.merge(answer.messages, repeats < MAX_REPEATS ? since : Number.POSITIVE_INFINITY);
        if (!ids) continue;
        for (const { id, match_content, match_subject } of answer.messages) {
          if (match_content !== undefined) this.matchOf.set(id, { content: match_content, topic: match_subject ?? '' });
        }
        const { found_oldest, found_newest } = answer;
        return { ids, anchor: answer.anchor, foundOldest: found_oldest, foundNewest: found_newest };
      }
    } catch (error) {
      const kept = error instanceof Unreachable && this.phase.peek() === 'loading' ? await this.#restore() : undefined;
      if (load !== this.#loads) return undefined;
      if (kept) return kept;
      batch(() => {
        this.fetching.value = undefined;
        this.failure.value = error instanceof Error ? error : new ApiFailure(0, '', String(error), undefined, {});
        if (this.phase.peek() === 'loading') this.phase.value = 'failed';
      });
      return undefined;
    }
  }
}
