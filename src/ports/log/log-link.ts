/**
 * The event log between the processes of one server: a worker's half (`LinkEventLog`), and the half of the process that
 * has the log (`serveEventLogOverLink`).
 */
import type { Json } from '#base';
import { type LogSeq, type RealmId, toLogSeq } from '#model';
import { packJsonToBuffer, unpackJson } from '#ports/store';
import type { LinkMessage, ProcessLink } from '#ports/wire';
import { decodeLogEntry, encodeLogEntry } from './entry-codec.js';
import {
  type EventLog,
  type EventLogBounds,
  type EventLogReader,
  type EventLogSubscription,
  EventLogUnavailableError,
} from './log.js';

/** Channel of a link on which the messages of the log travel. */
const LOG_LINK_CHANNEL = 2;

/**
 * First value of each message, and the values that follow. `call` is the number of a call that waits for `result` or
 * `failure`.
 * - of the worker: append: call, realm, value; bounds: call, realm; subscribe: subscription, realm, position;
 *   unsubscribe: subscription; catchUp: call, subscription; transient: realm, value
 * - of the other half: result: call, value; failure: call, text; entry: subscription, position, bytes of the value;
 *   published: subscription, value; gap: subscription, position
 */
const LOG_LINK_MESSAGE = {
  append: 0,
  bounds: 1,
  subscribe: 2,
  unsubscribe: 3,
  catchUp: 4,
  transient: 5,
  result: 6,
  failure: 7,
  entry: 8,
  published: 9,
  gap: 10,
} as const;

interface PendingLogCall {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: Error) => void;
}

class LinkEventLogSubscription implements EventLogSubscription {
  constructor(
    private readonly log: LinkEventLog,
    readonly id: number,
    readonly reader: EventLogReader,
    public position: LogSeq,
  ) {}

  waitUntilCaughtUp(): Promise<LogSeq> {
    return this.log.waitUntilSubscriptionCaughtUp(this.id);
  }

  close(): void {
    this.log.closeSubscription(this.id);
  }
}

/** The event log of a worker. */
export class LinkEventLog implements EventLog {
  readonly #subscriptionsById = new Map<number, LinkEventLogSubscription>();
  readonly #pendingCallsByNumber = new Map<number, PendingLogCall>();
  #lastSubscriptionId = 0;
  #lastCallNumber = 0;
  #closed = false;

  constructor(private readonly link: ProcessLink) {
    link.setHandler(LOG_LINK_CHANNEL, (message) => this.#handleMessage(message));
    link.onClose(() => this.#failAllCalls());
  }

  append(realm: RealmId, value: Json): Promise<LogSeq> {
    // The value is encoded now, so that later changes by its caller have no effect.
    return this.#call(LOG_LINK_MESSAGE.append, realm, packJsonToBuffer(value)) as Promise<LogSeq>;
  }

  publishTransient(realm: RealmId, value: Json): void {
    this.link.send(LOG_LINK_CHANNEL, [LOG_LINK_MESSAGE.transient, realm, value]);
  }

  async readBounds(realm: RealmId): Promise<EventLogBounds> {
    return (await this.#call(LOG_LINK_MESSAGE.bounds, realm)) as unknown as EventLogBounds;
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    if (this.#isUnavailable) throw new EventLogUnavailableError('the log is closed');
    const subscription = new LinkEventLogSubscription(this, ++this.#lastSubscriptionId, reader, after);
    this.#subscriptionsById.set(subscription.id, subscription);
    this.link.send(LOG_LINK_CHANNEL, [LOG_LINK_MESSAGE.subscribe, subscription.id, realm, after]);
    return subscription;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const id of [...this.#subscriptionsById.keys()]) this.closeSubscription(id);
    this.#failAllCalls();
  }

  /** @internal */
  async waitUntilSubscriptionCaughtUp(id: number): Promise<LogSeq> {
    if (!this.#subscriptionsById.has(id)) throw new EventLogUnavailableError('the subscription is closed');
    return (await this.#call(LOG_LINK_MESSAGE.catchUp, id)) as LogSeq;
  }

  /** @internal */
  closeSubscription(id: number): void {
    if (this.#subscriptionsById.delete(id)) this.link.send(LOG_LINK_CHANNEL, [LOG_LINK_MESSAGE.unsubscribe, id]);
  }

  get #isUnavailable(): boolean {
    return this.#closed || !this.link.isOpen;
  }

  #call(kind: number, ...args: LinkMessage): Promise<Json> {
    if (this.#isUnavailable) return Promise.reject(new EventLogUnavailableError('the log is closed'));
    const n = ++this.#lastCallNumber;
    return new Promise((resolve, reject) => {
      this.#pendingCallsByNumber.set(n, { resolve, reject });
      this.link.send(LOG_LINK_CHANNEL, [kind, n, ...args]);
    });
  }

  #takeCall(n: number): PendingLogCall | undefined {
    const call = this.#pendingCallsByNumber.get(n);
    this.#pendingCallsByNumber.delete(n);
    return call;
  }

  #failAllCalls(): void {
    for (const { reject } of this.#pendingCallsByNumber.values())
      reject(new EventLogUnavailableError('the log is closed'));
    this.#pendingCallsByNumber.clear();
  }

  #handleMessage([kind, first, second, third]: LinkMessage): void {
    switch (kind) {
      case LOG_LINK_MESSAGE.result:
        this.#takeCall(first as number)?.resolve(second as Json);
        return;
      case LOG_LINK_MESSAGE.failure:
        this.#takeCall(first as number)?.reject(new EventLogUnavailableError(second as string));
        return;
    }
    const subscription = this.#subscriptionsById.get(first as number);
    if (!subscription) return;
    switch (kind) {
      case LOG_LINK_MESSAGE.entry:
        subscription.position = toLogSeq(second as number);
        subscription.reader.onEntry(subscription.position, decodeLogEntry(third as Uint8Array));
        return;
      case LOG_LINK_MESSAGE.published:
        subscription.reader.onTransient(second as Json);
        return;
      case LOG_LINK_MESSAGE.gap:
        subscription.position = toLogSeq(second as number);
        subscription.reader.onGap(subscription.position);
    }
  }
}

/** Encodes each entry once, although several workers get it. */
class NewestEntryEncoder {
  #value: Json | undefined;
  #bytes: Buffer | undefined;

  /**
   * Encodes the entry, unless it was encoded last: the log delivers an entry to all subscriptions before the next one.
   * Bytes of earlier entries are not kept, because each may keep a buffer of 64 KiB that the encoder shares out.
   */
  encode(value: Json): Buffer {
    if (this.#bytes === undefined || this.#value !== value) {
      this.#bytes = encodeLogEntry(value);
      this.#value = value;
    }
    return this.#bytes;
  }
}

const newestEntryEncoder = new NewestEntryEncoder();

/** Serves a log to the process at the other end of a link; ends its subscriptions when the link closes. */
export function serveEventLogOverLink(link: ProcessLink, log: EventLog): void {
  const subscriptionsById = new Map<number, EventLogSubscription>();
  const send = (...message: LinkMessage): void => link.send(LOG_LINK_CHANNEL, message);
  const answer = (call: Json, result: Promise<Json>): void => {
    result.then(
      (value) => send(LOG_LINK_MESSAGE.result, call, value),
      (error: Error) => send(LOG_LINK_MESSAGE.failure, call, error.message),
    );
  };
  const subscribe = (id: number, realm: RealmId, after: LogSeq): void => {
    const reader: EventLogReader = {
      onEntry: (at, value) => send(LOG_LINK_MESSAGE.entry, id, at, newestEntryEncoder.encode(value)),
      onTransient: (value) => send(LOG_LINK_MESSAGE.published, id, value),
      onGap: (trimmed) => send(LOG_LINK_MESSAGE.gap, id, trimmed),
    };
    subscriptionsById.set(id, log.subscribe(realm, after, reader));
  };
  link.setHandler(LOG_LINK_CHANNEL, ([kind, first, second, third]) => {
    switch (kind) {
      case LOG_LINK_MESSAGE.append:
        answer(first!, log.append(second as RealmId, unpackJson(third as Uint8Array)));
        return;
      case LOG_LINK_MESSAGE.bounds:
        answer(first!, log.readBounds(second as RealmId) as unknown as Promise<Json>);
        return;
      case LOG_LINK_MESSAGE.subscribe:
        subscribe(first as number, second as RealmId, third as LogSeq);
        return;
      case LOG_LINK_MESSAGE.unsubscribe:
        subscriptionsById.get(first as number)?.close();
        subscriptionsById.delete(first as number);
        return;
      case LOG_LINK_MESSAGE.catchUp: {
        const subscription = subscriptionsById.get(second as number);
        const closed = () => Promise.reject(new EventLogUnavailableError('the subscription is closed'));
        answer(first!, subscription ? subscription.waitUntilCaughtUp() : closed());
        return;
      }
      case LOG_LINK_MESSAGE.transient:
        log.publishTransient(first as RealmId, second as Json);
    }
  });
  link.onClose(() => {
    for (const subscription of subscriptionsById.values()) subscription.close();
    subscriptionsById.clear();
  });
}
