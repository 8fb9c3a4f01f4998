import type { Events, QueueEvent } from '../../contract/index.js';
import { MESSAGE_EVENT_APPLIERS } from './messages.js';
import { PEOPLE_AND_GROUP_EVENT_APPLIERS } from './people.js';
import { REALM_AND_OWN_DATA_EVENT_APPLIERS } from './realm.js';
import { STREAM_EVENT_APPLIERS } from './streams.js';
import type { EventAppliers, EventApplyTarget } from './target.js';

/** A function for each event of the contract; if one is missing, this does not compile. */
const EVENT_APPLIERS: EventAppliers<keyof Events> = {
  ...REALM_AND_OWN_DATA_EVENT_APPLIERS,
  ...PEOPLE_AND_GROUP_EVENT_APPLIERS,
  ...STREAM_EVENT_APPLIERS,
  ...MESSAGE_EVENT_APPLIERS,
};

/** A method's parameters may be narrower than declared; the key of the table makes sure that they fit. */
type EventApplier = { apply(target: EventApplyTarget, event: QueueEvent): void }['apply'];

const UNTYPED_APPLIER_BY_EVENT_KIND = new Map<string, EventApplier>(Object.entries(EVENT_APPLIERS));

/** Changes the state by one event. Events of types that a newer server may send are ignored. */
export function applyEventToStateAndWindows(target: EventApplyTarget, event: QueueEvent): void {
  UNTYPED_APPLIER_BY_EVENT_KIND.get('op' in event ? `${event.type}/${event.op}` : event.type)?.(target, event);
}
