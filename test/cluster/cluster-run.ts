/** One run of the whole cluster: people at work, processes that fail, everything settles, and the record is checked. */

import { type ActorKey, eventQueueActorKey, type LogEntry, parseActorKey, toEventQueueId, toUserId } from '#model';
import type { EventQueueActorState } from '../../actors/event-queue/state.js';
import { CLIENTS } from '../api/support/comparable.js';
import type { ApiEvent } from '../api/support/types.js';
import { joinedBy } from './check-joins.js';
import { checkRun, checkSoon } from './check-run.js';
import { ClusterWorld, type FaultKind } from './cluster-world.js';
import { type Beginning, LEAVER } from './genesis.js';
import { leftUndone } from './left-undone.js';
import { PersonAtWork } from './person-at-work.js';
import type { CallRecord, MailRecord, QueueRecord, RunRecord } from './record.js';
import { turn } from './scheduler.js';
import { SimDevice } from './sim-device.js';

/** Faults that no client should notice. */
const SMOOTH: readonly FaultKind[] = [
  'release',
  'move',
  'rest',
  'join',
  'leave',
  'join',
  'stop frontend',
  'new frontend',
];
const ROUGH: readonly FaultKind[] = [
  'crash',
  'crash',
  'freeze',
  'thaw',
  'lapse',
  'lapse',
  'release',
  'move',
  'move',
  'move',
  'rest',
  'join',
  'leave',
  'cut',
  'cut',
  'slow',
  'slow',
  'slow',
  'heal cut',
  'kill frontend',
  'stop frontend',
  'new frontend',
  'store',
  'store of one',
  'store of one',
  'log',
];

/** Work that needs no request must be done after this time, ms: before owners look for such work a second time. */
const SOON_MS = 9_000;
/** The batching period of mails about missed messages, and a moment more, ms. */
const MAILED_MS = 125_000;
/** Each user may have a mail that comes due in a round of its own. */
const MAX_REST_ROUNDS = 10;

export interface ClusterResult {
  readonly problems: readonly string[];
  readonly trace: readonly string[];
  readonly fingerprint: string;
  readonly steps: number;
  readonly answered: number;
  readonly events: number;
  readonly faults: number;
}

export interface ClusterRunOptions {
  /** Lines of the trace that are kept; default some. */
  readonly keep?: number;
}

export class ClusterRun {
  readonly world: ClusterWorld;
  readonly calls: CallRecord[] = [];
  readonly queues: QueueRecord[] = [];
  readonly devices: SimDevice[];
  readonly people: PersonAtWork[];
  readonly #problems: string[] = [];
  readonly #smooth: boolean;
  #faults = 0;
  #settling = false;
  #left: number;

  constructor(
    seed: number,
    private readonly beginning: Beginning,
    { keep }: ClusterRunOptions = {},
  ) {
    const { partitions, people } = beginning;
    this.world = new ClusterWorld({ seed, partitions, beginning, ...(keep && { keep }) });
    const { random } = this.world;
    this.#smooth = random.chance(0.2);
    this.#left = 15 + random.below(40);
    const forms = Object.keys(CLIENTS);
    this.devices = [...people, people[1]!].map((person, i) => {
      const form = random.pick(forms);
      const registered = (queue: QueueRecord): void => this.#registered(queue);
      const heard = (events: readonly ApiEvent[]): void => {
        for (const stream of events.flatMap(joinedBy)) this.#joined(person.id, stream);
      };
      return new SimDevice(`${person.name}${i}`, person, form, this.world, registered, heard);
    });
    this.people = people.map((person) => {
      const own = this.devices.filter((device) => device.person === person);
      const subscribed = (whom: number, stream: number): void => this.#joined(whom, stream);
      return new PersonAtWork(person, own, this.world, beginning, this.calls, subscribed);
    });
  }

  async run(): Promise<ClusterResult> {
    const { world } = this;
    const { random } = world;
    world.start();
    world.smooth = this.#smooth;
    world.placement.oneAtATime = this.#smooth;
    world.pace = this.#smooth ? 40 : random.pick([40, 200, 1_000]);
    const rate = random.pick([0.004, 0.01, 0.03]);
    const kinds = this.#smooth ? SMOOTH : ROUGH;
    if (!this.#smooth) {
      world.network.frameFaults = random.pick([0, 0.01, 0.05]);
      world.faults.unavailable = random.pick([0, 0, 0.01]);
      world.faults.lostEntries = random.pick([0, 0.05, 0.3]);
      world.network.anyServer = random.chance(0.5);
      world.placement.slowness = random.pick([0, 0.2]);
    }
    const leaving = random.chance(0.3) ? random.below(this.#left) : -1;
    let steps = 4_000;
    while (steps-- > 0 && (this.#left > 0 || random.chance(0.997))) {
      if (this.#left > 0 && random.chance(0.04)) {
        if (this.#left-- === leaving) this.people[0]!.deactivate(this.#person(LEAVER).person.id);
        else random.pick(this.people).act();
      }
      if (random.chance(0.08)) random.pick(this.devices).act();
      if (random.chance(rate)) {
        this.#faults++;
        world.fault(random.pick(kinds));
      }
      await world.step();
    }
    await this.#settle();
    const record = this.#record();
    const problems = [...this.#problems, ...world.problems, ...world.roots.problems, ...this.#leftOver()];
    if (problems.length === 0 || this.queues.length > 0) problems.push(...checkRun(record));
    const { scheduler } = world;
    return {
      problems,
      trace: scheduler.trace,
      fingerprint: scheduler.fingerprint,
      steps: scheduler.steps,
      answered: this.calls.filter(({ outcome }) => outcome === 'ok').length,
      events: this.queues.reduce((n, { polls }) => n + polls.reduce((sum, { events }) => sum + events.length, 0), 0),
      faults: this.#faults,
    };
  }

  #person(name: string): PersonAtWork {
    return this.people.find(({ person }) => person.name === name)!;
  }

  #joined(whom: number, stream: number): void {
    if (!this.#settling) this.people.find(({ person }) => person.id === whom)?.joined(stream);
  }

  #registered(queue: QueueRecord): void {
    this.queues.push(queue);
    const key = eventQueueActorKey(this.beginning.realm, toUserId(queue.user), toEventQueueId(queue.id));
    const first = this.world.roots.firsts.get(key);
    if (first) queue.stored = first.state as unknown as EventQueueActorState;
    else this.#problems.push(`a queue of ${queue.user} was promised and isn't stored`);
  }

  async #wait(what: string, done: () => boolean, ms = 600_000): Promise<boolean> {
    const { world } = this;
    const enough = world.clock.monotonic() + ms;
    const limit = world.scheduler.steps + 60_000;
    while (!done()) {
      if (world.clock.monotonic() > enough || world.scheduler.steps > limit) {
        this.#problems.push(`never: ${what}`);
        return false;
      }
      await world.step();
    }
    return true;
  }

  async #pass(ms: number, each: () => void = () => {}): Promise<void> {
    const { clock } = this.world;
    const until = clock.monotonic() + ms;
    await this.#wait('time passes', () => {
      each();
      return clock.monotonic() >= until;
    });
  }

  /** No more faults: every call is answered, every queue has told all, and every actor comes to rest. */
  async #settle(): Promise<void> {
    const { world, devices } = this;
    this.#settling = true;
    if (!this.#smooth) await this.#lastCrash();
    const healed = world.clock.now();
    world.heal();
    await this.#pass(SOON_MS);
    await this.#finishUnderWay();
    this.#problems.push(...checkSoon(this.#record(), healed));
    await this.#wait('every call is answered', () => this.calls.every(({ outcome }) => outcome !== 'open'));
    const polling = (): void => {
      for (const device of devices)
        if (device.queue && !device.polling && !device.busy && !device.over) device.poll(false);
    };
    for (const person of this.people) if (world.random.chance(0.5)) person.readAll();
    await this.#wait('all is marked as read', () => this.calls.every(({ outcome }) => outcome !== 'open'));
    // Scheduled messages are sent, and their events delivered.
    const last = Math.max(0, ...this.calls.map(({ at = 0 }) => at * 1000 - world.clock.now()));
    await this.#pass(last + 15_000, polling);
    const live = devices.filter((device) => device.queue && !device.over);
    for (const device of live) {
      device.abandon();
      await this.#drain(device);
    }
    for (const person of this.people) person.fetch();
    await this.#wait('every fetch is answered', () => this.calls.every(({ outcome }) => outcome !== 'open'));
    // Mails about missed messages come due.
    await this.#pass(MAILED_MS);
    for (const device of live) if (device.queue && !device.over) await this.#finish(device);
    await this.#rest();
  }

  /**
   * How long a write takes is the seed's choice: one that was begun in time counts, though its seed makes it last for
   * seconds.
   */
  async #finishUnderWay(): Promise<void> {
    for (let steps = 20_000; steps > 0; steps--) if (!(await this.world.stillStep())) return;
    this.#problems.push('never: all that is under way is through');
  }

  /** The last that happens: nothing that somebody does later may hide what was not taken over. */
  async #lastCrash(): Promise<void> {
    const { world } = this;
    const before = this.calls.length;
    for (const person of this.people) if (person.person.name !== LEAVER) person.schedule();
    const scheduled = this.calls.slice(before);
    for (let steps = 400; steps > 0 && scheduled.some(({ outcome }) => outcome === 'open'); steps--) await world.step();
    for (const host of world.hosts) if (!host.frozen) world.rest(host);
    for (let steps = world.random.below(200); steps > 0; steps--) await world.step();
    for (const _ of world.hosts.slice(1)) world.fault('crash');
  }

  /** Everything that the queue still has. */
  async #drain(device: SimDevice): Promise<void> {
    for (let i = 0; i < 20; i++) {
      const { last } = device;
      device.poll(true);
      if (!(await this.#wait(`a last poll of ${device.name}`, () => !device.polling, 60_000))) return;
      const poll = device.queue!.polls.at(-1)!;
      if (poll.outcome === 'ok' && device.last === last && poll.asked === last) return;
      if (device.over) return;
    }
    this.#problems.push(`${device.name}: events without end`);
  }

  async #finish(device: SimDevice): Promise<void> {
    let answered = false;
    device.fetchState((state) => {
      device.queue!.fresh = state;
      answered = true;
    });
    await this.#wait(`a registration of ${device.name}`, () => answered, 60_000);
    const { queue } = device;
    if (!queue?.fresh) this.#problems.push(`${device.name}: no fresh registration`);
    device.delete();
    const ids = [String(queue?.fresh?.queue_id)];
    let open = ids.length;
    for (const queue_id of ids) device.request('DELETE', '/events', { queue_id }, () => open--);
    await this.#wait(`the end of the queues of ${device.name}`, () => open === 0 && !device.busy, 60_000);
  }

  async #rest(): Promise<void> {
    const { world } = this;
    const isActive = (): boolean =>
      world.hosts.reduce((sum, { host }) => sum + host.activeActorKeys.length, 0) > this.#leftQueues().length;
    // Mails about missed messages may come due meanwhile, one user after the other, and wake their actors once more.
    for (let round = 1; round <= 2 || (round <= MAX_REST_ROUNDS && isActive()); round++) {
      let passive = 0;
      for (const { host } of world.hosts) void host.passivateIdleActors(0).then(() => passive++);
      await this.#wait(`passivation ${round}`, () => passive === world.hosts.length);
      await this.#pass(6_000);
    }
    const active = world.hosts.flatMap(({ name, host }) => host.activeActorKeys.map((key) => `${name} ${key}`));
    const left = this.#leftQueues();
    if (active.length > left.length) {
      const names = world.scheduler.short(active.join());
      this.#problems.push(`${active.length} actors do not come to rest (${names}), queues left: ${left.length}`);
    }
    await turn();
  }

  #leftOver(): string[] {
    const problems: string[] = [];
    const unknown = this.#leftQueues();
    const { roots, log, store, scheduler } = this.world;
    const entriesOf = (key: ActorKey): LogEntry[] =>
      log.of(parseActorKey(key).realm).map(({ value }) => value as unknown as LogEntry);
    for (const root of roots.values()) {
      const { key } = root;
      if (unknown.includes(key)) continue;
      const undone = root.outbox.length === 0 ? [] : leftUndone(root, entriesOf(key), store.contents);
      if (undone.length > 0) problems.push(scheduler.short(`${key}: left undone: ${undone.join()}`));
      if (key.startsWith('queue/')) problems.push(`${scheduler.short(key)} is left behind`);
    }
    return problems;
  }

  /**
   * Queues without a client, which end after their lifespan: the answer to the registration was lost, the command was
   * delivered once more, the client's account was deactivated, or the answer to the deletion was lost.
   */
  #leftQueues(): ActorKey[] {
    const { roots } = this.world;
    const left = [...roots.keys()].filter((key) => key.startsWith('queue/'));
    return left.filter((key) => roots.ended.has(key) || !this.queues.some(({ id, gone }) => gone && key.endsWith(id)));
  }

  #missedMails(): MailRecord[] {
    return this.world.mails.flatMap(({ id, to, thread, text, date }) => {
      const person = this.beginning.people.find(({ name }) => to.startsWith(`${name}@`));
      if (thread === undefined || !person) return [];
      const ops = [...text.matchAll(/\b(op\d+) (?:says|edit:)/g)].map(([, op]) => op!);
      return [{ id, user: person.id, thread, date, ops }];
    });
  }

  #record(): RunRecord {
    const { world, beginning } = this;
    const messages = [...(world.store.contents.messages.get(beginning.realm)?.values() ?? [])].flatMap(({ value }) => {
      if (!value) return [];
      const { content, reactions = [] } = value.body as unknown as {
        content: string;
        reactions?: readonly { user: number }[];
      };
      return [{ id: value.id, content, reactions }];
    });
    return {
      people: beginning.people.map(({ id }) => id),
      streams: beginning.streams,
      log: world.log.of(beginning.realm).map(({ seq, value }) => ({ seq, entry: value as unknown as LogEntry })),
      calls: this.calls,
      queues: this.queues,
      mails: this.#missedMails(),
      messages,
      smooth: this.#smooth,
      now: world.clock.now(),
    };
  }
}
