import { makeCommandDeclarer } from './command.js';

const declareCommand = makeCommandDeclarer<'webhook'>();

/** Commands of the actor that makes the calls of one outgoing webhook bot. */
export const webhookActorCommands = {
  /** Queues a call of the bot's server about a message. */
  triggered: declareCommand<{ readonly message: number; readonly trigger: string; readonly origin: string }>(
    'triggered',
  ),
  /** Sent by the actor's timer: makes the queued calls that are due. */
  due: declareCommand('due'),
  /** Sent by a conversation's actor: records that the conversation refused the bot's reply. */
  refused: declareCommand<{ readonly place: string; readonly origin: string; readonly reason: string }>('refused'),
};
