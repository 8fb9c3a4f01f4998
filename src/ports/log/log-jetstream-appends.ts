/**
 * Appends to JetStream, with one inbox for all answers. The appends of one event-loop turn are one write to the socket,
 * and their answers come in one read. The client library's own requests (an Error, a timer and a write each) cost
 * several times as much.
 */
import { createInbox, type Msg, type NatsConnection } from 'nats';
import { type Clock, TimerWheel, type TimerWheelEntry } from '#base/clock';
import { crashOnThrow } from '#ports/nats';
import { EventLogUnavailableError } from './log.js';

const NO_RESPONDERS = 503;

class AppendRequest implements TimerWheelEntry {
  bucket: Set<TimerWheelEntry> | undefined;

  constructor(
    private readonly owner: JetStreamAppendRequests,
    readonly id: string,
    readonly subject: string,
    readonly data: Uint8Array,
    readonly resolve: (answer: Uint8Array) => void,
    readonly reject: (error: Error) => void,
  ) {}

  expire(): void {
    this.owner.fail(this, new EventLogUnavailableError('JetStream did not answer in time'));
  }
}

export class JetStreamAppendRequests {
  readonly #nats: NatsConnection;
  readonly #deadlines: TimerWheel;
  readonly #timeoutMs: number;
  readonly #inbox = createInbox();
  readonly #inFlight = new Map<string, AppendRequest>();
  #waiting: AppendRequest[] = [];
  #listening = false;
  #count = 0;

  /** Prepares appends over a connection. @param timeoutMs time limit for each answer of the server */
  constructor(nats: NatsConnection, clock: Clock, timeoutMs: number) {
    this.#nats = nats;
    this.#deadlines = new TimerWheel(clock);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends an append. Resolves with the server's answer.
   * @throws EventLogUnavailableError with an unknown outcome
   */
  send(subject: string, data: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const append = new AppendRequest(this, (this.#count++).toString(36), subject, data, resolve, reject);
      this.#inFlight.set(append.id, append);
      this.#deadlines.addAfter(append, this.#timeoutMs);
      this.#waiting.push(append);
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** Fails all appends in flight: the connection is lost. */
  connectionLost(): void {
    for (const append of [...this.#inFlight.values()]) {
      this.fail(append, new EventLogUnavailableError('the connection to NATS was lost'));
    }
  }

  /** Fails one append in flight. @internal */
  fail(append: AppendRequest, error: Error): void {
    this.#remove(append);
    append.reject(error);
  }

  #remove(append: AppendRequest): void {
    this.#inFlight.delete(append.id);
    this.#deadlines.remove(append);
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const append of waiting) {
      if (!this.#inFlight.has(append.id)) continue;
      try {
        this.#listen();
        this.#nats.publish(append.subject, append.data, { reply: `${this.#inbox}.${append.id}` });
      } catch (error) {
        // The connection is closed for good.
        this.fail(append, new EventLogUnavailableError(`NATS: ${(error as Error).message}`));
      }
    }
  }

  /** Subscribes to the inbox for answers, once: the client library renews subscriptions when it reconnects. */
  #listen(): void {
    if (this.#listening) return;
    this.#nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        crashOnThrow(() => {
          if (error) throw error;
          this.#answered(message);
        });
      },
    });
    this.#listening = true;
  }

  #answered({ subject, headers, data }: Msg): void {
    const append = this.#inFlight.get(subject.slice(this.#inbox.length + 1));
    if (!append) return;
    if (headers?.code === NO_RESPONDERS) {
      this.fail(append, new EventLogUnavailableError('NATS: no JetStream stream stores the log'));
      return;
    }
    this.#remove(append);
    append.resolve(data);
  }
}
