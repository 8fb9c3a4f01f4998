/** The number of queues that one account may have (embedded face only: its server has a low one). */
import type { Test } from 'tap';
import { until } from '../../../support/until.js';
import { refused } from '../../harness.js';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';

const MOST = 4;

export async function queueQuota(t: Test): Promise<void> {
  const server = await startEmbedded({ options: { 'max-queues': String(MOST) } });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['member', 'other']);
  const { member, other } = org;
  const fresh = (of: Person = member) =>
    Queue.register(of, { event_types: ['user_status'], fetch_event_types: [], queue_lifespan_secs: 86_400 });
  const change = (status_text: string) => member.api.ok('POST /users/me/status', { status_text });

  await t.test('a queue above the limit ends the queue that went longest without a poll, and no other', async (t) => {
    const bystander = await fresh(other);
    const queues: Queue[] = [];
    for (let i = 0; i < MOST; i++) queues.push(await fresh());
    const [oldest, ...rest] = queues as [Queue, ...Queue[]];
    const waiting = rest[0]!.until((events) => events.length > 0);
    // This call is answered after the poll has arrived.
    await member.api.ok('GET /users/me');
    const newest = await fresh();
    await until('the oldest is gone', async () => {
      const { status } = await member.api.call('GET /events', {
        queue_id: oldest.id,
        last_event_id: oldest.last,
        dont_block: true,
      });
      return status === 400;
    });
    await refused(t, member.api.call('GET /events', { queue_id: oldest.id, last_event_id: -1, dont_block: true }), {
      code: 'BAD_EVENT_QUEUE_ID',
      msg: `Bad event queue ID: ${oldest.id}`,
      extra: { queue_id: oldest.id },
    });
    await change('at work');
    t.equal((await waiting).length, 1, 'the poll that waited is told');
    for (const queue of [...rest.slice(1), newest, bystander]) t.equal((await queue.take(1)).length, 1);
  });

  await t.test('a client that registers in a loop does not end a queue whose poll waits', async (t) => {
    const kept = await fresh();
    const waiting = kept.until((events) => events.length > 0);
    await member.api.ok('GET /users/me');
    for (let i = 0; i < 3 * MOST; i++) await fresh();
    await change('at lunch');
    t.equal((await waiting).length, 1);
    t.same(await kept.now(), [], 'it goes on');
  });
}
