/** Sends the commands of the command line to the actors of a harness. */
import { AdminError, SystemActorCaller } from '#app/admin';
import type { JsonObject } from '#base';
import type { ActorKey } from '#model';
import type { Harness } from './harness.js';

export class HarnessCaller extends SystemActorCaller {
  constructor(private readonly harness: Harness) {
    super();
  }

  async sendForReply(to: ActorKey, name: string, args: JsonObject) {
    const reply = await this.harness.client.send(to, name, args).reply;
    if ('ok' in reply || 'forward' in reply || 'again' in reply) throw new AdminError('another form');
    return reply;
  }

  async close(): Promise<void> {}
}
