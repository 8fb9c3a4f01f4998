/** Refusals of POST /messages: messages.md § POST /messages, in the order of its checks. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, subscribe } from '../../support/organization.js';
import type { Facts } from '../facts.js';

export const sendingRefusals: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [...org.people] });
  const send = (params: Params, by = member) => by.api.call('POST /messages', params);
  const stream = { type: 'stream', to: 'square', topic: 'talk', content: 'hello' };
  const direct = { type: 'direct', to: [other.id], content: 'hello' };

  await t.test('type, content, to and topic are checked in this order', async (t) => {
    await refused(t, send({}), missing('type'));
    await refused(t, send({ type: 'channel', content: 'x' }), bad('Invalid type'));
    await refused(t, send({ type: '"stream"', content: 'x' }), bad('Invalid type'), 'a quoted type keeps its quotes');
    await refused(t, send({ type: 'stream', to: 'square', topic: 'x' }), missing('content'));
    await refused(t, send({ ...stream, to: [] }), bad('Expected exactly one stream'));
    await refused(t, send({ ...stream, to: ['square', 'other'] }), bad('Expected exactly one stream'), 'two streams');
    for (const to of ['{}', 'true', 'null', '1.5', '[{}]']) {
      await refused(t, send({ ...stream, to }), bad('Invalid data type for stream'), `stream ${to}`);
    }
    for (const to of ['5', 'true', 'null', '{}', '[[]]', '[1.5]', '[null]']) {
      await refused(t, send({ ...direct, to }), bad('Invalid data type for recipients'), `recipients ${to}`);
    }
    await refused(
      t,
      send({ ...direct, to: [other.id, other.email] }),
      bad('Recipient lists may contain emails or user IDs, but not both.'),
    );
    await refused(t, send({ type: 'stream', topic: 'x', content: 'x' }), bad('Missing stream'));
    await refused(t, send({ type: 'stream', to: 'square', content: 'x' }), bad('Missing topic'));
  });

  await t.test('topics must be printable and not blank', async (t) => {
    for (const topic of ['', '   ']) await refused(t, send({ ...stream, topic }), bad("Topic can't be empty!"));
    for (const [topic, position] of [
      ['a\nb', 2],
      ['\u{1}', 1],
      ['éa\u{fdd0}', 3],
      ['😀\u{ffff}', 2],
    ] as const) {
      await refused(t, send({ ...stream, topic }), bad(`Invalid character in topic, at position ${position}!`));
    }
  });

  await t.test('content must not be blank', async (t) => {
    for (const params of [stream, direct]) {
      for (const content of ['', ' \n\t '])
        await refused(t, send({ ...params, content }), bad('Message must not be empty'));
      await refused(t, send({ ...params, content: 'a\0b' }), bad('Message must not contain null bytes'));
    }
  });

  await t.test('the stream must exist', async (t) => {
    const unknown = (to: string, shown = to) =>
      refused(t, send({ ...stream, to }), {
        code: 'STREAM_DOES_NOT_EXIST',
        msg: `Stream '${shown}' does not exist`,
        extra: { stream: shown },
      });
    await unknown('nowhere');
    await unknown('<b>&', '&lt;b&gt;&amp;');
    await refused(t, send({ ...stream, to: '987654' }), {
      code: 'STREAM_DOES_NOT_EXIST',
      msg: "Stream with ID '987654' does not exist",
      extra: { stream_id: 987_654 },
    });
    await refused(t, send({ ...stream, to: ' ' }), bad("Stream name can't be empty!"));
    await refused(t, send({ ...stream, to: 'x'.repeat(61) }), bad('Stream name too long (limit: 60 characters).'));
    await subscribe(elsewhere.owner, 'their square');
    await refused(
      t,
      send({ ...stream, to: 'their square' }),
      {
        code: 'STREAM_DOES_NOT_EXIST',
        msg: "Stream 'their square' does not exist",
        extra: { stream: 'their square' },
      },
      "a stream of another organization doesn't exist",
    );
  });

  await t.test('recipients must exist', async (t) => {
    for (const to of ['[]', '', ' , ', undefined]) {
      await refused(t, send({ ...direct, to }), bad('Message must have recipients'), `recipients '${to}'`);
    }
    await refused(t, send({ ...direct, to: [987_654] }), bad('Invalid user ID 987654'));
    await refused(t, send({ ...direct, to: 'nobody@nowhere.example' }), bad("Invalid email 'nobody@nowhere.example'"));
    const foreign = elsewhere.owner.email;
    await refused(
      t,
      send({ ...direct, to: foreign }),
      bad(`Invalid email '${foreign}'`),
      'nobody of another organization',
    );
  });

  await t.test('mirroring is refused to every role', async (t) => {
    for (const extra of [{ forged: 'true' }, { sender: other.email }]) {
      await refused(t, send({ ...stream, ...extra }, owner), bad('User not authorized for this query'));
    }
  });

  await t.test('posting policies of streams are enforced', async (t) => {
    const policies: [number, string, Record<string, string>][] = [
      [1, 'everyone', {}],
      [2, 'admins', { moderator: ADMINS, member: ADMINS, other: ADMINS, guest: ADMINS }],
      [3, 'full members', { guest: 'Guests cannot send to this stream.' }],
      [4, 'moderators', { member: MODERATORS, other: MODERATORS, guest: MODERATORS }],
    ];
    for (const [stream_post_policy, name, refusals] of policies) {
      await subscribe(owner, name, { stream_post_policy, principals: [...org.people] });
      for (const person of [owner, admin, moderator, member, other, guest]) {
        const call = send({ ...stream, to: name }, person);
        const refusal = refusals[person.role];
        if (refusal === undefined) t.equal((await call).status, 200, `${person.role} posts to ${name}`);
        else await refused(t, call, bad(refusal), `${person.role} does not post to ${name}`);
      }
    }
  });

  await t.test(
    'a non-subscriber cannot post to a private stream, administrators included; guests need a subscription anywhere',
    async (t) => {
      await subscribe(member, 'closed', { invite_only: true });
      t.equal((await send({ ...stream, to: 'closed' })).status, 200);
      const refusal = bad("Not authorized to send to stream 'closed'");
      for (const person of [owner, admin, moderator, other, guest]) {
        await refused(t, send({ ...stream, to: 'closed' }, person), refusal, person.role);
      }
      await subscribe(member, 'open');
      for (const person of [owner, other])
        t.equal((await send({ ...stream, to: 'open' }, person)).status, 200, person.role);
      await refused(t, send({ ...stream, to: 'open' }, guest), bad("Not authorized to send to stream 'open'"));
    },
  );

  await t.test('a widget must be JSON', async (t) => {
    await refused(
      t,
      send({ ...stream, widget_content: '{' }),
      bad('Widgets: API programmer sent invalid JSON content'),
    );
  });
};

const ADMINS = 'Only organization administrators can send to this stream.';
const MODERATORS = 'Only organization administrators and moderators can send to this stream.';
