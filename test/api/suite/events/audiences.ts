/** Recipients of events: events.md § Recipients. */

import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const audiences: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, moderator, member, other, guest } = org;
  const everybody = { owner, admin, moderator, member, other, guest };
  await subscribe(member, 'open');
  await subscribe(member, 'closed', { invite_only: true });
  await subscribe(member, ['open', 'closed'], { principals: [guest, other] });

  await t.test('events of a message go to the users who have a copy, and to no other', async (t) => {
    const watchers = await Promise.all(
      [...Object.values(everybody), elsewhere.owner].map((person) => Queue.register(person)),
    );
    const expected: Record<string, readonly Person[]> = {
      'to open': [member, other, guest],
      'to closed': [member, other, guest],
      'to a pair': [member, guest],
      'to oneself': [member],
      'to a group': [member, other, admin],
    };
    await say(member, 'open', 'events', 'to open');
    await say(member, 'closed', 'events', 'to closed');
    await tell(member, [guest], 'to a pair');
    await tell(member, [member], 'to oneself');
    await tell(member, [other, admin], 'to a group');
    // The sender has all events, so all events for the others are in the log by now.
    await watchers.find((queue) => queue.of === member)!.take(Object.keys(expected).length);
    for (const queue of watchers) {
      const got = queue.of === member ? queue.received : await settled(queue);
      const contents = got.map((event) => (event.message as ApiMessage).content).sort();
      const wanted = Object.keys(expected)
        .filter((text) => expected[text]!.includes(queue.of))
        .sort();
      t.same(contents, wanted, `${queue.of.role} of ${queue.of.email}`);
    }
  });

  await t.test('events of streams and subscriptions go to users who may see the stream', async (t) => {
    const people = [owner, admin, moderator, member, other, guest];
    const watchers = await Promise.all(
      people.map((person) => Queue.register(person, { event_types: ['stream', 'subscription', 'message'] })),
    );
    const heard = async (): Promise<Record<string, string>> => {
      await Promise.all(
        watchers.filter((queue) => queue.of === owner).map((queue) => queue.until((events) => events.length > 0)),
      );
      const of: Record<string, string> = {};
      for (const queue of watchers) {
        queue.received.length = queue.of === owner ? queue.received.length : 0;
        await settled(queue);
        of[queue.of.role] = queue.received
          .filter((event) => event.type !== 'message')
          .map((event) => `${event.type}/${event.op}`)
          .join(' ');
        queue.received.length = 0;
      }
      return of;
    };
    await subscribe(owner, 'event open', { principals: [owner, member] });
    t.same(await heard(), {
      owner: 'stream/create subscription/add',
      admin: 'stream/create subscription/peer_add',
      moderator: 'stream/create subscription/peer_add',
      member: 'stream/create subscription/add',
      other: 'stream/create subscription/peer_add',
      guest: '',
    });
    await subscribe(owner, 'event closed', { invite_only: true, principals: [owner, member] });
    t.same(await heard(), {
      owner: 'stream/create subscription/add',
      admin: 'stream/create subscription/peer_add',
      moderator: '',
      member: 'stream/create subscription/add',
      other: '',
      guest: '',
    });
    await subscribe(owner, 'event closed', { principals: [other, admin] });
    t.same(await heard(), {
      owner: 'subscription/peer_add',
      admin: 'subscription/add',
      moderator: '',
      member: 'subscription/peer_add',
      other: 'stream/create subscription/add',
      guest: '',
    });
    await subscribe(owner, 'event open', { principals: [guest] });
    t.same(await heard(), {
      owner: 'subscription/peer_add',
      admin: 'subscription/peer_add',
      moderator: 'subscription/peer_add',
      member: 'subscription/peer_add',
      other: 'subscription/peer_add',
      guest: 'subscription/add',
    });
  });
};
