/** The record of a host, written by its heartbeat, or by another host when it ends the record of a silent one. */

const HOST_RECORD_KEY_PREFIX = 'host.';
const DRAIN_REQUEST_KEY_PREFIX = 'drain.';

export type StoreHealthState =
  | 'works'
  | 'fails'
  /** The host reaches the Store, but far slower than the other hosts do. */
  | 'slow'
  /** The host does not report its access to the Store: it has just started, or its version doesn't check. */
  | 'unknown';

/** The part of a heartbeat that reports the host's access to the Store. */
export interface StoreHealthReport {
  readonly state: StoreHealthState;
  /** Milliseconds for which every ping to the Store was answered, up to the last answered one. */
  readonly okMs: number;
  /** Milliseconds since the last answered ping to the Store was sent. */
  readonly ageMs: number;
  /** Median answer time of the Store's pings in the last half minute, or of the newest pings if that is longer. */
  readonly answerMs: number;
}

export interface HostPlacementFlags {
  /** True if the host was asked to own nothing. */
  readonly draining: boolean;
  /** True if the host is shutting down. */
  readonly leaving: boolean;
  /**
   * True if the host recently failed to take partitions, or gave them up because it can't reach the Store: other hosts
   * try before it.
   */
  readonly unable: boolean;
  /** The host's access to the Store; null if it doesn't report it. */
  readonly store: StoreHealthReport | null;
  /** Number of partitions that the host serves. */
  readonly serving: number;
}

export interface HostDescription {
  /** Name of the host as shown to people. */
  readonly name: string;
  /** Version of the program that the host runs. */
  readonly version: string;
  /** Address of the host as shown to people. */
  readonly address: string;
}

/**
 * Rule by which a host's version shares partitions out: evenly (even-shares.ts), or by rendezvous hashing alone, as in
 * versions whose records have no rule. All hosts follow the older rule while a living host of such a version is there.
 */
export type PartitionSharing = 'even' | 'rendezvous';

export interface HostRecord extends HostDescription, HostPlacementFlags {
  readonly sharing: PartitionSharing;
  /** Random token of the process, which distinguishes the process from another one with the same id. */
  readonly token: string;
  readonly beat: number;
  /**
   * End of the record: set by the host's last heartbeat ('released'), or by the host that found this host silent
   * ('expired'). The id of an ended record is never used again.
   */
  readonly end: 'released' | 'expired' | null;
}

export const hostRecordKey = (id: string): string => HOST_RECORD_KEY_PREFIX + id;
export const hostIdOfRecordKey = (key: string): string | undefined =>
  key.startsWith(HOST_RECORD_KEY_PREFIX) ? key.slice(HOST_RECORD_KEY_PREFIX.length) : undefined;

/**
 * Returns the key whose presence asks a host to own no partitions. The key names the process, not one of its
 * incarnations.
 */
export const hostDrainRequestKey = (base: string): string => DRAIN_REQUEST_KEY_PREFIX + base;
export const isHostDrainRequestKey = (key: string): boolean => key.startsWith(DRAIN_REQUEST_KEY_PREFIX);

/**
 * Id of a host process. After another host has ended its record, the process continues as its next incarnation, with
 * the next number in the id.
 */
export const hostIncarnationId = (base: string, n: number): string => (n === 1 ? base : `${base}-${n}`);
export const baseIdOfHostIncarnation = (id: string): string => id.split('-')[0]!;

/** Record that stands for a host that the partition table names but that has no key. */
export const UNKNOWN_HOST_RECORD: HostRecord = {
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
  sharing: 'even',
  end: null,
};

/** Values of fields that records of earlier versions lack. */
const FIELDS_OF_EARLIER_VERSIONS = { sharing: 'rendezvous' } as const satisfies Partial<HostRecord>;

/** Parses a host record. An unreadable record counts as unknown: no host renews it. */
export function parseHostRecord(text: string): HostRecord {
  try {
    return { ...UNKNOWN_HOST_RECORD, ...FIELDS_OF_EARLIER_VERSIONS, ...(JSON.parse(text) as Partial<HostRecord>) };
  } catch {
    return UNKNOWN_HOST_RECORD;
  }
}

/** True if the two records differ in more than a heartbeat changes: in `end` or in a flag. */
export function isHostRecordChangedBeyondHeartbeat(before: HostRecord | undefined, after: HostRecord): boolean {
  if (!before) return true;
  return (['end', 'draining', 'leaving', 'unable'] as const).some((flag) => before[flag] !== after[flag]);
}
