/** The types that a feed shares with the event queues that it serves. */
import type { FreshLogItemGroups, LogEntry, LogSeq } from '#model';
import type { SharedClientEvent, TransientClientEvent } from './shared-event.js';

/** Log position up to which all live queues of a feed have every event. One object serves them all. */
export interface LiveFeedPosition {
  at: LogSeq;
}

/** Decides which events a queue has already: all up to a log position, and those of the commits in its snapshot. */
export class EventQueueCursor {
  #pinnedPosition: LogSeq;
  /** The feed's position, followed while the queue is live. */
  #followedPosition: LiveFeedPosition | undefined;

  /**
   * Makes the cursor of a queue.
   *
   * @param snapshotVersions actor → version up to which the snapshot contains the actor's commits
   */
  constructor(
    position: LogSeq,
    private readonly snapshotVersions: { readonly [actor: string]: number },
  ) {
    this.#pinnedPosition = position;
  }

  /** Log position up to which every event was delivered. */
  get position(): LogSeq {
    return this.#followedPosition && this.#followedPosition.at > this.#pinnedPosition
      ? this.#followedPosition.at
      : this.#pinnedPosition;
  }

  /** True if the queue's snapshot contains this commit. */
  isCommitInSnapshot(actor: string, version: number): boolean {
    const covered = this.snapshotVersions[actor];
    return covered !== undefined && version <= covered;
  }

  /** Moves the cursor on to this position, never back. */
  advanceTo(position: LogSeq): void {
    if (position <= this.position) return;
    this.#pinnedPosition = position;
    this.#followedPosition = undefined;
  }

  /** Makes the cursor track the feed's live position from now on. */
  followFeed(live: LiveFeedPosition): void {
    this.#followedPosition = live;
  }

  /** Keeps the cursor at its present position, whatever the feed delivers to other queues. */
  pinPosition(): void {
    this.#pinnedPosition = this.position;
    this.#followedPosition = undefined;
  }
}

/** An event queue as the feed sees it. */
export interface EventFeedSubscriber {
  readonly user: number;
  /** True if the queue's client registered with all_public_streams. */
  readonly allPublic: boolean;
  readonly cursor: EventQueueCursor;
  /** Takes an event of the log. The feed has checked the audience; the queue filters. */
  push(event: SharedClientEvent): void;
  /** Takes an event that is in no log entry: the queue gives it an id of its own. */
  pushTransient(event: TransientClientEvent): void;
  /** Called when all past events were pushed; from now on the cursor follows the feed. */
  wentLive(): void;
  /** Called when the log no longer has entries that the queue still needs: the queue ends. */
  trimmed(): void;
}

/** A log entry to deliver, with those of its groups that do not repeat earlier ones. */
export interface LogEntryToDeliver {
  readonly seq: LogSeq;
  readonly entry: LogEntry;
  readonly fresh: FreshLogItemGroups;
}
