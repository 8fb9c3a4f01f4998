import type { LocalBusClient, LocalBusFrame, LocalBusSubjectServer } from './bus-local-requests.js';

/**
 * Test hook that gets every frame: it may call `deliver` now, later, twice or never. `lose` makes both sides treat the
 * frame as lost in a network: the requests fail with an unknown outcome.
 */
type LocalBusFrameHook = (frame: LocalBusFrame, deliver: () => void, lose: () => void) => void;
/** Selects the server that gets a frame, from all servers of the subject (at least one). */
type LocalBusServerChooser = (servers: readonly LocalBusSubjectServer[]) => LocalBusSubjectServer;

/**
 * Selects the server that registered last: the new owner, while the previous owner may not have noticed its loss yet.
 */
const chooseNewestServer: LocalBusServerChooser = (servers) => servers.at(-1)!;

/**
 * Connects the bus clients of one process: records the client that serves each subject. The hub has no timers, and
 * loses no frame by itself.
 */
export class LocalBusHub {
  readonly #serversBySubject = new Map<string, LocalBusSubjectServer[]>();
  readonly #clientsById = new Map<string, LocalBusClient>();
  frameHook: LocalBusFrameHook;
  chooseServer: LocalBusServerChooser = chooseNewestServer;

  constructor(hook: LocalBusFrameHook = (_frame, deliver) => deliver()) {
    this.frameHook = hook;
  }

  /**
   * Acts as if this client's process had been killed: it answers nothing, and the requests that it holds are released.
   */
  crashClient(id: string): void {
    this.#clientsById.get(id)?.crash();
  }

  /**
   * Acts as if the client had lost its connection (or got it back): its requests in flight fail with 'disconnected'.
   */
  setClientConnected(id: string, connected: boolean): void {
    this.#clientsById.get(id)?.setConnected(connected);
  }

  /** Acts as if two clients had not heard from each other for long: requests in flight between them fail. */
  failRequestsBetweenClients(one: string, other: string): void {
    this.#clientsById.get(one)?.failRequestsToSilentServer(other);
    this.#clientsById.get(other)?.failRequestsToSilentServer(one);
  }

  /** Adds a client to the hub. @internal */
  addClient(client: LocalBusClient): void {
    this.#clientsById.set(client.id, client);
  }

  /** Removes a client from the hub. @internal */
  removeClient(client: LocalBusClient): void {
    this.#clientsById.delete(client.id);
  }

  /** Registers the server of a subject. @internal */
  addServer(server: LocalBusSubjectServer): void {
    const list = this.#serversBySubject.get(server.subject);
    if (list) list.push(server);
    else this.#serversBySubject.set(server.subject, [server]);
    for (const client of this.#clientsById.values()) client.notifySubjectServed(server.subject);
  }

  /** Removes the server of a subject. @internal */
  removeServer(server: LocalBusSubjectServer): void {
    const list = (this.#serversBySubject.get(server.subject) ?? []).filter((s) => s !== server);
    if (list.length > 0) this.#serversBySubject.set(server.subject, list);
    else this.#serversBySubject.delete(server.subject);
  }

  /** Finds the server that gets the frames of a subject. @internal */
  chooseConnectedServer(subject: string): LocalBusSubjectServer | undefined {
    const all = this.#serversBySubject.get(subject);
    if (all?.length === 1) return all[0]!.client.connected ? all[0] : undefined;
    const servers = all?.filter((s) => s.client.connected);
    return servers && servers.length > 0 ? this.chooseServer(servers) : undefined;
  }

  /** Finds a client by its id. @internal */
  findClient(id: string): LocalBusClient | undefined {
    return this.#clientsById.get(id);
  }
}
