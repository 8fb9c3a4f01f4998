/** Faults that must never happen, by kind. */
export const FAULTS = {
  lost: 'acknowledged, or stored, and missing from the history or from a queue',
  repeated: 'twice in the history, twice in a queue, or again after it was acknowledged',
  disordered: 'against the order of event ids, of message ids in a conversation, or of sends that followed each other',
  mismatched: 'under another id than the answer named, or one event id for two events',
  leaked: 'in the queue of somebody who is not in the conversation',
  ended: 'BAD_EVENT_QUEUE_ID',
  stuck: 'polls that were not answered in time, and conversations that took no message at the end',
} as const;

export type FaultKind = keyof typeof FAULTS;

/** Faults of a kind that are described in words; all are counted. */
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

  add(kind: FaultKind, words: string): void {
    if (this.counts[kind]++ < MAX_DESCRIBED_FAULTS) this.descriptions.push(`${kind}: ${words}`);
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, n) => sum + n, 0);
  }
}
