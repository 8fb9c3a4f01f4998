/**
 * Sends commands to actors: finds the partition's owner, retries under one command id until the deadline, and tells
 * receivers which commands are settled, so that receivers can forget the replies.
 */

import type { Json, JsonObject } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import { MetricsRegistry } from '#base/metrics';
import { type ActorKey, busSubjectOfPartition, type CommandFailureReason, partitionOfActor } from '#model';
import { type Bus, BusError, type PendingBusReply } from '#ports/bus';
import { RETRY_DELAYS_MS, retryDelayMs } from './backoff.js';
import { OutageDetector, type OutageOptions } from './outage.js';
import type { ActorCommandReply, CommandEnvelope } from './protocol.js';

/** Error of a command whose deadline passed: the command may or may not have been executed. */
export class CommandTimeoutError extends Error {
  override name = 'CommandTimeoutError';
  constructor(readonly last: CommandFailureReason) {
    super(`no answer within the deadline (${last})`);
  }
}

interface SendOptions {
  readonly caller?: number;
  readonly client?: string;
  readonly requestId?: string;
  /** Realm version that the receiver's replica must have applied. */
  readonly after?: number;
  /**
   * Deadline, ms: default 30 s, and less while a needed service is known to be away (outage.ts). Infinity: retries
   * until cancelled (commands from outboxes, waiting polls).
   */
  readonly deadlineMs?: number;
  /** True if the actor may hold the command: an attempt may last as long as a parked poll. */
  readonly held?: boolean;
  /** True if an actor sends the command, and a command of that actor waits for the answer. */
  readonly asked?: boolean;
  /** Command id of an outbox command; absent: the client numbers the command itself. */
  readonly id?: string;
}

export interface SentCommand {
  readonly reply: Promise<Exclude<ActorCommandReply, { retry: unknown }>>;
  cancel(): void;
}

/** Duration of an attempt after which the back-off starts over: the attempt does not belong to earlier failures. */
const RESET_BACKOFF_MS = 1_000;
/** Time limit of one attempt of a usual command, ms: a stuck host must not use up the whole deadline. */
const ATTEMPT_MS = 10_000;
/**
 * Time limit of one attempt of a held command, ms. A frontend parks a poll for an hour at most; a broken bus fails
 * within seconds.
 */
const HELD_ATTEMPT_MS = 4_000_000;
const DEADLINE_MS = 30_000;

/** Numbers the commands of one sender, and knows the number below which all commands are settled. */
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

  /** Number below which all commands of the sender are settled (answered or given up). */
  settled(): number {
    while (this.#lowest < this.#next && !this.#outstanding.has(this.#lowest)) this.#lowest++;
    return this.#lowest;
  }
}

/** Commands that wait until a host serves their partition, by the partition's bus subject. */
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

/** Number of clients created in this process; it makes their ids unique. */
let instances = 0;

export class ActorClient {
  /** Id of this client in command ids: several clients may share a bus, and their commands must have different ids. */
  readonly id: string;
  readonly #usual: Numbering;
  /**
   * Numbering of held commands, apart from that of other commands: a command that lasts minutes would keep receivers
   * from forgetting all later replies.
   */
  readonly #held: Numbering;
  readonly #unserved = new AwaitingOwner();
  readonly #patience: OutageDetector;

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly metrics: MetricsRegistry = new MetricsRegistry(),
    patience: OutageOptions = {},
  ) {
    this.#patience = new OutageDetector(bus, clock, patience);
    this.id = `${bus.id}/${++instances}`;
    this.#usual = new Numbering(this.id);
    this.#held = new Numbering(`${this.id}~`);
    bus.onServed((subject) => this.#unserved.served(subject));
  }

  /** Time limit for a wait on the bus, ms: `usual`, or less while the bus is away. */
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

/** Delivery of one command: attempts under one command id until an answer, the deadline, or a cancellation. */
class CommandDelivery implements SentCommand {
  readonly reply: Promise<Exclude<ActorCommandReply, { retry: unknown }>>;
  #resolve!: (reply: Exclude<ActorCommandReply, { retry: unknown }>) => void;
  #reject!: (error: Error) => void;
  #pending: PendingBusReply | undefined;
  #timer: TimerHandle | undefined;
  #over = false;
  /** Number of consecutive failed attempts of the command. */
  #failures = 0;
  #begun = 0;
  #last: CommandFailureReason = 'none';
  readonly #until: number;
  readonly #subject: string;
  /** Number of the command in its client's numbering; 0 if the caller gave the command id. */
  readonly #n: number;

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly metrics: MetricsRegistry,
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
    this.#subject = busSubjectOfPartition(partitionOfActor(to));
  }

  #envelope(): Json {
    const { numbering, options } = this;
    const made: CommandEnvelope = {
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
      (value) => this.#answered(value as unknown as ActorCommandReply),
      (error: unknown) => {
        this.#last = error instanceof BusError ? error.failure : 'disconnected';
        this.#again();
      },
    );
  }

  #giveUp(): void {
    this.#end();
    this.metrics.increment('conclave_commands_unanswered_total', this.#last);
    this.#reject(new CommandTimeoutError(this.#last));
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

  #answered(reply: ActorCommandReply): void {
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

  /**
   * Retries the command after a delay, or gives up.
   * @param awayMs for how long the Store of the refusing host has been away
   */
  #again(awayMs = 0): void {
    if (this.#over) return;
    this.metrics.increment('conclave_command_retries_total', this.#last);
    const now = this.clock.monotonic();
    const until = this.#patientUntil(awayMs);
    if (until <= now) {
      this.#giveUp();
      return;
    }
    if (now - this.#begun >= RESET_BACKOFF_MS) this.#failures = 0;
    const backoff = retryDelayMs(
      isMove(this.#last) ? RETRY_DELAYS_MS.moved : RETRY_DELAYS_MS.trouble,
      this.#failures++,
    );
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

  /** Starts the next attempt of the command now. */
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

/** True if the command was not executed because its partition has no owner at present, or another owner. */
const isMove = (last: CommandFailureReason): boolean => last === 'nobody' || last === 'not-owner' || last === 'moved';
