/**
 * Appends: published with one inbox for all answers. What is appended in one turn of the loop is one write to the socket, and the
 * answers come in one read. The client library's own requests (an Error, a timer and a write each) cost several times as much.
 */
import { createInbox, type Msg, type NatsConnection } from 'nats';
import type { Clock } from '#base/clock';
import { type Deadline, Deadlines } from '#base/clock';
import { loudly } from '#ports/bus';
import { LogUnavailable } from './log.js';

const NO_RESPONDERS = 503;

class Append implements Deadline {
  bucket: Set<Deadline> | undefined;

  constructor(
    private readonly owner: Appends,
    readonly id: string,
    readonly subject: string,
    readonly data: Uint8Array,
    readonly resolve: (answer: Uint8Array) => void,
    readonly reject: (error: Error) => void,
  ) {}

  expire(): void {
    this.owner.fail(this, new LogUnavailable('JetStream did not answer in time'));
  }
}

export class Appends {
  readonly #nats: NatsConnection;
  readonly #deadlines: Deadlines;
  readonly #patience: number;
  readonly #inbox = createInbox();
  readonly #underWay = new Map<string, Append>();
  #waiting: Append[] = [];
  #listening = false;
  #count = 0;

  /** @param patience milliseconds until an answer is not waited for any longer */
  constructor(nats: NatsConnection, clock: Clock, patience: number) {
    this.#nats = nats;
    this.#deadlines = new Deadlines(clock);
    this.#patience = patience;
  }

  /** Resolves with what the server answers. Rejects with LogUnavailable; whether it was stored is open then. */
  send(subject: string, data: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const append = new Append(this, (this.#count++).toString(36), subject, data, resolve, reject);
      this.#underWay.set(append.id, append);
      this.#deadlines.add(append, this.#patience);
      this.#waiting.push(append);
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** The connection is gone. */
  lost(): void {
    for (const append of [...this.#underWay.values()]) {
      this.fail(append, new LogUnavailable('the connection to NATS was lost'));
    }
  }

  /** @internal */
  fail(append: Append, error: Error): void {
    this.#over(append);
    append.reject(error);
  }

  #over(append: Append): void {
    this.#underWay.delete(append.id);
    this.#deadlines.remove(append);
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const append of waiting) {
      if (!this.#underWay.has(append.id)) continue;
      try {
        this.#listen();
        this.#nats.publish(append.subject, append.data, { reply: `${this.#inbox}.${append.id}` });
      } catch (error) {
        // Closed.
        this.fail(append, new LogUnavailable(`NATS: ${(error as Error).message}`));
      }
    }
  }

  /** Once: the client library subscribes again whenever it connects anew. */
  #listen(): void {
    if (this.#listening) return;
    this.#nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        loudly(() => {
          if (error) throw error;
          this.#answered(message);
        });
      },
    });
    this.#listening = true;
  }

  #answered({ subject, headers, data }: Msg): void {
    const append = this.#underWay.get(subject.slice(this.#inbox.length + 1));
    if (!append) return;
    if (headers?.code === NO_RESPONDERS) {
      this.fail(append, new LogUnavailable('NATS: no JetStream takes entries of the log'));
      return;
    }
    this.#over(append);
    append.resolve(data);
  }
}
