/**
 * What follows a commit, in order: append its events, then send its commands, one stage after the other. Kept in the
 * root until done, so that the next owner can do it again; everything here can be repeated.
 */

import { emptyMap, emptySet, type Json, ownMap, ownSet } from '#base';
import type { Clock } from '#base/clock';
import type { ActorKey, RealmId, Seq } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { EventLog } from '#ports/log';
import { formEntries } from './form-entries.js';
import type { OutboxEntry, Sequence } from './group.js';
import type { Untelling } from './untold.js';

export interface Delivery {
  /** Resolves when the command was carried out. */
  readonly done: Promise<void>;
  /** Give up: `done` never settles. */
  cancel(): void;
}

export interface OutboxPorts {
  readonly clock: Clock;
  readonly log: EventLog;
  /** Send until carried out. */
  send(command: OutboxCommand, id: string, requestId: string): Delivery;
  /** A commit has items that the log does not hold yet. */
  untold(): Untelling;
  /** The log holds the last items of these versions, at this position. */
  appended(seq: Seq, versions: readonly number[]): void;
  /** An append failed and is tried again. */
  trouble(error: unknown): void;
  /** Something was appended or carried out. */
  progress(): void;
}

interface Job {
  readonly entry: OutboxEntry;
  /** Items are in the log. */
  appended: boolean;
  readonly untold: Untelling | undefined;
  started: boolean;
  /** Sequences not yet carried out. */
  left: number;
  readonly finished: readonly (() => void)[];
}

/** More commits than this waiting for the log or for other actors: the actor takes no more for now. */
export const OUTBOX_LIMIT = 256;
/** Commands that one commit may send; their numbers follow from its version. */
const COMMANDS_PER_COMMIT = 2 ** 20;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

export class Outbox {
  #jobs = emptyMap<number, Job>();
  /** Commands whose replies wait for a sequence: their ids, and who else waits. */
  #answering = emptyMap<string, (() => void)[]>();
  /** Target → its last command under way or waiting. */
  #tails = emptyMap<ActorKey, Promise<void>>();
  #deliveries = emptySet<Delivery>();
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

  /** Items that wait for the log. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Unfinished entries as the next root must keep them. Records were applied before an entry came here. */
  unfinished(): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    for (const { entry, appended } of this.#jobs.values()) {
      entries.push(appended && entry.items.length > 0 ? { ...entry, items: [] } : entry);
    }
    return entries;
  }

  /** Entries must come in order of version. `finished`: one per sequence. */
  add(entry: OutboxEntry, finished: readonly (() => void)[]): void {
    if (entry.items.length === 0 && entry.sequences.length === 0) return;
    const appended = entry.items.length === 0;
    this.#jobs = ownMap(this.#jobs);
    const untold = appended ? undefined : this.ports.untold();
    this.#jobs.set(entry.v, { entry, appended, untold, started: false, left: entry.sequences.length, finished });
    this.#backlog += entry.items.length;
    for (const { answers } of entry.sequences) {
      if (answers === undefined) continue;
      this.#answering = ownMap(this.#answering);
      this.#answering.set(answers, []);
    }
    if (appended) this.#advance();
    else if (!this.#appending) void this.#append();
  }

  /** Commands of this name that may not be carried out yet. */
  underWay(name: string): OutboxCommand[] {
    return [...this.#jobs.values()].flatMap(({ entry }) => commandsIn(entry.sequences, name));
  }

  /** Run when the commands that this command caused were carried out; now if there are none. */
  afterCommandsOf(id: string, fn: () => void): void {
    const waiting = this.#answering.get(id);
    if (waiting) waiting.push(fn);
    else fn();
  }

  /** Run when the log holds all items of versions up to `v`. */
  afterLogged(v: number, fn: () => void): void {
    if (this.#isLogged(v)) fn();
    else {
      this.#logged ??= [];
      this.#logged.push({ v, fn });
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const { untold } of this.#jobs.values()) untold?.over();
    this.#jobs.clear();
    this.#logged = undefined;
    for (const delivery of this.#deliveries) delivery.cancel();
    this.#deliveries.clear();
  }

  #isLogged(v: number): boolean {
    for (const job of this.#jobs.values()) if (!job.appended) return job.entry.v > v;
    return true;
  }

  /** One append in flight per actor; what is committed meanwhile forms the next entry. */
  async #append(): Promise<void> {
    this.#appending = true;
    for (;;) {
      const waiting: OutboxEntry[] = [];
      for (const job of this.#jobs.values()) if (!job.appended) waiting.push(job.entry);
      if (waiting.length === 0) break;
      for (const { entry, completes } of formEntries(this.key, waiting)) {
        const seq = await this.#appendOne(entry as unknown as Json);
        if (this.#stopped || seq === undefined) return;
        this.ports.appended(seq, completes);
        for (const v of completes) this.#appended(v);
        this.#advance();
      }
    }
    this.#appending = false;
  }

  /** Undefined when the activation was stopped meanwhile. */
  async #appendOne(entry: Json): Promise<Seq | undefined> {
    for (let retry = FIRST_RETRY_MS; ; retry = Math.min(retry * 2, LONGEST_RETRY_MS)) {
      try {
        return await this.ports.log.append(this.realm, entry);
      } catch (error) {
        if (this.#stopped) return undefined;
        this.ports.trouble(error);
        await new Promise<void>((resolve) => this.ports.clock.setTimeout(resolve, retry));
        if (this.#stopped) return undefined;
      }
    }
  }

  #appended(v: number): void {
    const job = this.#jobs.get(v);
    if (!job) return;
    job.appended = true;
    job.untold?.over();
    this.#backlog -= job.entry.items.length;
  }

  /** Start commands in order of version: what a command causes must come later in the log than what caused it. */
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
    this.ports.progress();
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
   * Receivers keep one high-water mark per sender and drop what is not above it: commands for one target go strictly
   * in order of their numbers, across stages, outcomes and commits. Other targets need not wait for them.
   */
  #inOrder(command: OutboxCommand, id: string, requestId: string, stage: Promise<unknown>): Promise<void> {
    const last = this.#tails.get(command.to);
    const sent = (last ? Promise.all([last, stage]) : stage).then(() => this.#deliver(command, id, requestId));
    this.#tails = ownMap(this.#tails);
    this.#tails.set(command.to, sent);
    void sent.then(() => {
      if (this.#tails.get(command.to) === sent) this.#tails.delete(command.to);
    });
    return sent;
  }

  #deliver(command: OutboxCommand, id: string, requestId: string): Promise<void> {
    if (this.#stopped) return new Promise(() => {});
    const delivery = this.ports.send(command, id, requestId);
    this.#deliveries = ownSet(this.#deliveries);
    this.#deliveries.add(delivery);
    return delivery.done.then(() => {
      this.#deliveries.delete(delivery);
    });
  }

  #finish(job: Job, { answers }: Sequence, finished: (() => void) | undefined): void {
    if (this.#stopped) return;
    job.left--;
    if (job.left === 0) this.#jobs.delete(job.entry.v);
    finished?.();
    if (answers !== undefined) {
      const waiting = this.#answering.get(answers) ?? [];
      this.#answering.delete(answers);
      for (const fn of waiting) fn();
    }
    this.ports.progress();
  }
}

export const commandsIn = (sequences: readonly Sequence[], name: string): OutboxCommand[] =>
  sequences.flatMap(({ stages }) => stages.flat()).filter((command) => command.name === name);
