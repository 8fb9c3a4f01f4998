/** The connection on which a client holds its poll. */
import type { Answered } from '../support/http-answers.js';
import { HttpConnection, requestText } from '../support/http-connection.js';
import type { Client, Fields } from './client.js';
import { now } from './clock.js';
import { codeOf, failed, outcomeOf } from './pool.js';

/** Heartbeats come at least each minute. */
const LIMIT_MS = 100_000;
const RETRY_MS = [100, 5_000] as const;

export class PollLine {
  /** Written and not answered. */
  held = false;
  #connection: HttpConnection | undefined;
  #opening = false;
  /** The queue that the poll under way is of. */
  #asked = '';
  #fresh = true;
  #retryMs: number = RETRY_MS[0];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: Client) {}

  /** Holds a poll from now on. */
  ask(): void {
    const { client } = this;
    if (client.phase !== 'live' || this.held) return;
    if (!this.#connection) {
      void this.#open();
      return;
    }
    const { world, queue, last } = client;
    const path = `${world.setup.path}/api/v1/events?queue_id=${encodeURIComponent(queue)}&last_event_id=${last}`;
    this.held = true;
    this.#asked = queue;
    world.recorder.polls++;
    this.#connection.write(requestText('GET', path, client.headers));
    this.#arm(LIMIT_MS, () => this.#broken('timeout'));
  }

  /** Its queue is another from now on. */
  forget(): void {
    if (this.held) this.#disconnect();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#disconnect();
  }

  async #open(): Promise<void> {
    if (this.#opening) return;
    this.#opening = true;
    try {
      const connection = await HttpConnection.open(this.client.peer, true);
      connection.onAnswer = (answer) => this.#answered(answer);
      connection.onGone = (error) => this.#broken(codeOf(error));
      this.#connection = connection;
      this.#fresh = true;
      this.#opening = false;
      if (this.client.phase === 'stopped') this.#disconnect();
      else this.ask();
    } catch (error) {
      this.#opening = false;
      this.#failed(codeOf(error as Error));
    }
  }

  #answered(answer: Answered): void {
    const { client } = this;
    if (!this.held) return;
    this.held = false;
    this.#fresh = false;
    clearTimeout(this.#timer);
    if (answer.status === 200) {
      this.#retryMs = RETRY_MS[0];
      const { events } = JSON.parse(answer.body.toString()) as { readonly events: readonly Fields[] };
      client.received(events, now());
      if (/^connection: *close/im.test(answer.head)) this.#disconnect();
      this.ask();
      return;
    }
    const outcome = outcomeOf(answer);
    const code = client.world.refused('GET /events', outcome);
    if (code.endsWith('BAD_EVENT_QUEUE_ID')) {
      if (this.#asked === client.queue) client.lostQueue();
    } else this.#later(outcome.retryAfter === undefined ? undefined : outcome.retryAfter * 1_000);
  }

  /** An idle connection that the server closes, or a poll that never came back. */
  #broken(error: string): void {
    const { held } = this;
    const idle = !this.#fresh && error === 'connection closed';
    this.#disconnect();
    if (!held) return;
    if (idle) this.#later(0);
    else this.#failed(error);
  }

  #failed(error: string): void {
    if (this.client.phase === 'stopped') return;
    this.client.world.refused('GET /events', failed(error));
    this.#later();
  }

  #later(ms = this.#retryMs * (0.5 + Math.random())): void {
    this.#retryMs = Math.min(RETRY_MS[1], this.#retryMs * 2);
    this.#arm(ms, () => this.ask());
  }

  #arm(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }

  #disconnect(): void {
    clearTimeout(this.#timer);
    this.held = false;
    this.#connection?.close();
    this.#connection = undefined;
  }
}
