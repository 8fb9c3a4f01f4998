import type { BusRequest } from './bus.js';
import type { LocalBus } from './bus-local.js';

/** One hand-over between two clients of a hub: everything of one tick with the same destination. */
export interface LocalFrame {
  readonly kind: 'request' | 'reply' | 'cancel';
  /** Client that sends. */
  readonly from: string;
  /** Client that receives; '' for requests to a subject that nobody serves. */
  readonly to: string;
  /** Subject of the requests; '' for replies and cancels. */
  readonly subject: string;
  /** Requests, replies or cancels in it. */
  readonly count: number;
}

/** Every frame passes through: call `deliver` now, later, twice or never. */
export type LocalHook = (frame: LocalFrame, deliver: () => void) => void;

/** What the clients of one process share: who serves what. Knows no time and loses nothing by itself. */
export class LocalHub {
  readonly #servers = new Map<string, LocalServer[]>();
  readonly #clients = new Map<string, LocalBus>();
  hook: LocalHook;

  constructor(hook: LocalHook = (_frame, deliver) => deliver()) {
    this.hook = hook;
  }

  /** As if the process behind this client had been killed: nothing of it is answered, nothing it held stays held. */
  crash(id: string): void {
    this.#clients.get(id)?.crash();
  }

  /** As if the client had lost (or got back) its connection: what it has under way fails with 'disconnected'. */
  setConnected(id: string, connected: boolean): void {
    this.#clients.get(id)?.setConnected(connected);
  }

  /** @internal */
  join(bus: LocalBus): void {
    this.#clients.set(bus.id, bus);
  }

  /** @internal */
  leave(bus: LocalBus): void {
    this.#clients.delete(bus.id);
  }

  /** @internal */
  add(server: LocalServer): void {
    const list = this.#servers.get(server.subject);
    if (list) list.push(server);
    else this.#servers.set(server.subject, [server]);
  }

  /** @internal */
  remove(server: LocalServer): void {
    const list = (this.#servers.get(server.subject) ?? []).filter((s) => s !== server);
    if (list.length > 0) this.#servers.set(server.subject, list);
    else this.#servers.delete(server.subject);
  }

  /** The one that came last: a new owner takes over from one that has not noticed yet. @internal */
  find(subject: string): LocalServer | undefined {
    return this.#servers.get(subject)?.findLast((s) => s.bus.connected);
  }

  /** @internal */
  client(id: string): LocalBus | undefined {
    return this.#clients.get(id);
  }
}

export interface LocalServer {
  readonly subject: string;
  readonly bus: LocalBus;
  readonly handler: (request: BusRequest) => void;
}
