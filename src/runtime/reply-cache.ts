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
const MAX_BATCHES_SWEPT_PER_COMMIT = 16;

interface RememberedReplyBatch {
  readonly commandIds: readonly string[];
  readonly committedAt: number;
}

/** Number below which the replies to a client's commands have been forgotten, and the time of the last forgetting. */
interface RepliesForgottenBelow {
  readonly n: number;
  readonly at: number;
}

export class CommandReplyCache {
  #replyByCommandId = newLazyMap<string, ActorCommandReply>();
  /** Commits whose replies are remembered, by name of their part. */
  #batchByPartName = newLazyMap<string, RememberedReplyBatch>();
  /** Number below which the commands of a client are settled, by its latest command. By client id. */
  #settledBelowByClient = newLazyMap<string, number>();
  /** Number below which the replies to a client's commands may have been forgotten, by client id. Stored. */
  #repliesForgottenBelowByClient = newLazyMap<string, RepliesForgottenBelow>();
  /** Highest command number that was executed, by sending actor. */
  #highestExecutedByActor = newLazyMap<string, number>();

  /** Rebuilds the cache from the parts `done/*` and `from/*`. */
  loadFromParts(parts: Iterable<readonly [string, Json]>): void {
    for (const [name, value] of parts) {
      if (name.startsWith('done/')) {
        const { at, replies } = value as unknown as { at: number; replies: [string, ActorCommandReply][] };
        this.#replyByCommandId = toWritableMap(this.#replyByCommandId);
        for (const [id, reply] of replies) this.#replyByCommandId.set(id, reply);
        this.#batchByPartName = toWritableMap(this.#batchByPartName);
        this.#batchByPartName.set(name, { committedAt: at, commandIds: replies.map(([id]) => id) });
      } else if (typeof value === 'number') {
        this.#highestExecutedByActor = toWritableMap(this.#highestExecutedByActor);
        this.#highestExecutedByActor.set(name.slice(5), value);
      } else {
        const sender = name.slice(5);
        const settled = value as unknown as RepliesForgottenBelow;
        this.#repliesForgottenBelowByClient = toWritableMap(this.#repliesForgottenBelowByClient);
        this.#repliesForgottenBelowByClient.set(sender, settled);
        this.#settledBelowByClient = toWritableMap(this.#settledBelowByClient);
        this.#settledBelowByClient.set(sender, settled.n);
      }
    }
  }

  /**
   * Returns the reply to a repeated command; undefined if the command is new. The reply is FORGOTTEN_REPLY for a
   * command of an actor, and for a client's command that is settled: their senders no longer wait for it.
   *
   * @param settled number below which the client's commands are settled; later calls use it, too
   */
  findReplyAndRecordSettled(id: string, settled: number): ActorCommandReply | undefined {
    const parsed = parseCommandId(id);
    if (!parsed) return undefined;
    if (parsed.actor) {
      const executed = this.#highestExecutedByActor.get(parsed.sender);
      return executed !== undefined && parsed.n <= executed ? FORGOTTEN_REPLY : undefined;
    }
    const before = this.#settledBelowByClient.get(parsed.sender) ?? 0;
    if (settled > before) {
      this.#settledBelowByClient = toWritableMap(this.#settledBelowByClient);
      this.#settledBelowByClient.set(parsed.sender, settled);
    }
    return this.#replyByCommandId.get(id) ?? (parsed.n < before ? FORGOTTEN_REPLY : undefined);
  }

  /** Returns the parts to write with a commit that answers these commands, including deletions of free parts. */
  rememberRepliesAndMakeParts(
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
        const highest = Math.max(parsed.n, this.#highestExecutedByActor.get(parsed.sender) ?? 0);
        this.#highestExecutedByActor = toWritableMap(this.#highestExecutedByActor);
        this.#highestExecutedByActor.set(parsed.sender, highest);
        parts[`from/${parsed.sender}`] = highest;
      } else {
        kept.push([id, reply]);
        this.#replyByCommandId = toWritableMap(this.#replyByCommandId);
        this.#replyByCommandId.set(id, reply);
      }
    }
    const free = this.#dropUnneededReplies(parts, now);
    if (kept.length > 0) {
      const name = free.pop() ?? `done/${version}`;
      this.#batchByPartName = toWritableMap(this.#batchByPartName);
      this.#batchByPartName.set(name, { committedAt: now, commandIds: kept.map(([id]) => id) });
      parts[name] = { at: now, replies: kept as unknown as Json } satisfies JsonObject;
    }
    for (const name of free) parts[name] = null;
    return parts;
  }

  /** Drops replies that are no longer needed. @returns names of the parts that are free now */
  #dropUnneededReplies(parts: Record<string, Json>, now: number): string[] {
    const free: string[] = [];
    let looks = Math.min(MAX_BATCHES_SWEPT_PER_COMMIT, this.#batchByPartName.size);
    for (const [name, batch] of this.#batchByPartName) {
      if (looks-- === 0) break;
      this.#batchByPartName.delete(name);
      if (
        now - batch.committedAt < COMMAND_REPLY_RETENTION_MS &&
        !batch.commandIds.every((id) => this.#isCommandSettled(id))
      ) {
        // Move the batch to the end: one that stays must not hide the batches behind it.
        this.#batchByPartName = toWritableMap(this.#batchByPartName);
        this.#batchByPartName.set(name, batch);
        continue;
      }
      for (const id of batch.commandIds) {
        this.#replyByCommandId.delete(id);
        this.#raiseForgottenBelow(parts, id, now);
      }
      free.push(name);
    }
    for (const [sender, { at }] of this.#repliesForgottenBelowByClient) {
      if (now - at < 2 * COMMAND_REPLY_RETENTION_MS) break;
      this.#repliesForgottenBelowByClient.delete(sender);
      this.#settledBelowByClient.delete(sender);
      parts[`from/${sender}`] = null;
    }
    return free;
  }

  /** Records that the reply of a command was dropped: a later repeat of that command must not be executed. */
  #raiseForgottenBelow(parts: Record<string, Json>, id: string, now: number): void {
    const parsed = parseCommandId(id);
    if (!parsed || parsed.n < (this.#repliesForgottenBelowByClient.get(parsed.sender)?.n ?? 0)) return;
    const settled = Math.max(this.#settledBelowByClient.get(parsed.sender) ?? 0, parsed.n + 1);
    // Move the entry to the end: the Map is in order of time.
    this.#repliesForgottenBelowByClient.delete(parsed.sender);
    this.#repliesForgottenBelowByClient = toWritableMap(this.#repliesForgottenBelowByClient);
    this.#repliesForgottenBelowByClient.set(parsed.sender, { n: settled, at: now });
    this.#settledBelowByClient = toWritableMap(this.#settledBelowByClient);
    this.#settledBelowByClient.set(parsed.sender, settled);
    parts[`from/${parsed.sender}`] = { n: settled, at: now };
  }

  #isCommandSettled(id: string): boolean {
    const parsed = parseCommandId(id);
    return parsed === null || parsed.n < (this.#settledBelowByClient.get(parsed.sender) ?? 0);
  }
}

const FORGOTTEN_REPLY: ActorCommandReply = { value: null };
