/** Takes events of the feed into a queue's buffer, as the filter's verdict on each event says. */

import type { SharedClientEvent, TransientClientEvent } from '#delivery';
import type { EventLogItem, RealmId, RecipientFieldRule } from '#model';
import type { ActorServices } from '../services.js';
import { type EventQueueBuffer, makeQueueSpecificEvent } from './buffer.js';
import { type EventFilterVerdict, isEventWantedByQueue, judgeEventForQueue } from './filter.js';
import type { EventQueueActorState } from './state.js';
import type { UnloggedEventIdAllocator } from './transient-ids.js';

const RESOLVE_RETRY_PAUSE_MS = 1_000;

export class EventQueueInbox {
  #isResolvingStopped = false;

  /** Makes the inbox of one queue. @param listener called when an event that held back later ones is resolved */
  constructor(
    private readonly realm: RealmId,
    private readonly state: EventQueueActorState,
    private readonly buffer: EventQueueBuffer,
    private readonly ids: UnloggedEventIdAllocator,
    private readonly services: Pick<ActorServices, 'personal' | 'clock'>,
    private readonly listener: { resolved(): void },
  ) {}

  /** Puts the event into the buffer, unless the verdict is `skip` or `lock-out`. @returns the verdict */
  judgeAndBufferEvent(event: SharedClientEvent): EventFilterVerdict {
    const { buffer, state } = this;
    const verdict = judgeEventForQueue(event, state.user, state);
    if (verdict.kind === 'skip' || verdict.kind === 'lock-out') return verdict;
    const { id } = event;
    this.ids.newestGivenId = id;
    const item = event.item as EventLogItem;
    if (verdict.kind === 'resolve') {
      void this.#resolveFieldsAndFillSlot(id, item, item.own!, buffer.reserveSlot(id));
      return verdict;
    }
    if (verdict.reverts)
      buffer.stopCoalescingIfMessagesNamed(verdict.reverts, item.event.messages as readonly number[]);
    if (verdict.kind === 'coalesce') buffer.appendCoalesced(id, verdict.key, item.event);
    else buffer.push(event);
    return verdict;
  }

  /**
   * Adds a transient event to the buffer. @returns false: the client does not want the event, or no id is left for it
   */
  bufferTransientEventIfWanted(event: TransientClientEvent, position: number): boolean {
    if (!isEventWantedByQueue(this.state.options, event, this.state.user)) return false;
    const id = this.ids.tryAllocateTransientId(position);
    if (id === undefined) return false;
    this.buffer.pushTransient(id, event);
    return true;
  }

  /** Stops adding events, because the queue leaves memory: events that are not resolved by now stay unresolved. */
  stopResolving(): void {
    this.#isResolvingStopped = true;
  }

  /**
   * Resolves the fields of an event that differ by recipient. It retries until the Store, which may be unavailable for
   * a while, has answered.
   */
  async #resolveFieldsAndFillSlot(
    id: number,
    item: EventLogItem,
    own: RecipientFieldRule,
    fill: ReturnType<EventQueueBuffer['reserveSlot']>,
  ): Promise<void> {
    const { personal, clock } = this.services;
    const { user, options } = this.state;
    while (!this.#isResolvingStopped) {
      try {
        const fields = await personal.resolve(this.realm, user, own, options);
        fill(fields && makeQueueSpecificEvent(id, { ...item.event, ...fields }, item.aux));
        this.listener.resolved();
        return;
      } catch {
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, RESOLVE_RETRY_PAUSE_MS));
      }
    }
  }
}
