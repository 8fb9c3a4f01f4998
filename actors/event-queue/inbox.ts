/** Takes events of the feed into a queue's buffer, as the filter's verdict on each event says. */

import type { SharedEvent, TransientEvent } from '#delivery';
import type { EventItem, RealmId, RecipientFieldRule } from '#model';
import type { ActorServices } from '../services.js';
import { bufferedEvent, type EventBuffer } from './buffer.js';
import { type FilterVerdict, isEventWanted, judgeEvent } from './filter.js';
import type { QueueState } from './state.js';
import type { TransientEventIds } from './transient-ids.js';

const RETRY_MS = 1_000;

export class QueueInbox {
  #closed = false;

  /** Makes the inbox of one queue. @param listener called when an event that held back later ones is resolved */
  constructor(
    private readonly realm: RealmId,
    private readonly state: QueueState,
    private readonly buffer: EventBuffer,
    private readonly ids: TransientEventIds,
    private readonly services: Pick<ActorServices, 'personal' | 'clock'>,
    private readonly listener: { resolved(): void },
  ) {}

  /** Puts the event into the buffer, unless the verdict is `skip` or `lock-out`. @returns the verdict */
  take(event: SharedEvent): FilterVerdict {
    const { buffer, state } = this;
    const verdict = judgeEvent(event, state.user, state);
    if (verdict.kind === 'skip' || verdict.kind === 'lock-out') return verdict;
    const { id } = event;
    this.ids.newest = id;
    const item = event.item as EventItem;
    if (verdict.kind === 'resolve') {
      void this.#resolve(id, item, item.own!, buffer.reserve(id));
      return verdict;
    }
    if (verdict.reverts) buffer.stopCoalescing(verdict.reverts, item.event.messages as readonly number[]);
    if (verdict.kind === 'coalesce') buffer.coalesce(id, verdict.key, item.event);
    else buffer.push(event);
    return verdict;
  }

  /**
   * Adds a transient event to the buffer. @returns false: the client does not want the event, or no id is left for it
   */
  takeTransient(event: TransientEvent, position: number): boolean {
    if (!isEventWanted(this.state.options, event, this.state.user)) return false;
    const id = this.ids.transient(position);
    if (id === undefined) return false;
    this.buffer.pushTransient(id, event);
    return true;
  }

  /** Stops adding events, because the queue leaves memory: events that are not resolved by now stay unresolved. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Resolves the fields of an event that differ by recipient. It retries until the Store, which may be unavailable for
   * a while, has answered.
   */
  async #resolve(
    id: number,
    item: EventItem,
    own: RecipientFieldRule,
    fill: ReturnType<EventBuffer['reserve']>,
  ): Promise<void> {
    const { personal, clock } = this.services;
    while (!this.#closed) {
      try {
        const fields = await personal.resolve(this.realm, this.state.user, own);
        fill(fields && bufferedEvent(id, { ...item.event, ...fields }));
        this.listener.resolved();
        return;
      } catch {
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
