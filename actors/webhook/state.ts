/** Persisted state of a webhook actor. Each call is a part, deleted when it was made. */
import type { Json, JsonObject } from '#base';

export interface WebhookState extends JsonObject {
  /** Wall time of the last notice to the owner about dropped calls, ms; 0 = never. */
  readonly warned: number;
}

/** A call that waits to be made. */
export interface Waiting extends JsonObject {
  /** Id of the message that the call reports. */
  readonly message: number;
  /** mention or private_message. */
  readonly trigger: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** Failed attempts so far. */
  readonly tries: number;
  /** Wall time of the next attempt, ms. */
  readonly next: number;
}

export const CALL_PART = 'call/';

export const callPart = (message: number): string => `${CALL_PART}${message}`;

/** In the order of messages. */
export const callsIn = (parts: ReadonlyMap<string, Json>): Waiting[] =>
  [...parts.values()].map((call) => call as unknown as Waiting).sort((a, b) => a.message - b.message);

/** Wall time of the first call that is due, ms; null: no call waits. */
export function nextCall(calls: Iterable<Waiting>): number | null {
  let first: number | null = null;
  for (const { next } of calls) if (first === null || next < first) first = next;
  return first;
}
