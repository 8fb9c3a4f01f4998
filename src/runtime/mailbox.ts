/**
 * Commands that wait for their handlers: one queue per lane, each in order of arrival. A command is ready when its
 * inputs are loaded; a lane whose first command isn't ready waits, so that the handlers of a lane run in order of
 * arrival.
 */
import { keepLeasedBytes, newLazyMap, toWritableMap } from '#base';
import type { AnyCommandDefinition } from './kind.js';
import type { ActorCommandReply, CommandBusRequest, CommandEnvelope } from './protocol.js';

export class QueuedCommand {
  isInputLoadingDone = false;
  inputs: unknown;
  inputFailure: unknown;
  hasReplied = false;
  /** Loads the inputs of an exclusive command when it is the command's turn: inputs loaded earlier could be stale. */
  startInputLoading: (() => void) | undefined;
  readonly #requestsToAnswer: CommandBusRequest[] = [];

  constructor(
    readonly envelope: CommandEnvelope,
    // biome-ignore lint/suspicious/noExplicitAny: commands of all kinds
    readonly command: AnyCommandDefinition<any, any>,
    request: CommandBusRequest,
  ) {
    this.#requestsToAnswer.push(request);
  }

  /**
   * True if the command is exclusive and the loading of its inputs has begun. A drain lets it finish, because the
   * loading may have effects outside of the server: the next owner would send the same mails again.
   */
  get hasBegunExclusively(): boolean {
    return this.command.exclusive === true && this.startInputLoading === undefined;
  }

  /** Adds a retry that came while the first attempt was under way: both requests get the answer. */
  addRequest(request: CommandBusRequest): void {
    this.#requestsToAnswer.push(request);
  }

  reply(reply: ActorCommandReply): void {
    if (this.hasReplied) return;
    this.hasReplied = true;
    if (this.#requestsToAnswer.length > 1 && 'ok' in reply) for (const part of reply.ok) keepLeasedBytes(part);
    for (const request of this.#requestsToAnswer) request.reply(reply);
  }
}

interface MailboxLane {
  readonly queue: QueuedCommand[];
  headIndex: number;
  /** Number of exclusive commands that are not done; several after a reload, because the outbox repeats them. */
  suspensionCount: number;
}

export class ActorMailbox {
  #laneByName = newLazyMap<string, MailboxLane>();
  #waitingCommandCount = 0;

  get waitingCommandCount(): number {
    return this.#waitingCommandCount;
  }

  enqueueCommand(pending: QueuedCommand): void {
    this.#findOrMakeLane(pending.command.lane ?? 'main').queue.push(pending);
    this.#waitingCommandCount++;
  }

  #findOrMakeLane(name: string): MailboxLane {
    let lane = this.#laneByName.get(name);
    if (!lane) {
      lane = { queue: [], headIndex: 0, suspensionCount: 0 };
      this.#laneByName = toWritableMap(this.#laneByName);
      this.#laneByName.set(name, lane);
    }
    return lane;
  }

  /** Suspends a mailbox lane: none of its commands run until the lane has been resumed as often as suspended. */
  suspendLane(lane: string): void {
    this.#findOrMakeLane(lane).suspensionCount++;
  }

  /** Takes the next command that may run now; undefined if there is none. */
  takeNextRunnable(): QueuedCommand | undefined {
    for (const lane of this.#laneByName.values()) {
      const first = lane.queue[lane.headIndex];
      if (lane.suspensionCount > 0 || !first) continue;
      const start = first.startInputLoading;
      first.startInputLoading = undefined;
      start?.();
      if (!first.isInputLoadingDone) continue;
      lane.headIndex++;
      this.#waitingCommandCount--;
      if (lane.headIndex === lane.queue.length) {
        lane.queue.length = 0;
        lane.headIndex = 0;
      } else if (lane.headIndex > 64 && lane.headIndex * 2 > lane.queue.length) {
        lane.queue.splice(0, lane.headIndex);
        lane.headIndex = 0;
      }
      if (first.command.exclusive) lane.suspensionCount++;
      return first;
    }
    return undefined;
  }

  /** Lifts one suspension of the mailbox lane, because an exclusive command is done. */
  resumeLane(lane: string): void {
    const of = this.#laneByName.get(lane);
    if (of) of.suspensionCount--;
  }

  /** Frees the maps of empty mailbox lanes, because most actors have nothing to do most of the time. */
  freeEmptyLanes(): void {
    if (this.#waitingCommandCount > 0 || this.#laneByName.size === 0) return;
    for (const { suspensionCount } of this.#laneByName.values()) if (suspensionCount !== 0) return;
    this.#laneByName = newLazyMap();
  }

  /** Removes the waiting commands that `which` selects, and returns them. */
  removeWhere(which: (pending: QueuedCommand) => boolean): QueuedCommand[] {
    const removed: QueuedCommand[] = [];
    for (const lane of this.#laneByName.values()) {
      const waiting = lane.queue.splice(lane.headIndex);
      for (const pending of waiting) (which(pending) ? removed : lane.queue).push(pending);
    }
    this.#waitingCommandCount -= removed.length;
    return removed;
  }
}
