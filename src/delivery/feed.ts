/**
 * The event feed of one realm on one host: follows the realm's log once for all its queues here, decides who gets what,
 * and hands each queue references to shared events. A queue that attaches at an older position is caught up from the
 * log first.
 */
import type { Clock } from '#base/clock';
import type { DirectoryReplica } from '#directory';
import type { LogEntry, MessageItem, PlainItem } from '#model';
import { eventId, type RealmId, type Seq, seq as toSeq } from '#model';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import { receives, streamsOf } from './audience.js';
import { type CatchingUp, CatchUp, type CatchUpSource } from './catch-up.js';
import { Memberships } from './memberships.js';
import { Overview, type OverviewBudget } from './overview.js';
import { Past, REPEAT_DISTANCE } from './past.js';
import { type RecentBudget, RecentEntries } from './recent.js';
import { isClientItem, SharedEvent, TransientEvent } from './shared-event.js';
import type { EventSink, LivePosition, Work } from './sink.js';
import { Sinks } from './sinks.js';

export interface Subscribers {
  readonly position: Seq;
  /** Stream → user ids, ascending. */
  readonly of: ReadonlyMap<number, readonly number[]>;
}

export class RealmFeed {
  readonly #sinks: Sinks;
  /** Those that hear of transient events: the live ones, and new ones whose past is still being read. */
  readonly #listening: Sinks;
  readonly #memberships: Memberships;
  /** For registrations. */
  readonly overview: Overview;
  readonly #membersOf = (stream: number) => this.#memberships.of(stream);
  readonly #catchUps = new Set<CatchUp>();
  readonly #past: Past;
  readonly #recent: RecentEntries;
  #attaching: EventSink[] = [];
  /** Catch-ups and registrations that are ahead of the live feed. */
  #awaited: { readonly seq: Seq; resolve(): void }[] = [];
  #work: Work[] = [];
  /** Until the past is read, and while a membership is. */
  #busy = true;
  #pastRead = false;
  /** How often the live queues have lost their place: what began before the last time is nobody's business any more. */
  #losses = 0;
  #position: Seq;
  #live: LivePosition;

  constructor(
    private readonly realm: RealmId,
    private readonly replica: DirectoryReplica,
    private readonly log: EventLog,
    store: Store,
    private readonly clock: Clock,
    budget: RecentBudget,
    overviews: OverviewBudget,
  ) {
    this.#memberships = new Memberships(store, realm);
    const owner = { clock, recent: () => this.#recent, settled: () => this.#settled() };
    this.overview = new Overview(store, realm, this.#memberships, owner, overviews);
    this.#sinks = new Sinks(this.#membersOf);
    this.#listening = new Sinks(this.#membersOf);
    this.#position = replica.tail.position;
    this.#live = { at: this.#position };
    this.#recent = new RecentEntries(budget, this.#position);
    const before: { seq: Seq; entry: LogEntry }[] = [];
    const start = this.#position;
    this.#past = new Past(log, realm, start, clock, (seq, entry) => before.push({ seq, entry }));
    void this.#past.read.then(() => {
      this.#recent.prepend(before, this.#past.from);
      this.#pastRead = true;
      this.#busy = false;
      this.#run();
    });
    replica.tail.add({
      entry: (seq, entry, fresh) => {
        this.#recent.add(seq, entry);
        this.#work.push({ seq, entry, fresh: new Set(fresh) });
        if (!this.#busy) this.#run();
      },
      transient: (value) => this.#transient(value as unknown as PlainItem),
      gap: (trimmed) => this.#gap(trimmed),
    });
  }

  /** The directory that it reads is closed: it gets no news. */
  closed(): void {
    this.#recent.restart(this.#position);
    this.overview.reset();
  }

  /** Log position up to which live queues have everything. */
  get position(): Seq {
    return this.#position;
  }

  /** It has queues, or something under way for them. */
  get busy(): boolean {
    const sinks = this.#sinks.size + this.#listening.size + this.#attaching.length + this.#catchUps.size;
    return sinks > 0 || this.#awaited.length > 0 || this.#busy || this.#work.length > 0;
  }

  /** Resolves when the directory replica shows everything up to this log position. */
  async reach(position: Seq): Promise<void> {
    if (this.replica.tail.position < position) await this.replica.tail.caughtUp();
  }

  /** Resolves when everything that the log had brought here before was delivered. */
  async #settled(): Promise<void> {
    const { position } = this.replica.tail;
    if (this.#position >= position && !this.#busy) return;
    await new Promise<void>((resolve) => this.#awaited.push({ seq: position, resolve }));
  }

  /**
   * Who is subscribed to these streams, and the log position up to which these lists show everything.
   *
   * @param streams asked for when all that the log had brought here before was delivered, and again when they were read
   */
  async subscribers(streams: () => readonly number[]): Promise<Subscribers> {
    for (;;) {
      await this.#settled();
      const unread = streams().filter((stream) => !this.#memberships.of(stream));
      if (unread.length === 0) break;
      await Promise.all(unread.map((stream) => this.#memberships.load(stream)));
    }
    return {
      position: this.#position,
      of: new Map(streams().map((stream) => [stream, this.#memberships.listed(stream)])),
    };
  }

  /** Deliver transient events from now on: they are stored nowhere, so nothing catches up on them. */
  listen(sink: EventSink): void {
    this.#listening.add(sink);
  }

  /** Deliver everything after `sink.position`; `sink.live` is called when it has all of the past. */
  attach(sink: EventSink): void {
    this.#attaching.push(sink);
    // Before the past is read nobody goes live, and what is read of it need not be read again.
    if (this.#attaching.length === 1) void this.#past.read.then(() => this.#attachAll());
  }

  detach(sink: EventSink): void {
    this.#attaching = this.#attaching.filter((one) => one !== sink);
    for (const catchUp of this.#catchUps) catchUp.remove(sink);
    this.#sinks.remove(sink);
    this.#listening.remove(sink);
    // What comes now it does not get.
    const { position } = sink;
    sink.position = position;
  }

  /** Queues that ask in one tick (after a take-over: all of them) read the past together. */
  #attachAll(): void {
    const sinks = this.#attaching;
    this.#attaching = [];
    const behind: EventSink[] = [];
    for (const sink of sinks) {
      if (!this.#busy && this.#work.length === 0 && sink.position >= this.#position) this.#goLive(sink);
      else behind.push(sink);
    }
    if (behind.length === 0) return;
    const source: CatchUpSource = (after, reader) => {
      const replay = this.#recent.subscribe(after, reader);
      return { replays: replay !== undefined, subscription: replay ?? this.log.subscribe(this.realm, after, reader) };
    };
    this.#catchUps.add(new CatchUp(source, behind, this.#catching(), this.clock));
  }

  #catching(): CatchingUp {
    return {
      from: (position) => (this.#past.knowsFrom(position) ? position : toSeq(Math.max(0, position - REPEAT_DISTANCE))),
      deliver: (work, sinks) => {
        const { seq, entry, fresh } = work;
        const deliver = (): Promise<void> | undefined =>
          this.#deliver({ seq, entry, fresh: this.#past.fresh(seq, entry, fresh) }, new Set(sinks));
        const known = this.#known(seq);
        return known ? known.then(deliver) : deliver();
      },
      settled: (catchUp) => {
        if (this.#busy || catchUp.position < this.#position) return false;
        this.#catchUps.delete(catchUp);
        for (const sink of catchUp.sinks) this.#goLive(sink);
        return true;
      },
    };
  }

  /**
   * A promise while the live feed has not come to this entry: only it knows whether the entry repeats one from before the
   * stretch that a queue catches up on.
   */
  #known(seq: Seq): Promise<unknown> | undefined {
    if (this.#pastRead && seq <= this.#position) return undefined;
    const reached = new Promise<void>((resolve) => this.#awaited.push({ seq, resolve }));
    this.#release();
    return Promise.all([this.#past.read, reached]);
  }

  #release(): void {
    if (this.#awaited.length === 0) return;
    const ready = this.#awaited.filter(({ seq }) => seq <= this.#position);
    this.#awaited = this.#awaited.filter(({ seq }) => seq > this.#position);
    for (const { resolve } of ready) resolve();
  }

  #goLive(sink: EventSink): void {
    this.#sinks.add(sink);
    this.#listening.add(sink);
    sink.live(this.#live);
  }

  /** Entries one after the other; synchronously, unless a membership has to be read. */
  #run(): void {
    for (let next = this.#work.shift(); next; next = this.#work.shift()) {
      const { seq, entry } = next;
      const work: Work = { seq, entry, fresh: this.#past.fresh(seq, entry, next.fresh) };
      this.#past.note(work);
      const waiting = this.#deliver(work, undefined);
      if (waiting) {
        this.#busy = true;
        const losses = this.#losses;
        waiting.then(
          () => {
            if (losses !== this.#losses) return;
            this.#busy = false;
            this.#delivered(work);
            this.#release();
            this.#run();
          },
          () => {
            if (losses === this.#losses) this.#lost();
          },
        );
        return;
      }
      this.#delivered(work);
    }
    this.#release();
    for (const catchUp of this.#catchUps) catchUp.check();
  }

  #delivered({ seq, fresh }: Work): void {
    this.#position = seq;
    for (const { items } of fresh) for (const item of items) this.overview.apply(item);
  }

  /** To these sinks, or to all live ones. */
  #deliver(work: Work, only: ReadonlySet<EventSink> | undefined): Promise<void> | undefined {
    const streams = new Map<number, number>();
    for (const group of work.fresh) {
      for (const item of group.items) {
        if (item.t === 'members') this.#memberships.apply(item);
        else if (isClientItem(item) && (only || this.#sinks.size > 0)) {
          for (const [stream, mv] of streamsOf(item.to)) streams.set(stream, Math.max(streams.get(stream) ?? 0, mv));
        }
      }
    }
    const loads = [...streams].map((of) => this.#memberships.load(...of)).filter((p) => p !== undefined);
    if (loads.length > 0) return Promise.all(loads).then(() => this.#hand(work, only));
    this.#hand(work, only);
    return undefined;
  }

  #hand({ seq, entry, fresh }: Work, only: ReadonlySet<EventSink> | undefined): void {
    let slot = 0;
    for (const group of entry.groups) {
      for (const item of group.items) {
        slot++;
        if (!fresh.has(group) || !isClientItem(item)) continue;
        this.#give(new SharedEvent(eventId(seq, slot), item), item, seq, entry.actor, group.v, only);
      }
    }
    for (const sink of only ?? []) if (sink.position < seq) sink.position = seq;
    // Also by an entry without items: queues append those when they need ids.
    if (only === undefined) this.#live.at = seq;
  }

  #give(
    event: SharedEvent,
    { to }: MessageItem | PlainItem,
    seq: Seq,
    actor: string,
    version: number,
    only: ReadonlySet<EventSink> | undefined,
  ): void {
    const { view } = this.replica;
    const { isReplayable } = event;
    const offer = (sink: EventSink): void => {
      if (sink.position >= seq || (!isReplayable && sink.covered(actor, version))) return;
      if (receives(to, sink, view, this.#membersOf)) sink.push(event);
    };
    if (only) {
      for (const sink of only) offer(sink);
      return;
    }
    this.#sinks.reach(to, offer);
  }

  #transient(item: PlainItem): void {
    if (this.#listening.size === 0) return;
    const loads = [...streamsOf(item.to).keys()]
      .map((stream) => this.#memberships.load(stream))
      .filter((loading) => loading !== undefined);
    if (loads.length === 0) this.#pass(item);
    else
      Promise.all(loads)
        .then(() => this.#pass(item))
        .catch(() => undefined);
  }

  /** Lost rather than given to somebody whose right to it isn't known here yet. */
  #pass(item: PlainItem): void {
    const { to } = item;
    const { view } = this.replica;
    if (to.rv !== undefined && view.version < to.rv) return;
    if ([...streamsOf(to)].some(([stream, mv]) => !this.#memberships.shows(stream, mv))) return;
    const event = new TransientEvent(item);
    this.#listening.reach(to, (sink) => {
      if (receives(to, sink, view, this.#membersOf)) sink.pushTransient(event);
    });
  }

  #gap(trimmed: Seq): void {
    this.#recent.restart(trimmed);
    for (const catchUp of [...this.#catchUps].filter(({ replays }) => replays)) {
      this.#catchUps.delete(catchUp);
      // The log may still hold what these need.
      for (const sink of catchUp.leave()) this.attach(sink);
    }
    this.#lost();
  }

  /** What the live queues have missed can't be told any more. */
  #lost(): void {
    this.#losses++;
    this.#memberships.forget();
    this.overview.reset();
    this.#work = [];
    this.#busy = !this.#pastRead;
    const sinks = [...this.#sinks];
    this.#sinks.clear();
    // Those that were live stay where they are.
    this.#live = { at: this.#live.at };
    for (const sink of sinks) {
      // Its own position decides: the log may still hold what this queue needs.
      this.attach(sink);
    }
    this.#position = this.replica.tail.position;
    this.#past.missed(this.#position);
    this.#release();
  }
}
