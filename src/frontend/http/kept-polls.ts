/**
 * Held commands that outlive single requests. While nothing comes for a client, the frontend answers its polls by itself with what
 * the operation declares (`Forward.meanwhile`), and the poll that follows goes on with the command that is held already: an idle client
 * costs its actor nothing. What is made for a poll lives for a minute, so it is dear to collect: the command's first poll leaves its objects to those
 * that follow.
 */

import { encodeFields } from '#base';
import { type Clock, Slices, SPREAD, spread } from '#base/clock';
import type { ActorRepeat, ActorReply, Meanwhile } from '#frontend/api';
import type { ActorKey } from '#model';
import type { Arrival, Target } from './arrival.js';
import type { Pending } from './pending.js';
import type { RepeatedQuery } from './repeated-query.js';
import { JSON_HEADERS, successOfText } from './reply.js';
import type { Responding } from './responding.js';
import type { Caller, Forwarding } from './services.js';

/** A client that is there asks again at once; else its actor is told that it is gone. */
const PATIENCE_MS = 5_000;
/** So that commands that were made together are not made anew together: each is good for this share of what it may give, at least. */
const LEAST_SHARE = 0.5;

export interface KeptOptions {
  /** A request waits for so long, and up to a fifth more. Milliseconds. */
  readonly everyMs: number;
  readonly random: () => number;
}

/** What a kept poll begins with. */
interface FirstPoll {
  readonly meanwhile: Meanwhile;
  /** How its client asks again; undefined: that has to be read. */
  readonly repeated: RepeatedQuery | undefined;
  readonly forwarding: Forwarding;
  readonly arrival: Arrival;
  /** Of that request. */
  readonly pending: Pending;
  readonly ignored: readonly string[] | undefined;
}

export class KeptPolls {
  readonly #kept = new Map<ActorKey, KeptPoll>();
  /** Those whose client is to ask again, by the query with which it will. */
  readonly #expected = new Map<string, KeptPoll>();
  /** Operations that there are such polls of. */
  readonly #targets = new Set<Target>();
  readonly #waiting: Slices<KeptPoll>;
  readonly #between: Slices<KeptPoll>;
  /** Requests that wait. */
  waiting = 0;

  constructor(
    readonly clock: Clock,
    readonly responding: Responding,
    readonly options: KeptOptions,
  ) {
    this.#waiting = new Slices(clock, options.everyMs * (1 + SPREAD), (kept, now) => kept.beat(now));
    this.#between = new Slices(clock, PATIENCE_MS, (kept, now) => kept.missed(now));
  }

  /** A command is held for this client, which has what it was answered last: the request waits with it. */
  goOn(to: ActorKey, { last }: Meanwhile, arrival: Arrival, ignored: readonly string[] | undefined): boolean {
    const kept = this.#kept.get(to);
    if (!kept?.goesOnFrom(last)) return false;
    kept.goOn(arrival, ignored);
    return true;
  }

  /** The same, of a request that need not be read: it is the one before but for the number. */
  goOnWithSame(arrival: Arrival, caller: Caller): boolean {
    if (!this.#targets.has(arrival.target!)) return false;
    const kept = this.#expected.get(arrival.exchange.query);
    if (!kept?.repeated?.isOf(arrival, caller)) return false;
    kept.goOn(arrival, kept.ignored);
    return true;
  }

  add(to: ActorKey, first: FirstPoll): KeptPoll {
    const before = this.#kept.get(to);
    if (before && !before.waits) before.cancel();
    const kept = new KeptPoll(this, to, first);
    if (first.repeated) this.#targets.add(first.arrival.target!);
    this.#kept.set(to, kept);
    kept.wait(first.ignored);
    return kept;
  }

  /** Requests that wait. */
  *waitingArrivals(): Iterable<Arrival> {
    for (const kept of this.#kept.values()) if (kept.waits) yield kept.arrival;
  }

  /** The frontend leaves. */
  release(): void {
    for (const kept of [...this.#kept.values()]) kept.release();
    this.#waiting.clear();
    this.#between.clear();
  }

  /** @internal @param since when its request came */
  beatLater(kept: KeptPoll, since: number): void {
    const { everyMs, random } = this.options;
    this.#waiting.add(kept, spread(everyMs, random), since);
  }

  /** @internal */
  expect(kept: KeptPoll, query: string | undefined, now: number): void {
    if (query !== undefined) this.#expected.set(query, kept);
    this.#between.add(kept, PATIENCE_MS, now);
  }

  /** @internal */
  expectNoMore(kept: KeptPoll, query: string): void {
    if (this.#expected.get(query) === kept) this.#expected.delete(query);
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
  readonly repeated: RepeatedQuery | undefined;
  readonly #meanwhile: Meanwhile;
  readonly #forwarding: Forwarding;
  /** The request that waits, or was answered last. */
  readonly arrival: Arrival;
  readonly #pending: Pending;
  #over = false;
  #last: number;
  #left: number;
  #answeredAt = 0;
  /** Query with which its client is to ask again. */
  #next: string | undefined;

  constructor(
    private readonly owner: KeptPolls,
    private readonly to: ActorKey,
    { meanwhile, repeated, forwarding, arrival, pending }: FirstPoll,
  ) {
    this.#meanwhile = meanwhile;
    this.repeated = repeated;
    this.#forwarding = forwarding;
    this.arrival = arrival;
    this.#pending = pending;
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
    this.arrival.exchange.onAborted(this.#pending.gone);
  }

  wait(ignored: readonly string[] | undefined): void {
    this.ignored = ignored;
    this.waits = true;
    this.#expectNoMore();
    this.owner.waiting++;
    this.owner.beatLater(this, this.arrival.since);
  }

  /** What the actor's answer is to the request that waits: it may have come long after the command was sent. */
  answerOf(reply: ActorReply | ActorRepeat): ActorReply | ActorRepeat {
    if (!('error' in reply) || this.#last === this.#meanwhile.last) return reply;
    const instead = this.#meanwhile.insteadOf(reply.error);
    return instead ? { ok: [encodeFields(instead)] } : reply;
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
    this.#forwarding.cancel();
  }

  /** The frontend leaves. */
  release(): void {
    if (this.waits) this.#forwarding.release();
    else this.cancel();
  }

  /** Nothing has come for the request. @param now monotonic ms */
  beat(now: number): void {
    if (!this.waits) return;
    this.#rest();
    const body = successOfText(this.#meanwhile.fields(++this.#last), this.ignored);
    if (--this.#left > 0) {
      this.#answeredAt = now;
      this.#next = this.repeated?.with(this.#last);
      this.owner.expect(this, this.#next, now);
    } else {
      this.#pending.forwarding = undefined;
      this.cancel();
    }
    this.owner.responding.respondMeanwhile(this.arrival, JSON_HEADERS, body, now);
  }

  /** The client had time enough to ask again. @param now monotonic ms */
  missed(now: number): void {
    if (this.waits || now - this.#answeredAt < PATIENCE_MS) return;
    this.#pending.forwarding = undefined;
    this.cancel();
  }

  #rest(): void {
    if (this.waits) this.owner.waiting--;
    this.waits = false;
  }

  #expectNoMore(): void {
    if (this.#next !== undefined) this.owner.expectNoMore(this, this.#next);
    this.#next = undefined;
  }

  #end(): void {
    this.#over = true;
    this.#rest();
    this.#expectNoMore();
    this.owner.over(this.to, this);
  }
}
