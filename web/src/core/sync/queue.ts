import { effect, signal } from '@preact/signals-core';
import type { QueueEvent, Snapshot } from '../../contract/index.js';
import { type Api, ApiFailure, Unreachable } from '../api.js';
import type { Platform, Timer } from '../ports.js';
import { isTabMessage, type TabMessage } from './tabs.js';

/** The one quiet line: `connecting` has failed at least once, `offline` is what the browser says. */
export type Status = 'starting' | 'live' | 'connecting' | 'offline';

/** The server answers a poll within 60 s; a silent connection is dead after this time. */
const POLL_LIMIT_MS = 95_000;
/** A leader passes something on with each answer of a poll. */
const LEADER_LIMIT_MS = 120_000;
const FIRST_STATE_LIMIT_MS = 4_000;
const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 30_000;

const CAPABILITIES = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: false,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
};

/** Parts of the state, by the events that change them; `subscription` has all visible streams. */
const FETCHED = [
  'alert_words',
  'custom_profile_fields',
  'default_stream_groups',
  'default_streams',
  'drafts',
  'giphy',
  'message',
  'muted_users',
  'presence',
  'realm',
  'realm_bot',
  'realm_domains',
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'realm_user',
  'realm_user_groups',
  'realm_user_settings_defaults',
  'recent_private_conversations',
  'scheduled_messages',
  'starred_messages',
  'subscription',
  'update_message_flags',
  'user_settings',
  'user_status',
  'user_topic',
  'video_calls',
];

/** The owner of the state that the queue keeps up to date. */
export interface QueueUser {
  /** @param again events were lost: what was fetched before may be out of date */
  load(snapshot: Snapshot, again: boolean): void;
  apply(events: readonly QueueEvent[]): void;
  save(): Snapshot;
  /** The server would answer a registration. */
  mayRead(): Promise<boolean>;
  /** The session began or ended in another tab, or there is none. */
  sessionChanged(signedIn: boolean): void;
  isSignedOut(): boolean;
}

/**
 * The event queue of this browser: one for all tabs.
 *
 * The leading tab registers, polls, and passes snapshot and events to the others; a tab that takes the lead over goes
 * on with the same queue and event id. A lost queue is replaced by a new registration.
 */
export class Queue {
  readonly status = signal<Status>('starting');
  readonly leads = signal(false);
  #id: string | undefined;
  #last = -1;
  #loaded = false;
  /** A loop runs only while this number is its own. */
  #turn = 0;
  #wake: () => void = () => {};
  #polling: AbortController | undefined;
  #answeredAt = 0;
  #watch: Timer | undefined;
  #started = false;
  /** The poll was ended to ask at once. */
  #hurried = false;

  constructor(
    private readonly platform: Platform,
    private readonly api: Api,
    private readonly user: QueueUser,
  ) {}

  /** Id of the queue; undefined before the first registration and for visitors. */
  get id(): string | undefined {
    return this.#id;
  }

  get lastEventId(): number {
    return this.#last;
  }

  start(): void {
    if (this.#started) {
      this.#begin();
      return;
    }
    this.#started = true;
    const { tabs, online, visible } = this.platform;
    tabs.onMessage((message) => {
      if (isTabMessage(message)) this.#take(message);
    });
    effect(() => {
      if (online.value && visible.value) this.#hurry();
      else if (!online.value && this.status.peek() !== 'starting') this.#setStatus('offline');
    });
    this.#begin();
    tabs.lead(
      () => this.#lead(),
      () => this.#follow(),
    );
  }

  #begin(): void {
    if (this.leads.peek()) {
      this.#lead();
      return;
    }
    this.#post({ type: 'ask', from: this.platform.tabs.id });
    this.#watchLeader(FIRST_STATE_LIMIT_MS);
  }

  /** Ends polling; `start` begins again. */
  stop(): void {
    this.#turn++;
    this.#polling?.abort();
    this.#wake();
    this.#id = undefined;
    this.#loaded = false;
  }

  /** The session began or ended: the other tabs follow. */
  announceSession(signedIn: boolean): void {
    this.#post({ type: signedIn ? 'signed-in' : 'signed-out' });
  }

  #post(message: TabMessage): void {
    this.platform.tabs.post(message);
  }

  #setStatus(status: Status): void {
    if (this.status.peek() === status) return;
    this.status.value = status;
    if (this.leads.peek()) this.#post({ type: 'status', status });
  }

  #lead(): void {
    this.leads.value = true;
    if (this.#watch !== undefined) this.platform.clearTimer(this.#watch);
    void this.#run(++this.#turn);
  }

  #follow(): void {
    this.leads.value = false;
    this.#turn++;
    this.#polling?.abort();
    this.#wake();
    this.#watchLeader(LEADER_LIMIT_MS);
  }

  /** A leader that is silent for too long hangs: this tab takes over, unless the user doesn't see it. */
  #watchLeader(ms: number): void {
    const { platform } = this;
    if (this.#watch !== undefined) platform.clearTimer(this.#watch);
    this.#watch = platform.setTimer(() => {
      if (this.leads.peek()) return;
      if (platform.visible.peek()) platform.tabs.steal();
      this.#watchLeader(LEADER_LIMIT_MS);
    }, ms);
  }

  #take(message: TabMessage): void {
    if (message.type === 'signed-out' || message.type === 'signed-in') {
      this.user.sessionChanged(message.type === 'signed-in');
      return;
    }
    if (message.type === 'ask') {
      if (this.leads.peek() && this.#loaded) this.#postState(message.from);
      else if (this.leads.peek() && this.user.isSignedOut()) this.announceSession(false);
      return;
    }
    if (this.leads.peek()) return;
    if (message.type === 'state' && message.to !== '*' && message.to !== this.platform.tabs.id) return;
    this.#watchLeader(LEADER_LIMIT_MS);
    if (message.type === 'status') this.status.value = message.status;
    else if (message.type === 'state') {
      const again = this.#loaded;
      this.#id = message.queue;
      this.#last = message.last;
      this.#loaded = true;
      this.user.load(message.snapshot, again);
      this.status.value = message.status;
    } else if (message.queue === this.#id && message.after === this.#last) {
      this.#last = message.last;
      this.status.value = 'live';
      this.user.apply(message.events);
    } else if (message.queue !== this.#id || message.last > this.#last) {
      this.#post({ type: 'ask', from: this.platform.tabs.id });
    }
  }

  #postState(to: string): void {
    const [queue, last, status] = [this.#id, this.#last, this.status.peek()];
    this.#post({ type: 'state', to, queue, last, status, snapshot: this.user.save() });
  }

  async #run(turn: number): Promise<void> {
    let failures = 0;
    while (turn === this.#turn) {
      try {
        if (this.#id === undefined) {
          await this.#register(turn);
          // A visitor's registration makes no queue.
          if (turn === this.#turn && this.#id === undefined) {
            this.#setStatus('live');
            return;
          }
        } else await this.#poll(turn, failures > 0);
        failures = 0;
      } catch (error) {
        if (turn !== this.#turn) return;
        if (error instanceof ApiFailure && error.status === 401) return;
        if (isLost(error)) this.#id = undefined;
        failures++;
        if (this.#hurried) this.#hurried = false;
        else if (failures > 1 || !isLost(error)) await this.#pause(failures, error);
      }
    }
  }

  async #register(turn: number): Promise<void> {
    if (!this.#loaded && !(await this.user.mayRead())) {
      if (turn !== this.#turn) return;
      this.announceSession(false);
      this.user.sessionChanged(false);
      return;
    }
    const snapshot = (await this.api.post('/register', {
      apply_markdown: true,
      client_gravatar: false,
      slim_presence: true,
      include_subscribers: false,
      client_capabilities: CAPABILITIES,
      fetch_event_types: FETCHED,
    })) as Snapshot;
    if (turn !== this.#turn) return;
    const again = this.#loaded;
    this.#id = snapshot.queue_id ?? undefined;
    this.#last = snapshot.last_event_id ?? -1;
    this.#loaded = true;
    this.#answeredAt = this.platform.now();
    this.user.load(snapshot, again);
    this.#setStatus('live');
    this.#postState('*');
  }

  async #poll(turn: number, atOnce: boolean): Promise<void> {
    const queue_id = this.#id!;
    const polling = new AbortController();
    this.#polling = polling;
    const limit = this.platform.setTimer(() => polling.abort(new Unreachable('the poll hangs')), POLL_LIMIT_MS);
    try {
      const last_event_id = this.#last;
      const params = { queue_id, last_event_id, ...(atOnce ? { dont_block: true } : {}) };
      const answer = await this.api.get('/events', params, { signal: polling.signal });
      if (turn !== this.#turn) return;
      this.#answeredAt = this.platform.now();
      const events = answer.events as readonly QueueEvent[];
      const last = events.at(-1)?.id ?? last_event_id;
      this.#last = last;
      this.#setStatus('live');
      this.#post({ type: 'events', queue: queue_id, after: last_event_id, last, events });
      this.user.apply(events);
    } finally {
      this.platform.clearTimer(limit);
      this.#polling = undefined;
    }
  }

  async #pause(failures: number, error: unknown): Promise<void> {
    const { platform } = this;
    this.#setStatus(platform.online.peek() ? 'connecting' : 'offline');
    const asked = error instanceof ApiFailure ? error.retryAfterMs : undefined;
    const backoff = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10), MAX_PAUSE_MS);
    await new Promise<void>((resolve) => {
      const timer = platform.setTimer(resolve, asked ?? backoff * (0.5 + platform.random() / 2));
      this.#wake = () => {
        platform.clearTimer(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }

  /** The network is back, or the user: ends a pause, and a poll that has probably died in the meantime. */
  #hurry(): void {
    const offline = this.status.peek() === 'offline';
    // A visitor has no queue to ask.
    if (offline && this.#loaded && this.#id === undefined) this.#setStatus('live');
    if (this.#polling && (offline || this.platform.now() - this.#answeredAt > POLL_LIMIT_MS)) {
      this.#hurried = true;
      this.#polling.abort(new Unreachable('woken'));
    }
    this.#wake();
  }
}

/** The queue is gone, or its position is unknown; only a new registration helps. */
function isLost(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  return error.code === 'BAD_EVENT_QUEUE_ID' || /already been pruned|was not in this queue/.test(error.message);
}
