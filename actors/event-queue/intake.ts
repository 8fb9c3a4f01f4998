/** How an event gets its place among those that wait: as it is, merged with others, or worked out for this user first. */

import type { RealmId } from '../../src/core/index.js';
import type { SharedEvent } from '../../src/events/index.js';
import type { OwnPart, PlainItem } from '../../src/runtime/index.js';
import type { ActorServices } from '../services.js';
import { type EventBuffer, type OwnEvent, ownEvent } from './buffer.js';
import { contraryOf, mergeKey } from './filter.js';

const RETRY_MS = 1_000;

export interface IntakeOwner {
  readonly realm: RealmId;
  readonly user: number;
  readonly services: Pick<ActorServices, 'personal' | 'clock'>;
  readonly over: boolean;
  /** A place that held up the others has its event. */
  filled(): void;
}

export function takeIn(event: SharedEvent, buffer: EventBuffer, owner: IntakeOwner): void {
  const { item } = event;
  if (item.t === 'event' && item.own) {
    void workOut(event.id, item, item.own, owner, buffer.reserve(event.id));
    return;
  }
  const contrary = contraryOf(event);
  if (contrary) buffer.contradict(contrary.key, contrary.messages);
  const key = mergeKey(event);
  if (key === undefined) buffer.push(event);
  else buffer.merge(event.id, key, (item as PlainItem).event);
}

/** What only this user gets of the event; the Store may be away for a while. */
async function workOut(
  id: number,
  item: PlainItem,
  own: OwnPart,
  owner: IntakeOwner,
  fill: (event: OwnEvent | null) => void,
): Promise<void> {
  const { personal, clock } = owner.services;
  while (!owner.over) {
    try {
      const fields = await personal.fields(owner.realm, owner.user, own);
      fill(fields && ownEvent(id, { ...item.event, ...fields }));
      owner.filled();
      return;
    } catch {
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, RETRY_MS));
    }
  }
}
