/** Everything stops and starts again on the same data. */

import { CURRENT_CLIENT_HEADERS, CURRENT_CLIENT_REGISTRATION } from '../../support/current-client-requests.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const restart: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member', 'other']);
  const { owner, member, other } = org;
  await subscribe(owner, 'lasting', { principals: [owner, member] });
  const content = (event: ApiEvent): string => (event.message as ApiMessage).content;

  await t.test('queues survive a restart with their unacknowledged events, and continue', async (t) => {
    const queue = await Queue.register(member, { event_types: ['message'] });
    const idle = await Queue.register(member, { event_types: ['message'] });
    await say(owner, 'lasting', 'x', 'acknowledged');
    await queue.take(1);
    await say(owner, 'lasting', 'x', 'waiting');
    const waiting = await queue.poll({ last_event_id: queue.last });
    t.same(waiting.map(content), ['waiting']);
    await server.restart();
    t.same(
      await queue.poll({ last_event_id: queue.last, dont_block: true }),
      waiting,
      'the same event under the same id',
    );
    const after = queue.take(2);
    await say(owner, 'lasting', 'x', 'afterwards');
    t.same((await after).map(content), ['waiting', 'afterwards']);
    t.same((await idle.take(3)).map(content), ['acknowledged', 'waiting', 'afterwards']);
    await server.restart();
    t.same(await queue.now(), [], 'acknowledged events never come again');
    t.same(await idle.now(), []);
  });

  await t.test('a queue keeps its API level over restarts', async (t) => {
    const phone = { ...member, api: member.api.with(CURRENT_CLIENT_HEADERS) };
    const queue = await Queue.register(phone, CURRENT_CLIENT_REGISTRATION);
    await server.restart();
    await say(owner, 'lasting', '(no topic)', 'without a topic');
    const [event] = await queue.take(1);
    t.equal((event!.message as ApiMessage).subject, '');
    await server.restart();
    t.same(await queue.poll({ last_event_id: event!.id - 1, dont_block: true }), [event], 'the same event again');
  });

  await t.test('a waiting poll is answered without events, and its client continues after the restart', async (t) => {
    const queue = await Queue.register(member, { event_types: ['message'] });
    const waiting = member.api.call('GET /events', { queue_id: queue.id, last_event_id: queue.last });
    // This call is answered after the poll arrived; without it the poll could meet a stopped server.
    const outcome = waiting.then(
      (answer) => JSON.stringify([answer.status, answer.body.events]),
      (error: NodeJS.ErrnoException) => error.code,
    );
    await member.api.ok('GET /users/me');
    await server.restart();
    t.match(String(await outcome), /^(\[200,\[\]\]|ECONNRE\w+)$/);
    await say(owner, 'lasting', 'x', 'heard after all');
    t.same((await queue.take(1)).map(content), ['heard after all']);
  });

  await t.test('accounts, streams, messages and ids survive a restart', async (t) => {
    const last = await tell(member, [other], 'before');
    const of = { name: 'tree', field_type: 3, field_data: { a: { text: 'Ash', order: '1' } } };
    const { id: field } = await owner.api.ok('POST /realm/profile_fields', of);
    await member.api.ok('PATCH /users/me/profile_data', { data: [{ id: field, value: 'a' }] });
    const [id, state] = [await streamIdOf(member, 'lasting'), await member.api.ok('POST /register')];
    await server.restart();
    t.equal(await streamIdOf(member, 'lasting'), id);
    const again = await member.api.ok('POST /register');
    const names = ['realm_users', 'subscriptions', 'streams', 'max_message_id', 'custom_profile_fields'];
    const lasting = (of: Record<string, unknown>) => names.map((name) => of[name]);
    t.same(lasting(again), lasting(state));
    t.equal(await tell(member, [other], 'after'), last + 1, 'ids go on without a gap');
    const { messages } = await other.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: 'newest',
      num_before: 2,
      num_after: 0,
      apply_markdown: false,
    });
    t.same(
      messages.map((message) => message.content),
      ['before', 'after'],
    );
  });
};
