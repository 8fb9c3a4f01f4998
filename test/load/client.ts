/** Simulated client: registers, always has a waiting poll, and performs the actions of the mix. */

import type { Random } from '../cluster/scheduler.js';
import { type Peer, requestText } from '../support/http-connection.js';
import { now } from './clock.js';
import type { MixEntry } from './mix.js';
import { PollConnection } from './poll-connection.js';
import { type CallOutcome, TIMEOUT_ERROR } from './pool.js';
import type { Operation } from './protocol.js';
import { makeRandom, randomExponential, Schedule } from './schedule.js';
import { findToken } from './tokens.js';
import type { WorkerState } from './worker-state.js';

export interface SeenMessage {
  readonly id: number;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Encodes parameters as the API expects: strings as they are, other values as JSON. */
export function formText(fields: Fields): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return text.toString();
}

/** Shortest and longest delay before a failed registration is repeated, ms; the delay doubles each time. */
const RETRY_RANGE_MS = [250, 8_000] as const;

type Phase = 'new' | 'starting' | 'live' | 'stopped';

export class Client {
  phase: Phase = 'new';
  queue = '';
  /** Id of the last received event. */
  lastEventId = -1;
  readonly random: Random;
  readonly user: number;
  /** True for the first device of a user; the other devices only poll. */
  readonly active: boolean;
  /** Ids of received messages that the next `mark_read` names. */
  unread: number[] = [];
  readonly drafts: number[] = [];
  isChangingDraft = false;
  /** Number of messages sent so far; part of each message's token. */
  messages = 0;
  readonly headers: string;
  #pollConnection: PollConnection;
  #schedule: Schedule | undefined;
  #scheduleStart = 0;
  #retryMs: number = RETRY_RANGE_MS[0];

  constructor(
    readonly state: WorkerState,
    readonly index: number,
  ) {
    const { setup } = state;
    this.user = Math.floor(index / setup.devices);
    this.active = index % setup.devices === 0;
    this.random = makeRandom(setup.seed, index);
    const { email, key } = state.accounts[this.user]!;
    const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
    this.headers = `Host: ${setup.authority}\r\nUser-Agent: ${setup.mix.client}\r\nAuthorization: ${authorization}\r\n`;
    this.#pollConnection = new PollConnection(this);
  }

  /** Frontend that gets the client's polls. */
  get peer(): Peer {
    const { peers } = this.state.setup;
    return peers[this.index % peers.length]!;
  }

  get isPolling(): boolean {
    return this.#pollConnection.isPolling;
  }

  /** @param at intended start time */
  start(at: number): void {
    if (this.phase !== 'new') return;
    this.phase = 'starting';
    this.register(at);
  }

  /** Registers an event queue, at the load of a page or after the loss of a queue. */
  register(at: number): void {
    const asked = now();
    this.call(
      'POST /register',
      'POST',
      '/register',
      this.state.setup.mix.register,
      at,
      ({ status, body, retryAfter }) => {
        if (this.phase === 'stopped') return;
        const queue = status === 200 ? valueInJson(body, '"queue_id":"') : undefined;
        if (queue === undefined) {
          const wait = Math.max((retryAfter ?? 0) * 1_000, this.#retryMs * (0.5 + this.random.next()));
          this.#retryMs = Math.min(RETRY_RANGE_MS[1], this.#retryMs * 2);
          setTimeout(() => {
            if (this.phase !== 'stopped') this.register(now());
          }, wait);
          return;
        }
        this.#retryMs = RETRY_RANGE_MS[0];
        this.queue = queue;
        this.lastEventId = Number(valueInJson(body, '"last_event_id":') ?? -1);
        this.phase = 'live';
        this.state.recorder.recordQueueChange({ client: this.index, asked, since: now() });
        this.#pollConnection.startPoll();
        this.#fetchHistory();
        if (this.active && !this.#schedule) this.#startSchedule();
      },
    );
  }

  /** Deletes the queue; open calls end by themselves. */
  stop(): void {
    const previousPhase = this.phase;
    this.phase = 'stopped';
    this.#pollConnection.close();
    if (previousPhase !== 'live') return;
    this.state.recorder.recordQueueChange({ client: this.index, at: now() });
    this.call('DELETE /events', 'DELETE', '/events', { queue_id: this.queue }, now(), () => {});
  }

  /** Reloads the page: deletes the queue and registers another. */
  reload(at: number): void {
    if (this.phase !== 'live') return;
    const { queue } = this;
    this.#dropQueue();
    this.call('DELETE /events', 'DELETE', '/events', { queue_id: queue }, at, () => {});
    this.register(at);
  }

  /** Counts a queue that the server no longer knows, and registers another. */
  onQueueLost(): void {
    if (this.phase !== 'live') return;
    this.state.recorder.lostQueues++;
    this.#dropQueue();
    this.register(now());
  }

  /** Calls the API and counts errors. @param onResponse called after every outcome, also errors */
  call(
    operation: Operation,
    method: string,
    path: string,
    fields: Fields,
    intended: number,
    onResponse: (outcome: CallOutcome) => void,
  ): void {
    const { state } = this;
    const form = formText(fields);
    const inQuery = method === 'GET';
    const to = `${state.setup.path}/api/v1${path}${inQuery && form !== '' ? `?${form}` : ''}`;
    const text = requestText(method, to, this.headers, inQuery ? undefined : form);
    const written = now();
    state.recorder.requests++;
    state.pool.call(text, (outcome) => {
      // A refused connection has no latency: it would count as a fast response.
      if (outcome.error === undefined || outcome.error === TIMEOUT_ERROR) {
        state.recorder.recordResponse(operation, intended, written, now());
      }
      if (outcome.status !== 200) state.recordError(operation, outcome);
      onResponse(outcome);
    });
  }

  /** Processes the events of a poll, in order. */
  onEvents(events: readonly Fields[], at: number): void {
    const { recorder, setup } = this.state;
    for (const event of events) {
      const id = event.id as number;
      if (id <= this.lastEventId) continue;
      this.lastEventId = id;
      recorder.events++;
      if (event.type !== 'message') continue;
      const message = event.message as { readonly id: number; readonly content: string; readonly sender_id: number };
      const token = findToken(message.content, setup.run);
      if (!token) continue;
      recorder.recordDelivery(token.token, token.at, at);
      if (this.active && message.sender_id !== this.state.accounts[this.user]!.id) this.#scheduleReactions(message, at);
    }
  }

  /** Adds an action that reacts to a message, with the probability `chance`. */
  scheduleReaction(entry: MixEntry, chance: number, seen: SeenMessage, at: number): void {
    if (this.random.next() >= chance) return;
    if (entry.action === 'mark_read') {
      this.unread.push(seen.id);
      // One request marks all messages that arrive until then.
      if (this.unread.length > 1) return;
    }
    this.state.addTask(at + randomExponential(this.random, (entry.afterSeconds ?? 0) * 1_000), {
      client: this,
      entry,
      seen,
    });
  }

  /** Adds the next action of the client's own schedule. */
  planNext(): void {
    const next = this.#schedule?.next();
    if (next) this.state.addTask(this.#scheduleStart + next.at, { client: this, entry: next.entry, isPlanned: true });
  }

  #startSchedule(): void {
    this.#schedule = new Schedule(this.random, this.state.setup.mix);
    this.#scheduleStart = now();
    this.planNext();
  }

  #scheduleReactions(message: SeenMessage, at: number): void {
    for (const entry of this.state.onReceived) this.scheduleReaction(entry, entry.perReceived!, message, at);
  }

  #dropQueue(): void {
    this.state.recorder.recordQueueChange({ client: this.index, at: now() });
    this.phase = 'starting';
    this.#pollConnection.abandon();
  }

  #fetchHistory(): void {
    const { history } = this.state.setup.mix;
    if (history === 0) return;
    const half = Math.ceil(history / 2);
    const range = { anchor: 'first_unread', num_before: half, num_after: history - half, client_gravatar: true };
    this.call('GET /messages (start)', 'GET', '/messages', range, now(), () => {});
  }
}

/**
 * Finds the value of a key without parsing megabytes of JSON. The key includes its quotes, which JSON escapes inside
 * strings, so the first match is the key.
 */
function valueInJson(body: Buffer, key: string): string | undefined {
  const at = body.indexOf(key);
  if (at < 0) return undefined;
  const start = at + key.length;
  let end = start;
  // Queue ids contain no quotes; a number ends at a comma or brace.
  while (end < body.length && !'",}'.includes(String.fromCharCode(body[end]!))) end++;
  return body.toString('utf8', start, end).trim();
}
