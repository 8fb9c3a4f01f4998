import { randomBytes } from 'node:crypto';
import type { Json } from '#base';
import type { Clock } from '#base/clock';
import { type Deadline, Deadlines } from '#base/clock';
import { type Bus, BusError, type BusFailure, type BusRequest, type BusServer, type PendingReply } from './bus.js';
import { type LocalFrame, LocalHub, type LocalServer } from './bus-local-hub.js';
import { Held } from './held.js';
import { ServedHints } from './served-hints.js';

const NOT_HELD: readonly LocalHeld[] = [];

class Pending implements Deadline, PendingReply {
  readonly reply: Promise<Json>;
  bucket: Set<Deadline> | undefined;
  settled = false;
  /** One, or several when a frame was delivered twice. */
  held: readonly LocalHeld[] = NOT_HELD;
  resolve!: (value: Json) => void;
  reject!: (error: BusError) => void;

  constructor(
    readonly bus: LocalBus,
    readonly subject: string,
    readonly value: Json,
  ) {
    this.reply = new Promise<Json>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  cancel(): void {
    this.bus.cancel(this);
  }

  expire(): void {
    this.bus.settle(this, 'timeout');
    // The server knows the deadline too: no frame is needed to tell it.
    for (const held of this.held) held.cancel();
  }
}

class LocalHeld extends Held {
  constructor(
    readonly server: LocalBus,
    readonly pending: Pending,
  ) {
    super(pending.value, pending.bus.id);
  }

  protected override answered(value: Json): void {
    this.server.answer(this, value);
  }

  protected override released(): void {
    this.server.forget(this);
  }
}

/** In-process Bus. Values travel by reference; hand-over happens in a microtask, so no caller is ever re-entered. */
export class LocalBus implements Bus {
  readonly id: string;
  readonly #hub: LocalHub;
  readonly #deadlines: Deadlines;
  readonly #servers = new Set<LocalServer>();
  readonly #pending = new Set<Pending>();
  readonly #held = new Set<LocalHeld>();
  readonly #reconnect: (() => void)[] = [];
  readonly #hints = new ServedHints();
  #requests: Pending[] = [];
  #replies: [LocalHeld, Json][] = [];
  #cancels: LocalHeld[] = [];
  #scheduled = false;
  #closed = false;
  #connected = true;

  constructor(clock: Clock, hub = new LocalHub(), id: string = randomBytes(12).toString('hex')) {
    this.id = id;
    this.#hub = hub;
    this.#deadlines = new Deadlines(clock);
    hub.join(this);
  }

  get connected(): boolean {
    return this.#connected && !this.#closed;
  }

  async serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServer> {
    if (this.#closed) throw new BusError('disconnected', 'the bus is closed');
    const server: LocalServer = { subject, bus: this, handler };
    this.#servers.add(server);
    this.#hub.add(server);
    return {
      close: async () => {
        this.#servers.delete(server);
        this.#hub.remove(server);
      },
    };
  }

  request(subject: string, value: Json, deadlineMs: number): PendingReply {
    const pending = new Pending(this, subject, value);
    if (this.connected) {
      this.#pending.add(pending);
      this.#deadlines.add(pending, deadlineMs);
      this.#requests.push(pending);
      this.#schedule();
    } else {
      pending.settled = true;
      pending.reject(new BusError('disconnected'));
    }
    return pending;
  }

  onServed(fn: (subject: string) => void): void {
    this.#hints.listen(fn);
  }

  /** @internal */
  served(subject: string): void {
    queueMicrotask(() => {
      if (this.connected) this.#hints.told([subject]);
    });
  }

  onReconnect(fn: () => void): void {
    this.#reconnect.push(fn);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#flush();
    this.crash();
  }

  /** @internal */
  crash(): void {
    this.#closed = true;
    this.#deadlines.clear();
    for (const server of this.#servers) this.#hub.remove(server);
    this.#servers.clear();
    this.#drop();
    this.#hub.leave(this);
  }

  /** @internal */
  setConnected(connected: boolean): void {
    if (this.#closed || connected === this.#connected) return;
    this.#connected = connected;
    if (connected) for (const fn of this.#reconnect) fn();
    else this.#drop();
  }

  /** Nothing was heard of this server for long: what it was asked fails with unknown outcome. @internal */
  silent(server: string): void {
    for (const pending of [...this.#pending]) {
      const there = pending.held.filter((held) => held.server.id === server);
      if (there.length === 0) continue;
      this.settle(pending, 'timeout');
      for (const held of there) held.cancel();
    }
  }

  /** Both sides of everything under way learn that the other is gone. */
  #drop(): void {
    this.#requests = [];
    this.#replies = [];
    this.#cancels = [];
    for (const pending of [...this.#pending]) {
      this.settle(pending, 'disconnected');
      for (const held of pending.held) held.cancel();
    }
    for (const held of this.#held) {
      held.abandon();
      held.pending.bus.settle(held.pending, 'disconnected');
    }
    this.#held.clear();
  }

  /** @internal */
  settle(pending: Pending, outcome: BusFailure | 'cancelled' | { value: Json }): void {
    if (pending.settled) return;
    pending.settled = true;
    this.#pending.delete(pending);
    this.#deadlines.remove(pending);
    if (outcome === 'cancelled') return;
    if (typeof outcome === 'object') pending.resolve(outcome.value);
    else pending.reject(new BusError(outcome));
  }

  /** @internal */
  answer(held: LocalHeld, value: Json): void {
    this.#held.delete(held);
    if (!this.connected) return;
    this.#replies.push([held, value]);
    this.#schedule();
  }

  /** @internal */
  forget(held: LocalHeld): void {
    this.#held.delete(held);
  }

  /** @internal */
  cancel(pending: Pending): void {
    if (pending.settled) return;
    this.settle(pending, 'cancelled');
    for (const held of pending.held) this.#cancels.push(held);
    if (pending.held.length > 0) this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const requests = this.#requests;
    const replies = this.#replies;
    const cancels = this.#cancels;
    this.#requests = [];
    this.#replies = [];
    this.#cancels = [];
    // Each is empty in most flushes.
    if (replies.length > 0) this.#sendReplies(replies);
    if (requests.length > 0) this.#sendRequests(requests);
    if (cancels.length > 0) this.#sendCancels(cancels);
  }

  #sendReplies(replies: [LocalHeld, Json][]): void {
    for (const [id, group] of groupBy(replies, ([held]) => held.from)) {
      const pendings = group.map(([{ pending }]) => pending);
      this.#frame('reply', id, '', pendings, () => {
        for (const [held, value] of group) held.pending.bus.settle(held.pending, { value });
      });
    }
  }

  #sendRequests(requests: Pending[]): void {
    for (const [subject, group] of groupBy(
      requests.filter((p) => !p.settled),
      (p) => p.subject,
    )) {
      const to = this.#hub.find(subject)?.bus.id ?? '';
      this.#frame('request', to, subject, group, () => this.#deliver(subject, group));
    }
  }

  #sendCancels(cancels: LocalHeld[]): void {
    for (const [id, group] of groupBy(cancels, (held) => held.server.id)) {
      const cancel = (): void => {
        for (const held of group) held.cancel();
      };
      this.#hub.hook({ kind: 'cancel', from: this.id, to: id, subject: '', count: group.length }, cancel, cancel);
    }
  }

  #frame(
    kind: LocalFrame['kind'],
    to: string,
    subject: string,
    pendings: readonly Pending[],
    deliver: () => void,
  ): void {
    const frame: LocalFrame = { kind, from: this.id, to, subject, count: pendings.length, requests: pendings };
    this.#hub.hook(frame, deliver, () => {
      for (const pending of pendings) pending.bus.settle(pending, 'timeout');
    });
  }

  #deliver(subject: string, group: Pending[]): void {
    const server = this.#hub.find(subject);
    for (const pending of group) {
      if (server) server.bus.#take(server, pending);
      else this.settle(pending, 'nobody');
    }
  }

  #take(server: LocalServer, pending: Pending): void {
    const held = new LocalHeld(this, pending);
    if (pending.settled) {
      // Given up while the frame was under way: the server does the work, as it would across a network.
      held.cancel();
    } else {
      pending.held = [...pending.held, held];
      this.#held.add(held);
    }
    try {
      server.handler(held);
    } catch (error) {
      // A bug of the handler must end the process loudly, but not take the rest of the frame with it.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
}
