/**
 * The commit pipeline of one activation. Handlers add to the open batch; while one batch is being written, the next
 * collects outcomes. Replies and reads wait for the newest batch whose effects they saw. A failed write is not repeated
 * by the loop: the activation stops, `activations.ts` loads the actor again after a delay (`wake` in `backoff.ts`), and
 * senders send their commands again (`trouble` in `backoff.ts`).
 */

import type { Json, JsonObject } from '#base';
import type { ActivationStopReason, ActorKey, Epoch, LogEntry, LogItem, LogSeq, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { EventLog, PreparedLogAppend } from '#ports/log';
import type { Store, StoreRecordWrite } from '#ports/store';
import { CommitBatch, castOutboxEntryToJson, type OutboxEntry } from './commit-batch.js';
import { type ActorOutbox, findOutboxCommandsByName } from './outbox.js';
import { packLogEntries } from './pack-entries.js';
import type { CommandReplyCache } from './reply-cache.js';

export interface CommitLoopOwner {
  now(): number;
  /** Returns the monotonic time, ms. */
  monotonic(): number;
  currentActorState(): JsonObject;
  /** Called when the Store has written a batch. @param began monotonic time at which the write began, ms */
  recordSuccessfulBatchWrite(batch: CommitBatch, began: number): void;
  /** Called when the Store has written a commit, which holds the outcomes of a batch of commands. */
  onBatchCommitted(): void;
  /** Called when the log entry at this position has completed these versions in the log. */
  onAppendedToLog(seq: LogSeq, versions: readonly number[]): void;
  stopActivation(reason: ActivationStopReason, error?: unknown): void;
  isActivationStopped(): boolean;
  setDueTime(at: number | null): void;
}

/**
 * Maximum of items that wait for the log; above it, commits wait, too. A root is written with all items that the log
 * does not hold yet, so a slow log would make roots large; waiting commits collect more commands instead.
 */
const MAX_UNLOGGED_ITEMS = 2_000;

const NO_LOG_ITEMS: readonly LogItem[] = [];
const NO_APPENDS: readonly PreparedLogAppend[] = [];

export class CommitLoop {
  /** Wall time (ms) at which the actor is to be woken, by the newest outcome in memory; null: never. */
  dueAt: number | null = null;
  #committedVersion = 0;
  /**
   * Batches that are not durable yet, oldest first. The first may be in the middle of its write; the last may still
   * collect outcomes.
   */
  #uncommittedBatches: CommitBatch[] = [];
  #isNewestBatchSealed = false;
  #isWriting = false;
  /** True if the stored root lists outbox entries, even ones that are done by now. */
  #hasStoredOutbox = false;

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly epoch: Epoch,
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly outbox: ActorOutbox,
    private readonly remembered: CommandReplyCache,
    private readonly owner: CommitLoopOwner,
  ) {}

  startFromLoadedRoot(version: number, due: number | null, hasStaleOutbox: boolean): void {
    this.#committedVersion = version;
    this.dueAt = due;
    this.#hasStoredOutbox = hasStaleOutbox;
    this.owner.setDueTime(due);
  }

  get isIdle(): boolean {
    return !this.#isWriting && this.#uncommittedBatches.every((batch) => !batch.hasChanges);
  }

  /** True if the stored root lists outbox entries. */
  get hasStoredOutbox(): boolean {
    return this.#hasStoredOutbox;
  }

  /** Version of the newest durable commit. */
  get committedVersion(): number {
    return this.#committedVersion;
  }

  /** Version of the newest changes in memory, committed or not. */
  get newestVersion(): number {
    return this.#findNewestChangedBatch()?.version ?? this.#committedVersion;
  }

  /** Returns the batch that collects outcomes; a new batch if the last one is sealed or being written. */
  findOrOpenBatch(): CommitBatch {
    const last = this.#uncommittedBatches.at(-1);
    if (last && !this.#isNewestBatchSealed && !(this.#isWriting && this.#uncommittedBatches.length === 1)) return last;
    const batch = new CommitBatch(last ? last.version + 1 : this.#committedVersion + 1);
    this.#uncommittedBatches.push(batch);
    this.#isNewestBatchSealed = false;
    return batch;
  }

  /**
   * Closes the open batch, so that the returned version stands for exactly the present state in memory: no later
   * outcome may join a version that a snapshot carries.
   */
  sealOpenBatch(): number {
    if (this.#uncommittedBatches.at(-1)?.hasChanges) this.#isNewestBatchSealed = true;
    return this.newestVersion;
  }

  /** Finds outgoing commands with this name, in durable and pending commits, that may not be carried out yet. */
  findPendingCommands(name: string): OutboxCommand[] {
    const here = this.#uncommittedBatches.flatMap(({ commandSequences }) =>
      commandSequences.map(({ sequence }) => sequence),
    );
    return [...this.outbox.findPendingCommands(name), ...findOutboxCommandsByName(here, name)];
  }

  /** Calls `fn` when all present changes in memory are durable. */
  callAfterNewestCommitted(fn: () => void): void {
    const last = this.#findNewestChangedBatch();
    if (last) last.committedCallbacks.push(fn);
    else fn();
  }

  /** Calls `fn` when all present changes in memory are durable and their events are in the log. */
  callAfterNewestLogged(fn: () => void): void {
    const last = this.#findNewestChangedBatch();
    if (last) last.loggedCallbacks.push(fn);
    else this.outbox.callAfterLogged(this.#committedVersion, fn);
  }

  /** Makes the batch hold the present state and due time of the actor. */
  includePresentState(batch: CommitBatch): void {
    batch.hasChanges = true;
    batch.rootState = this.owner.currentActorState();
    batch.dueAt = this.dueAt;
  }

  writeNextBatch(): void {
    if (this.#isWriting || this.owner.isActivationStopped()) return;
    const first = this.#uncommittedBatches[0];
    if (!first?.hasChanges || this.outbox.unloggedItemCount > MAX_UNLOGGED_ITEMS) return;
    this.#isWriting = true;
    void this.#writeBatch(first);
  }

  /** Removes finished outbox entries from the stored root, so that no host wakes the actor for them. */
  clearStoredOutbox(): void {
    if (!this.#hasStoredOutbox || this.#committedVersion === 0) return;
    this.includePresentState(this.findOrOpenBatch());
    this.writeNextBatch();
  }

  /** Removes the root, once its outbox is empty. Repeated calls do nothing. */
  removeRoot(): void {
    if (this.#isWriting || this.owner.isActivationStopped()) return;
    this.#isWriting = true;
    void this.#removeRootFromStore();
  }

  async #removeRootFromStore(): Promise<void> {
    try {
      const removed =
        this.#committedVersion === 0 || (await this.store.removeActor(this.key, this.epoch, this.#committedVersion));
      this.owner.stopActivation(removed === 'conflict' ? 'fenced' : 'ended');
    } catch (error) {
      this.owner.stopActivation('store-failed', error);
    }
  }

  #findNewestChangedBatch(): CommitBatch | undefined {
    for (let i = this.#uncommittedBatches.length - 1; i >= 0; i--)
      if (this.#uncommittedBatches[i]!.hasChanges) return this.#uncommittedBatches[i];
    return undefined;
  }

  /**
   * Packs the items of a batch into log entries that the commit itself appends; undefined if the batch has no items, or
   * if they go through the outbox. They do where the log has a database of its own, and after items of earlier commits
   * that the log does not hold yet: entries of an actor are in the order of its versions.
   */
  #packItemsForCommit({ version, logItems }: CommitBatch): readonly LogEntry[] | undefined {
    if (logItems.length === 0 || !this.store.admitsParticipants || !this.log.prepareAppend) return undefined;
    if (this.outbox.unloggedItemCount > 0) return undefined;
    return packLogEntries(this.key, [{ v: version, items: logItems }]).map(({ entry }) => entry);
  }

  async #writeBatch(batch: CommitBatch): Promise<void> {
    // A commit that only clears the outbox deletes no remembered replies: their deletion would fill the outbox again.
    const parts =
      batch.commandReplies.length === 0
        ? {}
        : this.remembered.rememberRepliesAndMakeParts(batch.version, batch.commandReplies, this.owner.now());
    for (const name in parts) batch.partValueByName.set(name, parts[name]!);
    const records: readonly StoreRecordWrite[] = batch.makeStoreRecords(this.key, this.realm);
    const atomic = this.store.atomicRecords;
    const logged = this.#packItemsForCommit(batch);
    const entry: OutboxEntry = {
      v: batch.version,
      records: atomic ? [] : records,
      items: logged ? NO_LOG_ITEMS : batch.logItems,
      sequences: batch.commandSequences.map(({ sequence }) => sequence),
      ...(batch.endsActor && { ends: true }),
    };
    const empty = !batch.endsActor && entry.records.length + entry.items.length + entry.sequences.length === 0;
    const outbox = this.outbox.listUnfinishedEntries().map(castOutboxEntryToJson);
    if (!empty) outbox.push(castOutboxEntryToJson(entry));
    const { rootState, dueAt } = batch;
    const began = this.owner.monotonic();
    let participants: readonly PreparedLogAppend[] = NO_APPENDS;
    try {
      if (logged) participants = logged.map((value) => this.log.prepareAppend!(this.realm, value as unknown as Json));
      const condition = { key: this.key, epoch: this.epoch, expected: this.#committedVersion };
      const result = await this.store.commit({
        ...condition,
        state: rootState,
        outbox,
        due: dueAt,
        records: atomic ? records : [],
        participants,
      });
      if (this.owner.isActivationStopped()) return;
      if (result === 'conflict') return this.owner.stopActivation('fenced');
      if (!atomic && records.length > 0) await this.store.applyRecords(records);
    } catch (error) {
      return this.owner.stopActivation('store-failed', error);
    }
    if (this.owner.isActivationStopped()) return;
    this.owner.recordSuccessfulBatchWrite(batch, began);
    for (const { position } of participants) this.owner.onAppendedToLog(position, [batch.version]);
    this.#committedVersion = batch.version;
    this.#hasStoredOutbox = outbox.length > 0;
    this.#uncommittedBatches.shift();
    if (this.#uncommittedBatches.length === 0) this.#isNewestBatchSealed = false;
    this.#isWriting = false;
    this.owner.setDueTime(dueAt);
    this.outbox.addEntry(
      entry.records.length > 0 ? { ...entry, records: [] } : entry,
      batch.commandSequences.map(({ finished }) => finished),
    );
    for (const fn of batch.committedCallbacks) fn();
    for (const fn of batch.loggedCallbacks) this.outbox.callAfterLogged(batch.version, fn);
    this.writeNextBatch();
    this.owner.onBatchCommitted();
  }
}
