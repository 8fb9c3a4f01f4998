/** Persisted state of a webhook actor. Calls are parts of their own, gone when they were made. */
import type { Json, JsonObject } from '#base';

export interface WebhookState extends JsonObject {
  /** When its owner was told last that calls are lost, ms; 0 = never. */
  readonly warned: number;
}

/** A call that waits. */
export interface Waiting extends JsonObject {
  /** Id of the message that it tells of. */
  readonly message: number;
  /** mention or private_message. */
  readonly trigger: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** How often it was tried. */
  readonly tries: number;
  /** When to try (again), ms. */
  readonly next: number;
}

export const CALL_PART = 'call/';

export const callPart = (message: number): string => `${CALL_PART}${message}`;

/** In the order of messages. */
export const callsIn = (parts: ReadonlyMap<string, Json>): Waiting[] =>
  [...parts.values()].map((call) => call as unknown as Waiting).sort((a, b) => a.message - b.message);

/** When the first of them is to be made, ms; null: there is none. */
export function nextCall(calls: Iterable<Waiting>): number | null {
  let first: number | null = null;
  for (const { next } of calls) if (first === null || next < first) first = next;
  return first;
}
