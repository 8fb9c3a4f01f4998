/** Kinds of guarantee violations that the checker counts, each with its meaning for the report. */
export const FAULTS = {
  lost: 'acknowledged or stored write that is missing from the history or from a queue',
  repeated: 'write that is twice in the history or in a queue, or event delivered again after its acknowledgement',
  disordered: 'event ids, message ids of a conversation, or ids of consecutive sends that do not increase',
  mismatched: 'write stored under another id than the response named, or one event id for two events',
  leaked: 'event in the queue of a user who is not in the conversation',
  ended: 'queue that the server refused with BAD_EVENT_QUEUE_ID',
  stuck: 'poll without a response in time, or conversation that accepted no message at the end',
} as const;

export type FaultKind = keyof typeof FAULTS;

/** Limit of the descriptions kept per kind of fault; the counts have no limit. */
const MAX_DESCRIPTIONS_PER_KIND = 10;

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
    if (this.counts[kind]++ < MAX_DESCRIPTIONS_PER_KIND) this.descriptions.push(`${kind}: ${words}`);
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, n) => sum + n, 0);
  }
}
