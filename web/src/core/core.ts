import { batch, effect } from '@preact/signals-core';
import type { Events, QueueEvent, Snapshot } from '../contract/index.js';
import { Api } from './api.js';
import { applyEvent } from './apply/apply.js';
import { Focus } from './focus.js';
import type { Names } from './hash.js';
import { Windows } from './messages/windows.js';
import { OfflineCopy } from './offline.js';
import type { Platform } from './ports.js';
import { PresenceReports } from './presence.js';
import { Router } from './route.js';
import { Session } from './session.js';
import { State } from './state/state.js';
import { Queue } from './sync/queue.js';
import { Drafts } from './writing/drafts.js';
import { TypingNotices } from './writing/notices.js';
import { Outbox } from './writing/outbox.js';
import { Reading } from './writing/reading.js';

type Listener = (event: QueueEvent) => void;

/** The whole client without its views. */
export class Core {
  readonly api: Api;
  readonly state: State;
  readonly windows: Windows;
  readonly queue: Queue;
  readonly session: Session;
  readonly outbox: Outbox;
  readonly drafts: Drafts;
  readonly reading: Reading;
  readonly notices: TypingNotices;
  readonly presence: PresenceReports;
  readonly router: Router;
  readonly focus = new Focus();
  readonly #offline: OfflineCopy;
  /** The state is the copy of an earlier page, because the server can't be reached. */
  #restored = false;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #loadingTopics = new Map<number, Promise<void>>();

  constructor(readonly platform: Platform) {
    this.api = new Api(platform);
    this.state = new State(platform);
    const { api, state } = this;
    this.windows = new Windows(api, state.facts, (key) => this.#offline.window(key));
    this.windows.watch(platform);
    this.queue = new Queue(platform, api, {
      load: (snapshot, again) => this.#load(snapshot, again),
      apply: (events) => this.#apply(events),
      save: () => state.save(),
      mayRead: () => this.session.mayRead(),
      sessionChanged: (signedIn) => {
        if (!signedIn) this.#signedOut();
        else if (this.session.state.peek() !== 'signed-in') this.start();
      },
      isSignedOut: () => this.session.state.peek() === 'signed-out',
    });
    this.session = new Session(api, (signedIn) => {
      this.queue.announceSession(signedIn);
      if (signedIn) this.start();
      else this.#signedOut();
    });
    api.onSignedOut = () => {
      // A visitor's request for what is not public does not end the visit.
      if (this.session.state.peek() === 'signed-out' || this.session.state.peek() === 'visitor') return;
      this.queue.announceSession(false);
      this.#signedOut();
    };
    this.outbox = new Outbox(platform, api, state, this.windows, this.queue);
    this.drafts = new Drafts(platform, api, state);
    this.reading = new Reading(platform, api, state, this.windows);
    this.notices = new TypingNotices(platform, api, state);
    this.presence = new PresenceReports(platform, api, state, this.queue);
    this.router = new Router(platform.address, this.names);
    const isSignedIn = (): boolean => this.session.state.peek() === 'signed-in' && !this.#restored;
    this.#offline = new OfflineCopy(platform, state, this.windows, isSignedIn);
    effect(() => {
      const status = this.queue.status.value;
      if (status === 'connecting' || status === 'offline') void this.#restore();
    });
  }

  /** Names for addresses; signals underneath, so a link follows a rename. */
  get names(): Names {
    const { me, streams, people } = this.state;
    return {
      get me() {
        return me.id;
      },
      streamName: (id) => streams.byId.value.get(id)?.name,
      streamNamed: (name) => streams.named(name),
      userName: (id) => people.byId.value.get(id)?.full_name,
    };
  }

  /** Asks the leading tab or the server for the state; `session.state` says how it went. */
  start(): void {
    if (this.session.state.peek() !== 'visitor') this.session.state.value = 'unknown';
    this.queue.start();
    this.presence.start();
  }

  /**
   * Calls for each event of a kind ('message', 'attachment/add', …) after the state has changed, for what signals don't
   * show: notifications, lists that a view fetched itself.
   * @returns ends the calls
   */
  listen<K extends keyof Events>(kind: K, call: (event: Events[K]) => void): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set<Listener>();
    this.#listeners.set(kind, listeners);
    const listener = call as { take(event: QueueEvent): void }['take'];
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Fetches all topics of a stream once, for `state.conversations.topicsOf(stream)`. */
  loadTopics(stream: number): Promise<void> {
    const { conversations } = this.state;
    if (conversations.complete.peek().has(stream)) return Promise.resolve();
    const known = this.#loadingTopics.get(stream);
    if (known) return known;
    const loading = this.api
      .get('/users/me/{stream_id}/topics', { stream_id: stream })
      .then(({ topics }) => conversations.putAll(stream, topics))
      .finally(() => this.#loadingTopics.delete(stream));
    this.#loadingTopics.set(stream, loading);
    return loading;
  }

  /** Shows what an earlier page kept until the server can be reached. */
  async #restore(): Promise<void> {
    if (this.session.state.peek() !== 'unknown') return;
    const snapshot = await this.#offline.snapshot();
    if (!snapshot || this.session.state.peek() !== 'unknown') return;
    this.#restored = true;
    batch(() => {
      this.state.load(snapshot);
      this.session.state.value = 'signed-in';
    });
  }

  #load(snapshot: Snapshot, again: boolean): void {
    const before = this.state.me.userId.peek();
    const refreshes = again || this.#restored;
    this.#restored = false;
    batch(() => {
      this.state.load(snapshot);
      this.session.state.value = this.state.me.userId.peek() === 0 ? 'visitor' : 'signed-in';
    });
    // A sign-in, here or in another tab, may have changed the account.
    if (before !== this.state.me.userId.peek()) this.windows.keepActive();
    if (refreshes) void this.windows.refresh();
  }

  #apply(events: readonly QueueEvent[]): void {
    batch(() => {
      for (const event of events) {
        applyEvent(this, event);
        if (event.type === 'message') this.outbox.noteMessage(event);
      }
    });
    for (const event of events) {
      const kind = 'op' in event ? `${event.type}/${event.op}` : event.type;
      for (const call of this.#listeners.get(kind) ?? []) call(event);
    }
  }

  #signedOut(): void {
    if (this.session.state.peek() === 'signed-out') return;
    this.queue.stop();
    this.windows.clear();
    void this.#offline.clear();
    this.session.state.value = 'signed-out';
  }
}
