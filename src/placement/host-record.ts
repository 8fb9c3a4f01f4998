/** What one host says of itself in its heartbeat, and what others may write in its place. */
import type { StoreReport } from './store-watch.js';

const HOST = 'host.';
const DRAIN = 'drain.';

export interface HostFlags {
  /** Was asked to own nothing. */
  readonly draining: boolean;
  /** Is about to end. */
  readonly leaving: boolean;
  /** Could not take over lately, or let go since its way to the Store is cut: others may try first. */
  readonly unable: boolean;
  /** Whether the Store works for it; null: it does not say. */
  readonly store: StoreReport | null;
  /** Partitions for which it answers. */
  readonly serving: number;
}

export interface HostFacts {
  /** For people. */
  readonly name: string;
  /** Of the program. */
  readonly version: string;
  /** Where it runs; for people. */
  readonly address: string;
}

export interface HostRecord extends HostFacts, HostFlags {
  /** Tells this very process from another one that took the same id. */
  readonly token: string;
  readonly beat: number;
  /** Its last word, or that of the host that found it silent. Nothing under this id counts afterwards. */
  readonly end: 'released' | 'expired' | null;
}

export const hostKey = (id: string): string => HOST + id;
export const hostOfKey = (key: string): string | undefined =>
  key.startsWith(HOST) ? key.slice(HOST.length) : undefined;

/** By this key people ask a host to own nothing. It names the process, whichever of its incarnations. */
export const drainKey = (base: string): string => DRAIN + base;
export const isDrainKey = (key: string): boolean => key.startsWith(DRAIN);

/** A process whose key was found silent goes on under its next incarnation. */
export const incarnation = (base: string, n: number): string => (n === 1 ? base : `${base}-${n}`);
export const baseOf = (id: string): string => id.split('-')[0]!;

/** Of somebody who is named but has no key. */
export const UNKNOWN_HOST: HostRecord = {
  name: '',
  version: '',
  address: '',
  token: '',
  beat: 0,
  draining: false,
  leaving: false,
  unable: false,
  store: null,
  serving: 0,
  end: null,
};

/** What can't be read is of nobody who will ever renew it. */
export function parseHost(text: string): HostRecord {
  try {
    return { ...UNKNOWN_HOST, ...(JSON.parse(text) as Partial<HostRecord>) };
  } catch {
    return UNKNOWN_HOST;
  }
}

/** Differs in more than the heartbeat. */
export function isNews(before: HostRecord | undefined, after: HostRecord): boolean {
  if (!before) return true;
  return (['end', 'draining', 'leaving', 'unable'] as const).some((flag) => before[flag] !== after[flag]);
}
