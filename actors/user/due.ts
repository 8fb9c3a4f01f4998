/** The one time at which a user's actor wants to be woken: the earliest of all that it waits for. */

import type { Json } from '#base';
import { nextDue } from '#domain/messages';
import type { Parts } from '#model';
import { nextExpiry } from './files.js';

/** Whoever changes one of the parts that wait for a time sets `due` to this. @param parts as they are about to be */
export function nextWake(parts: Parts): number | null {
  const times = [nextDue(parts), nextExpiry(parts)].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** The parts as they are about to be. */
export function withParts(parts: Parts, changed: Readonly<Record<string, Json>>): Parts {
  const next = new Map(parts);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next;
}
