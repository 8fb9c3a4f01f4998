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
  /** Sends the command until it is carried out. */
  send(command: OutboxCommand, id: string, requestId: string): OutboxDelivery;
  /** Registers a commit whose items are not in the log yet. */
  unpublished(): UnpublishedCommitTicket;
  /** Called when the log entry at this position has completed these versions in the log. */
  appended(seq: LogSeq, versions: readonly number[]): void;
  /** Called when an append has failed; the outbox will try again. */
  appendFailed(error: unknown): void;
  /** Called when an append or an outgoing command has finished. */
  progressed(): void;
}

interface Job {
  readonly entry: OutboxEntry;
  /** True if the log holds the items of the entry. */
  appended: boolean;
  readonly unpublished: UnpublishedCommitTicket | undefined;
  started: boolean;
  /** Number of command sequences of the entry that are not yet carried out. */
  left: number;
  readonly finished: readonly (() => void)[];
}

/**
 * Maximum of commits that wait for the log or for other actors; beyond it, the actor accepts no commands of frontends.
 */
export const MAX_OUTBOX_COMMITS = 256;
/** Maximum of commands that one commit may send; a command's number follows from the commit's version. */
const COMMANDS_PER_COMMIT = 2 ** 20;

export class ActorOutbox {
  #jobs = newLazyMap<number, Job>();
  /** Callbacks of repeated commands whose reply waits for a command sequence, by command id. */
  #answering = newLazyMap<string, (() => void)[]>();
  /** Last command to each target actor that is under way or waits. */
  #tails = newLazyMap<ActorKey, Promise<void>>();
  #deliveries = newLazySet<OutboxDelivery>();
  #logged: { v: number; fn: () => void }[] | undefined;
  #appending = false;
  #stopped = false;
  #backlog = 0;

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly ports: OutboxPorts,
  ) {}

  get size(): number {
    return this.#jobs.size;
  }

  /** Number of items that wait to be appended to the log. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Returns the unfinished entries as the next root must store them. Their records are applied already. */
  unfinished(): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    for (const { entry, appended } of this.#jobs.values()) {
      entries.push(appended && entry.items.length > 0 ? { ...entry, items: [] } : entry);
    }
    return entries;
  }

  /** Adds an entry; versions must grow. @param finished callbacks, one for each command sequence of the entry */
  add(entry: OutboxEntry, finished: readonly (() => void)[]): void {
    if (entry.items.length === 0 && entry.sequences.length === 0) return;
    const appended = entry.items.length === 0;
    this.#jobs = toWritableMap(this.#jobs);
    const unpublished = appended ? undefined : this.ports.unpublished();
    this.#jobs.set(entry.v, { entry, appended, unpublished, started: false, left: entry.sequences.length, finished });
    this.#backlog += entry.items.length;
    for (const { answers } of entry.sequences) {
      if (answers === undefined) continue;
      this.#answering = toWritableMap(this.#answering);
      this.#answering.set(answers, []);
    }
    if (appended) this.#advance();
    else if (!this.#appending) void this.#append();
  }

  /** Finds outgoing commands of this name that may not be carried out yet. */
  pendingCommands(name: string): OutboxCommand[] {
    return [...this.#jobs.values()].flatMap(({ entry }) => findOutboxCommandsByName(entry.sequences, name));
  }

  /** Calls `fn` when the commands caused by the command with this id are carried out; at once if there are none. */
  afterCommandsOf(id: string, fn: () => void): void {
    const waiting = this.#answering.get(id);
    if (waiting) waiting.push(fn);
    else fn();
  }

  /** Calls `fn` when the log holds all items of versions up to `v`. */
  afterLogged(v: number, fn: () => void): void {
    if (this.#isLogged(v)) fn();
    else {
      this.#logged ??= [];
      this.#logged.push({ v, fn });
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const { unpublished } of this.#jobs.values()) unpublished?.close();
    this.#jobs.clear();
    this.#logged = undefined;
    for (const delivery of this.#deliveries) delivery.cancel();
    this.#deliveries.clear();
  }

  #isLogged(v: number): boolean {
    for (const job of this.#jobs.values()) if (!job.appended) return job.entry.v > v;
    return true;
  }

  /**
   * Appends waiting items to the log, one append at a time; commits that come in the meantime form the next log entry.
   */
  async #append(): Promise<void> {
    this.#appending = true;
    for (;;) {
      const waiting: OutboxEntry[] = [];
      for (const job of this.#jobs.values()) if (!job.appended) waiting.push(job.entry);
      if (waiting.length === 0) break;
      for (const { entry, completes } of packLogEntries(this.key, waiting)) {
        const seq = await this.#appendOne(entry as unknown as Json);
        if (this.#stopped || seq === undefined) return;
        this.ports.appended(seq, completes);
        for (const v of completes) this.#appended(v);
        this.#advance();
      }
    }
    this.#appending = false;
  }

  /**
   * Appends one log entry and repeats until the log accepts it.
   * @returns undefined if the activation was stopped before
   */
  async #appendOne(entry: Json): Promise<LogSeq | undefined> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.ports.log.append(this.realm, entry);
      } catch (error) {
        if (this.#stopped) return undefined;
        this.ports.appendFailed(error);
        await new Promise<void>((resolve) =>
          this.ports.clock.setTimeout(resolve, retryDelayMs(RETRY_DELAYS_MS.append, failures)),
        );
        if (this.#stopped) return undefined;
      }
    }
  }

  #appended(v: number): void {
    const job = this.#jobs.get(v);
    if (!job) return;
    job.appended = true;
    job.unpublished?.close();
    this.#backlog -= job.entry.items.length;
  }

  /** Sends commands in order of version: the effects of a command must come later in the log than its cause. */
  #advance(): void {
    for (const job of this.#jobs.values()) {
      if (!job.appended) break;
      if (job.started) continue;
      job.started = true;
      if (job.left === 0) this.#jobs.delete(job.entry.v);
      else this.#start(job);
    }
    const waiting = this.#logged;
    if (waiting) {
      const ready = waiting.filter(({ v }) => this.#isLogged(v));
      const left = waiting.filter(({ v }) => !this.#isLogged(v));
      this.#logged = left.length > 0 ? left : undefined;
      for (const { fn } of ready) fn();
    }
    this.ports.progressed();
  }

  #start(job: Job): void {
    let n = job.entry.v * COMMANDS_PER_COMMIT;
    job.entry.sequences.forEach((sequence, i) => {
      let stage: Promise<unknown> = Promise.resolve();
      for (const commands of sequence.stages) {
        const before = stage;
        stage = Promise.all(
          commands.map((command) => this.#inOrder(command, `${this.key}@${n++}`, sequence.requestId ?? '', before)),
        );
      }
      void stage.then(() => this.#finish(job, sequence, job.finished[i]));
    });
  }

  /**
   * Sends a command after all earlier ones to the same target. Receivers keep one high-water mark per sender and drop
   * commands that are not above it, so commands for one target go strictly in order of their numbers, across stages,
   * outcomes and commits. Other targets do not wait.
   */
  #inOrder(command: OutboxCommand, id: string, requestId: string, stage: Promise<unknown>): Promise<void> {
    const last = this.#tails.get(command.to);
    const sent = (last ? Promise.all([last, stage]) : stage).then(() => this.#deliver(command, id, requestId));
    this.#tails = toWritableMap(this.#tails);
    this.#tails.set(command.to, sent);
    void sent.then(() => {
      if (this.#tails.get(command.to) === sent) this.#tails.delete(command.to);
    });
    return sent;
  }

  #deliver(command: OutboxCommand, id: string, requestId: string): Promise<void> {
    if (this.#stopped) return new Promise(() => {});
    const delivery = this.ports.send(command, id, requestId);
    this.#deliveries = toWritableSet(this.#deliveries);
    this.#deliveries.add(delivery);
    return delivery.done.then(() => {
      this.#deliveries.delete(delivery);
    });
  }

  #finish(job: Job, { answers }: OutboxCommandSequence, finished: (() => void) | undefined): void {
    if (this.#stopped) return;
    job.left--;
    if (job.left === 0) this.#jobs.delete(job.entry.v);
    finished?.();
    if (answers !== undefined) {
      const waiting = this.#answering.get(answers) ?? [];
      this.#answering.delete(answers);
      for (const fn of waiting) fn();
    }
    this.ports.progressed();
  }
}

/** Finds the outgoing commands with this name in all sequences. */
export const findOutboxCommandsByName = (sequences: readonly OutboxCommandSequence[], name: string): OutboxCommand[] =>
  sequences.flatMap(({ stages }) => stages.flat()).filter((command) => command.name === name);
