/** The one time at which a user's actor wants to be woken: the earliest of all that it waits for. */
import type { Json } from '../../src/core/index.js';
import { nextExpiry } from './files.js';

/** Whoever changes one of the parts that wait for a time sets `due` to this. @param changed parts as they are about to be */
export const nextDue = (parts: ReadonlyMap<string, Json>, changed: Readonly<Record<string, Json>>): number | null =>
  nextExpiry(parts, changed);
