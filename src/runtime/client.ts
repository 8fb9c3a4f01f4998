/**
 * Sends commands to actors: finds the partition's owner, retries under one command id until the deadline, and tells
 * receivers which of its commands are settled so that they can forget the replies.
 */

import type { Json, JsonObject } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import { Metrics } from '#base/metrics';
import type { CommandFailure } from '#model';
import { type ActorKey, partitionOf, partitionSubject } from '#model';
import type { Bus, PendingReply } from '#ports/bus';
import { BusError } from '#ports/bus';
import { OutageDetector, type OutageOptions } from './outage.js';
import type { Envelope, Reply } from './protocol.js';

/** The deadline passed: the command may or may not have been executed. */
export class CommandTimeout extends Error {
  override name = 'CommandTimeout';
  constructor(readonly last: CommandFailure) {
    super(`no answer within the deadline (${last})`);
  }
}

export interface SendOptions {
  readonly caller?: number;
  readonly client?: string;
  readonly requestId?: string;
  /** Realm version that the receiver's replica must have applied. */
  readonly after?: number;
  /**
   * Milliseconds; default 30 s, and less while what it needs is known to be away (patience.ts). Infinity: retry until cancelled (outbox
   * commands, held polls).
   */
  readonly deadlineMs?: number;
  /** The reply may be held for long: attempts have no time limit of their own. */
  readonly held?: boolean;
  /** An actor asks, whose command waits for the answer. */
  readonly asked?: boolean;
  /** Command id given by the caller (outbox commands); default: the client's own numbering. */
  readonly id?: string;
}

export interface SentCommand {
  readonly reply: Promise<Exclude<Reply, { retry: unknown }>>;
  cancel(): void;
}

/**
 * Between attempts, unless the bus tells that somebody serves the partition: hundreds may wait for a host that has died, and
 * their attempts would be in the way of those that take over.
 */
const MOVED_BACKOFF_MS = [10, 20, 40, 80, 160, 300, 500, 1_000];
/** Who is overloaded, or can't reach its Store, is not helped by many attempts. */
const TROUBLE_BACKOFF_MS = [10, 20, 40, 80, 160, 320, 500];
/** An attempt that was under way for so long was no part of the trouble before it. */
const FORGIVEN_MS = 1_000;
/** One attempt of a command that isn't held: a host that is stuck must not use up the whole deadline. */
const ATTEMPT_MS = 10_000;
/** A frontend holds a poll for an hour at most, while its client gets heartbeats; a bus that fails tells within seconds. */
const HELD_ATTEMPT_MS = 4_000_000;
const DEADLINE_MS = 30_000;

/** Numbers of commands of one sender. */
class Numbering {
  #next = 1;
  #lowest = 1;
  readonly #outstanding = new Set<number>();

  constructor(readonly sender: string) {}

  take(): number {
    this.#outstanding.add(this.#next);
    return this.#next++;
  }

  done(n: number): void {
    this.#outstanding.delete(n);
  }

  /** Everything below is settled. */
  settled(): number {
    while (this.#lowest < this.#next && !this.#outstanding.has(this.#lowest)) this.#lowest++;
    return this.#lowest;
  }
}

/** Commands that nobody took, by the subject of their partition. */
class AwaitingOwner {
  readonly #waiting = new Map<string, Set<CommandDelivery>>();

  add(subject: string, attempts: CommandDelivery): void {
    const waiting = this.#waiting.get(subject);
    if (waiting) waiting.add(attempts);
    else this.#waiting.set(subject, new Set([attempts]));
  }

  remove(subject: string, attempts: CommandDelivery): void {
    const waiting = this.#waiting.get(subject);
    if (waiting?.delete(attempts) && waiting.size === 0) this.#waiting.delete(subject);
  }

  served(subject: string): void {
    for (const attempts of [...(this.#waiting.get(subject) ?? [])]) attempts.retry();
  }
}

/** Clients made in this process. */
let instances = 0;

export class ActorClient {
  /** Names this client in command ids: several clients may share a bus, and their numbers must never meet. */
  readonly id: string;
  readonly #usual: Numbering;
  /** Held commands have numbers of their own: one held for minutes would keep all replies since from being forgotten. */
  readonly #held: Numbering;
  /** Attempts that wait for somebody to serve their partition. */
  readonly #unserved = new AwaitingOwner();
  readonly #patience: OutageDetector;

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly metrics: Metrics = new Metrics(),
    patience: OutageOptions = {},
  ) {
    this.#patience = new OutageDetector(bus, clock, patience);
    this.id = `${bus.id}/${++instances}`;
    this.#usual = new Numbering(this.id);
    this.#held = new Numbering(`${this.id}~`);
    bus.onServed((subject) => this.#unserved.served(subject));
  }

  /** How long to wait for what comes over the bus, and usually comes within this time; milliseconds. */
  waitMs(usual: number): number {
    return this.#patience.busAway ? Math.min(usual, this.#patience.limitMs) : usual;
  }

  send(to: ActorKey, name: string, args: JsonObject, options: SendOptions = {}): SentCommand {
    const numbering = options.held ? this.#held : this.#usual;
    const attempts = new CommandDelivery(
      this.bus,
      this.clock,
      this.metrics,
      numbering,
      this.#unserved,
      this.#patience,
      to,
      name,
      args,
      options,
    );
    attempts.start();
    return attempts;
  }
}

class CommandDelivery implements SentCommand {
  readonly reply: Promise<Exclude<Reply, { retry: unknown }>>;
  #resolve!: (reply: Exclude<Reply, { retry: unknown }>) => void;
  #reject!: (error: Error) => void;
  #pending: PendingReply | undefined;
  #timer: TimerHandle | undefined;
  #over = false;
  /** Failed attempts in a row. */
  #failures = 0;
  #begun = 0;
  #last: CommandFailure = 'none';
  readonly #until: number;
  readonly #subject: string;
  /** Of the client's own numbering; 0 = the id was given. */
  readonly #n: number;

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly numbering: Numbering,
    private readonly unserved: AwaitingOwner,
    private readonly patience: OutageDetector,
    private readonly to: ActorKey,
    private readonly name: string,
    private readonly args: JsonObject,
    private readonly options: SendOptions,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#until = clock.monotonic() + (options.deadlineMs ?? DEADLINE_MS);
    this.#n = options.id === undefined ? numbering.take() : 0;
    this.#subject = partitionSubject(partitionOf(to));
  }

  #envelope(): Json {
    const { numbering, options } = this;
    const made: Envelope = {
      id: options.id ?? `${numbering.sender}:${this.#n}`,
      to: this.to,
      name: this.name,
      args: this.args,
      caller: options.caller ?? 0,
      client: options.client ?? '',
      after: options.after ?? 0,
      settled: numbering.settled(),
      requestId: options.requestId ?? '',
    };
    return (options.asked ? { ...made, asked: true } : made) as unknown as Json;
  }

  start(): void {
    if (this.#over) return;
    const left = this.#until - this.clock.monotonic();
    if (left <= 0) {
      this.#giveUp();
      return;
    }
    this.#begun = this.clock.monotonic();
    this.#pending = this.bus.request(
      this.#subject,
      this.#envelope(),
      Math.min(left, this.options.held ? HELD_ATTEMPT_MS : ATTEMPT_MS),
    );
    this.#pending.reply.then(
      (value) => this.#answered(value as unknown as Reply),
      (error: unknown) => {
        this.#last = error instanceof BusError ? error.failure : 'disconnected';
        this.#again();
      },
    );
  }

  #giveUp(): void {
    this.#end();
    this.metrics.count('conclave_commands_unanswered_total', this.#last);
    this.#reject(new CommandTimeout(this.#last));
  }

  #end(): void {
    this.#over = true;
    if (this.#n > 0) this.numbering.done(this.#n);
  }

  cancel(): void {
    if (this.#over) return;
    this.#end();
    this.#pending?.cancel();
    this.#stopWaiting();
  }

  #answered(reply: Reply): void {
    if (this.#over) return;
    if ('retry' in reply) {
      this.#last = reply.retry;
      this.#again(reply.awayMs);
      return;
    }
    this.patience.answered(this.#subject);
    this.#end();
    this.#resolve(reply);
  }

  /** @param awayMs for how long the Store of the host that refused has been away */
  #again(awayMs = 0): void {
    if (this.#over) return;
    this.metrics.count('conclave_command_retries_total', this.#last);
    const now = this.clock.monotonic();
    const until = this.#patientUntil(awayMs);
    if (until <= now) {
      this.#giveUp();
      return;
    }
    if (now - this.#begun >= FORGIVEN_MS) this.#failures = 0;
    const steps = isMove(this.#last) ? MOVED_BACKOFF_MS : TROUBLE_BACKOFF_MS;
    const backoff = steps[Math.min(this.#failures++, steps.length - 1)]!;
    this.#timer = this.clock.setTimeout(() => this.retry(), Math.min(backoff, until - now));
    if (isMove(this.#last)) this.unserved.add(this.#subject, this);
  }

  #patientUntil(awayMs: number): number {
    if (!this.patience.isKnownAway(this.#subject, this.#last, awayMs) || this.#until === Number.POSITIVE_INFINITY) {
      return this.#until;
    }
    const began = this.#until - (this.options.deadlineMs ?? DEADLINE_MS);
    return Math.min(this.#until, began + this.patience.limitMs);
  }

  /** Now rather than later. */
  retry(): void {
    this.#stopWaiting();
    this.start();
  }

  #stopWaiting(): void {
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.unserved.remove(this.#subject, this);
  }
}

/** Not executed, because the partition has no owner at present, or another one. */
const isMove = (last: CommandFailure): boolean => last === 'nobody' || last === 'not-owner' || last === 'moved';
