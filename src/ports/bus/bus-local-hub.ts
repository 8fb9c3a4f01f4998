import type { LocalBusClient, LocalBusFrame, LocalBusServer } from './bus-local-requests.js';

/**
 * Test hook that gets every frame: it may call `deliver` now, later, twice or never. `lose` makes both sides treat the
 * frame as lost in a network: the requests fail with an unknown outcome.
 */
type LocalFrameHook = (frame: LocalBusFrame, deliver: () => void, lose: () => void) => void;
/** Selects the server that gets a frame, from all servers of the subject (at least one). */
type LocalServerChoice = (servers: readonly LocalBusServer[]) => LocalBusServer;

/**
 * Selects the server that registered last: the new owner, while the previous owner may not have noticed its loss yet.
 */
const newest: LocalServerChoice = (servers) => servers.at(-1)!;

/**
 * Connects the bus clients of one process: records the client that serves each subject. The hub has no timers, and
 * loses no frame by itself.
 */
export class LocalBusHub {
  readonly #servers = new Map<string, LocalBusServer[]>();
  readonly #clients = new Map<string, LocalBusClient>();
  hook: LocalFrameHook;
  choose: LocalServerChoice = newest;

  constructor(hook: LocalFrameHook = (_frame, deliver) => deliver()) {
    this.hook = hook;
  }

  /**
   * Acts as if this client's process had been killed: it answers nothing, and the requests that it holds are released.
   */
  crash(id: string): void {
    this.#clients.get(id)?.crash();
  }

  /**
   * Acts as if the client had lost its connection (or got it back): its requests in flight fail with 'disconnected'.
   */
  setConnected(id: string, connected: boolean): void {
    this.#clients.get(id)?.setConnected(connected);
  }

  /** Acts as if two clients had not heard from each other for long: requests in flight between them fail. */
  silence(one: string, other: string): void {
    this.#clients.get(one)?.silent(other);
    this.#clients.get(other)?.silent(one);
  }

  /** Adds a client to the hub. @internal */
  join(client: LocalBusClient): void {
    this.#clients.set(client.id, client);
  }

  /** Removes a client from the hub. @internal */
  leave(client: LocalBusClient): void {
    this.#clients.delete(client.id);
  }

  /** Registers the server of a subject. @internal */
  add(server: LocalBusServer): void {
    const list = this.#servers.get(server.subject);
    if (list) list.push(server);
    else this.#servers.set(server.subject, [server]);
    for (const client of this.#clients.values()) client.served(server.subject);
  }

  /** Removes the server of a subject. @internal */
  remove(server: LocalBusServer): void {
    const list = (this.#servers.get(server.subject) ?? []).filter((s) => s !== server);
    if (list.length > 0) this.#servers.set(server.subject, list);
    else this.#servers.delete(server.subject);
  }

  /** Finds the server that gets the frames of a subject. @internal */
  find(subject: string): LocalBusServer | undefined {
    const all = this.#servers.get(subject);
    if (all?.length === 1) return all[0]!.client.connected ? all[0] : undefined;
    const servers = all?.filter((s) => s.client.connected);
    return servers && servers.length > 0 ? this.choose(servers) : undefined;
  }

  /** Finds a client by its id. @internal */
  client(id: string): LocalBusClient | undefined {
    return this.#clients.get(id);
  }
}
