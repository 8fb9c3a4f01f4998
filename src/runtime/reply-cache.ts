/**
 * Cache of replies, so that a retried command is answered and not executed again; and, for commands from other actors,
 * of the highest number executed per sender.
 *
 * One part `done/<version>` per commit holds its replies. The part is free when every sender has reported that its
 * command is settled, or after ten minutes (a sender that died never reports). The commit that notices a free part
 * mostly reuses it for its own replies: one write instead of a deletion and an insertion. One number per sender stays
 * in the part `from/<sender>`: a late command below that number (a delayed repeat) is dropped.
 */
import { type Json, type JsonObject, newLazyMap, toWritableMap } from '#base';
import { type ActorCommandReply, parseCommandId } from './protocol.js';

export const COMMAND_REPLY_RETENTION_MS = 600_000;
const SWEEP_PER_COMMIT = 16;

interface Batch {
  readonly ids: readonly string[];
  readonly at: number;
}

/** Number below which the replies to a client's commands have been forgotten, and the time of the last forgetting. */
interface Settled {
  readonly n: number;
  readonly at: number;
}

export class CommandReplyCache {
  #replies = newLazyMap<string, ActorCommandReply>();
  /** Commits whose replies are remembered, by name of their part. */
  #batches = newLazyMap<string, Batch>();
  /** Number below which the commands of a client are settled, by its latest command. By client id. */
  #settled = newLazyMap<string, number>();
  /** Number below which the replies to a client's commands may have been forgotten, by client id. Stored. */
  #forgotten = newLazyMap<string, Settled>();
  /** Highest command number that was executed, by sending actor. */
  #executed = newLazyMap<string, number>();

  /** Rebuilds the cache from the parts `done/*` and `from/*`. */
  load(parts: Iterable<readonly [string, Json]>): void {
    for (const [name, value] of parts) {
      if (name.startsWith('done/')) {
        const { at, replies } = value as unknown as { at: number; replies: [string, ActorCommandReply][] };
        this.#replies = toWritableMap(this.#replies);
        for (const [id, reply] of replies) this.#replies.set(id, reply);
        this.#batches = toWritableMap(this.#batches);
        this.#batches.set(name, { at, ids: replies.map(([id]) => id) });
      } else if (typeof value === 'number') {
        this.#executed = toWritableMap(this.#executed);
        this.#executed.set(name.slice(5), value);
      } else {
        const sender = name.slice(5);
        const settled = value as unknown as Settled;
        this.#forgotten = toWritableMap(this.#forgotten);
        this.#forgotten.set(sender, settled);
        this.#settled = toWritableMap(this.#settled);
        this.#settled.set(sender, settled.n);
      }
    }
  }

  /**
   * Returns the reply given before (any reply, if the sender no longer waits for one); undefined if the command is new.
   */
  find(id: string, settled: number): ActorCommandReply | undefined {
    const parsed = parseCommandId(id);
    if (!parsed) return undefined;
    if (parsed.actor) {
      const executed = this.#executed.get(parsed.sender);
      return executed !== undefined && parsed.n <= executed ? FORGOTTEN : undefined;
    }
    const before = this.#settled.get(parsed.sender) ?? 0;
    if (settled > before) {
      this.#settled = toWritableMap(this.#settled);
      this.#settled.set(parsed.sender, settled);
    }
    return this.#replies.get(id) ?? (parsed.n < before ? FORGOTTEN : undefined);
  }

  /** Returns the parts to write with a commit that answers these commands, including deletions of free parts. */
  commit(
    version: number,
    replies: readonly (readonly [string, ActorCommandReply])[],
    now: number,
  ): Record<string, Json> {
    const parts: Record<string, Json> = {};
    const kept: (readonly [string, ActorCommandReply])[] = [];
    for (const [id, reply] of replies) {
      const parsed = parseCommandId(id);
      if (!parsed) continue;
      if (parsed.actor) {
        const highest = Math.max(parsed.n, this.#executed.get(parsed.sender) ?? 0);
        this.#executed = toWritableMap(this.#executed);
        this.#executed.set(parsed.sender, highest);
        parts[`from/${parsed.sender}`] = highest;
      } else {
        kept.push([id, reply]);
        this.#replies = toWritableMap(this.#replies);
        this.#replies.set(id, reply);
      }
    }
    const free = this.#forget(parts, now);
    if (kept.length > 0) {
      const name = free.pop() ?? `done/${version}`;
      this.#batches = toWritableMap(this.#batches);
      this.#batches.set(name, { at: now, ids: kept.map(([id]) => id) });
      parts[name] = { at: now, replies: kept as unknown as Json } satisfies JsonObject;
    }
    for (const name of free) parts[name] = null;
    return parts;
  }

  /** Drops replies that are no longer needed. @returns names of the parts that are free now */
  #forget(parts: Record<string, Json>, now: number): string[] {
    const free: string[] = [];
    let looks = Math.min(SWEEP_PER_COMMIT, this.#batches.size);
    for (const [name, batch] of this.#batches) {
      if (looks-- === 0) break;
      this.#batches.delete(name);
      if (now - batch.at < COMMAND_REPLY_RETENTION_MS && !batch.ids.every((id) => this.#isSettled(id))) {
        // Move the batch to the end: one that stays must not hide the batches behind it.
        this.#batches = toWritableMap(this.#batches);
        this.#batches.set(name, batch);
        continue;
      }
      for (const id of batch.ids) {
        this.#replies.delete(id);
        this.#raise(parts, id, now);
      }
      free.push(name);
    }
    for (const [sender, { at }] of this.#forgotten) {
      if (now - at < 2 * COMMAND_REPLY_RETENTION_MS) break;
      this.#forgotten.delete(sender);
      this.#settled.delete(sender);
      parts[`from/${sender}`] = null;
    }
    return free;
  }

  /** Records that the reply of a command was dropped: a later repeat of that command must not be executed. */
  #raise(parts: Record<string, Json>, id: string, now: number): void {
    const parsed = parseCommandId(id);
    if (!parsed || parsed.n < (this.#forgotten.get(parsed.sender)?.n ?? 0)) return;
    const settled = Math.max(this.#settled.get(parsed.sender) ?? 0, parsed.n + 1);
    // Move the entry to the end: the Map is in order of time.
    this.#forgotten.delete(parsed.sender);
    this.#forgotten = toWritableMap(this.#forgotten);
    this.#forgotten.set(parsed.sender, { n: settled, at: now });
    this.#settled = toWritableMap(this.#settled);
    this.#settled.set(parsed.sender, settled);
    parts[`from/${parsed.sender}`] = { n: settled, at: now };
  }

  #isSettled(id: string): boolean {
    const parsed = parseCommandId(id);
    return parsed === null || parsed.n < (this.#settled.get(parsed.sender) ?? 0);
  }
}

const FORGOTTEN: ActorCommandReply = { value: null };
