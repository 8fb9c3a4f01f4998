import type { JsonObject } from '#base';
import { makeCommandDeclarer } from './command.js';

const declareCommand = makeCommandDeclarer<'webhook'>();

interface TriggerWebhookCallArgs extends JsonObject {
  readonly message: number;
  /** Stream of the message; 0: it is a direct message; absent: an older version sent the command. */
  readonly stream?: number;
  readonly trigger: string;
  readonly origin: string;
}

/** Stream and topic of a message after a webhook call about it. */
export interface WebhookMessagePlace extends JsonObject {
  /** Stream of the message; 0: it is a direct message. */
  readonly stream: number;
  readonly topic: string;
  readonly participants: readonly number[];
  /** Names the message to the bot's owner, as part of a sentence. */
  readonly phrase: string;
}

/**
 * Outcome of an attempt to make a webhook call. unclear: the bot's server answered, but with no valid reply. `reason`
 * is a clause in the language of the bot's owner, like “it took longer than 10 seconds”.
 */
export type WebhookCallOutcome =
  | { readonly is: 'done' }
  | { readonly is: 'later' | 'failed' | 'unclear'; readonly place: WebhookMessagePlace; readonly reason: string }
  | { readonly is: 'reply'; readonly place: WebhookMessagePlace; readonly say: string; readonly widget: string | null };

/** Commands of the actor that makes the calls of one outgoing webhook bot. */
export const webhookActorCommands = {
  /** Queues a call of the bot's server about a message. */
  triggered: declareCommand<TriggerWebhookCallArgs>('triggered'),
  /** Sent by the actor's timer: starts the queued calls that are due. */
  due: declareCommand('due'),
  /** Sent by the actor's sidecar: records what became of an attempt to make a call. `tries`: attempts before it. */
  called: declareCommand<{ readonly message: number; readonly tries: number; readonly outcome: WebhookCallOutcome }>(
    'called',
  ),
  /** Sent by a conversation's actor: records that the conversation refused the bot's reply. */
  refused: declareCommand<{ readonly place: string; readonly origin: string; readonly reason: string }>('refused'),
};
