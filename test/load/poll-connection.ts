/** Connection for the polls of one client. */
import type { Answered } from '../support/http-answers.js';
import { HttpConnection, requestText } from '../support/http-connection.js';
import type { Client, Fields } from './client.js';
import { now } from './clock.js';
import { errorCodeOf, makeFailedOutcome, outcomeOf } from './pool.js';

/** Timeout of a poll, ms; the server sends a heartbeat at least every 60 s. */
const POLL_TIMEOUT_MS = 100_000;
/** Shortest and longest delay before a failed poll is repeated, ms; the delay doubles each time. */
const RETRY_RANGE_MS = [100, 5_000] as const;

export class PollConnection {
  /** True while a poll has no response. */
  isPolling = false;
  #connection: HttpConnection | undefined;
  #isOpening = false;
  /** Queue of the open poll. */
  #polledQueue = '';
  #isUnused = true;
  #retryMs: number = RETRY_RANGE_MS[0];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: Client) {}

  /** Sends a poll; opens the connection first if necessary. */
  startPoll(): void {
    const { client } = this;
    if (client.phase !== 'live' || this.isPolling) return;
    if (!this.#connection) {
      void this.#open();
      return;
    }
    const { state, queue, lastEventId } = client;
    const path = `${state.setup.path}/api/v1/events?queue_id=${encodeURIComponent(queue)}&last_event_id=${lastEventId}`;
    this.isPolling = true;
    this.#polledQueue = queue;
    state.recorder.polls++;
    this.#connection.write(requestText('GET', path, client.headers));
    this.#setTimer(POLL_TIMEOUT_MS, () => this.#onClosed('timeout'));
  }

  /** Closes the connection of an open poll, because the client has another queue. */
  abandon(): void {
    if (this.isPolling) this.#disconnect();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#disconnect();
  }

  async #open(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    try {
      const connection = await HttpConnection.open(this.client.peer, true);
      connection.onAnswer = (response) => this.#onResponse(response);
      connection.onGone = (error) => this.#onClosed(errorCodeOf(error));
      this.#connection = connection;
      this.#isUnused = true;
      this.#isOpening = false;
      if (this.client.phase === 'stopped') this.#disconnect();
      else this.startPoll();
    } catch (error) {
      this.#isOpening = false;
      this.#reportError(errorCodeOf(error as Error));
    }
  }

  #onResponse(response: Answered): void {
    const { client } = this;
    if (!this.isPolling) return;
    this.isPolling = false;
    this.#isUnused = false;
    clearTimeout(this.#timer);
    if (response.status === 200) {
      this.#retryMs = RETRY_RANGE_MS[0];
      const { events } = JSON.parse(response.body.toString()) as { readonly events: readonly Fields[] };
      client.onEvents(events, now());
      if (/^connection: *close/im.test(response.head)) this.#disconnect();
      this.startPoll();
      return;
    }
    const outcome = outcomeOf(response);
    const code = client.state.recordError('GET /events', outcome);
    if (code.endsWith('BAD_EVENT_QUEUE_ID')) {
      if (this.#polledQueue === client.queue) client.onQueueLost();
    } else this.#retryLater(outcome.retryAfter === undefined ? undefined : outcome.retryAfter * 1_000);
  }

  /** Handles a closed connection or a timeout. A poll is repeated if the server closed a reused idle connection. */
  #onClosed(error: string): void {
    const { isPolling } = this;
    const wasIdle = !this.#isUnused && error === 'connection closed';
    this.#disconnect();
    if (!isPolling) return;
    if (wasIdle) this.#retryLater(0);
    else this.#reportError(error);
  }

  #reportError(error: string): void {
    if (this.client.phase === 'stopped') return;
    this.client.state.recordError('GET /events', makeFailedOutcome(error));
    this.#retryLater();
  }

  #retryLater(ms = this.#retryMs * (0.5 + Math.random())): void {
    this.#retryMs = Math.min(RETRY_RANGE_MS[1], this.#retryMs * 2);
    this.#setTimer(ms, () => this.startPoll());
  }

  #setTimer(ms: number, onTimeout: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(onTimeout, ms);
  }

  #disconnect(): void {
    clearTimeout(this.#timer);
    this.isPolling = false;
    this.#connection?.close();
    this.#connection = undefined;
  }
}
