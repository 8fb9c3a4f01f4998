/** Commands on their way to actors, and the polls that they hold. */
import { ActorRefused, type ActorRepeat, type ActorReply, apiError, type Forward } from '../api/index.js';
import type { JsonObject, RealmId } from '../core/index.js';
import type { Arrival } from './arrival.js';
import type { Sender } from './call.js';
import type { Observed } from './observed.js';
import type { Pending } from './pending.js';
import { fieldsOf } from './reply.js';
import type { Responding } from './responding.js';
import type { ForwardContext, FrontendServices } from './services.js';

export class Forwards {
  #leaving = false;

  /** @param maxPolls more are answered 503 */
  constructor(
    private readonly services: FrontendServices,
    private readonly responding: Responding,
    private readonly observed: Observed,
    private readonly maxPolls: number,
  ) {}

  /** Answer the held polls; from now on none is held. */
  release(): void {
    this.#leaving = true;
    for (const pending of [...this.responding.held]) pending.forwarding?.release();
  }

  /** On behalf of an operation that goes on itself. */
  async send(forward: Forward, sender: Sender): Promise<JsonObject> {
    const reply = await this.services.forward(forward, contextOf(sender)).reply;
    if ('again' in reply) throw apiError('SERVICE_UNAVAILABLE');
    if ('error' in reply) throw new ActorRefused(reply.error);
    if (reply.after !== undefined) await this.services.waitFor(sender.at.realm, reply.after);
    return fieldsOf(reply.ok);
  }

  forward(forward: Forward, sender: Sender, next: (reply: ActorReply | ActorRepeat) => void): void {
    const { arrival } = sender;
    const pending = this.responding.pendingOf(arrival);
    if (pending.over) return;
    const forwarding = this.services.forward(forward, contextOf(sender));
    pending.forwarding = forwarding;
    if (forward.patienceMs !== undefined) {
      pending.stopDeadline();
      pending.startDeadline(forward.patienceMs);
    }
    this.responding.later(arrival, forwarding.reply, (_, reply) => {
      pending.forwarding = undefined;
      next(reply);
    });
  }

  hold(forward: Forward, sender: Sender, ignored: readonly string[] | undefined): void {
    const { arrival, at } = sender;
    const { held } = this.responding;
    const pending = this.responding.pendingOf(arrival);
    if (pending.over) return;
    if (held.size >= this.maxPolls) {
      this.observed.overload.polls.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    const forwarding = this.services.forward(forward, contextOf(sender));
    pending.forwarding = forwarding;
    pending.stopDeadline();
    held.add(pending);
    // On a connection kept alive: it would be held for as long as we wait for the last request.
    if (this.#leaving) forwarding.release();
    arrival.polls = true;
    arrival.onlyForAnswer();
    this.#await(arrival, pending, forwarding.reply, at.realm, ignored);
  }

  /** Apart, because the function that made a closure keeps all that it knows: of tens of thousands of polls that is much. */
  #await(
    arrival: Arrival,
    pending: Pending,
    reply: Promise<ActorReply | ActorRepeat>,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    reply.then(
      (settled) => {
        if (pending.over) return;
        pending.forwarding = undefined;
        this.responding.held.delete(pending);
        this.responding.attempt(arrival, () => {
          if ('again' in settled) throw apiError('SERVICE_UNAVAILABLE');
          this.responding.reply(arrival, realm, settled, ignored);
        });
      },
      (error: unknown) => {
        if (!pending.over) this.responding.fail(arrival, error);
      },
    );
  }
}

const contextOf = ({ account, at, client, arrival }: Sender): ForwardContext => ({
  caller: account,
  realm: at.realm,
  client,
  requestId: arrival.exchange.requestId,
});
