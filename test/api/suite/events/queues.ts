/** GET and DELETE /events: events.md § Queue lifecycle. */

import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const badQueue = (queue_id: string): Refusal => ({
  code: 'BAD_EVENT_QUEUE_ID',
  msg: `Bad event queue ID: ${queue_id}`,
  extra: { queue_id },
});

const contents = (events: readonly ApiEvent[]): string[] =>
  events.map((event) => (event.message as ApiMessage | undefined)?.content ?? event.type);

export const queues: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, member, other, guest } = org;
  await subscribe(owner, 'news', { principals: [owner, member, guest] });
  const fresh = (params: Params = {}, of: Person = member) =>
    Queue.register(of, { fetch_event_types: [], event_types: ['message'], ...params });
  const poll = (params: Params, by: Person = member) => by.api.call('GET /events', params);

  await t.test('events are repeated until they are acknowledged, and never afterwards', async (t) => {
    const queue = await fresh();
    const start = queue.last;
    await say(owner, 'news', 'x', 'one');
    await say(owner, 'news', 'x', 'two');
    const [one, two] = await queue.take(2);
    t.same(contents([one!, two!]), ['one', 'two']);
    t.ok(start < one!.id && one!.id < two!.id);
    const again = await queue.poll({ last_event_id: one!.id });
    t.same(again, [two], 'the second was not acknowledged');
    t.same(await queue.poll({ last_event_id: one!.id }), [two], 'an answered poll acknowledges nothing');
    t.same(await queue.poll({ last_event_id: undefined, dont_block: true }), [two], 'nor one without last_event_id');
    t.same(await queue.poll({ last_event_id: two!.id, dont_block: true }), []);
    t.same(
      await queue.poll({ last_event_id: two!.id, dont_block: true }),
      [],
      'the same acknowledgement again is fine',
    );
    const older = `An event newer than ${one!.id} has already been pruned!`;
    await refused(t, poll({ queue_id: queue.id, last_event_id: one!.id }), bad(older));
    await refused(
      t,
      poll({ queue_id: queue.id, last_event_id: -1, dont_block: true }),
      bad('An event newer than -1 has already been pruned!'),
    );
    const newer = two!.id + 1_000_000;
    await refused(t, poll({ queue_id: queue.id, last_event_id: newer }), bad(`Event ${newer} was not in this queue`));
    await say(owner, 'news', 'x', 'three');
    t.same(contents(await queue.take(1)), ['three'], 'refusals changed nothing');
  });

  await t.test('-1 is a valid position until something is acknowledged', async (t) => {
    const queue = await fresh();
    await say(owner, 'news', 'x', 'from the start');
    const [event] = await queue.take(1);
    t.same(await queue.poll({ last_event_id: -1 }), [event]);
    await queue.now();
    await refused(
      t,
      poll({ queue_id: queue.id, last_event_id: -1 }),
      bad('An event newer than -1 has already been pruned!'),
    );
  });

  await t.test('dont_block answers at once, also without events', async (t) => {
    t.same(await (await fresh()).now(), []);
  });

  await t.test('a poll waits for the next event', async (t) => {
    const queue = await fresh();
    const waiting = queue.poll();
    await say(owner, 'news', 'x', 'at last');
    t.same(contents(await waiting), ['at last']);
  });

  await t.test('a second poll ends the first', async (t) => {
    const queue = await fresh();
    const first = queue.poll();
    // The order of arrival of two requests is unknown from outside: the first to arrive is the one to be ended.
    const second = queue.poll();
    const ended = await Promise.race([
      first.then((events) => ({ events, left: second })),
      second.then((events) => ({ events, left: first })),
    ]);
    t.same(ended.events, [], 'with what is queued: nothing');
    await say(owner, 'news', 'x', 'for the second');
    t.same(contents(await ended.left), ['for the second']);
  });

  await t.test('a poll with dont_block, too, ends a poll that waits', async (t) => {
    const queue = await fresh();
    const waiting = queue.poll();
    let over = false;
    void waiting.finally(() => {
      over = true;
    });
    while (!over) t.same(await queue.poll({ dont_block: true }), []);
    t.same(await waiting, []);
  });

  await t.test('a client that leaves releases its poll: the next one gets the events', async (t) => {
    const queue = await fresh();
    for (let i = 0; i < 3; i++) {
      const leaving = new AbortController();
      const gone = queue.poll({}, leaving.signal).catch((error: Error) => error.name);
      // On most runs this call is answered after the poll has arrived; the order must not matter.
      await member.api.ok('GET /users/me');
      leaving.abort();
      t.equal(await gone, 'AbortError');
      await say(owner, 'news', 'x', `while away ${i}`);
      t.same(contents(await queue.take(1)), [`while away ${i}`]);
    }
  });

  await t.test('GET /events without queue_id makes a queue from the same parameters as POST /register', async (t) => {
    const { queue_id, events } = await member.api.ok<{ queue_id: string; events: ApiEvent[] }>('GET /events', {
      dont_block: true,
      event_types: ['message'],
      apply_markdown: true,
    });
    t.same(events, []);
    await say(owner, 'news', 'x', '*made*');
    const waited = await member.api.ok<{ events: ApiEvent[] }>('GET /events', { queue_id, last_event_id: -1 });
    t.same(contents(waited.events), ['<p><em>made</em></p>']);
    await refused(t, poll({ event_types: 'x' }), bad('Argument "event_types" is not valid JSON.'));
    await refused(t, poll({ narrow: [['near', '1']] }), bad('Operator near not supported.'));
    await refused(t, poll({ all_public_streams: true }, guest), bad('User not authorized for this query'));
  });

  await t.test('a poll without queue_id may wait', async (t) => {
    const waiting = member.api.ok<{ events: ApiEvent[] }>('GET /events', { event_types: ['message'] });
    let over = false;
    void waiting.then(() => {
      over = true;
    });
    // The queue's start is unknown from outside: send messages until one arrives.
    while (!over) await say(owner, 'news', 'x', 'anybody there?');
    t.ok((await waiting).events.length >= 1);
  });

  await t.test('an unknown queue and a queue of another user get the same refusal', async (t) => {
    const queue = await fresh();
    const unknown = '01234567-89ab-cdef-0123-456789abcdef';
    for (const id of [unknown, 'nonsense', '', '../x', `${queue.id}0`]) {
      await refused(t, poll({ queue_id: id, last_event_id: -1 }), badQueue(id), `GET '${id}'`);
      await refused(t, member.api.call('DELETE /events', { queue_id: id }), badQueue(id), `DELETE '${id}'`);
    }
    for (const stranger of [other, owner, elsewhere.member, elsewhere.owner]) {
      await refused(t, poll({ queue_id: queue.id, last_event_id: -1, dont_block: true }, stranger), badQueue(queue.id));
      await refused(t, stranger.api.call('DELETE /events', { queue_id: queue.id }), badQueue(queue.id));
    }
    t.same(await queue.now(), [], 'its owner still has it');
  });

  await t.test('a deleted queue is gone, and its poll ends', async (t) => {
    const queue = await fresh();
    const waiting = queue.poll();
    const outcome = waiting.then(
      (events) => `events ${events.length}`,
      (error: Error) => error.message,
    );
    await queue.delete();
    // The poll may have arrived after the deletion.
    t.match(await outcome, /^events 0$|BAD_EVENT_QUEUE_ID/);
    await refused(t, poll({ queue_id: queue.id, last_event_id: -1 }), badQueue(queue.id));
    await refused(t, member.api.call('DELETE /events', { queue_id: queue.id }), badQueue(queue.id), 'twice');
    await refused(t, member.api.call('DELETE /events', {}), missing('queue_id'));
  });

  await t.test('after an acknowledged deletion no poll finds the queue', async (t) => {
    for (let time = 0; time < 10; time++) {
      const queue = await fresh();
      await queue.delete();
      await refused(t, poll({ queue_id: queue.id, last_event_id: -1, dont_block: time % 2 === 0 }), badQueue(queue.id));
    }
  });

  await t.test('poll parameters are checked', async (t) => {
    const queue = await fresh();
    const call = (params: Params) => poll({ queue_id: queue.id, last_event_id: -1, ...params });
    await refused(t, call({ last_event_id: 'x' }), bad('Argument "last_event_id" is not valid JSON.'));
    await refused(t, call({ last_event_id: '"1"' }), bad('last_event_id is not an integer'));
    await refused(t, call({ dont_block: 'yes' }), bad('Argument "dont_block" is not valid JSON.'));
    await refused(t, call({ dont_block: 5 }), bad('dont_block is not a boolean'));
  });
};
