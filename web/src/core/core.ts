import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Events, QueueEvent, Snapshot } from '../contract/index.js';
import { ApiClient } from './api.js';
import { applyEventToStateAndWindows } from './apply/apply.js';
import { SharedViewState } from './focus.js';
import type { AddressNameLookup } from './hash.js';
import { MessageWindows } from './messages/windows.js';
import { OfflineCopy } from './offline.js';
import type { Platform } from './ports.js';
import { PresenceReporter } from './presence.js';
import { Router } from './route.js';
import { SignInSession } from './session.js';
import { ClientState } from './state/state.js';
import { BrowserEventQueue } from './sync/queue.js';
import { DraftService } from './writing/drafts.js';
import { MessageOutbox } from './writing/outbox.js';
import { ReadMarker } from './writing/reading.js';

type QueueEventListener = (event: QueueEvent) => void;

/** The whole client without its views. */
export class Core {
  readonly api: ApiClient;
  readonly state: ClientState;
  readonly windows: MessageWindows;
  readonly eventQueue: BrowserEventQueue;
  readonly session: SignInSession;
  readonly outbox: MessageOutbox;
  readonly draftService: DraftService;
  readonly readMarker: ReadMarker;
  readonly presenceReporter: PresenceReporter;
  readonly router: Router;
  readonly sharedViewState = new SharedViewState();
  /** Number of times that the state was loaded again because events were lost, for views that act on events. */
  readonly stateReloadCount = signal(0);
  /** The account of the session; 0 for a visitor, without a session, and until the state of a new session is loaded. */
  readonly #signedInUserId: ReadonlySignal<number> = computed(() =>
    this.session.state.value === 'signed-in' ? this.state.me.userIdSignal.value : 0,
  );
  readonly #offlineCopy: OfflineCopy;
  /** Whether the state is the offline copy of an earlier page, because the server can't be reached. */
  #isShowingOfflineCopy = false;
  readonly #listenersByEventKind = new Map<string, Set<QueueEventListener>>();
  readonly #topicLoadByStreamId = new Map<number, Promise<void>>();

  constructor(readonly platform: Platform) {
    this.api = new ApiClient(platform);
    this.state = new ClientState(platform);
    const { api, state } = this;
    this.windows = new MessageWindows(api, state.narrowMatchFacts, (key) => this.#offlineCopy.readSavedWindow(key));
    this.windows.startRepeatingCatchUp(platform);
    this.eventQueue = new BrowserEventQueue(platform, api, {
      loadSnapshot: (snapshot, again) => this.#loadSnapshot(snapshot, again),
      applyEvents: (events) => this.#applyEventsAndNotify(events),
      makeSnapshot: () => state.makeSnapshot(),
      onSessionChanged: (signedIn, endCode) => {
        if (!signedIn) this.#clearAfterSignOut(endCode);
        else if (this.session.state.peek() !== 'signed-in') this.startQueueAndPresence();
      },
      isSignedOut: () => this.session.state.peek() === 'signed-out',
    });
    this.session = new SignInSession(
      api,
      (signedIn, endCode) => {
        this.eventQueue.announceSessionToOtherTabs(signedIn, endCode);
        if (signedIn) this.startQueueAndPresence();
        else this.#clearAfterSignOut(endCode);
      },
      () => this.eventQueue.suspend(),
    );
    api.onSessionRejected = (code) => {
      // A visitor who asks for what is not public stays a visitor.
      const { value: state } = this.session.state;
      if (state === 'signed-out' || state === 'visitor') return;
      // A sign-in outside of the client, such as single sign-on, may have replaced the session.
      const isReplaced = code === 'SESSION_CHANGED';
      // While the client itself ends the session, the request that does so reports the reason.
      if (this.eventQueue.isSuspended.peek() && !isReplaced) return;
      if (!isReplaced) this.eventQueue.announceSessionToOtherTabs(false, code);
      this.#clearAfterSignOut(code);
      if (isReplaced) this.startQueueAndPresence();
    };
    // At once, since the next poll would be refused.
    this.listenToEvents('realm/deactivated', () => this.#clearAfterSignOut('REALM_DEACTIVATED'));
    this.outbox = new MessageOutbox(platform, api, state, this.windows, this.eventQueue, this.#signedInUserId);
    this.draftService = new DraftService(platform, api, state, this.#signedInUserId);
    this.readMarker = new ReadMarker(platform, api, state, this.windows, this.#signedInUserId);
    this.presenceReporter = new PresenceReporter(platform, api, state, this.eventQueue);
    this.router = new Router(platform.address, this.addressNameLookup);
    const getUserIdOfCopy = (): number => (this.#isShowingOfflineCopy ? 0 : this.#signedInUserId.peek());
    this.#offlineCopy = new OfflineCopy(platform, state, this.windows, getUserIdOfCopy);
    effect(() => {
      api.userId = this.#signedInUserId.value;
    });
    effect(() => {
      const status = this.eventQueue.status.value;
      if (status === 'connecting' || status === 'offline') void this.#restoreOfflineCopy();
    });
  }

  /** Names in addresses. It reads signals, so a link follows a rename. */
  get addressNameLookup(): AddressNameLookup {
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

  /** Gets the state from the leading tab or the server. `session.state` has the outcome. */
  startQueueAndPresence(): void {
    if (this.session.state.peek() !== 'visitor') this.session.state.value = 'unknown';
    this.eventQueue.startOrAskAgain();
    this.presenceReporter.startReporting();
  }

  /**
   * Calls a function for each event of a kind ('message', 'attachment/add', …) after the state has changed, for what
   * signals don't show: notifications, lists that a view fetched itself.
   * @returns a function that ends it
   */
  listenToEvents<K extends keyof Events>(kind: K, call: (event: Events[K]) => void): () => void {
    const listeners = this.#listenersByEventKind.get(kind) ?? new Set<QueueEventListener>();
    this.#listenersByEventKind.set(kind, listeners);
    const listener = call as { take(event: QueueEvent): void }['take'];
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Fetches all topics of a stream once, for `state.conversations.getTopicsSignal(stream)`. */
  loadAllTopicsOnce(stream: number): Promise<void> {
    const { conversations } = this.state;
    if (conversations.streamIdsWithAllTopicsKnown.peek().has(stream)) return Promise.resolve();
    const known = this.#topicLoadByStreamId.get(stream);
    if (known) return known;
    const loading = this.api
      .get('/users/me/{stream_id}/topics', { stream_id: stream })
      .then(({ topics }) => conversations.replaceAllTopics(stream, topics))
      .finally(() => this.#topicLoadByStreamId.delete(stream));
    this.#topicLoadByStreamId.set(stream, loading);
    return loading;
  }

  /** Shows the offline copy of an earlier page until the server can be reached. */
  async #restoreOfflineCopy(): Promise<void> {
    if (this.session.state.peek() !== 'unknown') return;
    const snapshot = await this.#offlineCopy.readSavedSnapshot();
    if (!snapshot || this.session.state.peek() !== 'unknown') return;
    this.#isShowingOfflineCopy = true;
    batch(() => {
      this.state.loadFromSnapshot(snapshot);
      this.session.state.value = 'signed-in';
    });
  }

  #loadSnapshot(snapshot: Snapshot, again: boolean): void {
    const { userIdSignal } = this.state.me;
    const before = userIdSignal.peek();
    const refreshes = again || this.#isShowingOfflineCopy;
    this.#isShowingOfflineCopy = false;
    batch(() => {
      this.state.loadFromSnapshot(snapshot);
      this.session.state.value = userIdSignal.peek() === 0 ? 'visitor' : 'signed-in';
      // A sign-in may have changed the account. The frame then renders new views; the edit box would keep its text.
      if (before !== userIdSignal.peek()) {
        this.windows.dropAllWindowsAndMessages();
        this.sharedViewState.editedMessageId.value = undefined;
      }
    });
    void this.#offlineCopy.deleteUnlessOf(userIdSignal.peek());
    if (!refreshes) return;
    void this.windows.refreshShownAndMarkOthersStale();
    this.stateReloadCount.value++;
  }

  #applyEventsAndNotify(events: readonly QueueEvent[]): void {
    batch(() => {
      for (const event of events) {
        if (event.type === 'drafts') this.draftService.noteEvent(event);
        applyEventToStateAndWindows(this, event);
        if (event.type === 'message') this.outbox.dropItemOfArrivedMessage(event);
      }
    });
    for (const event of events) {
      const kind = 'op' in event ? `${event.type}/${event.op}` : event.type;
      for (const call of this.#listenersByEventKind.get(kind) ?? []) call(event);
    }
  }

  #clearAfterSignOut(endCode = ''): void {
    if (this.session.state.peek() === 'signed-out') return;
    this.session.endCode.value = endCode;
    this.eventQueue.stopAndForgetQueue();
    this.windows.dropAllWindowsAndMessages();
    void this.#offlineCopy.deleteAllSaved();
    this.session.state.value = 'signed-out';
  }
}
