/** Simulated network between processes: frames may be delayed, lost, repeated, cut off or held. */
import { type LocalBusFrame, LocalBusHub } from '#ports/bus';
import type { CommandEnvelope } from '#runtime';
import type { FakeClock } from '../support/fake-clock.js';
import type { Random, Scheduler, SimulatedProcess } from './scheduler.js';

/** Time after which the bus treats a silent process as dead, ms (architecture/delivery.md § Silence). */
const SILENCE_MS = 2_500;

/** Frame that was sent and is not yet delivered. */
interface FrameInFlight {
  readonly to: string;
  readonly requests: NonNullable<LocalBusFrame['requests']>;
  readonly lose: () => void;
}

/** Longest delay on a slow link, ms: shorter than the silence after which the bus fails requests. */
const MAX_SLOW_MS = 2_400;
/** Commands that are one step of a change to several actors; a delay separates the step from the others. */
const COMMANDS_TO_DELAY = ['join', 'join', 'join', 'subscribed', 'leave', 'read-stream'];

interface Cut {
  readonly from: string;
  readonly to: string;
}

export class SimNetwork {
  readonly hub: LocalBusHub;
  /** Probability that a frame is lost or repeated. */
  frameFaultRate = 0;
  /** Whether any server of a subject may get a request; otherwise the newest server gets it. */
  routesToAnyServer = false;
  /**
   * HTTP requests with a command that may arrive late a second time. Either its frame is repeated after up to 600
   * steps, or the sender gave up and sent the command again while the first frame lay with a process that did not
   * answer; that process may own the partition again when it reads the frame. A real Bus is stricter: it delivers a
   * request at most once, and the requests of one client in order (src/ports/bus/bus.ts).
   */
  readonly repeatedRequestIds = new Set<string>();
  /** Holds the frames of matching commands until `releaseHeldFrames`. */
  holdFilter: ((command: CommandEnvelope) => boolean) | undefined;
  #heldFrames: (() => void)[] = [];
  /** Name of a command; the link that carries the next such command becomes slow. */
  #commandToDelay: string | undefined;
  /** Slow links and the frames that wait on them. */
  readonly #slowLinks = new Map<string, (() => void)[]>();
  #repeatedFrames: { at: number; label: string; deliver: () => void }[] = [];
  #cuts: Cut[] = [];
  readonly #framesInFlight = new Set<FrameInFlight>();

  constructor(
    private readonly random: Random,
    private readonly scheduler: Scheduler,
    private readonly clock: FakeClock,
    private readonly processes: () => readonly SimulatedProcess[],
  ) {
    this.hub = new LocalBusHub((frame, deliver, lose) => this.#frame(frame, deliver, lose));
    this.hub.chooseServer = (servers) => (this.routesToAnyServer ? random.pick(servers) : servers.at(-1)!);
  }

  /** Makes the repeated frames runnable whose step has come. */
  deliverRepeatedFrames(): void {
    if (this.#repeatedFrames.length === 0) return;
    const { steps } = this.scheduler;
    for (const { label, deliver } of this.#repeatedFrames.filter(({ at }) => at <= steps)) {
      this.scheduler.add(label, undefined, deliver);
    }
    this.#repeatedFrames = this.#repeatedFrames.filter(({ at }) => at > steps);
  }

  /** Delivers all held frames and holds no further ones. */
  releaseHeldFrames(): void {
    this.holdFilter = undefined;
    for (const deliverNow of this.#heldFrames.splice(0)) deliverNow();
  }

  /** Ends all network faults. */
  heal(): void {
    this.frameFaultRate = 0;
    this.#cuts = [];
    this.#commandToDelay = undefined;
    for (const link of [...this.#slowLinks.keys()]) this.#endSlowLink(link);
    for (const frame of this.#repeatedFrames) frame.at = this.scheduler.steps;
  }

  cutLink(): void {
    const { random } = this;
    const names = this.processes().map(({ name }) => name);
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

  /** Slows the link between two random processes or, in 80 % of the calls, the link of the next command to delay. */
  slowLink(): void {
    const { random } = this;
    if (random.chance(0.8)) {
      this.#commandToDelay = random.pick(COMMANDS_TO_DELAY);
      return;
    }
    const names = this.processes().map(({ name }) => name);
    const one = random.pick(names);
    const other = random.pick(names.filter((name) => name !== one));
    if (other) this.#slowDown(`${one} > ${other}`);
  }

  #slowDown(link: string): void {
    if (this.#slowLinks.has(link)) return;
    this.scheduler.note(`slow ${link}`);
    this.#slowLinks.set(link, []);
    this.clock.setTimeout(() => this.#endSlowLink(link), this.random.below(MAX_SLOW_MS));
  }

  #endSlowLink(link: string): void {
    const waitingFrames = this.#slowLinks.get(link) ?? [];
    this.#slowLinks.delete(link);
    for (const deliverNow of waitingFrames) deliverNow();
  }

  healCuts(): void {
    if (this.#cuts.length > 0) this.scheduler.note('-- heal cut');
    this.#cuts = [];
  }

  /** Fails the requests to and from a silent process after 2.5 s, unless `isStillSilent` returns false by then. */
  failRequestsOfSilent(process: SimulatedProcess, isStillSilent: () => boolean): void {
    this.clock.setTimeout(() => {
      if (!isStillSilent()) return;
      for (const other of this.processes()) this.hub.failRequestsBetweenClients(process.name, other.name);
      for (const frame of [...this.#framesInFlight]) {
        if (frame.to !== process.name) continue;
        this.#loseFrame(frame);
      }
    }, SILENCE_MS);
  }

  #isCut(from: string, to: string): boolean {
    return this.#cuts.some((cut) => cut.from === from && cut.to === to);
  }

  #loseFrame(frame: FrameInFlight): void {
    this.#framesInFlight.delete(frame);
    this.#recordRepeated(frame.requests);
    frame.lose();
  }

  #recordRepeated(requests: NonNullable<LocalBusFrame['requests']>): void {
    for (const { value } of requests) this.repeatedRequestIds.add((value as unknown as CommandEnvelope).requestId);
  }

  /** Schedules a frame in the order of its sender and receiver, or applies a fault to it. */
  #frame(frame: LocalBusFrame, deliver: () => void, lose: () => void): void {
    const { kind, senderId, receiverId, subject, itemCount, requests = [] } = frame;
    const receiver = this.processes().find((process) => process.name === receiverId);
    const label = `${senderId} > ${receiverId || subject} ${kind} x${itemCount}`;
    const { holdFilter } = this;
    if (
      kind === 'request' &&
      holdFilter &&
      requests.some(({ value }) => holdFilter(value as unknown as CommandEnvelope))
    ) {
      this.#heldFrames.push(() => this.#frame(frame, deliver, lose));
      return;
    }
    const link = `${senderId} > ${receiverId}`;
    if (
      kind === 'request' &&
      requests.some(({ value }) => (value as unknown as CommandEnvelope).name === this.#commandToDelay)
    ) {
      this.#commandToDelay = undefined;
      this.#slowDown(link);
    }
    const slowLink = this.#slowLinks.get(link);
    if (slowLink) {
      slowLink.push(() => this.#frame(frame, deliver, lose));
      return;
    }
    if (this.#isCut(senderId, receiverId)) {
      this.scheduler.note(`cut off ${label}`);
      this.clock.setTimeout(lose, SILENCE_MS);
      return;
    }
    if (this.random.chance(this.frameFaultRate)) {
      if (this.random.chance(0.5)) {
        this.scheduler.note(`lost ${label}`);
        this.clock.setTimeout(lose, SILENCE_MS);
        return;
      }
      if (kind === 'request') this.#recordRepeated(requests);
      this.#repeatedFrames.push({
        at: this.scheduler.steps + this.random.below(600),
        label: `repeat ${label}`,
        deliver,
      });
    }
    const frameInFlight = { to: receiverId, lose, requests: kind === 'request' ? requests : [] };
    this.#framesInFlight.add(frameInFlight);
    // A request to an already frozen process fails after the silence, too, although the process froze earlier.
    if (receiver?.frozen && kind === 'request') {
      this.clock.setTimeout(() => {
        if (receiver.frozen && this.#framesInFlight.has(frameInFlight)) this.#loseFrame(frameInFlight);
      }, SILENCE_MS);
    }
    this.scheduler.addInOrder(`${kind} ${senderId} ${receiverId} ${subject}`, label, receiver, () => {
      this.#framesInFlight.delete(frameInFlight);
      deliver();
    });
  }
}
