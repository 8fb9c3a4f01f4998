import { makeCommandDeclarer } from './command.js';

const declareCommand = makeCommandDeclarer<'push'>();

/** Commands of the actor that sends the push notifications of an account. */
export const pushActorCommands = {
  /** Queues a push about a message. Never refused. */
  notify: declareCommand<{ readonly message: number; readonly trigger: string }>('notify'),
  /** Queues the removal of notifications whose messages were read or deleted. Never refused. */
  remove: declareCommand<{ readonly messages: readonly number[] }>('remove'),
  /** Timer: sends the queued pushes that are due. */
  due: declareCommand('due'),
};
