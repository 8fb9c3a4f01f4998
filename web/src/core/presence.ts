import { effect } from '@preact/signals-core';
import type { Api } from './api.js';
import type { Platform } from './ports.js';
import type { State } from './state/state.js';
import type { BrowserEventQueue } from './sync/queue.js';

const REPORT_INTERVAL_MS = 60_000;
const IDLE_AFTER_MS = 5 * 60_000;

/** Reports the user as active or idle once a minute, and takes everyone's presence from the answers. */
export class PresenceReports {
  #lastInputAt = 0;
  #hasNewInput = false;
  #reportRound = 0;
  #started = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: Api,
    private readonly state: State,
    private readonly queue: BrowserEventQueue,
  ) {}

  start(): void {
    if (this.#started) return;
    this.#started = true;
    effect(() => {
      const runs = this.queue.isLeadingTab.value && this.queue.status.value === 'live' && this.state.me.id !== 0;
      this.#reportRound++;
      if (runs) void this.#report(this.#reportRound);
    });
  }

  /** The user did something: views call it for keys, clicks and scrolling. */
  noteInput(): void {
    this.#lastInputAt = this.platform.now();
    this.#hasNewInput = true;
  }

  async #report(round: number): Promise<void> {
    if (round !== this.#reportRound) return;
    const active = this.platform.visible.peek() && this.platform.now() - this.#lastInputAt < IDLE_AFTER_MS;
    const new_user_input = this.#hasNewInput;
    this.#hasNewInput = false;
    try {
      const answer = await this.api.post('/users/me/presence', {
        status: active ? 'active' : 'idle',
        new_user_input,
        slim_presence: true,
        ping_only: false,
      });
      const { presences, server_timestamp } = answer;
      if (round === this.#reportRound && typeof presences === 'object' && presences !== null) {
        this.state.people.loadPresences(presences as Record<string, object>, Number(server_timestamp));
      }
    } catch {
      // The next report makes up for a lost one.
    }
    this.platform.setTimer(() => void this.#report(round), REPORT_INTERVAL_MS);
  }
}
