/**
 * A read replica of one realm's directory: snapshot of the realm actor, then the realm's log. Every process keeps one
 * for each realm that it serves, so that no request has to ask the realm actor.
 */
import { type RealmId, realmKey, type Seq } from '../core/index.js';
import type { EventLog } from '../log/index.js';
import type { LogEntry, LogGroup } from '../runtime/log-entry.js';
import { asChange, type DirectorySnapshot, RealmDirectory } from './realm-directory.js';
import { RealmTail, type TailReader } from './tail.js';
import type { DirectoryView } from './view.js';

export type FetchSnapshot = (realm: RealmId) => Promise<DirectorySnapshot>;

interface Waiter {
  readonly version: number;
  resolve(): void;
}

export class DirectoryReplica implements TailReader {
  readonly tail: RealmTail;
  #directory: RealmDirectory | undefined;
  /** Groups of the realm actor that came before the snapshot did. */
  #early: LogGroup[] = [];
  #waiters: Waiter[] = [];
  /** Version of the snapshot: groups up to it are contained in it. */
  #floor = -1;

  private constructor(
    private readonly realm: RealmId,
    private readonly log: EventLog,
    after: Seq,
    private readonly fetch: FetchSnapshot,
  ) {
    this.tail = new RealmTail(this.log, realm, after);
    this.tail.add(this);
  }

  /** @throws what `fetch` throws, e.g. for a realm that does not exist */
  static async open(realm: RealmId, log: EventLog, fetch: FetchSnapshot): Promise<DirectoryReplica> {
    // The log's end first: what the snapshot lacks comes after it.
    const { end } = await log.position(realm);
    const replica = new DirectoryReplica(realm, log, end, fetch);
    try {
      await replica.#load();
    } catch (error) {
      replica.close();
      throw error;
    }
    return replica;
  }

  get view(): DirectoryView {
    return this.#directory!;
  }

  /** Undefined when the version is already applied. */
  reach(version: number): Promise<void> | undefined {
    if (this.#directory && this.#directory.version >= version) return undefined;
    return new Promise((resolve) => this.#waiters.push({ version, resolve }));
  }

  entry(_seq: Seq, entry: LogEntry, fresh: readonly LogGroup[]): void {
    if (entry.actor !== realmKey(this.realm)) return;
    if (!this.#directory) this.#early.push(...fresh);
    else for (const group of fresh) this.#apply(this.#directory, group);
  }

  transient(): void {}

  gap(): void {
    void this.#load().catch(() => {
      // The realm actor is out of reach: requests that need newer versions wait, and the next gap or entry tries again.
    });
  }

  close(): void {
    this.tail.close();
  }

  async #load(): Promise<void> {
    const snapshot = await this.fetch(this.realm);
    const directory = new RealmDirectory(this.realm, snapshot);
    this.#floor = snapshot.version;
    for (const group of this.#early) this.#apply(directory, group);
    this.#early = [];
    this.#directory = directory;
    this.#wake();
  }

  #apply(directory: RealmDirectory, group: LogGroup): void {
    if (group.v <= this.#floor) return;
    for (const item of group.items) if (item.t === 'directory') directory.apply(asChange(item.change));
    directory.version = group.v;
    this.#wake();
  }

  #wake(): void {
    const version = this.#directory?.version ?? -1;
    const ready = this.#waiters.filter((w) => w.version <= version);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter((w) => w.version > version);
    for (const w of ready) w.resolve();
  }
}
