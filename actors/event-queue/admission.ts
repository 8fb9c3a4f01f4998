/** Whether the event that a poll acknowledges can be one of its queue. */
import { eventId } from '../../src/core/index.js';
import type { DeferredRequest } from '../../src/runtime/index.js';

export interface PollArgs {
  readonly last_event_id: number | null;
  readonly dont_block: boolean;
  /** So many heartbeats the frontend gives by itself, under the ids after `last_event_id`. */
  readonly beats: number;
}

export interface Waiting {
  readonly args: PollArgs;
  readonly request: DeferredRequest;
}

interface AdmissionOwner {
  /** Newest id that the queue has given out, as far as it knows. */
  readonly newest: number;
  /** Log position up to which this host has read. */
  readonly read: number;
  logEnd(): Promise<number>;
}

export class Admission {
  /** Polls about whose event the log is being asked. */
  #doubted: Set<DeferredRequest> | undefined;
  /** End of the log when it was last asked. */
  #logEnd = 0;

  constructor(private readonly owner: AdmissionOwner) {}

  get asking(): boolean {
    return this.#doubted !== undefined && this.#doubted.size > 0;
  }

  /** Ids above this were never given out: the log's end bounds what a former owner can have sent. */
  isTooNew(last: number): boolean {
    const { newest, read } = this.owner;
    return last > Math.max(newest, eventId(Math.max(read, this.#logEnd) + 1, 0) - 1);
  }

  /**
   * A former owner may have read further than this host has until now: the end of the log decides.
   * @returns 'known', 'away' (nobody can tell now), or 'over': the poll was answered meanwhile
   */
  async ask(request: DeferredRequest): Promise<'known' | 'away' | 'over'> {
    this.#doubted ??= new Set();
    this.#doubted.add(request);
    const end = await this.owner.logEnd().catch(() => undefined);
    if (!this.#doubted?.delete(request)) return 'over';
    if (end === undefined) return 'away';
    this.#logEnd = Math.max(this.#logEnd, end);
    return 'known';
  }

  /** The queue leaves memory. @returns polls that are to be told */
  stop(): DeferredRequest[] {
    const asking = [...(this.#doubted ?? [])];
    this.#doubted = undefined;
    return asking;
  }
}
