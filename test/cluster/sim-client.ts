/**
 * Simulated client with an event queue: registers, polls, aborts and repeats polls, and uses another frontend when its
 * frontend stops.
 */

import { CLIENTS } from '../api/support/comparable.js';
import type { ApiEvent, Fields } from '../api/support/types.js';
import type { HttpCall, HttpResponse, Params } from './http-call.js';
import type { CallOutcome, PollRecord, QueueRecord } from './record.js';
import type { SimCluster } from './sim-cluster.js';
import type { SimProcess } from './sim-process.js';
import type { SimUser } from './start-state.js';

export function outcomeOf({ status }: HttpResponse): CallOutcome {
  if (status === 'lost') return 'lost';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}

export class SimClient {
  queue: QueueRecord | undefined;
  /** Highest event id received so far; at first the registration's. */
  newestEventId = -1;
  /** True after a refused registration or poll, except for a poll at the rate limit; the client then stops. */
  isFinished = false;
  /** True while a registration or a deletion of the queue is open. */
  isBusy = false;
  #frontend: SimProcess | undefined;
  #poll: { readonly record: PollRecord; readonly call: HttpCall } | undefined;
  /** Last event id of the previous poll, from which a poll may repeat. */
  #previousLastEventId = -1;

  constructor(
    readonly name: string,
    readonly user: SimUser,
    readonly clientType: string,
    private readonly cluster: SimCluster,
    /** Called after each registration. */
    private readonly onRegistered: (queue: QueueRecord) => void,
    /** Called with the events of each poll. */
    private readonly onEvents: (events: readonly ApiEvent[]) => void,
  ) {}

  get isPolling(): boolean {
    return this.#poll !== undefined;
  }

  request(method: string, path: string, params: Params, onResponse: (response: HttpResponse) => void): HttpCall {
    const { cluster, user, name } = this;
    if (!this.#frontend || this.#frontend.dead || this.#frontend.isStopping || cluster.random.chance(0.1))
      this.#frontend = cluster.random.pick(cluster.frontends);
    const { authorization } = user;
    const { headers } = CLIENTS[this.clientType]!;
    const label = `${name} ${method} ${path}`;
    return cluster.call({ method, path, params, authorization, headers, label }, this.#frontend, onResponse);
  }

  /** Starts the next request, aborts the open poll, or does nothing while a request is open. */
  act(): void {
    const { random } = this.cluster;
    if (this.isFinished || this.isBusy) return;
    if (!this.queue) this.#register();
    else if (!this.#poll) this.poll(random.chance(0.15));
    else if (random.chance(0.3)) this.#abandon();
    else if (random.chance(0.04)) this.delete();
  }

  poll(dontBlock: boolean): void {
    const { random, scheduler } = this.cluster;
    const queue = this.queue!;
    // In 10 % of the polls the client repeats the previous one, as after a crash that lost the response.
    const lastEventId = random.chance(0.1) ? this.#previousLastEventId : this.newestEventId;
    this.#previousLastEventId = lastEventId;
    const record: PollRecord = {
      lastEventId,
      startStep: scheduler.steps,
      endStep: 0,
      outcome: 'open',
      events: [],
      code: '',
    };
    queue.polls.push(record);
    const params = { queue_id: queue.id, last_event_id: lastEventId, dont_block: dontBlock };
    const call = this.request('GET', '/events', params, (response) => {
      this.#poll = undefined;
      record.endStep = scheduler.steps;
      record.outcome = outcomeOf(response);
      if (record.outcome === 'refused') {
        record.code = `${response.body.code}: ${response.body.msg}`;
        if (response.body.code !== 'RATE_LIMIT_HIT') this.isFinished = true;
      }
      if (record.outcome !== 'ok') return;
      record.events = response.body.events as ApiEvent[];
      for (const { id } of record.events) this.newestEventId = Math.max(this.newestEventId, id);
      this.onEvents(record.events);
    });
    this.#poll = { record, call };
  }

  delete(): void {
    this.#abandon();
    const queue = this.queue!;
    queue.isDeletionRequested = true;
    this.isBusy = true;
    this.request('DELETE', '/events', { queue_id: queue.id }, ({ status }) => {
      queue.isDeletionConfirmed = status === 200;
      this.isBusy = false;
      this.queue = undefined;
      this.newestEventId = -1;
      this.#previousLastEventId = -1;
    });
  }

  /** Registers once more with the client's parameters, for a comparison of the state. */
  fetchState(done: (state: Fields | undefined) => void): void {
    this.request('POST', '/register', CLIENTS[this.clientType]!.params as Params, ({ status, body }) => {
      done(status === 200 ? (body as Fields) : undefined);
    });
  }

  abandon(): void {
    this.#abandon();
  }

  #abandon(): void {
    if (!this.#poll) return;
    this.#poll.record.outcome = 'abandoned';
    this.#poll.call.abort();
    this.cluster.calls.delete(this.#poll.call);
    this.#poll = undefined;
  }

  #register(): void {
    this.isBusy = true;
    this.request('POST', '/register', CLIENTS[this.clientType]!.params as Params, (response) => {
      this.isBusy = false;
      if (response.status !== 200) {
        if (outcomeOf(response) === 'refused') this.isFinished = true;
        return;
      }
      const snapshot = response.body as Fields;
      const id = String(snapshot.queue_id);
      this.queue = {
        id,
        user: this.user.id,
        clientType: this.clientType,
        snapshot,
        polls: [],
        firstState: undefined,
        isDeletionRequested: false,
        isDeletionConfirmed: false,
        finalState: undefined,
      };
      this.newestEventId = Number(snapshot.last_event_id);
      this.#previousLastEventId = this.newestEventId;
      this.onRegistered(this.queue);
    });
  }
}
