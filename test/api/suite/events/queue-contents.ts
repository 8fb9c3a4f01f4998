/** The events of a queue, and their form: events.md § Filtering per queue, § Capability deltas. */

import type { Params } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const contents = (events: readonly ApiEvent[]): string[] =>
  events.map((event) => (event.message as ApiMessage | undefined)?.content ?? event.type);

export const queueContents: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  await subscribe(owner, 'news', { principals: [owner, member, guest] });
  const fresh = (params: Params = {}, of: Person = member) =>
    Queue.register(of, { fetch_event_types: [], event_types: ['message'], ...params });

  await t.test('event_types selects the types of events; only heartbeats come besides', async (t) => {
    const [streams, both] = [
      await fresh({ event_types: ['stream'] }),
      await fresh({ event_types: ['subscription', 'stream'] }),
    ];
    await subscribe(member, 'picked');
    await say(member, 'picked', 'x');
    t.same(
      (await both.take(2)).map((event) => event.type),
      ['stream', 'subscription'],
    );
    t.same(
      (await streams.take(1)).map((event) => event.type),
      ['stream'],
    );
    t.same([await both.now(), await streams.now()], [[], []]);
    t.same(await (await fresh({ event_types: [] })).now(), []);
  });

  await t.test('a narrow selects messages', async (t) => {
    await subscribe(owner, 'gossip', { principals: [owner, member] });
    const narrows: [string[][], string[]][] = [
      [[['stream', 'GOSSIP']], ['a', 'b']],
      [
        [
          ['stream', 'gossip'],
          ['topic', 'TWO'],
        ],
        ['b'],
      ],
      [[['sender', owner.email.toUpperCase()]], ['a', 'c', 'e']],
      [[['is', 'dm']], ['d', 'e']],
      [[['is', 'private']], ['d', 'e']],
      [[['is', 'unread']], ['a', 'b', 'c', 'd', 'e']],
      [[['is', 'mentioned']], []],
      [[['is', 'resolved']], ['c']],
      [[['is', 'anything else']], ['a', 'b', 'c', 'd', 'e']],
    ];
    const opened = await Promise.all(narrows.map(async ([narrow]) => fresh({ narrow })));
    await say(owner, 'gossip', 'one', 'a');
    await say(member, 'gossip', 'two', 'b');
    await say(owner, 'news', '✔ two', 'c');
    await tell(member, [owner], 'd');
    await tell(owner, [member], 'e');
    await settled(await fresh());
    for (const [i, [narrow, expected]] of narrows.entries()) {
      const heard = (events: readonly ApiEvent[]): string[] => contents(events).filter((text) => text !== 'settled?');
      const events = await opened[i]!.until((seen) => heard(seen).length >= expected.length);
      t.same(heard([...events, ...(await opened[i]!.now())]), expected, JSON.stringify(narrow));
    }
  });

  await t.test('each queue gets messages in its own form', async (t) => {
    const [raw, html, urls] = [
      await fresh(),
      await fresh({ apply_markdown: true }),
      await fresh({ client_gravatar: false }),
    ];
    await say(owner, 'news', 'x', '**loud**');
    const form = async (queue: Queue) => {
      const message = (await queue.take(1))[0]!.message as ApiMessage;
      return [message.content, message.content_type, typeof message.avatar_url];
    };
    t.same(await form(raw), ['**loud**', 'text/x-markdown', 'object']);
    t.same(await form(html), ['<p><strong>loud</strong></p>', 'text/html', 'object']);
    t.same(await form(urls), ['**loud**', 'text/x-markdown', 'string']);
  });

  await t.test(
    'subscription/add lists subscribers only where asked, and has null only for clients that can handle it',
    async (t) => {
      const type = { event_types: ['subscription'] };
      const plain = await fresh(type);
      const listed = await fresh({ ...type, include_subscribers: true });
      const nulls = await fresh({ ...type, client_capabilities: { notification_settings_null: true } });
      await subscribe(owner, 'shape', { principals: [owner, member] });
      const form = async (queue: Queue) => {
        const [one] = (await queue.take(1))[0]!.subscriptions as Record<string, unknown>[];
        return [one!.subscribers, one!.desktop_notifications, one!.email_notifications, one!.wildcard_mentions_notify];
      };
      t.same(await form(plain), [undefined, false, false, true]);
      t.same(await form(listed), [[owner.id, member.id], false, false, true]);
      t.same(await form(nulls), [undefined, null, null, null]);
    },
  );

  await t.test(
    'all_public_streams adds messages of public streams, without flags, and of no private stream',
    async (t) => {
      await subscribe(owner, 'public square');
      await subscribe(owner, 'back room', { invite_only: true });
      const [wide, usual, narrowed] = [
        await fresh({ all_public_streams: true }, other),
        await fresh({}, other),
        await fresh({ narrow: [['stream', 'public square']] }, other),
      ];
      const seen = await fresh({}, owner);
      await say(owner, 'back room', 'x', 'secret');
      await say(owner, 'public square', 'x', 'heard');
      await seen.take(2);
      const events = await settled(wide);
      t.same(contents(events), ['heard']);
      t.same(events[0]!.flags, []);
      t.same(
        contents(await settled(usual)).filter((text) => text !== 'settled?'),
        [],
      );
      t.same(contents(await narrowed.now()), [], 'a narrow does not widen');
    },
  );

  await t.test(
    'a mention of everybody is none for a queue with all_public_streams whose user has no copy',
    async (t) => {
      const [outside, inside] = [
        await fresh({ all_public_streams: true }, other),
        await fresh({ all_public_streams: true }, owner),
      ];
      await say(owner, 'public square', 'x', '@**all** listen');
      t.same((await outside.take(1))[0]!.flags, []);
      t.same((await inside.take(1))[0]!.flags, ['wildcard_mentioned']);
    },
  );

  await t.test('a hundred queues of one user all get the same events', async (t) => {
    const opened = await Promise.all(Array.from({ length: 100 }, () => fresh()));
    const waiting = Promise.all(opened.map((queue) => queue.take(1)));
    await say(owner, 'news', 'x', 'to all');
    const heard = (await waiting).map(contents);
    t.same(new Set(heard.flat()), new Set(['to all']));
    await Promise.all(opened.map((queue) => queue.delete()));
  });

  await t.test('a burst arrives whole and in order while the client polls', async (t) => {
    const queue = await fresh();
    const sending = (async () => {
      for (let i = 0; i < 40; i++) await say(owner, 'news', 'x', `burst ${i}`);
    })();
    t.same(
      contents(await queue.take(40)),
      Array.from({ length: 40 }, (_, i) => `burst ${i}`),
    );
    await sending;
  });
};
