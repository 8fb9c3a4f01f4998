/** A user who got the event of a subscription sends to the stream before the stream's actor knows of it. */
import t from 'tap';
import { streamActorKey, toStreamId } from '#model';
import type { ApiEvent } from '../api/support/types.js';
import { rounds } from '../support/rounds.js';
import { joinedBy } from './check-joins.js';
import { ClusterWorld } from './cluster-world.js';
import { type Beginning, beginning, OUTSIDER, type SimStream } from './genesis.js';
import type { HttpAnswer, Params } from './http-call.js';

const SEEDS = rounds(5, 10);

class Scene {
  readonly world: ClusterWorld;

  constructor(
    readonly start: Beginning,
    seed: number,
  ) {
    this.world = new ClusterWorld({ seed, partitions: start.partitions, beginning: start, hosts: 2, fronts: 2 });
    this.world.start();
  }

  id(name: string): number {
    return this.start.people.find((person) => person.name === name)!.id;
  }

  /** Through one frontend. */
  call(name: string, front: number, method: string, path: string, params: Params): { answer?: HttpAnswer } {
    const { authorization } = this.start.people.find((person) => person.name === name)!;
    const call: { answer?: HttpAnswer } = {};
    const request = { method, path, params, authorization, label: `${name} ${path}` };
    this.world.call(request, this.world.fronts[front]!, (answer) => {
      call.answer = answer;
    });
    return call;
  }

  async until(done: () => boolean, steps = 20_000): Promise<boolean> {
    for (let left = steps; left > 0 && !done(); left--) await this.world.step();
    return done();
  }

  async answer(call: { answer?: HttpAnswer }): Promise<HttpAnswer> {
    await this.until(() => call.answer !== undefined);
    return call.answer ?? { status: 'lost', body: undefined };
  }

  /** The user's queue gets the event while the command to the stream's actor is held up. */
  async joins(name: string, stream: SimStream): Promise<{ answer?: HttpAnswer }> {
    const types = { event_types: ['subscription'], fetch_event_types: [] };
    const { body } = await this.answer(this.call(name, 0, 'POST', '/register', types));
    const key = streamActorKey(this.start.realm, toStreamId(stream.id));
    this.world.network.holds = ({ to, name: command }) => to === key && command === 'join';
    const params = { subscriptions: [{ name: stream.name }], principals: [this.id(name)] };
    const subscribing = this.call('olaf', 0, 'POST', '/users/me/subscriptions', params);
    for (let last = -1; ; ) {
      const poll = { queue_id: body.queue_id, last_event_id: last };
      const events = (await this.answer(this.call(name, 0, 'GET', '/events', poll))).body.events as ApiEvent[];
      if (events.some((event) => joinedBy(event).includes(stream.id))) break;
      last = events.at(-1)!.id;
    }
    return subscribing;
  }

  send(name: string, front: number, stream: number, content = 'hello'): { answer?: HttpAnswer } {
    return this.call(name, front, 'POST', '/messages', { type: 'stream', to: stream, topic: 'one', content });
  }
}

t.test('it waits until the stream has, and keeps nobody else waiting', { timeout: 120_000 }, async (t) => {
  const start = await beginning();
  const team = start.streams.find(({ isPrivate }) => isPrivate)!;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const scene = new Scene(start, seed);
    const joining = await scene.joins('carl', team);
    const early = scene.send('carl', 1, team.id);
    const other = await scene.answer(scene.send('anna', 1, team.id));
    t.equal(other.status, 200, 'who is in it sends');
    const outside = await scene.answer(scene.send(OUTSIDER, 0, team.id));
    t.same([outside.status, outside.body.msg], [400, `Not authorized to send to stream '${team.name}'`]);
    t.same([joining.answer, early.answer], [undefined, undefined], 'nobody says that he may not');
    scene.world.network.letGo();
    t.match(await scene.answer(early), { status: 200, body: { result: 'success' } }, `seed ${seed}`);
  }
});
