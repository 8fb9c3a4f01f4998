/** Kinds of faults, with their meaning. */
export const FAULTS = {
  lost: 'an acknowledged or stored write is missing from the history or from a queue',
  repeated: 'a write is twice in the history or in a queue, or an event comes again after its acknowledgement',
  disordered: 'event ids, message ids of a conversation, or ids of consecutive sends decrease',
  mismatched: 'a write has another id than its answer named, or two events have one id',
  leaked: 'an event reached a user who is not in the conversation',
  ended: 'a queue ended: BAD_EVENT_QUEUE_ID',
  stuck: 'a poll got no answer in time, or a conversation accepted no message at the end',
} as const;

export type FaultKind = keyof typeof FAULTS;

/** Maximum number of faults of a kind that are described. All are counted. */
const MAX_DESCRIBED_FAULTS = 10;

export class Faults {
  readonly counts: Record<FaultKind, number> = {
    lost: 0,
    repeated: 0,
    disordered: 0,
    mismatched: 0,
    leaked: 0,
    ended: 0,
    stuck: 0,
  };
  readonly descriptions: string[] = [];

  add(kind: FaultKind, description: string): void {
    if (this.counts[kind]++ < MAX_DESCRIBED_FAULTS) this.descriptions.push(`${kind}: ${description}`);
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, n) => sum + n, 0);
  }
}
