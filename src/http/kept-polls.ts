/**
 * Held commands that outlive single requests. While nothing comes for a client, the frontend answers its polls by itself with what
 * the operation declares (`Forward.meanwhile`), and the poll that follows goes on with the command that is held already: an idle client
 * costs its actor nothing. What is made for a poll lives for a minute, so it is dear to collect: the command's first poll leaves its objects to those
 * that follow.
 */
import type { Meanwhile } from '../api/index.js';
import { type Clock, Slices, SPREAD, spread } from '../clock/index.js';
import type { ActorKey } from '../core/index.js';
import type { Arrival } from './arrival.js';
import type { Pending } from './pending.js';
import { JSON_HEADERS, successOfText } from './reply.js';
import type { Responding } from './responding.js';
import type { Forwarding } from './services.js';

/** A client that is there asks again at once; else its actor is told that it is gone. */
const PATIENCE_MS = 5_000;
/** So that commands that were made together are not made anew together: each is good for this share of what it may give, at least. */
const LEAST_SHARE = 0.5;

export interface KeptOptions {
  /** A request waits for so long, and up to a fifth more. Milliseconds. */
  readonly everyMs: number;
  readonly random: () => number;
}

export class KeptPolls {
  readonly #kept = new Map<ActorKey, KeptPoll>();
  readonly #waiting: Slices<KeptPoll>;
  readonly #between: Slices<KeptPoll>;
  /** Requests that wait. */
  waiting = 0;

  constructor(
    readonly clock: Clock,
    readonly responding: Responding,
    readonly options: KeptOptions,
  ) {
    this.#waiting = new Slices(clock, options.everyMs * (1 + SPREAD), (kept) => kept.beat());
    this.#between = new Slices(clock, PATIENCE_MS, (kept) => kept.missed());
  }

  /** A command is held for this client, which has what it was answered last: the request waits with it. */
  goOn(to: ActorKey, { last }: Meanwhile, arrival: Arrival, ignored: readonly string[] | undefined): boolean {
    const kept = this.#kept.get(to);
    if (!kept?.goesOnFrom(last)) return false;
    kept.goOn(arrival, ignored);
    return true;
  }

  /** @param pending of the first request */
  add(
    to: ActorKey,
    meanwhile: Meanwhile,
    forwarding: Forwarding,
    arrival: Arrival,
    pending: Pending,
    ignored: readonly string[] | undefined,
  ): KeptPoll {
    const before = this.#kept.get(to);
    if (before && !before.waits) before.cancel();
    const kept = new KeptPoll(this, to, meanwhile, forwarding, arrival, pending);
    this.#kept.set(to, kept);
    kept.wait(ignored);
    return kept;
  }

  /** The frontend leaves. */
  release(): void {
    for (const kept of [...this.#kept.values()]) kept.release();
    this.#waiting.clear();
    this.#between.clear();
  }

  /** @internal */
  expect(kept: KeptPoll): void {
    const { everyMs, random } = this.options;
    this.#waiting.add(kept, spread(everyMs, random));
  }

  /** @internal */
  miss(kept: KeptPoll): void {
    this.#between.add(kept, PATIENCE_MS);
  }

  /** @internal */
  over(to: ActorKey, kept: KeptPoll): void {
    if (this.#kept.get(to) === kept) this.#kept.delete(to);
  }
}

export class KeptPoll {
  /** A request does. */
  waits = false;
  ignored: readonly string[] | undefined;
  #over = false;
  #last: number;
  #left: number;
  #answeredAt = 0;

  constructor(
    private readonly owner: KeptPolls,
    private readonly to: ActorKey,
    private readonly meanwhile: Meanwhile,
    private readonly forwarding: Forwarding,
    private readonly arrival: Arrival,
    private readonly pending: Pending,
  ) {
    this.#last = meanwhile.last;
    this.#left = Math.ceil(meanwhile.most * (LEAST_SHARE + (1 - LEAST_SHARE) * owner.options.random()));
    pending.forwarding = this;
  }

  goesOnFrom(last: number): boolean {
    return !this.waits && this.#last === last;
  }

  goOn(next: Arrival, ignored: readonly string[] | undefined): void {
    next.pending?.stopDeadline();
    this.arrival.goOn(next);
    this.wait(ignored);
    next.exchange.onAborted(this.pending.gone);
  }

  wait(ignored: readonly string[] | undefined): void {
    this.ignored = ignored;
    this.waits = true;
    this.owner.waiting++;
    this.owner.expect(this);
  }

  /** The command was answered. @returns the request that waits for it */
  settled(): Arrival | undefined {
    const { waits } = this;
    this.#end();
    return waits ? this.arrival : undefined;
  }

  /** The client is gone. */
  cancel(): void {
    if (this.#over) return;
    this.#end();
    this.forwarding.cancel();
  }

  /** The frontend leaves. */
  release(): void {
    if (this.waits) this.forwarding.release();
    else this.cancel();
  }

  /** Nothing has come for the request. */
  beat(): void {
    if (!this.waits) return;
    this.#rest();
    const { arrival, ignored } = this;
    const body = successOfText(this.meanwhile.fields(++this.#last), ignored);
    if (--this.#left > 0) {
      this.#answeredAt = this.owner.clock.monotonic();
      this.owner.miss(this);
    } else {
      this.pending.forwarding = undefined;
      this.cancel();
    }
    this.owner.responding.respondMeanwhile(arrival, JSON_HEADERS, body);
  }

  /** The client had time enough to ask again. */
  missed(): void {
    if (this.waits || this.owner.clock.monotonic() - this.#answeredAt < PATIENCE_MS) return;
    this.pending.forwarding = undefined;
    this.cancel();
  }

  #rest(): void {
    if (this.waits) this.owner.waiting--;
    this.waits = false;
  }

  #end(): void {
    this.#over = true;
    this.#rest();
    this.owner.over(this.to, this);
  }
}
