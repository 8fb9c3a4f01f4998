/**
 * A client with a queue: registers, polls, gives polls up and takes them up again, and goes to another frontend when
 * its own dies.
 */

import { CLIENTS } from '../api/support/comparable.js';
import type { ApiEvent, Fields } from '../api/support/types.js';
import type { ClusterWorld } from './cluster-world.js';
import type { SimPerson } from './genesis.js';
import type { HttpAnswer, HttpCall, Params } from './http-call.js';
import type { CallOutcome, PollRecord, QueueRecord } from './record.js';
import type { SimProcess } from './sim-process.js';

export function outcomeOf({ status }: HttpAnswer): CallOutcome {
  if (status === 'lost') return 'lost';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}

export class SimDevice {
  queue: QueueRecord | undefined;
  /** Highest id received, or that of the registration. */
  last = -1;
  /** Its queue is over, and it does nothing any more. */
  over = false;
  /** Waits for an answer that isn't a poll's. */
  busy = false;
  #front: SimProcess | undefined;
  #poll: { readonly record: PollRecord; readonly call: HttpCall } | undefined;
  /** Asked for before: an answer that came may be ignored, and asked for again. */
  #before = -1;

  constructor(
    readonly name: string,
    readonly person: SimPerson,
    readonly form: string,
    private readonly world: ClusterWorld,
    /** How it tells of a new queue. */
    private readonly registered: (queue: QueueRecord) => void,
    /** Events as they come. */
    private readonly heard: (events: readonly ApiEvent[]) => void,
  ) {}

  get polling(): boolean {
    return this.#poll !== undefined;
  }

  request(method: string, path: string, params: Params, answered: (answer: HttpAnswer) => void): HttpCall {
    const { world, person, name } = this;
    if (!this.#front || this.#front.dead || this.#front.leaving || world.random.chance(0.1))
      this.#front = world.random.pick(world.fronts);
    const { authorization } = person;
    const { headers } = CLIENTS[this.form]!;
    const label = `${name} ${method} ${path}`;
    return world.call({ method, path, params, authorization, headers, label }, this.#front, answered);
  }

  /** Does what comes next, or nothing while it waits. */
  act(): void {
    const { random } = this.world;
    if (this.over || this.busy) return;
    if (!this.queue) this.#register();
    else if (!this.#poll) this.poll(random.chance(0.15));
    else if (random.chance(0.3)) this.#abandon();
    else if (random.chance(0.04)) this.delete();
  }

  poll(dontBlock: boolean): void {
    const { random, scheduler } = this.world;
    const queue = this.queue!;
    // The answer before is taken for not received, as after a crash of the client.
    const asked = random.chance(0.1) ? this.#before : this.last;
    this.#before = asked;
    const record: PollRecord = { asked, begun: scheduler.steps, ended: 0, outcome: 'open', events: [], code: '' };
    queue.polls.push(record);
    const params = { queue_id: queue.id, last_event_id: asked, dont_block: dontBlock };
    const call = this.request('GET', '/events', params, (answer) => {
      this.#poll = undefined;
      record.ended = scheduler.steps;
      record.outcome = outcomeOf(answer);
      if (record.outcome === 'refused') {
        record.code = `${answer.body.code}: ${answer.body.msg}`;
        if (answer.body.code !== 'RATE_LIMIT_HIT') this.over = true;
      }
      if (record.outcome !== 'ok') return;
      record.events = answer.body.events as ApiEvent[];
      for (const { id } of record.events) this.last = Math.max(this.last, id);
      this.heard(record.events);
    });
    this.#poll = { record, call };
  }

  delete(): void {
    this.#abandon();
    const queue = this.queue!;
    queue.deleted = true;
    this.busy = true;
    this.request('DELETE', '/events', { queue_id: queue.id }, ({ status }) => {
      queue.gone = status === 200;
      this.busy = false;
      this.queue = undefined;
      this.last = -1;
      this.#before = -1;
    });
  }

  /** A registration as it was in the beginning, by itself. */
  fetchState(done: (state: Fields | undefined) => void): void {
    this.request('POST', '/register', CLIENTS[this.form]!.params as Params, ({ status, body }) => {
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
    this.world.calls.delete(this.#poll.call);
    this.#poll = undefined;
  }

  #register(): void {
    this.busy = true;
    this.request('POST', '/register', CLIENTS[this.form]!.params as Params, (answer) => {
      this.busy = false;
      if (answer.status !== 200) {
        if (outcomeOf(answer) === 'refused') this.over = true;
        return;
      }
      const snapshot = answer.body as Fields;
      const id = String(snapshot.queue_id);
      this.queue = {
        id,
        user: this.person.id,
        form: this.form,
        snapshot,
        polls: [],
        stored: undefined,
        deleted: false,
        gone: false,
        fresh: undefined,
      };
      this.last = Number(snapshot.last_event_id);
      this.#before = this.last;
      this.registered(this.queue);
    });
  }
}
