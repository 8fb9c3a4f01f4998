/** Persisted state of a webhook actor. Each call is a part, deleted when it was made. */
import type { JsonObject } from '#base';
import { ActorPartAccessor, type ActorParts } from '#model';

export interface WebhookActorState extends JsonObject {
  /** Wall time of the last notice to the owner about dropped calls, ms; 0 = never. */
  readonly warned: number;
}

/** A webhook call that waits to be made, or runs. */
export interface WaitingWebhookCall extends JsonObject {
  /** Id of the message that the call reports. */
  readonly message: number;
  /** Stream of the message when it was sent; 0: it is a direct message; absent: an older version stored the call. */
  readonly stream?: number;
  /** Reason of the call: mention or private_message. */
  readonly trigger: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** Number of attempts to make the call that have failed. */
  readonly tries: number;
  /**
   * Wall time of the next attempt to make the call, ms. While an attempt runs: the time by which its outcome is known,
   * unless the host has died.
   */
  readonly next: number;
  /** True while an attempt runs; absent: the call waits. */
  readonly running?: true;
}

/** Memory of a webhook actor beside its state. */
export class WebhookMemoryState {
  /** Calls that handlers have started and the sidecar has not taken yet. */
  readonly startedCalls: WaitingWebhookCall[] = [];
  /** True while the partition is being handed over: handlers then start no call. */
  isPartitionDraining = false;
}

/** Parts with waiting and running calls, by id of their message. */
export const WAITING_WEBHOOK_CALL_TABLE = new ActorPartAccessor<WaitingWebhookCall>('call/');

/** Waiting and running calls, in the order of their messages. */
export const listWaitingWebhookCalls = (parts: ActorParts): WaitingWebhookCall[] =>
  [...WAITING_WEBHOOK_CALL_TABLE.values(parts)].sort((a, b) => a.message - b.message);

/** Earliest time after `now` at which something is to be done about a call, wall time, ms; null: there is none. */
export function nextTimeOfWebhookCalls(calls: Iterable<WaitingWebhookCall>, now: number): number | null {
  let first: number | null = null;
  for (const { next } of calls) if (next > now && (first === null || next < first)) first = next;
  return first;
}
