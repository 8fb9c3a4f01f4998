/** Commands on their way to actors, and the polls that they hold. */

import type { JsonObject } from '#base';
import type { ActorRepeat, ActorReply, Forward } from '#frontend/api';
import type { RealmId } from '#model';
import { ActorRefused, apiError } from '#model/errors';
import type { Arrival } from './arrival.js';
import type { Sender } from './call.js';
import type { KeptPoll, KeptPolls } from './kept-polls.js';
import type { Observed } from './observed.js';
import { RepeatedQuery } from './repeated-query.js';
import { fieldsOf } from './reply.js';
import type { Responding } from './responding.js';
import type { Caller, ForwardContext, FrontendServices } from './services.js';

export class Forwards {
  #leaving = false;

  /** @param maxPolls more are answered 503 */
  constructor(
    private readonly services: FrontendServices,
    private readonly responding: Responding,
    private readonly kept: KeptPolls,
    private readonly observed: Observed,
    private readonly maxPolls: number,
  ) {}

  /** Answer the held polls; from now on none is held. */
  release(): void {
    this.#leaving = true;
    for (const pending of [...this.responding.held]) pending.forwarding?.release();
    this.kept.release();
  }

  /** Polls that wait with this key end at once: to look through all of them costs less than a table of them by key. */
  revoke(keyHash: string): void {
    const waiting = [...this.responding.held].map(({ arrival }) => arrival as Arrival);
    for (const arrival of [...waiting, ...this.kept.waitingArrivals()]) {
      if (arrival.keyHash === keyHash) this.responding.fail(arrival, apiError('API_KEY_UNKNOWN'));
    }
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

  /** Requests that are. */
  get held(): number {
    return this.responding.held.size + this.kept.waiting;
  }

  /**
   * The client's next request, the same as the one before but for the number of the answer that it has, goes on with what is held for that
   * one. False: it has to be read.
   */
  goOn(arrival: Arrival, caller: Caller): boolean {
    if (this.#leaving || this.held >= this.maxPolls) return false;
    arrival.keyHash = caller.user.keyHash;
    if (!this.kept.goOnWithSame(arrival, caller)) return false;
    arrival.onlyForAnswer();
    return true;
  }

  hold(forward: Forward, sender: Sender, ignored: readonly string[] | undefined): void {
    const { arrival, at, account } = sender;
    if (arrival.pending?.over) return;
    if (this.held >= this.maxPolls) {
      this.observed.overload.polls.n++;
      throw apiError('SERVICE_UNAVAILABLE');
    }
    arrival.keyHash = account?.user.keyHash ?? '';
    // Revoked since the request was let in.
    const directory = account && this.services.directoryNow(account.realm);
    if (directory && !directory.userByKeyHash(arrival.keyHash)) throw apiError('API_KEY_UNKNOWN');
    const { to } = forward;
    // On a connection kept alive a poll may come while we leave: it would be held for as long as we wait for the last request.
    const meanwhile = this.#leaving ? undefined : forward.meanwhile;
    if (meanwhile && this.kept.goOn(to, meanwhile, arrival, ignored)) {
      arrival.onlyForAnswer();
      return;
    }
    const pending = this.responding.pendingOf(arrival);
    const forwarding = this.services.forward(forward, contextOf(sender));
    pending.stopDeadline();
    arrival.polls = true;
    const repeated = meanwhile && account && RepeatedQuery.of(arrival, account, meanwhile.parameter, meanwhile.last);
    arrival.onlyForAnswer();
    if (meanwhile) {
      const kept = this.kept.add(to, { meanwhile, repeated, forwarding, arrival, pending, ignored });
      this.#awaitKept(kept, forwarding.reply, at.realm);
      return;
    }
    pending.forwarding = forwarding;
    this.responding.held.add(pending);
    if (this.#leaving) forwarding.release();
    this.#await(arrival, forwarding.reply, at.realm, ignored);
  }

  #awaitKept(kept: KeptPoll, reply: Promise<ActorReply | ActorRepeat>, realm: RealmId): void {
    reply.then(
      (settled) => {
        const { ignored } = kept;
        const arrival = kept.settled();
        // Without a request: what it tells waits for the next one.
        if (arrival) this.#answer(arrival, kept.answerOf(settled), realm, ignored);
      },
      (error: unknown) => {
        const arrival = kept.settled();
        if (arrival) this.responding.fail(arrival, error);
      },
    );
  }

  #answer(
    arrival: Arrival,
    reply: ActorReply | ActorRepeat,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    const pending = arrival.pending!;
    if (pending.over) return;
    pending.forwarding = undefined;
    this.responding.held.delete(pending);
    this.responding.attempt(arrival, () => {
      if ('again' in reply) throw apiError('SERVICE_UNAVAILABLE');
      this.responding.reply(arrival, realm, reply, ignored);
    });
  }

  /** Apart, because the function that made a closure keeps all that it knows: of tens of thousands of polls that is much. */
  #await(
    arrival: Arrival,
    reply: Promise<ActorReply | ActorRepeat>,
    realm: RealmId,
    ignored: readonly string[] | undefined,
  ): void {
    reply.then(
      (settled) => this.#answer(arrival, settled, realm, ignored),
      (error: unknown) => {
        if (!arrival.pending!.over) this.responding.fail(arrival, error);
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
