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

interface CommandSendOptions {
  readonly caller?: number;
  readonly client?: string;
  readonly requestId?: string;
  /** Realm version that the receiver's replica must have applied. */
  readonly minRealmVersion?: number;
  /**
   * Deadline, ms: default 30 s, and less while a needed service is known to be away (outage.ts). Infinity: retries
   * until cancelled (commands from outboxes, waiting polls).
   */
  readonly deadlineMs?: number;
  /** True if the actor may hold the command: an attempt may last as long as a parked poll. */
  readonly isHeldByActor?: boolean;
  /** True if an actor sends the command, and a command of that actor waits for the answer. */
  readonly asked?: boolean;
  /** Command id of an outbox command; absent: the client numbers the command itself. */
  readonly commandId?: string;
}

export interface SentCommand {
  readonly reply: Promise<Exclude<ActorCommandReply, { retry: unknown }>>;
  cancel(): void;
}

/** Duration of an attempt after which the back-off starts over: the attempt does not belong to earlier failures. */
const BACKOFF_RESET_AFTER_MS = 1_000;
/** Time limit of one attempt of a usual command, ms: a stuck host must not use up the whole deadline. */
const ATTEMPT_TIMEOUT_MS = 10_000;
/**
 * Time limit of one attempt of a held command, ms. A frontend parks a poll for an hour at most; a broken bus fails
 * within seconds.
 */
const HELD_ATTEMPT_TIMEOUT_MS = 4_000_000;
const DEFAULT_COMMAND_DEADLINE_MS = 30_000;

/** Numbers the commands of one sender, and knows the number below which all commands are settled. */
class CommandNumbering {
  #nextNumber = 1;
  #lowestUnsettled = 1;
  readonly #outstandingNumbers = new Set<number>();

  constructor(readonly sender: string) {}

  takeNumber(): number {
    this.#outstandingNumbers.add(this.#nextNumber);
    return this.#nextNumber++;
  }

  markSettled(n: number): void {
    this.#outstandingNumbers.delete(n);
  }

  /** Number below which all commands of the sender are settled (answered or given up). */
  findLowestUnsettled(): number {
    while (this.#lowestUnsettled < this.#nextNumber && !this.#outstandingNumbers.has(this.#lowestUnsettled))
      this.#lowestUnsettled++;
    return this.#lowestUnsettled;
  }
}

/** Commands that wait until a host serves their partition, by the partition's bus subject. */
class CommandsAwaitingOwner {
  readonly #deliveriesBySubject = new Map<string, Set<CommandDelivery>>();

  addDelivery(subject: string, delivery: CommandDelivery): void {
    const waiting = this.#deliveriesBySubject.get(subject);
    if (waiting) waiting.add(delivery);
    else this.#deliveriesBySubject.set(subject, new Set([delivery]));
  }

  removeDelivery(subject: string, delivery: CommandDelivery): void {
    const waiting = this.#deliveriesBySubject.get(subject);
    if (waiting?.delete(delivery) && waiting.size === 0) this.#deliveriesBySubject.delete(subject);
  }

  retryOnServedSubject(subject: string): void {
    for (const delivery of [...(this.#deliveriesBySubject.get(subject) ?? [])]) delivery.retryNow();
  }
}

/** Number of clients created in this process; it makes their ids unique. */
let createdActorClientCount = 0;

export class ActorClient {
  /** Id of this client in command ids: several clients may share a bus, and their commands must have different ids. */
  readonly id: string;
  readonly #usualNumbering: CommandNumbering;
  /**
   * Numbering of held commands, apart from that of other commands: a command that lasts minutes would keep receivers
   * from forgetting all later replies.
   */
  readonly #heldNumbering: CommandNumbering;
  readonly #commandsAwaitingOwner = new CommandsAwaitingOwner();
  readonly #outageDetector: OutageDetector;

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly metrics: MetricsRegistry = new MetricsRegistry(),
    outage: OutageOptions = {},
  ) {
    this.#outageDetector = new OutageDetector(bus, clock, outage);
    this.id = `${bus.id}/${++createdActorClientCount}`;
    this.#usualNumbering = new CommandNumbering(this.id);
    this.#heldNumbering = new CommandNumbering(`${this.id}~`);
    bus.onSubjectServed((subject) => this.#commandsAwaitingOwner.retryOnServedSubject(subject));
  }

  /** Time limit for a wait on the bus, ms: `usual`, or less while the bus is away. */
  limitBusWaitMs(usual: number): number {
    return this.#outageDetector.isBusAway ? Math.min(usual, this.#outageDetector.maxOutageWaitMs) : usual;
  }

  send(to: ActorKey, name: string, args: JsonObject, options: CommandSendOptions = {}): SentCommand {
    const numbering = options.isHeldByActor ? this.#heldNumbering : this.#usualNumbering;
    const delivery = new CommandDelivery(
      this.bus,
      this.clock,
      this.metrics,
      numbering,
      this.#commandsAwaitingOwner,
      this.#outageDetector,
      to,
      name,
      args,
      options,
    );
    delivery.startAttempt();
    return delivery;
  }
}

/** Delivery of one command: attempts under one command id until an answer, the deadline, or a cancellation. */
class CommandDelivery implements SentCommand {
  readonly reply: Promise<Exclude<ActorCommandReply, { retry: unknown }>>;
  #resolveReply!: (reply: Exclude<ActorCommandReply, { retry: unknown }>) => void;
  #rejectReply!: (error: Error) => void;
  #pendingBusReply: PendingBusReply | undefined;
  #retryTimer: TimerHandle | undefined;
  #isOver = false;
  /** Number of consecutive failed attempts of the command. */
  #consecutiveFailureCount = 0;
  #attemptStartedAt = 0;
  #lastFailure: CommandFailureReason = 'none';
  readonly #deadlineAt: number;
  readonly #busSubject: string;
  /** Number of the command in its client's numbering; 0 if the caller gave the command id. */
  readonly #commandNumber: number;

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly metrics: MetricsRegistry,
    private readonly numbering: CommandNumbering,
    private readonly commandsAwaitingOwner: CommandsAwaitingOwner,
    private readonly outageDetector: OutageDetector,
    private readonly to: ActorKey,
    private readonly name: string,
    private readonly args: JsonObject,
    private readonly options: CommandSendOptions,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.#resolveReply = resolve;
      this.#rejectReply = reject;
    });
    this.#deadlineAt = clock.monotonic() + (options.deadlineMs ?? DEFAULT_COMMAND_DEADLINE_MS);
    this.#commandNumber = options.commandId === undefined ? numbering.takeNumber() : 0;
    this.#busSubject = busSubjectOfPartition(partitionOfActor(to));
  }

  #makeEnvelope(): Json {
    const { numbering, options } = this;
    const made: CommandEnvelope = {
      id: options.commandId ?? `${numbering.sender}:${this.#commandNumber}`,
      to: this.to,
      name: this.name,
      args: this.args,
      caller: options.caller ?? 0,
      client: options.client ?? '',
      after: options.minRealmVersion ?? 0,
      settled: numbering.findLowestUnsettled(),
      requestId: options.requestId ?? '',
    };
    return (options.asked ? { ...made, asked: true } : made) as unknown as Json;
  }

  startAttempt(): void {
    if (this.#isOver) return;
    const left = this.#deadlineAt - this.clock.monotonic();
    if (left <= 0) {
      this.#giveUp();
      return;
    }
    this.#attemptStartedAt = this.clock.monotonic();
    this.#pendingBusReply = this.bus.request(
      this.#busSubject,
      this.#makeEnvelope(),
      Math.min(left, this.options.isHeldByActor ? HELD_ATTEMPT_TIMEOUT_MS : ATTEMPT_TIMEOUT_MS),
    );
    this.#pendingBusReply.reply.then(
      (value) => this.#onReply(value as unknown as ActorCommandReply),
      (error: unknown) => {
        this.#lastFailure = error instanceof BusError ? error.failure : 'disconnected';
        this.#retryLaterOrGiveUp();
      },
    );
  }

  #giveUp(): void {
    this.#markOver();
    this.metrics.increment('conclave_commands_unanswered_total', this.#lastFailure);
    this.#rejectReply(new CommandTimeoutError(this.#lastFailure));
  }

  #markOver(): void {
    this.#isOver = true;
    if (this.#commandNumber > 0) this.numbering.markSettled(this.#commandNumber);
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#markOver();
    this.#pendingBusReply?.cancel();
    this.#stopWaitingForRetry();
  }

  #onReply(reply: ActorCommandReply): void {
    if (this.#isOver) return;
    if ('retry' in reply) {
      this.#lastFailure = reply.retry;
      this.#retryLaterOrGiveUp(reply.awayMs);
      return;
    }
    this.outageDetector.recordAnswer(this.#busSubject);
    this.#markOver();
    this.#resolveReply(reply);
  }

  /**
   * Retries the command after a delay, or gives up.
   * @param awayMs for how long the Store of the refusing host has been away
   */
  #retryLaterOrGiveUp(awayMs = 0): void {
    if (this.#isOver) return;
    this.metrics.increment('conclave_command_retries_total', this.#lastFailure);
    const now = this.clock.monotonic();
    const until = this.#findDeadlineDuringOutage(now - this.#attemptStartedAt, awayMs);
    if (until <= now) {
      this.#giveUp();
      return;
    }
    if (now - this.#attemptStartedAt >= BACKOFF_RESET_AFTER_MS) this.#consecutiveFailureCount = 0;
    const backoff = retryDelayMs(
      isOwnerMissingOrMoved(this.#lastFailure) ? RETRY_DELAYS_MS.moved : RETRY_DELAYS_MS.trouble,
      this.#consecutiveFailureCount++,
    );
    this.#retryTimer = this.clock.setTimeout(() => this.retryNow(), Math.min(backoff, until - now));
    if (isOwnerMissingOrMoved(this.#lastFailure)) this.commandsAwaitingOwner.addDelivery(this.#busSubject, this);
  }

  #findDeadlineDuringOutage(attemptMs: number, awayMs: number): number {
    const { outageDetector } = this;
    const isAway = outageDetector.recordFailureAndCheckAway(this.#busSubject, this.#lastFailure, attemptMs, awayMs);
    if (!isAway || this.#deadlineAt === Number.POSITIVE_INFINITY) return this.#deadlineAt;
    const began = this.#deadlineAt - (this.options.deadlineMs ?? DEFAULT_COMMAND_DEADLINE_MS);
    return Math.min(this.#deadlineAt, began + this.outageDetector.maxOutageWaitMs);
  }

  /** Starts the next attempt of the command now. */
  retryNow(): void {
    this.#stopWaitingForRetry();
    this.startAttempt();
  }

  #stopWaitingForRetry(): void {
    if (this.#retryTimer) this.clock.clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.commandsAwaitingOwner.removeDelivery(this.#busSubject, this);
  }
}

/** True if the command was not executed because its partition has no owner at present, or another owner. */
const isOwnerMissingOrMoved = (last: CommandFailureReason): boolean =>
  last === 'nobody' || last === 'not-owner' || last === 'moved';
