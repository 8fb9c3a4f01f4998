import { effect, signal } from '@preact/signals-core';
import {
  type QueueEvent,
  REGISTRATION_PARAMS,
  SESSION_CHECK_PATH,
  type SessionCheck,
  type Snapshot,
} from '../../contract/index.js';
import { type ApiClient, ApiFailure, ServerUnreachable } from '../api.js';
import type { Platform, TimerHandle } from '../ports.js';
import type { StateMessage, TabMessage } from './tabs.js';

/** `connecting`: at least one attempt has failed. `offline`: the browser has no network. */
export type SyncStatus = 'starting' | 'live' | 'connecting' | 'offline';

/** The server answers a poll within 60 s; a silent connection is dead after this time. */
const POLL_TIMEOUT_MS = 95_000;
/** A leading tab posts something at least with each answer of a poll. */
const LEADER_SILENCE_LIMIT_MS = 120_000;
const FIRST_STATE_LIMIT_MS = 4_000;
/** The queue resumes if the session still exists after this time. */
const SUSPENDED_MS = 10_000;
const FIRST_RETRY_PAUSE_MS = 400;
const MAX_RETRY_PAUSE_MS = 30_000;

/** The owner of the state that the events of the queue change. */
export interface QueueStateOwner {
  /** @param again events were lost: what was fetched before may be out of date */
  loadSnapshot(snapshot: Snapshot, again: boolean): void;
  applyEvents(events: readonly QueueEvent[]): void;
  makeSnapshot(): Snapshot;
  /** The session began or ended in another tab, or there is none. */
  onSessionChanged(signedIn: boolean, endCode?: string): void;
  isSignedOut(): boolean;
}

/**
 * The event queue of this browser: one for all tabs.
 *
 * The leading tab registers, polls, and passes snapshot and events to the others; a tab that takes the lead over goes
 * on with the same queue and event id. A lost queue is replaced by a new registration.
 */
export class BrowserEventQueue {
  readonly status = signal<SyncStatus>('starting');
  readonly isLeadingTab = signal(false);
  /** True while the session may be ending: requests in the background would be refused. */
  readonly isSuspended = signal(false);
  /** Registrations that this tab has made. */
  registrationCount = 0;
  #queueId: string | undefined;
  #lastEventId = -1;
  #hasLoadedState = false;
  /** Number of the loop that runs; a loop with another number ends. */
  #currentLoopNumber = 0;
  #endRetryPause: () => void = () => {};
  #pollAbortController: AbortController | undefined;
  #lastAnswerAt = 0;
  #leaderWatchTimer: TimerHandle | undefined;
  #isStarted = false;
  /** Whether the poll was aborted in order to ask at once. */
  #wasPollCutShort = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly user: QueueStateOwner,
  ) {}

  /** Id of the queue; undefined before the first registration and for visitors. */
  get queueId(): string | undefined {
    return this.#queueId;
  }

  get lastEventId(): number {
    return this.#lastEventId;
  }

  startOrAskAgain(): void {
    if (this.#isStarted) {
      this.#leadOrAskLeader();
      return;
    }
    this.#isStarted = true;
    const { tabs, online, visible } = this.platform;
    tabs.onMessage((message) => this.#handleTabMessage(message as TabMessage));
    effect(() => {
      if (online.value && visible.value) this.#endPauseAndDeadPoll();
      else if (!online.value && this.status.peek() !== 'starting') this.#setStatus('offline');
    });
    this.#leadOrAskLeader();
    tabs.waitToLead(
      () => this.#startLeadingAndPolling(),
      () => this.#stopLeading(),
    );
  }

  #leadOrAskLeader(): void {
    if (this.isLeadingTab.peek()) {
      this.#startLeadingAndPolling();
      return;
    }
    this.#postToOtherTabs({ type: 'ask', from: this.platform.tabs.id });
    this.#restartLeaderWatch(FIRST_STATE_LIMIT_MS);
  }

  /** Ends polling. `startOrAskAgain` begins it again. */
  stopAndForgetQueue(): void {
    this.#endLoop();
    this.status.value = 'starting';
    this.isSuspended.value = false;
    this.#queueId = undefined;
    this.#hasLoadedState = false;
  }

  /**
   * Ends the poll in every tab, since the server would refuse it at the end of the session. Meanwhile, other refused
   * requests do not end the session. Polling resumes if the session goes on.
   */
  suspend(): void {
    this.#postToOtherTabs({ type: 'signing-out' });
    this.#suspendThisTab();
  }

  #suspendThisTab(): void {
    this.isSuspended.value = true;
    const turn = this.#endLoop();
    this.platform.setTimer(() => {
      if (turn !== this.#currentLoopNumber) return;
      this.isSuspended.value = false;
      if (this.isLeadingTab.peek()) this.#startLeadingAndPolling();
    }, SUSPENDED_MS);
  }

  /** @returns the number of no loop */
  #endLoop(): number {
    this.#pollAbortController?.abort();
    this.#endRetryPause();
    return ++this.#currentLoopNumber;
  }

  /** Tells other tabs that the session has begun or ended. */
  announceSessionToOtherTabs(signedIn: boolean, code?: string): void {
    this.#postToOtherTabs(signedIn ? { type: 'signed-in' } : { type: 'signed-out', code });
  }

  #postToOtherTabs(message: TabMessage): void {
    this.platform.tabs.post(message);
  }

  #setStatus(status: SyncStatus): void {
    if (this.status.peek() === status) return;
    this.status.value = status;
    if (this.isLeadingTab.peek()) this.#postToOtherTabs({ type: 'status', status });
  }

  #startLeadingAndPolling(): void {
    this.isLeadingTab.value = true;
    this.isSuspended.value = false;
    this.platform.clearTimer(this.#leaderWatchTimer);
    void this.#runPollLoop(++this.#currentLoopNumber);
  }

  #stopLeading(): void {
    this.isLeadingTab.value = false;
    this.isSuspended.value = false;
    this.#endLoop();
    this.#restartLeaderWatch(LEADER_SILENCE_LIMIT_MS);
  }

  /** Takes the lead over from a leader that is silent for too long, unless this page is hidden. */
  #restartLeaderWatch(ms: number): void {
    const { platform } = this;
    platform.clearTimer(this.#leaderWatchTimer);
    this.#leaderWatchTimer = platform.setTimer(() => {
      if (this.isLeadingTab.peek()) return;
      if (platform.visible.peek()) platform.tabs.stealLead();
      this.#restartLeaderWatch(LEADER_SILENCE_LIMIT_MS);
    }, ms);
  }

  #handleTabMessage(message: TabMessage): void {
    if (message.type === 'signed-in') {
      this.user.onSessionChanged(true);
      return;
    }
    if (message.type === 'signed-out') {
      this.user.onSessionChanged(false, message.code);
      return;
    }
    if (message.type === 'signing-out') {
      this.#suspendThisTab();
      return;
    }
    if (message.type === 'ask') {
      if (this.isLeadingTab.peek() && this.#hasLoadedState) this.#postState(message.from);
      else if (this.isLeadingTab.peek() && this.user.isSignedOut()) void this.#checkSessionAgain().catch(() => {});
      return;
    }
    if (this.isLeadingTab.peek()) return;
    if (message.type === 'state' && message.to !== '*' && message.to !== this.platform.tabs.id) return;
    this.#restartLeaderWatch(LEADER_SILENCE_LIMIT_MS);
    if (message.type === 'status') this.status.value = message.status;
    else if (message.type === 'state') void this.#takeStateOfLeader(message);
    else if (message.queue === this.#queueId && message.after === this.#lastEventId) {
      this.#lastEventId = message.last;
      this.status.value = 'live';
      this.user.applyEvents(message.events);
    } else if (message.queue !== this.#queueId || message.last > this.#lastEventId) {
      this.#postToOtherTabs({ type: 'ask', from: this.platform.tabs.id });
    }
  }

  /**
   * Takes the lead over instead if the session is another account's: a sign-in outside of the client, such as single
   * sign-on, tells no tab.
   */
  async #takeStateOfLeader({ queue, last, status, snapshot }: StateMessage): Promise<void> {
    if (!this.#hasLoadedState) {
      const turn = this.#currentLoopNumber;
      const { user_id } = await this.#fetchSessionCheck().catch(() => snapshot);
      if (turn !== this.#currentLoopNumber) return;
      if (user_id !== snapshot.user_id) return this.platform.tabs.stealLead();
    }
    this.#loadState(snapshot, queue, last);
    this.status.value = status;
  }

  /** Finds a sign-in outside of the client, such as single sign-on, which no tab announces. */
  async #checkSessionAgain(): Promise<void> {
    const { signed_in } = await this.#fetchSessionCheck();
    if (signed_in) this.user.onSessionChanged(true);
    else this.announceSessionToOtherTabs(false);
  }

  #loadState(snapshot: Snapshot, queue: string | undefined, last: number): void {
    const again = this.#hasLoadedState;
    this.#queueId = queue;
    this.#lastEventId = last;
    this.#hasLoadedState = true;
    this.user.loadSnapshot(snapshot, again);
  }

  /** Does nothing if no other tab is open: a copy of the state takes long in large organizations. */
  async #postStateToOtherTabs(turn: number): Promise<void> {
    const { tabs } = this.platform;
    const open = await tabs.listOpenTabIds();
    if (turn === this.#currentLoopNumber && open.some((id) => id !== tabs.id)) this.#postState('*');
  }

  #postState(to: string): void {
    const [queue, last, status] = [this.#queueId, this.#lastEventId, this.status.peek()];
    this.#postToOtherTabs({ type: 'state', to, queue, last, status, snapshot: this.user.makeSnapshot() });
  }

  async #runPollLoop(turn: number): Promise<void> {
    let failures = 0;
    /** Polls that were refused since one had an answer. */
    let refusals = 0;
    while (turn === this.#currentLoopNumber) {
      try {
        if (this.#queueId === undefined) {
          await this.#registerAndLoadSnapshot(turn);
          // A visitor's registration makes no queue.
          if (turn === this.#currentLoopNumber && this.#queueId === undefined) {
            this.#setStatus('live');
            return;
          }
        } else {
          await this.#pollOnce(turn, failures > 0);
          refusals = 0;
        }
        failures = 0;
      } catch (error) {
        if (turn !== this.#currentLoopNumber) return;
        if (error instanceof ApiFailure && error.status === 401) return;
        // Another try can't change the address, which the sign-in page explains.
        if (error instanceof ApiFailure && error.code === 'NONEXISTENT_SUBDOMAIN') {
          this.user.onSessionChanged(false, error.code);
          return;
        }
        // The server has answered, so the registration follows at once; the pause could be 30 s after a long outage.
        const isPollRefused = this.#queueId !== undefined && isQueueLostError(error);
        if (isPollRefused) this.#queueId = undefined;
        const pauses = isPollRefused ? refusals++ : ++failures;
        if (this.#wasPollCutShort) this.#wasPollCutShort = false;
        else if (pauses > 0) await this.#pauseAfterFailure(pauses, error);
      }
    }
  }

  #fetchSessionCheck(): Promise<SessionCheck> {
    return this.api.callOutsideApi('GET', SESSION_CHECK_PATH);
  }

  /** Checks first whether this browser may read, because a refused request is an error on the console. */
  async #registerAndLoadSnapshot(turn: number): Promise<void> {
    if (!this.#hasLoadedState) {
      const { signed_in, public_access } = await this.#fetchSessionCheck();
      if (turn !== this.#currentLoopNumber) return;
      if (!(signed_in || public_access)) {
        this.announceSessionToOtherTabs(false);
        this.user.onSessionChanged(false);
        return;
      }
    }
    const snapshot = (await this.api.post('/register', REGISTRATION_PARAMS)) as Snapshot;
    if (turn !== this.#currentLoopNumber) return;
    this.registrationCount++;
    this.#lastAnswerAt = this.platform.now();
    this.#loadState(snapshot, snapshot.queue_id ?? undefined, snapshot.last_event_id ?? -1);
    this.#setStatus('live');
    void this.#postStateToOtherTabs(turn);
  }

  async #pollOnce(turn: number, atOnce: boolean): Promise<void> {
    const queue_id = this.#queueId!;
    const polling = new AbortController();
    this.#pollAbortController = polling;
    const limit = this.platform.setTimer(() => polling.abort(new ServerUnreachable('the poll hangs')), POLL_TIMEOUT_MS);
    try {
      const last_event_id = this.#lastEventId;
      const params = { queue_id, last_event_id, ...(atOnce ? { dont_block: true } : {}) };
      const answer = await this.api.get('/events', params, { signal: polling.signal });
      if (turn !== this.#currentLoopNumber) return;
      this.#lastAnswerAt = this.platform.now();
      const events = answer.events as readonly QueueEvent[];
      const last = events.at(-1)?.id ?? last_event_id;
      this.#lastEventId = last;
      this.#setStatus('live');
      this.#postToOtherTabs({ type: 'events', queue: queue_id, after: last_event_id, last, events });
      this.user.applyEvents(events);
    } finally {
      this.platform.clearTimer(limit);
      this.#pollAbortController = undefined;
    }
  }

  async #pauseAfterFailure(failures: number, error: unknown): Promise<void> {
    const { platform } = this;
    this.#setStatus(platform.online.peek() ? 'connecting' : 'offline');
    const asked = error instanceof ApiFailure ? error.retryAfterMs : undefined;
    const backoff = Math.min(FIRST_RETRY_PAUSE_MS * 2 ** Math.min(failures - 1, 10), MAX_RETRY_PAUSE_MS);
    await new Promise<void>((resolve) => {
      const timer = platform.setTimer(resolve, asked ?? backoff * (0.5 + platform.random() / 2));
      this.#endRetryPause = () => {
        platform.clearTimer(timer);
        resolve();
      };
    });
    this.#endRetryPause = () => {};
  }

  /** Called when the network or the user is back: ends a pause, and a poll that has probably died. */
  #endPauseAndDeadPoll(): void {
    const offline = this.status.peek() === 'offline';
    // A visitor has no queue to ask.
    if (offline && this.#hasLoadedState && this.#queueId === undefined) this.#setStatus('live');
    if (this.#pollAbortController && (offline || this.platform.now() - this.#lastAnswerAt > POLL_TIMEOUT_MS)) {
      this.#wasPollCutShort = true;
      this.#pollAbortController.abort(new ServerUnreachable('woken'));
    }
    this.#endRetryPause();
  }
}

/** Whether only a new registration helps: the server has dropped the queue or does not know its position. */
function isQueueLostError(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  return error.code === 'BAD_EVENT_QUEUE_ID' || /already been pruned|was not in this queue/.test(error.message);
}
