import type { LocalClient, LocalFrame, LocalServer } from './bus-local-requests.js';

/**
 * Every frame passes through: call `deliver` now, later, twice or never. `lose` tells both sides what a network's silence
 * would have told them of a frame that never came: requests fail with unknown outcome.
 */
export type LocalHook = (frame: LocalFrame, deliver: () => void, lose: () => void) => void;
/** Which of those that serve a subject (at least one) gets a frame. */
export type LocalChoice = (servers: readonly LocalServer[]) => LocalServer;

/** The one that came last: a new owner takes over from one that has not noticed yet. */
const newest: LocalChoice = (servers) => servers.at(-1)!;

/** What the clients of one process share: who serves what. Knows no time and loses nothing by itself. */
export class LocalHub {
  readonly #servers = new Map<string, LocalServer[]>();
  readonly #clients = new Map<string, LocalClient>();
  hook: LocalHook;
  choose: LocalChoice = newest;

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

  /** As if these two had heard nothing of each other for long: what they have under way with each other fails. */
  silence(one: string, other: string): void {
    this.#clients.get(one)?.silent(other);
    this.#clients.get(other)?.silent(one);
  }

  /** @internal */
  join(client: LocalClient): void {
    this.#clients.set(client.id, client);
  }

  /** @internal */
  leave(client: LocalClient): void {
    this.#clients.delete(client.id);
  }

  /** @internal */
  add(server: LocalServer): void {
    const list = this.#servers.get(server.subject);
    if (list) list.push(server);
    else this.#servers.set(server.subject, [server]);
    for (const client of this.#clients.values()) client.served(server.subject);
  }

  /** @internal */
  remove(server: LocalServer): void {
    const list = (this.#servers.get(server.subject) ?? []).filter((s) => s !== server);
    if (list.length > 0) this.#servers.set(server.subject, list);
    else this.#servers.delete(server.subject);
  }

  /** @internal */
  find(subject: string): LocalServer | undefined {
    const all = this.#servers.get(subject);
    if (all?.length === 1) return all[0]!.client.connected ? all[0] : undefined;
    const servers = all?.filter((s) => s.client.connected);
    return servers && servers.length > 0 ? this.choose(servers) : undefined;
  }

  /** @internal */
  client(id: string): LocalClient | undefined {
    return this.#clients.get(id);
  }
}
