/**
 * Outbox: the work after a commit, in order: it appends the commit's events to the log, then sends its commands, one
 * stage after the other. An entry stays in the root until it is done, so that the next owner can repeat it; all of this
 * work may be done twice.
 */

import { type Json, newLazyMap, newLazySet, toWritableMap, toWritableSet } from '#base';
import type { Clock } from '#base/clock';
import type { ActorKey, LogSeq, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { EventLog } from '#ports/log';
import { RETRY_DELAYS_MS, retryDelayMs } from './backoff.js';
import type { OutboxCommandSequence, OutboxEntry } from './commit-batch.js';
import { packLogEntries } from './pack-entries.js';
import type { UnpublishedCommitTicket } from './unpublished-commits.js';

export interface OutboxDelivery {
  /** Resolves when the command is carried out. */
  readonly done: Promise<void>;
  /** Cancels the delivery: `done` never settles. */
  cancel(): void;
}

export interface OutboxPorts {
  readonly clock: Clock;
  readonly log: EventLog;
  /** A promise to await before the next command is sent; undefined if it may be sent at once. */
  waitForSendingTurn(): Promise<void> | undefined;
  /** Sends the command until it is carried out. */
  sendOutboxCommand(command: OutboxCommand, id: string, requestId: string): OutboxDelivery;
  /** Registers a commit whose items are not in the log yet. */
  beginUnpublishedCommit(): UnpublishedCommitTicket;
  /** Called when the log entry at this position has completed these versions in the log. */
  onAppendedToLog(seq: LogSeq, versions: readonly number[]): void;
  /** Called when an append has failed; the outbox will try again. */
  onAppendToLogFailed(error: unknown): void;
  /** Called when an append or an outgoing command has finished. */
  onWorkStepFinished(): void;
}

interface OutboxJob {
  readonly entry: OutboxEntry;
  /** True if the log holds the items of the entry. */
  isInLog: boolean;
  readonly unpublishedTicket: UnpublishedCommitTicket | undefined;
  hasStarted: boolean;
  /** Number of command sequences of the entry that are not yet carried out. */
  remainingSequenceCount: number;
  readonly sequenceCallbacks: readonly (() => void)[];
}

/**
 * Maximum of commits that wait for the log or for other actors; beyond it, the actor accepts no commands of frontends.
 */
export const MAX_OUTBOX_COMMITS = 256;
/** Maximum of commands that one commit may send; a command's number follows from the commit's version. */
const MAX_COMMANDS_PER_COMMIT = 2 ** 20;

export class ActorOutbox {
  #jobByVersion = newLazyMap<number, OutboxJob>();
  /** Callbacks of repeated commands whose reply waits for a command sequence, by command id. */
  #callbacksByCommandId = newLazyMap<string, (() => void)[]>();
  /** Last command to each target actor that is under way or waits. */
  #lastSendByTarget = newLazyMap<ActorKey, Promise<void>>();
  #deliveriesUnderWay = newLazySet<OutboxDelivery>();
  #logWaiters: { v: number; fn: () => void }[] | undefined;
  #isAppending = false;
  #isStopped = false;
  #unloggedItemCount = 0;

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly ports: OutboxPorts,
  ) {}

  get unfinishedCommitCount(): number {
    return this.#jobByVersion.size;
  }

  /** Number of items that wait to be appended to the log. */
  get unloggedItemCount(): number {
    return this.#unloggedItemCount;
  }

  /** Returns the unfinished entries as the next root must store them. Their records are applied already. */
  listUnfinishedEntries(): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    for (const { entry, isInLog } of this.#jobByVersion.values()) {
      entries.push(isInLog && entry.items.length > 0 ? { ...entry, items: [] } : entry);
    }
    return entries;
  }

  /** Adds an entry; versions must grow. @param finished callbacks, one for each command sequence of the entry */
  addEntry(entry: OutboxEntry, finished: readonly (() => void)[]): void {
    if (entry.items.length === 0 && entry.sequences.length === 0) return;
    const appended = entry.items.length === 0;
    this.#jobByVersion = toWritableMap(this.#jobByVersion);
    const unpublished = appended ? undefined : this.ports.beginUnpublishedCommit();
    this.#jobByVersion.set(entry.v, {
      entry,
      isInLog: appended,
      unpublishedTicket: unpublished,
      hasStarted: false,
      remainingSequenceCount: entry.sequences.length,
      sequenceCallbacks: finished,
    });
    this.#unloggedItemCount += entry.items.length;
    for (const { answers } of entry.sequences) {
      if (answers === undefined) continue;
      this.#callbacksByCommandId = toWritableMap(this.#callbacksByCommandId);
      this.#callbacksByCommandId.set(answers, []);
    }
    if (appended) this.#advanceLoggedJobs();
    else if (!this.#isAppending) void this.#appendWaitingItems();
  }

  /** Finds outgoing commands of this name that may not be carried out yet. */
  findPendingCommands(name: string): OutboxCommand[] {
    return [...this.#jobByVersion.values()].flatMap(({ entry }) => findOutboxCommandsByName(entry.sequences, name));
  }

  /** Calls `fn` when the commands caused by the command with this id are carried out; at once if there are none. */
  callAfterCommandsCausedBy(id: string, fn: () => void): void {
    const waiting = this.#callbacksByCommandId.get(id);
    if (waiting) waiting.push(fn);
    else fn();
  }

  /** Calls `fn` when the log holds all items of versions up to `v`. */
  callAfterLogged(v: number, fn: () => void): void {
    if (this.#isLogged(v)) fn();
    else {
      this.#logWaiters ??= [];
      this.#logWaiters.push({ v, fn });
    }
  }

  stopAndCancelDeliveries(): void {
    this.#isStopped = true;
    for (const { unpublishedTicket } of this.#jobByVersion.values()) unpublishedTicket?.close();
    this.#jobByVersion.clear();
    this.#logWaiters = undefined;
    for (const delivery of this.#deliveriesUnderWay) delivery.cancel();
    this.#deliveriesUnderWay.clear();
  }

  #isLogged(v: number): boolean {
    for (const job of this.#jobByVersion.values()) if (!job.isInLog) return job.entry.v > v;
    return true;
  }

  /**
   * Appends waiting items to the log, one append at a time; commits that come in the meantime form the next log entry.
   */
  async #appendWaitingItems(): Promise<void> {
    this.#isAppending = true;
    for (;;) {
      const waiting: OutboxEntry[] = [];
      for (const job of this.#jobByVersion.values()) if (!job.isInLog) waiting.push(job.entry);
      if (waiting.length === 0) break;
      for (const { entry, completedVersions } of packLogEntries(this.key, waiting)) {
        const seq = await this.#appendLogEntryUntilAccepted(entry as unknown as Json);
        if (this.#isStopped || seq === undefined) return;
        this.ports.onAppendedToLog(seq, completedVersions);
        for (const v of completedVersions) this.#markAppended(v);
        this.#advanceLoggedJobs();
      }
    }
    this.#isAppending = false;
  }

  /**
   * Appends one log entry and repeats until the log accepts it.
   * @returns undefined if the activation was stopped before
   */
  async #appendLogEntryUntilAccepted(entry: Json): Promise<LogSeq | undefined> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.ports.log.append(this.realm, entry);
      } catch (error) {
        if (this.#isStopped) return undefined;
        this.ports.onAppendToLogFailed(error);
        await new Promise<void>((resolve) =>
          this.ports.clock.setTimeout(resolve, retryDelayMs(RETRY_DELAYS_MS.append, failures)),
        );
        if (this.#isStopped) return undefined;
      }
    }
  }

  #markAppended(v: number): void {
    const job = this.#jobByVersion.get(v);
    if (!job) return;
    job.isInLog = true;
    job.unpublishedTicket?.close();
    this.#unloggedItemCount -= job.entry.items.length;
  }

  /** Sends commands in order of version: the effects of a command must come later in the log than its cause. */
  #advanceLoggedJobs(): void {
    for (const job of this.#jobByVersion.values()) {
      if (!job.isInLog) break;
      if (job.hasStarted) continue;
      job.hasStarted = true;
      if (job.remainingSequenceCount === 0) this.#jobByVersion.delete(job.entry.v);
      else this.#sendCommandsOfJob(job);
    }
    const waiting = this.#logWaiters;
    if (waiting) {
      const ready = waiting.filter(({ v }) => this.#isLogged(v));
      const left = waiting.filter(({ v }) => !this.#isLogged(v));
      this.#logWaiters = left.length > 0 ? left : undefined;
      for (const { fn } of ready) fn();
    }
    this.ports.onWorkStepFinished();
  }

  #sendCommandsOfJob(job: OutboxJob): void {
    let n = job.entry.v * MAX_COMMANDS_PER_COMMIT;
    job.entry.sequences.forEach((sequence, i) => {
      let stage: Promise<unknown> = Promise.resolve();
      for (const commands of sequence.stages) {
        const before = stage;
        stage = Promise.all(
          commands.map((command) =>
            this.#sendAfterEarlierToSameTarget(command, `${this.key}@${n++}`, sequence.requestId ?? '', before),
          ),
        );
      }
      void stage.then(() => this.#finishSequence(job, sequence, job.sequenceCallbacks[i]));
    });
  }

  /**
   * Sends a command after all earlier ones to the same target. Receivers keep one high-water mark per sender and drop
   * commands that are not above it, so commands for one target go strictly in order of their numbers, across stages,
   * outcomes and commits. Other targets do not wait.
   */
  #sendAfterEarlierToSameTarget(
    command: OutboxCommand,
    id: string,
    requestId: string,
    stage: Promise<unknown>,
  ): Promise<void> {
    const last = this.#lastSendByTarget.get(command.to);
    const sent = (last ? Promise.all([last, stage]) : stage).then(() => {
      const turn = this.ports.waitForSendingTurn();
      return turn ? turn.then(() => this.#deliver(command, id, requestId)) : this.#deliver(command, id, requestId);
    });
    this.#lastSendByTarget = toWritableMap(this.#lastSendByTarget);
    this.#lastSendByTarget.set(command.to, sent);
    void sent.then(() => {
      if (this.#lastSendByTarget.get(command.to) === sent) this.#lastSendByTarget.delete(command.to);
    });
    return sent;
  }

  #deliver(command: OutboxCommand, id: string, requestId: string): Promise<void> {
    if (this.#isStopped) return new Promise(() => {});
    const delivery = this.ports.sendOutboxCommand(command, id, requestId);
    this.#deliveriesUnderWay = toWritableSet(this.#deliveriesUnderWay);
    this.#deliveriesUnderWay.add(delivery);
    return delivery.done.then(() => {
      this.#deliveriesUnderWay.delete(delivery);
    });
  }

  #finishSequence(job: OutboxJob, { answers }: OutboxCommandSequence, finished: (() => void) | undefined): void {
    if (this.#isStopped) return;
    job.remainingSequenceCount--;
    if (job.remainingSequenceCount === 0) this.#jobByVersion.delete(job.entry.v);
    finished?.();
    if (answers !== undefined) {
      const waiting = this.#callbacksByCommandId.get(answers) ?? [];
      this.#callbacksByCommandId.delete(answers);
      for (const fn of waiting) fn();
    }
    this.ports.onWorkStepFinished();
  }
}

/** Finds the outgoing commands with this name in all sequences. */
export const findOutboxCommandsByName = (sequences: readonly OutboxCommandSequence[], name: string): OutboxCommand[] =>
  sequences.flatMap(({ stages }) => stages.flat()).filter((command) => command.name === name);
