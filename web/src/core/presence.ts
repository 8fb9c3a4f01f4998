import { effect } from '@preact/signals-core';
import { type ApiClient, ServerUnreachable } from './api.js';
import type { Platform } from './ports.js';
import type { ClientState } from './state/state.js';
import type { BrowserEventQueue } from './sync/queue.js';

/** Delay of the first report, so that it does not compete with the requests of the first view. */
const FIRST_REPORT_AFTER_MS = 1_000;
const REPORT_INTERVAL_MS = 60_000;
const IDLE_AFTER_MS = 5 * 60_000;

/**
 * Reports the user as active or idle once a minute. The answers have the presence of everyone; the first one after a
 * registration is ignored, since the registration has just brought it.
 */
export class PresenceReporter {
  #lastInputAt = 0;
  #hasNewInput = false;
  #currentReportRound = 0;
  /** Number of registrations at the last report. */
  #seenRegistrationCount = 0;
  #isStarted = false;
  #reportAbortController = new AbortController();

  constructor(
    private readonly platform: Platform,
    private readonly api: ApiClient,
    private readonly state: ClientState,
    private readonly queue: BrowserEventQueue,
  ) {}

  startReporting(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    // The user has just opened the page.
    if (this.platform.visible.peek()) this.#lastInputAt = this.platform.now();
    effect(() => {
      const { isLeadingTab, isSuspended, status } = this.queue;
      const mayReport = isLeadingTab.value && !isSuspended.value && status.value === 'live';
      const round = ++this.#currentReportRound;
      if (isSuspended.value) this.#reportAbortController.abort(new ServerUnreachable('signing out'));
      if (mayReport && this.state.me.id !== 0)
        this.platform.setTimer(() => void this.#reportAndRepeat(round), FIRST_REPORT_AFTER_MS);
    });
  }

  /** The user did something: views call it for keys, clicks and scrolling. */
  noteUserInput(): void {
    this.#lastInputAt = this.platform.now();
    this.#hasNewInput = true;
  }

  async #reportAndRepeat(round: number): Promise<void> {
    if (round !== this.#currentReportRound) return;
    const active = this.platform.visible.peek() && this.platform.now() - this.#lastInputAt < IDLE_AFTER_MS;
    const new_user_input = this.#hasNewInput;
    this.#hasNewInput = false;
    const { people } = this.state;
    const { registrationCount } = this.queue;
    const ping_only = this.#seenRegistrationCount !== registrationCount;
    this.#seenRegistrationCount = registrationCount;
    const status = active ? 'active' : 'idle';
    const params = { status, new_user_input, slim_presence: true, ping_only };
    this.#reportAbortController = new AbortController();
    const { signal } = this.#reportAbortController;
    try {
      const answer = await this.api.post('/users/me/presence', params, { signal });
      const { presences, server_timestamp } = answer;
      if (round === this.#currentReportRound && typeof presences === 'object' && presences !== null) {
        people.replacePresences(presences as Record<string, object>, Number(server_timestamp));
      }
    } catch {
      // The next report follows in a minute.
    }
    this.platform.setTimer(() => void this.#reportAndRepeat(round), REPORT_INTERVAL_MS);
  }
}
