/**
 * The commit pipeline of one activation. Handlers add to the open batch; while one batch is being written, the next
 * collects outcomes. Replies and reads wait for the newest batch whose effects they saw. A failed write is not repeated
 * by the loop: the activation stops, `activations.ts` loads the actor again, and senders retry (`backoff.ts` has all
 * waiting times).
 */

import type { JsonObject } from '#base';
import type { ActivationStopReason, ActorKey, Epoch, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { Store, StoreRecordWrite } from '#ports/store';
import { CommitBatch, type OutboxEntry, outboxEntryToJson } from './commit-batch.js';
import { type ActorOutbox, findOutboxCommandsByName } from './outbox.js';
import type { CommandReplyCache } from './reply-cache.js';

export interface CommitLoopOwner {
  now(): number;
  /** Returns the monotonic time, ms. */
  monotonic(): number;
  state(): JsonObject;
  /** Called when the Store has written a batch. @param began monotonic time at which the write began, ms */
  wrote(batch: CommitBatch, began: number): void;
  /** Called when the Store has written a commit batch. */
  committed(): void;
  failed(reason: ActivationStopReason, error?: unknown): void;
  stopped(): boolean;
  due(at: number | null): void;
}

/**
 * Maximum of items that wait for the log; above it, commits wait, too. A root is written with all items that the log
 * does not hold yet, so a slow log would make roots large; waiting commits collect more commands instead.
 */
const MAX_BACKLOG = 2_000;

export class CommitLoop {
  /** Wall time (ms) at which the actor is to be woken, by the newest outcome in memory; null: never. */
  due: number | null = null;
  #committed = 0;
  /**
   * Batches that are not durable yet, oldest first. The first may be in the middle of its write; the last may still
   * collect outcomes.
   */
  #groups: CommitBatch[] = [];
  #sealed = false;
  #writing = false;
  /** True if the stored root lists outbox entries, even ones that are done by now. */
  #stale = false;

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly epoch: Epoch,
    private readonly store: Store,
    private readonly outbox: ActorOutbox,
    private readonly remembered: CommandReplyCache,
    private readonly owner: CommitLoopOwner,
  ) {}

  loaded(version: number, due: number | null, hasStaleOutbox: boolean): void {
    this.#committed = version;
    this.due = due;
    this.#stale = hasStaleOutbox;
    this.owner.due(due);
  }

  get idle(): boolean {
    return !this.#writing && this.#groups.every((group) => !group.dirty);
  }

  /** True if the stored root lists outbox entries. */
  get stale(): boolean {
    return this.#stale;
  }

  /** Version of the newest durable commit. */
  get committed(): number {
    return this.#committed;
  }

  /** Version of the newest changes in memory, committed or not. */
  get newest(): number {
    return this.#newest()?.version ?? this.#committed;
  }

  /** Returns the batch that collects outcomes; a new batch if the last one is sealed or being written. */
  open(): CommitBatch {
    const last = this.#groups.at(-1);
    if (last && !this.#sealed && !(this.#writing && this.#groups.length === 1)) return last;
    const group = new CommitBatch(last ? last.version + 1 : this.#committed + 1);
    this.#groups.push(group);
    this.#sealed = false;
    return group;
  }

  /**
   * Closes the open batch, so that the returned version stands for exactly the present state in memory: no later
   * outcome may join a version that a snapshot carries.
   */
  seal(): number {
    if (this.#groups.at(-1)?.dirty) this.#sealed = true;
    return this.newest;
  }

  /** Finds outgoing commands with this name, in durable and pending commits, that may not be carried out yet. */
  pendingCommands(name: string): OutboxCommand[] {
    const here = this.#groups.flatMap(({ sequences }) => sequences.map(({ sequence }) => sequence));
    return [...this.outbox.pendingCommands(name), ...findOutboxCommandsByName(here, name)];
  }

  /** Calls `fn` when all present changes in memory are durable. */
  afterNewest(fn: () => void): void {
    const last = this.#newest();
    if (last) last.onCommitted.push(fn);
    else fn();
  }

  /** Calls `fn` when all present changes in memory are durable and their events are in the log. */
  afterLogged(fn: () => void): void {
    const last = this.#newest();
    if (last) last.onLogged.push(fn);
    else this.outbox.afterLogged(this.#committed, fn);
  }

  /** Makes the batch hold the present state and due time of the actor. */
  include(group: CommitBatch): void {
    group.dirty = true;
    group.state = this.owner.state();
    group.due = this.due;
  }

  writeNext(): void {
    if (this.#writing || this.owner.stopped()) return;
    const first = this.#groups[0];
    if (!first?.dirty || this.outbox.backlog > MAX_BACKLOG) return;
    this.#writing = true;
    void this.#write(first);
  }

  /** Removes finished outbox entries from the stored root, so that no host wakes the actor for them. */
  clearOutbox(): void {
    if (!this.#stale || this.#committed === 0) return;
    this.include(this.open());
    this.writeNext();
  }

  /** Removes the root, once its outbox is empty. Repeated calls do nothing. */
  end(): void {
    if (this.#writing || this.owner.stopped()) return;
    this.#writing = true;
    void this.#remove();
  }

  async #remove(): Promise<void> {
    try {
      const removed = this.#committed === 0 || (await this.store.remove(this.key, this.epoch, this.#committed));
      this.owner.failed(removed === 'conflict' ? 'fenced' : 'ended');
    } catch (error) {
      this.owner.failed('store-failed', error);
    }
  }

  #newest(): CommitBatch | undefined {
    for (let i = this.#groups.length - 1; i >= 0; i--) if (this.#groups[i]!.dirty) return this.#groups[i];
    return undefined;
  }

  async #write(group: CommitBatch): Promise<void> {
    // A commit that only clears the outbox deletes no remembered replies: their deletion would fill the outbox again.
    const parts =
      group.replies.length === 0 ? {} : this.remembered.commit(group.version, group.replies, this.owner.now());
    for (const name in parts) group.parts.set(name, parts[name]!);
    const records: readonly StoreRecordWrite[] = group.records(this.key, this.realm);
    const atomic = this.store.atomicRecords;
    const entry: OutboxEntry = {
      v: group.version,
      records: atomic ? [] : records,
      items: group.items,
      sequences: group.sequences.map(({ sequence }) => sequence),
      ...(group.ends && { ends: true }),
    };
    const empty = !group.ends && entry.records.length + entry.items.length + entry.sequences.length === 0;
    const outbox = this.outbox.unfinished().map(outboxEntryToJson);
    if (!empty) outbox.push(outboxEntryToJson(entry));
    const { state, due } = group;
    const began = this.owner.monotonic();
    try {
      const condition = { key: this.key, epoch: this.epoch, expected: this.#committed };
      const result = await this.store.commit({ ...condition, state, outbox, due, records: atomic ? records : [] });
      if (this.owner.stopped()) return;
      if (result === 'conflict') return this.owner.failed('fenced');
      if (!atomic && records.length > 0) await this.store.apply(records);
    } catch (error) {
      return this.owner.failed('store-failed', error);
    }
    if (this.owner.stopped()) return;
    this.owner.wrote(group, began);
    this.#committed = group.version;
    this.#stale = outbox.length > 0;
    this.#groups.shift();
    if (this.#groups.length === 0) this.#sealed = false;
    this.#writing = false;
    this.owner.due(due);
    this.outbox.add(
      entry.records.length > 0 ? { ...entry, records: [] } : entry,
      group.sequences.map(({ finished }) => finished),
    );
    for (const fn of group.onCommitted) fn();
    for (const fn of group.onLogged) this.outbox.afterLogged(group.version, fn);
    this.writeNext();
    this.owner.committed();
  }
}
