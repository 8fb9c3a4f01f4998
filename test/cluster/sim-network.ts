/** Network between the processes of a simulated cluster: frames may be late, lost, repeated, cut off or held up. */
import { type LocalBusFrame, LocalBusHub } from '#ports/bus';
import type { CommandEnvelope } from '#runtime';
import type { FakeClock } from '../support/fake-clock.js';
import type { Place, Random, Scheduler } from './scheduler.js';

/** How long one that is not heard of counts as alive (architecture/delivery.md § Silence). */
const SILENCE_MS = 2_500;

/** A frame that its receiver has not yet. */
interface UnderWay {
  readonly to: string;
  readonly requests: NonNullable<LocalBusFrame['requests']>;
  readonly lose: () => void;
}

/** Longest time for which a slow link keeps what it carries: less than what others would notice. */
const SLOW_MS = 2_400;
/** Commands that are one part of a larger change, which then shows in one place before another. */
const PARTS_OF_CHANGES = ['join', 'join', 'join', 'subscribed', 'leave', 'read-stream'];

interface Cut {
  readonly from: string;
  readonly to: string;
}

export class SimNetwork {
  readonly hub: LocalBusHub;
  /** Probability of a lost or a repeated frame. */
  frameFaults = 0;
  /** Several servers of a subject: any of them may get a request. */
  anyServer = false;
  /**
   * HTTP requests with a command that may arrive late a second time. Either its frame is repeated after up to 600
   * steps, or the sender gave up and sent the command again while the first frame lay with a process that did not
   * answer; that process may own the partition again when it reads the frame. A real Bus is stricter: it delivers a
   * request at most once, and the requests of one client in order (src/ports/bus/bus.ts).
   */
  readonly repeated = new Set<string>();
  /** Commands that are held up on their way for as long as this says so. */
  holds: ((command: CommandEnvelope) => boolean) | undefined;
  #heldUp: (() => void)[] = [];
  /** The link that carries the next command of this name becomes slow. */
  #awaited: string | undefined;
  /** Links that keep what they carry for a while, and what that is. */
  readonly #slow = new Map<string, (() => void)[]>();
  #late: { at: number; label: string; deliver: () => void }[] = [];
  #cuts: Cut[] = [];
  readonly #underWay = new Set<UnderWay>();

  constructor(
    private readonly random: Random,
    private readonly scheduler: Scheduler,
    private readonly clock: FakeClock,
    private readonly places: () => readonly Place[],
  ) {
    this.hub = new LocalBusHub((frame, deliver, lose) => this.#frame(frame, deliver, lose));
    this.hub.chooseServer = (servers) => (this.anyServer ? random.pick(servers) : servers.at(-1)!);
  }

  /** Repeats whose time has come. */
  deliverLate(): void {
    if (this.#late.length === 0) return;
    const { steps } = this.scheduler;
    for (const { label, deliver } of this.#late.filter(({ at }) => at <= steps)) {
      this.scheduler.add(label, undefined, deliver);
    }
    this.#late = this.#late.filter(({ at }) => at > steps);
  }

  /** Releases all frames that were held up. */
  letGo(): void {
    this.holds = undefined;
    for (const go of this.#heldUp.splice(0)) go();
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    this.frameFaults = 0;
    this.#cuts = [];
    this.#awaited = undefined;
    for (const link of [...this.#slow.keys()]) this.#fastAgain(link);
    for (const late of this.#late) late.at = this.scheduler.steps;
  }

  cut(): void {
    const { random } = this;
    const names = this.places().map(({ name }) => name);
    const one = random.pick(names);
    const other = random.pick(names.filter((name) => name !== one));
    if (!other) return;
    const cuts = [{ from: one, to: other }, ...(random.chance(0.5) ? [{ from: other, to: one }] : [])];
    this.scheduler.note(`cut ${cuts.map(({ from, to }) => `${from} > ${to}`).join()}`);
    this.#cuts.push(...cuts);
    this.clock.setTimeout(() => {
      if (this.#cuts.includes(cuts[0]!)) this.hub.failRequestsBetweenClients(one, other);
    }, SILENCE_MS);
    this.clock.setTimeout(() => {
      this.#cuts = this.#cuts.filter((cut) => !cuts.includes(cut));
    }, random.below(8_000));
  }

  /** From one process to another it takes long; or so does a command that is yet to come, and what comes after it. */
  slow(): void {
    const { random } = this;
    if (random.chance(0.8)) {
      this.#awaited = random.pick(PARTS_OF_CHANGES);
      return;
    }
    const names = this.places().map(({ name }) => name);
    const one = random.pick(names);
    const other = random.pick(names.filter((name) => name !== one));
    if (other) this.#slowDown(`${one} > ${other}`);
  }

  #slowDown(link: string): void {
    if (this.#slow.has(link)) return;
    this.scheduler.note(`slow ${link}`);
    this.#slow.set(link, []);
    this.clock.setTimeout(() => this.#fastAgain(link), this.random.below(SLOW_MS));
  }

  #fastAgain(link: string): void {
    const kept = this.#slow.get(link) ?? [];
    this.#slow.delete(link);
    for (const go of kept) go();
  }

  healCuts(): void {
    if (this.#cuts.length > 0) this.scheduler.note('-- heal cut');
    this.#cuts = [];
  }

  /** Others find out that this one says nothing. */
  silent(process: Place, still: () => boolean): void {
    this.clock.setTimeout(() => {
      if (!still()) return;
      for (const other of this.places()) this.hub.failRequestsBetweenClients(process.name, other.name);
      for (const frame of [...this.#underWay]) {
        if (frame.to !== process.name) continue;
        this.#giveUp(frame);
      }
    }, SILENCE_MS);
  }

  #isCut(from: string, to: string): boolean {
    return this.#cuts.some((cut) => cut.from === from && cut.to === to);
  }

  #giveUp(frame: UnderWay): void {
    this.#underWay.delete(frame);
    this.#mayComeAgain(frame.requests);
    frame.lose();
  }

  #mayComeAgain(requests: NonNullable<LocalBusFrame['requests']>): void {
    for (const { value } of requests) this.repeated.add((value as unknown as CommandEnvelope).requestId);
  }

  /** Frames between two clients keep their order; some are lost, some come again much later. */
  #frame(frame: LocalBusFrame, deliver: () => void, lose: () => void): void {
    const { kind, senderId, receiverId, subject, itemCount, requests = [] } = frame;
    const place = this.places().find((of) => of.name === receiverId);
    const label = `${senderId} > ${receiverId || subject} ${kind} x${itemCount}`;
    const { holds } = this;
    if (kind === 'request' && holds && requests.some(({ value }) => holds(value as unknown as CommandEnvelope))) {
      this.#heldUp.push(() => this.#frame(frame, deliver, lose));
      return;
    }
    const link = `${senderId} > ${receiverId}`;
    if (
      kind === 'request' &&
      requests.some(({ value }) => (value as unknown as CommandEnvelope).name === this.#awaited)
    ) {
      this.#awaited = undefined;
      this.#slowDown(link);
    }
    const slow = this.#slow.get(link);
    if (slow) {
      slow.push(() => this.#frame(frame, deliver, lose));
      return;
    }
    if (this.#isCut(senderId, receiverId)) {
      this.scheduler.note(`cut off ${label}`);
      this.clock.setTimeout(lose, SILENCE_MS);
      return;
    }
    if (this.random.chance(this.frameFaults)) {
      if (this.random.chance(0.5)) {
        this.scheduler.note(`lost ${label}`);
        this.clock.setTimeout(lose, SILENCE_MS);
        return;
      }
      if (kind === 'request') this.#mayComeAgain(requests);
      this.#late.push({ at: this.scheduler.steps + this.random.below(600), label: `again ${label}`, deliver });
    }
    const underWay = { to: receiverId, lose, requests: kind === 'request' ? requests : [] };
    this.#underWay.add(underWay);
    // Nothing is heard of it: a Bus takes what it is asked now for lost as soon as what it was asked before.
    if (place?.frozen && kind === 'request') {
      this.clock.setTimeout(() => {
        if (place.frozen && this.#underWay.has(underWay)) this.#giveUp(underWay);
      }, SILENCE_MS);
    }
    this.scheduler.addInOrder(`${kind} ${senderId} ${receiverId} ${subject}`, label, place, () => {
      this.#underWay.delete(underWay);
      deliver();
    });
  }
}
