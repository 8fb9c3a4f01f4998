import type { Events, QueueEvent } from '../../contract/index.js';
import { MESSAGE_EVENT_APPLIERS } from './messages.js';
import { PEOPLE_EVENT_APPLIERS } from './people.js';
import { REALM_EVENT_APPLIERS } from './realm.js';
import { STREAM_EVENT_APPLIERS } from './streams.js';
import type { EventAppliers, EventApplyTarget } from './target.js';

/** Every event of the contract has its function: a missing one does not compile. */
const EVENT_APPLIERS: EventAppliers<keyof Events> = {
  ...REALM_EVENT_APPLIERS,
  ...PEOPLE_EVENT_APPLIERS,
  ...STREAM_EVENT_APPLIERS,
  ...MESSAGE_EVENT_APPLIERS,
};

/** A method's parameters may be narrower than declared; the key of the table makes sure that they fit. */
type EventApplier = { apply(target: EventApplyTarget, event: QueueEvent): void }['apply'];

const EVENT_APPLIER_BY_TYPE = new Map<string, EventApplier>(Object.entries(EVENT_APPLIERS));

/** Changes the state by one event. Events of types that a newer server may send are ignored. */
export function applyEvent(target: EventApplyTarget, event: QueueEvent): void {
  EVENT_APPLIER_BY_TYPE.get('op' in event ? `${event.type}/${event.op}` : event.type)?.(target, event);
}
