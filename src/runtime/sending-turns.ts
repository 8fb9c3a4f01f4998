/**
 * Turns in which the outboxes of a host send commands. A command is sent when all microtasks that the previous one
 * caused are done. After each time slice the event loop goes round, so that the thousands of commands of one commit
 * don't hold up other requests.
 */
import { TIME_SLICE_MS } from '#base';
import type { Clock } from '#base/clock';
import type { ActorKey } from '#model';

/** Commands of one sender that wait, in their order. A removal from the head would copy a large array each time. */
interface WaitingCommands {
  readonly resolvers: (() => void)[];
  headIndex: number;
}

export class SendingTurns {
  /** Waiting commands by sender; the senders take turns, so a large commit does not delay those of other actors. */
  readonly #waitingBySender = new Map<ActorKey, WaitingCommands>();
  #isTurnTaken = false;
  #sliceBeganAt = 0;

  constructor(private readonly clock: Clock) {}

  /** A promise to await before a command is sent; undefined if the command may be sent at once. */
  waitForTurn(sender: ActorKey): Promise<void> | undefined {
    if (!this.#isTurnTaken) {
      this.#sliceBeganAt = this.clock.monotonic();
      this.#takeTurn();
      return undefined;
    }
    return new Promise((resolve) => {
      const waiting = this.#waitingBySender.get(sender);
      if (waiting) waiting.resolvers.push(resolve);
      else this.#waitingBySender.set(sender, { resolvers: [resolve], headIndex: 0 });
    });
  }

  #takeTurn(): void {
    this.#isTurnTaken = true;
    // A tick that is requested in a microtask runs when no microtask is left.
    queueMicrotask(this.#endTurnInNextTick);
  }

  readonly #endTurnInNextTick = (): void => process.nextTick(this.#endTurn);

  readonly #endTurn = (): void => {
    if (this.#waitingBySender.size === 0) this.#isTurnTaken = false;
    else if (this.clock.monotonic() - this.#sliceBeganAt < TIME_SLICE_MS) this.#beginNextTurn();
    else setImmediate(this.#beginSlice);
  };

  readonly #beginSlice = (): void => {
    this.#sliceBeganAt = this.clock.monotonic();
    this.#beginNextTurn();
  };

  #beginNextTurn(): void {
    for (const [sender, waiting] of this.#waitingBySender) {
      this.#waitingBySender.delete(sender);
      const { resolvers } = waiting;
      const resolve = resolvers[waiting.headIndex++]!;
      if (waiting.headIndex < resolvers.length) this.#waitingBySender.set(sender, waiting);
      if (waiting.headIndex > 64 && waiting.headIndex * 2 > resolvers.length) {
        resolvers.splice(0, waiting.headIndex);
        waiting.headIndex = 0;
      }
      this.#takeTurn();
      resolve();
      return;
    }
  }
}
