/**
 * Replies that an actor remembers so that a retried command is answered, not executed again; and, for commands from
 * other actors, the highest number executed per sender.
 *
 * One part `done/<version>` per commit holds its replies. It is let go of when every sender has said that the command is
 * settled, or after ten minutes (a sender that died never says so), and then mostly taken by the replies of the commit that
 * noticed: one write instead of a deletion and an insertion. What stays is one number per sender, in the part
 * `from/<sender>`: below it, a command that comes late (a repeat held up on the way) is dropped.
 */
import { emptyMap, type Json, type JsonObject, ownMap } from '#base';
import type { Reply } from './protocol.js';
import { parseCommandId } from './protocol.js';

export const REMEMBER_MS = 600_000;
const SWEEP_PER_COMMIT = 16;

interface Batch {
  readonly ids: readonly string[];
  readonly at: number;
}

/** A client of actors, as far as its settled commands were forgotten. */
interface Settled {
  readonly n: number;
  readonly at: number;
}

export class ReplyCache {
  #replies = emptyMap<string, Reply>();
  /** By the name of its part. */
  #batches = emptyMap<string, Batch>();
  /** What clients said last. */
  #settled = emptyMap<string, number>();
  /** Client → below this number its commands may have been forgotten. Stored. */
  #forgotten = emptyMap<string, Settled>();
  /** Sender → highest number executed, for commands from actors. */
  #executed = emptyMap<string, number>();

  /** Rebuild from the parts `done/*` and `from/*`. */
  load(parts: Iterable<readonly [string, Json]>): void {
    for (const [name, value] of parts) {
      if (name.startsWith('done/')) {
        const { at, replies } = value as unknown as { at: number; replies: [string, Reply][] };
        this.#replies = ownMap(this.#replies);
        for (const [id, reply] of replies) this.#replies.set(id, reply);
        this.#batches = ownMap(this.#batches);
        this.#batches.set(name, { at, ids: replies.map(([id]) => id) });
      } else if (typeof value === 'number') {
        this.#executed = ownMap(this.#executed);
        this.#executed.set(name.slice(5), value);
      } else {
        const sender = name.slice(5);
        const settled = value as unknown as Settled;
        this.#forgotten = ownMap(this.#forgotten);
        this.#forgotten.set(sender, settled);
        this.#settled = ownMap(this.#settled);
        this.#settled.set(sender, settled.n);
      }
    }
  }

  /** The reply given before (or, if nobody waits for it any more, some reply); undefined if the command is new. */
  find(id: string, settled: number): Reply | undefined {
    const parsed = parseCommandId(id);
    if (!parsed) return undefined;
    if (parsed.actor) {
      const executed = this.#executed.get(parsed.sender);
      return executed !== undefined && parsed.n <= executed ? FORGOTTEN : undefined;
    }
    const before = this.#settled.get(parsed.sender) ?? 0;
    if (settled > before) {
      this.#settled = ownMap(this.#settled);
      this.#settled.set(parsed.sender, settled);
    }
    return this.#replies.get(id) ?? (parsed.n < before ? FORGOTTEN : undefined);
  }

  /** Parts to write with a commit that answers these commands, and what it lets go of. */
  commit(version: number, replies: readonly (readonly [string, Reply])[], now: number): Record<string, Json> {
    const parts: Record<string, Json> = {};
    const kept: (readonly [string, Reply])[] = [];
    for (const [id, reply] of replies) {
      const parsed = parseCommandId(id);
      if (!parsed) continue;
      if (parsed.actor) {
        const highest = Math.max(parsed.n, this.#executed.get(parsed.sender) ?? 0);
        this.#executed = ownMap(this.#executed);
        this.#executed.set(parsed.sender, highest);
        parts[`from/${parsed.sender}`] = highest;
      } else {
        kept.push([id, reply]);
        this.#replies = ownMap(this.#replies);
        this.#replies.set(id, reply);
      }
    }
    const free = this.#forget(parts, now);
    if (kept.length > 0) {
      const name = free.pop() ?? `done/${version}`;
      this.#batches = ownMap(this.#batches);
      this.#batches.set(name, { at: now, ids: kept.map(([id]) => id) });
      parts[name] = { at: now, replies: kept as unknown as Json } satisfies JsonObject;
    }
    for (const name of free) parts[name] = null;
    return parts;
  }

  /** Returns the names of parts that nobody needs any more. */
  #forget(parts: Record<string, Json>, now: number): string[] {
    const free: string[] = [];
    let looks = Math.min(SWEEP_PER_COMMIT, this.#batches.size);
    for (const [name, batch] of this.#batches) {
      if (looks-- === 0) break;
      this.#batches.delete(name);
      if (now - batch.at < REMEMBER_MS && !batch.ids.every((id) => this.#isSettled(id))) {
        // Looked at again last: a batch that stays must not hide those behind it.
        this.#batches = ownMap(this.#batches);
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
      if (now - at < 2 * REMEMBER_MS) break;
      this.#forgotten.delete(sender);
      this.#settled.delete(sender);
      parts[`from/${sender}`] = null;
    }
    return free;
  }

  /** Forgotten, but never to be executed again. */
  #raise(parts: Record<string, Json>, id: string, now: number): void {
    const parsed = parseCommandId(id);
    if (!parsed || parsed.n < (this.#forgotten.get(parsed.sender)?.n ?? 0)) return;
    const settled = Math.max(this.#settled.get(parsed.sender) ?? 0, parsed.n + 1);
    // Moved to the end: the Map is in order of time.
    this.#forgotten.delete(parsed.sender);
    this.#forgotten = ownMap(this.#forgotten);
    this.#forgotten.set(parsed.sender, { n: settled, at: now });
    this.#settled = ownMap(this.#settled);
    this.#settled.set(parsed.sender, settled);
    parts[`from/${parsed.sender}`] = { n: settled, at: now };
  }

  #isSettled(id: string): boolean {
    const parsed = parseCommandId(id);
    return parsed === null || parsed.n < (this.#settled.get(parsed.sender) ?? 0);
  }
}

const FORGOTTEN: Reply = { value: null };
