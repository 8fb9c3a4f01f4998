import type { Events, QueueEvent } from '../../contract/index.js';
import { MESSAGES } from './messages.js';
import { PEOPLE } from './people.js';
import { REALM } from './realm.js';
import { STREAMS } from './streams.js';
import type { Appliers, Target } from './target.js';

/** Every event of the contract has its function: a missing one does not compile. */
const APPLIERS: Appliers<keyof Events> = { ...REALM, ...PEOPLE, ...STREAMS, ...MESSAGES };

/** A method's parameters may be narrower than declared; the key of the table makes sure that they fit. */
type Applier = { apply(target: Target, event: QueueEvent): void }['apply'];

const TABLE = new Map<string, Applier>(Object.entries(APPLIERS));

/** Changes the state by one event. Events of types that a newer server may send are ignored. */
export function applyEvent(target: Target, event: QueueEvent): void {
  TABLE.get('op' in event ? `${event.type}/${event.op}` : event.type)?.(target, event);
}
