/**
 * Appends to JetStream, with one inbox for all answers. The appends of one event-loop turn are one write to the socket,
 * and their answers come in one read. The client library's own requests (an Error, a timer and a write each) cost
 * several times as much.
 */
import { createInbox, type Msg, type NatsConnection } from 'nats';
import { type Clock, TimerWheel, type TimerWheelEntry } from '#base/clock';
import { crashOnThrow } from '#ports/nats';
import { EventLogUnavailableError } from './log.js';

const NATS_NO_RESPONDERS_STATUS = 503;

class InFlightAppend implements TimerWheelEntry {
  timerWheelBucket: Set<TimerWheelEntry> | undefined;

  constructor(
    private readonly owner: JetStreamAppendRequests,
    readonly id: string,
    readonly subject: string,
    readonly data: Uint8Array,
    readonly resolve: (answer: Uint8Array) => void,
    readonly reject: (error: Error) => void,
  ) {}

  expire(): void {
    this.owner.failAppend(this, new EventLogUnavailableError('JetStream did not answer in time'));
  }
}

export class JetStreamAppendRequests {
  readonly #nats: NatsConnection;
  readonly #answerDeadlines: TimerWheel;
  readonly #timeoutMs: number;
  readonly #answerInbox = createInbox();
  readonly #inFlightById = new Map<string, InFlightAppend>();
  #unsentAppends: InFlightAppend[] = [];
  #isSubscribedToInbox = false;
  #nextAppendId = 0;

  /** Prepares appends over a connection. @param timeoutMs time limit for each answer of the server */
  constructor(nats: NatsConnection, clock: Clock, timeoutMs: number) {
    this.#nats = nats;
    this.#answerDeadlines = new TimerWheel(clock);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends an append. Resolves with the server's answer.
   * @throws EventLogUnavailableError with an unknown outcome
   */
  sendAppend(subject: string, data: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const append = new InFlightAppend(this, (this.#nextAppendId++).toString(36), subject, data, resolve, reject);
      this.#inFlightById.set(append.id, append);
      this.#answerDeadlines.addAfter(append, this.#timeoutMs);
      this.#unsentAppends.push(append);
      if (this.#unsentAppends.length === 1) setImmediate(() => this.#publishUnsentAppends());
    });
  }

  /** Fails all appends in flight: the connection is lost. */
  failAllAppendsInFlight(): void {
    for (const append of [...this.#inFlightById.values()]) {
      this.failAppend(append, new EventLogUnavailableError('the connection to NATS was lost'));
    }
  }

  /** Fails one append in flight. @internal */
  failAppend(append: InFlightAppend, error: Error): void {
    this.#removeInFlight(append);
    append.reject(error);
  }

  #removeInFlight(append: InFlightAppend): void {
    this.#inFlightById.delete(append.id);
    this.#answerDeadlines.remove(append);
  }

  #publishUnsentAppends(): void {
    const waiting = this.#unsentAppends;
    this.#unsentAppends = [];
    for (const append of waiting) {
      if (!this.#inFlightById.has(append.id)) continue;
      try {
        this.#subscribeToInboxOnce();
        this.#nats.publish(append.subject, append.data, { reply: `${this.#answerInbox}.${append.id}` });
      } catch (error) {
        // The connection is closed for good.
        this.failAppend(append, new EventLogUnavailableError(`NATS: ${(error as Error).message}`));
      }
    }
  }

  /** Subscribes to the inbox for answers, once: the client library renews subscriptions when it reconnects. */
  #subscribeToInboxOnce(): void {
    if (this.#isSubscribedToInbox) return;
    this.#nats.subscribe(`${this.#answerInbox}.*`, {
      callback: (error, message) => {
        crashOnThrow(() => {
          if (error) throw error;
          this.#handleAnswer(message);
        });
      },
    });
    this.#isSubscribedToInbox = true;
  }

  #handleAnswer({ subject, headers, data }: Msg): void {
    const append = this.#inFlightById.get(subject.slice(this.#answerInbox.length + 1));
    if (!append) return;
    if (headers?.code === NATS_NO_RESPONDERS_STATUS) {
      this.failAppend(append, new EventLogUnavailableError('NATS: no JetStream stream stores the log'));
      return;
    }
    this.#removeInFlight(append);
    append.resolve(data);
  }
}
