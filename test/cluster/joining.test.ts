/** Subscription whose event reaches the new member before the join command reaches the stream's actor. */
import t from 'tap';
import { streamActorKey, toStreamId } from '#model';
import type { ApiEvent } from '../api/support/types.js';
import { rounds } from '../support/rounds.js';
import { joinedBy } from './check-joins.js';
import type { HttpResponse, Params } from './http-call.js';
import { SimCluster } from './sim-cluster.js';
import { makeStartState, OUTSIDER, type SimStream, type StartState } from './start-state.js';

const SEEDS = rounds(5, 10);

/** Simulated cluster with two hosts and two frontends, and calls by user name. */
class JoinScenario {
  readonly cluster: SimCluster;

  constructor(
    readonly start: StartState,
    seed: number,
  ) {
    this.cluster = new SimCluster({
      seed,
      partitions: start.partitions,
      startState: start,
      hosts: 2,
      frontends: 2,
    });
    this.cluster.start();
  }

  idOfUser(name: string): number {
    return this.start.users.find((user) => user.name === name)!.id;
  }

  /** Sends a request through the frontend with this index. */
  call(name: string, frontend: number, method: string, path: string, params: Params): { response?: HttpResponse } {
    const { authorization } = this.start.users.find((user) => user.name === name)!;
    const call: { response?: HttpResponse } = {};
    const request = { method, path, params, authorization, label: `${name} ${path}` };
    this.cluster.call(request, this.cluster.frontends[frontend]!, (response) => {
      call.response = response;
    });
    return call;
  }

  async runUntil(done: () => boolean, steps = 20_000): Promise<boolean> {
    for (let left = steps; left > 0 && !done(); left--) await this.cluster.step();
    return done();
  }

  async response(call: { response?: HttpResponse }): Promise<HttpResponse> {
    await this.runUntil(() => call.response !== undefined);
    return call.response ?? { status: 'lost', body: undefined };
  }

  /** Subscribes the user, holds the join command, and returns once the user's queue has the subscription event. */
  async subscribeWithHeldJoin(name: string, stream: SimStream): Promise<{ response?: HttpResponse }> {
    const types = { event_types: ['subscription'], fetch_event_types: [] };
    const { body } = await this.response(this.call(name, 0, 'POST', '/register', types));
    const key = streamActorKey(this.start.realm, toStreamId(stream.id));
    this.cluster.network.holdFilter = ({ to, name: command }) => to === key && command === 'join';
    const params = { subscriptions: [{ name: stream.name }], principals: [this.idOfUser(name)] };
    const subscribing = this.call('olaf', 0, 'POST', '/users/me/subscriptions', params);
    for (let last = -1; ; ) {
      const poll = { queue_id: body.queue_id, last_event_id: last };
      const events = (await this.response(this.call(name, 0, 'GET', '/events', poll))).body.events as ApiEvent[];
      if (events.some((event) => joinedBy(event).includes(stream.id))) break;
      last = events.at(-1)!.id;
    }
    return subscribing;
  }

  send(name: string, frontend: number, stream: number, content = 'hello'): { response?: HttpResponse } {
    return this.call(name, frontend, 'POST', '/messages', { type: 'stream', to: stream, topic: 'one', content });
  }
}

t.test(
  'a send by a new member waits for the join command and delays no other send',
  { timeout: 120_000 },
  async (t) => {
    const start = await makeStartState();
    const team = start.streams.find(({ isPrivate }) => isPrivate)!;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const scenario = new JoinScenario(start, seed);
      const subscription = await scenario.subscribeWithHeldJoin('carl', team);
      const newMemberSend = scenario.send('carl', 1, team.id);
      const memberSend = await scenario.response(scenario.send('anna', 1, team.id));
      t.equal(memberSend.status, 200, 'a member sends meanwhile');
      const outsiderSend = await scenario.response(scenario.send(OUTSIDER, 0, team.id));
      t.same([outsiderSend.status, outsiderSend.body.msg], [400, `Not authorized to send to stream '${team.name}'`]);
      t.same(
        [subscription.response, newMemberSend.response],
        [undefined, undefined],
        'neither the subscription nor the early send has a response',
      );
      scenario.cluster.network.releaseHeldFrames();
      t.match(await scenario.response(newMemberSend), { status: 200, body: { result: 'success' } }, `seed ${seed}`);
    }
  },
);
