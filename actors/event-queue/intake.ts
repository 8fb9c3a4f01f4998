/** How an event gets its place among those that wait: as it is, merged with others, or worked out for this user first. */
import type { RealmId } from '../../src/core/index.js';
import type { SharedEvent } from '../../src/events/index.js';
import type { HostServices, OwnPart, PlainItem } from '../../src/runtime/index.js';
import { type EventBuffer, type OwnEvent, ownEvent } from './buffer.js';
import { mergeKey } from './filter.js';

const RETRY_MS = 1_000;

export interface IntakeOwner {
  stopped(): boolean;
  /** A place that held up the others has its event. */
  filled(): void;
}

export class Intake {
  constructor(
    private readonly realm: RealmId,
    private readonly services: Pick<HostServices, 'personal' | 'clock'>,
    private readonly user: () => number,
    private readonly owner: IntakeOwner,
  ) {}

  put(event: SharedEvent, buffer: EventBuffer): void {
    const { item } = event;
    if (item.t === 'event' && item.own) {
      void this.#workOut(event.id, item, item.own, buffer.reserve(event.id));
      return;
    }
    const key = mergeKey(event);
    if (key === undefined) buffer.push(event);
    else buffer.merge(event.id, key, (item as PlainItem).event);
  }

  /** What only this user gets of the event; the Store may be away for a while. */
  async #workOut(id: number, item: PlainItem, own: OwnPart, fill: (event: OwnEvent | null) => void): Promise<void> {
    const { personal, clock } = this.services;
    while (!this.owner.stopped()) {
      try {
        const fields = await personal.fields(this.realm, this.user(), own);
        fill(fields && ownEvent(id, { ...item.event, ...fields }));
        this.owner.filled();
        return;
      } catch {
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
