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

/** Commands of the actor that makes the calls of one outgoing webhook bot. */
export const webhookActorCommands = {
  /** Queues a call of the bot's server about a message. */
  triggered: declareCommand<TriggerWebhookCallArgs>('triggered'),
  /** Sent by the actor's timer: makes the queued calls that are due. */
  due: declareCommand('due'),
  /** Sent by a conversation's actor: records that the conversation refused the bot's reply. */
  refused: declareCommand<{ readonly place: string; readonly origin: string; readonly reason: string }>('refused'),
};
