import { batch, effect } from '@preact/signals-core';
import type { Events, QueueEvent, Snapshot } from '../contract/index.js';
import { Api } from './api.js';
import { applyEvent } from './apply/apply.js';
import { SharedViewState } from './focus.js';
import type { AddressNames } from './hash.js';
import { MessageWindows } from './messages/windows.js';
import { OfflineCopy } from './offline.js';
import type { Platform } from './ports.js';
import { PresenceReports } from './presence.js';
import { Router } from './route.js';
import { Session } from './session.js';
import { State } from './state/state.js';
import { BrowserEventQueue } from './sync/queue.js';
import { Drafts } from './writing/drafts.js';
import { TypingNotices } from './writing/notices.js';
import { MessageOutbox } from './writing/outbox.js';
import { ReadMarker } from './writing/reading.js';

type QueueEventListener = (event: QueueEvent) => void;

/** The whole client without its views. */
export class Core {
  readonly api: Api;
  readonly state: State;
  readonly windows: MessageWindows;
  readonly queue: BrowserEventQueue;
  readonly session: Session;
  readonly outbox: MessageOutbox;
  readonly drafts: Drafts;
  readonly readMarker: ReadMarker;
  readonly typingNotices: TypingNotices;
  readonly presenceReports: PresenceReports;
  readonly router: Router;
  readonly viewState = new SharedViewState();
  readonly #offlineCopy: OfflineCopy;
  /** The state is the copy of an earlier page, because the server can't be reached. */
  #isShowingOfflineCopy = false;
  readonly #listenersByEventKind = new Map<string, Set<QueueEventListener>>();
  readonly #loadingTopics = new Map<number, Promise<void>>();

  constructor(readonly platform: Platform) {
    this.api = new Api(platform);
    this.state = new State(platform);
    const { api, state } = this;
    this.windows = new MessageWindows(api, state.narrowMatchFacts, (key) => this.#offlineCopy.readWindow(key));
    this.windows.repeatCatchUp(platform);
    this.queue = new BrowserEventQueue(platform, api, {
      loadSnapshot: (snapshot, again) => this.#loadSnapshot(snapshot, again),
      applyEvents: (events) => this.#apply(events),
      makeSnapshot: () => state.save(),
      mayRead: () => this.session.mayRead(),
      onSessionChanged: (signedIn) => {
        if (!signedIn) this.#clearAfterSignOut();
        else if (this.session.state.peek() !== 'signed-in') this.start();
      },
      isSignedOut: () => this.session.state.peek() === 'signed-out',
    });
    this.session = new Session(
      api,
      (signedIn) => {
        this.queue.announceSession(signedIn);
        if (signedIn) this.start();
        else this.#clearAfterSignOut();
      },
      () => this.queue.suspend(),
    );
    api.onSignedOut = () => {
      // A visitor's request for what is not public does not end the visit.
      if (this.session.state.peek() === 'signed-out' || this.session.state.peek() === 'visitor') return;
      this.queue.announceSession(false);
      this.#clearAfterSignOut();
    };
    this.outbox = new MessageOutbox(platform, api, state, this.windows, this.queue);
    this.drafts = new Drafts(platform, api, state);
    this.readMarker = new ReadMarker(platform, api, state, this.windows);
    this.typingNotices = new TypingNotices(platform, api, state);
    this.presenceReports = new PresenceReports(platform, api, state, this.queue);
    this.router = new Router(platform.address, this.addressNames);
    const isSignedIn = (): boolean => this.session.state.peek() === 'signed-in' && !this.#isShowingOfflineCopy;
    this.#offlineCopy = new OfflineCopy(platform, state, this.windows, isSignedIn);
    effect(() => {
      const status = this.queue.status.value;
      if (status === 'connecting' || status === 'offline') void this.#restoreOfflineCopy();
    });
  }

  /** Names for addresses; signals underneath, so a link follows a rename. */
  get addressNames(): AddressNames {
    const { me, streams, people } = this.state;
    return {
      get ownUserId() {
        return me.id;
      },
      streamName: (id) => streams.byId.value.get(id)?.name,
      findStreamIdByName: (name) => streams.findIdByName(name),
      userName: (id) => people.byId.value.get(id)?.full_name,
    };
  }

  /** Asks the leading tab or the server for the state; `session.state` says how it went. */
  start(): void {
    if (this.session.state.peek() !== 'visitor') this.session.state.value = 'unknown';
    this.queue.start();
    this.presenceReports.start();
  }

  /**
   * Calls for each event of a kind ('message', 'attachment/add', …) after the state has changed, for what signals don't
   * show: notifications, lists that a view fetched itself.
   * @returns ends the calls
   */
  listen<K extends keyof Events>(kind: K, call: (event: Events[K]) => void): () => void {
    const listeners = this.#listenersByEventKind.get(kind) ?? new Set<QueueEventListener>();
    this.#listenersByEventKind.set(kind, listeners);
    const listener = call as { take(event: QueueEvent): void }['take'];
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Fetches all topics of a stream once, for `state.conversations.topicsOf(stream)`. */
  loadTopics(stream: number): Promise<void> {
    const { conversations } = this.state;
    if (conversations.completeStreamIds.peek().has(stream)) return Promise.resolve();
    const known = this.#loadingTopics.get(stream);
    if (known) return known;
    const loading = this.api
      .get('/users/me/{stream_id}/topics', { stream_id: stream })
      .then(({ topics }) => conversations.putAllTopics(stream, topics))
      .finally(() => this.#loadingTopics.delete(stream));
    this.#loadingTopics.set(stream, loading);
    return loading;
  }

  /** Shows what an earlier page kept until the server can be reached. */
  async #restoreOfflineCopy(): Promise<void> {
    if (this.session.state.peek() !== 'unknown') return;
    const snapshot = await this.#offlineCopy.readSnapshot();
    if (!snapshot || this.session.state.peek() !== 'unknown') return;
    this.#isShowingOfflineCopy = true;
    batch(() => {
      this.state.load(snapshot);
      this.session.state.value = 'signed-in';
    });
  }

  #loadSnapshot(snapshot: Snapshot, again: boolean): void {
    const before = this.state.me.userId.peek();
    const refreshes = again || this.#isShowingOfflineCopy;
    this.#isShowingOfflineCopy = false;
    batch(() => {
      this.state.load(snapshot);
      this.session.state.value = this.state.me.userId.peek() === 0 ? 'visitor' : 'signed-in';
    });
    // A sign-in, here or in another tab, may have changed the account.
    if (before !== this.state.me.userId.peek()) this.windows.dropInactiveWindows();
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
      for (const call of this.#listenersByEventKind.get(kind) ?? []) call(event);
    }
  }

  #clearAfterSignOut(): void {
    if (this.session.state.peek() === 'signed-out') return;
    this.queue.stop();
    this.windows.clear();
    void this.#offlineCopy.clear();
    this.session.state.value = 'signed-out';
  }
}
