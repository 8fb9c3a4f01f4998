/** Scheduled messages: messages.md § Scheduled messages. Their timed changes are in scheduled-time.ts. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export interface ApiScheduled extends Fields {
  readonly scheduled_message_id: number;
  readonly to: number | number[];
  readonly content: string;
  readonly failed: boolean;
}

const NO_MESSAGE = { status: 404, code: 'BAD_REQUEST', msg: 'Scheduled message does not exist' };
const IN_PAST = bad('Scheduled delivery time must be in the future.');

export const scheduled: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, ['dock', 'quay'], { principals: [owner, member, guest] });
  await subscribe(owner, 'vault', { invite_only: true });
  const [dock, quay, vault] = [
    await streamIdOf(owner, 'dock'),
    await streamIdOf(owner, 'quay'),
    await streamIdOf(owner, 'vault'),
  ];
  const later = Math.floor(server.clock.now() / 1000) + 86_400;
  const toStream = {
    type: 'stream',
    to: dock,
    topic: 'tides',
    content: 'at *dawn*',
    scheduled_delivery_timestamp: later,
  };
  const direct = { type: 'direct', to: [other.id], content: 'psst', scheduled_delivery_timestamp: later };
  const create = (params: Params, by: Person = member) => by.api.call('POST /scheduled_messages', params);
  const made = async (params: Params, by: Person = member): Promise<number> => {
    const answer = await by.api.ok<{ scheduled_message_id: number }>('POST /scheduled_messages', params);
    return answer.scheduled_message_id;
  };
  const list = async (by: Person = member): Promise<ApiScheduled[]> =>
    (await by.api.ok<{ scheduled_messages: ApiScheduled[] }>('GET /scheduled_messages')).scheduled_messages;
  const find = async (id: number, by: Person = member) =>
    (await list(by)).find((message) => message.scheduled_message_id === id);
  const edit = (id: unknown, params: Params, by: Person = member) =>
    by.api.call('PATCH /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id, ...params });
  const edited = (id: unknown, params: Params, by: Person = member) =>
    by.api.ok('PATCH /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id, ...params });
  const remove = (id: unknown, by: Person = member) =>
    by.api.call('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id });
  const follow = () => Queue.register(member, { event_types: ['scheduled_messages'], fetch_event_types: [] });

  await t.test('scheduled messages are stored and listed for their sender alone', async (t) => {
    const queue = await follow();
    const strange = await Queue.register(other, { event_types: ['scheduled_messages'], fetch_event_types: [] });
    const first = await made({ ...toStream, scheduled_delivery_timestamp: later + 60 });
    const second = await made(direct);
    const expected = [
      {
        scheduled_message_id: second,
        type: 'private',
        to: [other.id],
        content: 'psst',
        rendered_content: '<p>psst</p>',
        scheduled_delivery_timestamp: later,
        failed: false,
      },
      {
        scheduled_message_id: first,
        type: 'stream',
        to: dock,
        topic: 'tides',
        content: 'at *dawn*',
        rendered_content: '<p>at <em>dawn</em></p>',
        scheduled_delivery_timestamp: later + 60,
        failed: false,
      },
    ];
    t.same(await list(), expected, 'by time');
    const state = await member.api.ok('POST /register', { fetch_event_types: ['scheduled_messages'] });
    t.same(state.scheduled_messages, expected, 'in registrations, too');
    t.match(await queue.take(2), [
      { op: 'add', scheduled_messages: [expected[1]] },
      { op: 'add', scheduled_messages: [expected[0]] },
    ]);
    t.same(await list(other), []);
    for (const id of [first, second]) t.equal((await remove(id)).status, 200);
    t.match(await queue.take(2), [
      { op: 'remove', scheduled_message_id: first },
      { op: 'remove', scheduled_message_id: second },
    ]);
    t.same(await list(), []);
    t.same(await strange.now(), []);
  });

  await t.test('recipients and texts are normalised', async (t) => {
    const group = [other.id, guest.id].sort((a, b) => a - b);
    t.same((await find(await made({ ...direct, to: [guest.id, member.id, other.id, guest.id] })))!.to, group);
    t.same((await find(await made({ ...direct, type: 'private', to: [member.id] })))!.to, [member.id], 'oneself');
    const long = await find(await made({ ...toStream, topic: ` ${'d'.repeat(80)} `, content: '\n\nx \n' }));
    t.match(long, { topic: `${'d'.repeat(57)}...`, content: 'x' });
    t.equal((await find(await made({ ...toStream, to: ` ${dock} ` })))!.to, dock);
  });

  await t.test('a scheduled message can be edited', async (t) => {
    const queue = await follow();
    const id = await made(toStream);
    await queue.take(1);
    const steps: readonly (readonly [Params, Params])[] = [
      [
        { content: 'new **words**' },
        { content: 'new **words**', rendered_content: '<p>new <strong>words</strong></p>' },
      ],
      [{ topic: 'ebb' }, { topic: 'ebb', content: 'new **words**' }],
      [{ scheduled_delivery_timestamp: later + 5 }, { scheduled_delivery_timestamp: later + 5 }],
      [{ to: quay }, { to: quay, topic: 'ebb', rendered_content: '<p>new <strong>words</strong></p>' }],
      [
        { type: 'private', to: [other.id, guest.id] },
        { type: 'private', topic: undefined },
      ],
      [{ topic: 'ignored' }, { type: 'private', topic: undefined }],
      [
        { type: 'stream', to: dock, topic: 'flow', content: 'all' },
        { type: 'stream', to: dock, topic: 'flow', content: 'all' },
      ],
    ];
    for (const [params, expected] of steps) {
      await edited(id, params);
      const message = await find(id);
      t.match(message, expected, JSON.stringify(params));
      const [event] = await queue.take(1);
      t.same([event!.op, event!.scheduled_message], ['update', message], 'and the event says so');
    }
  });

  await t.test('scheduling is refused in this order', async (t) => {
    const { topic: _, ...topicless } = toStream;
    const before = await list();
    for (const name of ['type', 'to', 'content', 'scheduled_delivery_timestamp']) {
      await refused(t, create({ ...toStream, [name]: undefined }), missing(name));
    }
    await refused(t, create({ ...toStream, type: 'x' }), bad('Invalid type'));
    const time = (scheduled_delivery_timestamp: unknown) => create({ ...toStream, scheduled_delivery_timestamp });
    await refused(t, time('tomorrow'), bad('Argument "scheduled_delivery_timestamp" is not valid JSON.'));
    await refused(t, time('1.5'), bad('scheduled_delivery_timestamp is not an integer'));
    await refused(t, time(2 ** 52), bad('scheduled_delivery_timestamp is too large'));
    await refused(t, time(Math.floor(server.clock.now() / 1000)), IN_PAST);
    await refused(
      t,
      create({ ...toStream, to: 'dock', scheduled_delivery_timestamp: -5 }),
      IN_PAST,
      'before recipients',
    );
    for (const to of ['dock', [dock], '1.0', '', '9'.repeat(400)]) {
      await refused(t, create({ ...toStream, to }), bad('Invalid data type for stream ID'), `stream ${to}`);
    }
    for (const to of ['x', other.id, '{}', '', 'null']) {
      await refused(t, create({ ...direct, to }), bad('Invalid data type for recipients'), `recipients ${to}`);
    }
    for (const to of [[other.email], '[5.0]', [null], [[]], [2 ** 60]]) {
      await refused(t, create({ ...direct, to }), bad('Recipient list may only contain user IDs'), `recipients ${to}`);
    }
    await refused(t, create(topicless), bad('Missing topic'));
    await refused(t, create({ ...toStream, topic: '  ' }), bad("Topic can't be empty!"));
    await refused(t, create({ ...toStream, topic: 'a\nb' }), bad('Invalid character in topic, at position 2!'));
    await refused(t, create({ ...direct, to: [] }), bad('Message must have recipients'));
    await refused(t, create({ ...direct, to: [99_999] }), bad('Invalid user ID 99999'));
    for (const params of [toStream, direct]) {
      await refused(t, create({ ...params, content: ' \n' }), bad('Message must not be empty'));
      await refused(t, create({ ...params, content: 'a\0b' }), bad('Message must not contain null bytes'));
    }
    const unknown = (stream_id: number) => ({
      code: 'STREAM_DOES_NOT_EXIST',
      msg: `Stream with ID '${stream_id}' does not exist`,
      extra: { stream_id },
    });
    await refused(t, create({ ...toStream, to: 99_999 }), unknown(99_999));
    await refused(t, create({ ...toStream, to: -3 }), unknown(-3));
    const notThere = bad("Not authorized to send to stream 'vault'");
    for (const by of [member, admin, guest]) await refused(t, create({ ...toStream, to: vault }, by), notThere);
    await refused(t, create({ ...toStream, to: 99_999 }, elsewhere.owner), unknown(99_999));
    await refused(t, org.nobody.call('POST /scheduled_messages'), {
      status: 401,
      msg: 'Not logged in: API authentication or user session required',
    });
    t.same(await list(), before, 'nothing was kept');
  });

  await t.test('posting policies and wildcard mentions are checked at once', async (t) => {
    await subscribe(owner, 'announce', { stream_post_policy: 2, principals: [owner, member] });
    const announce = await streamIdOf(owner, 'announce');
    const onlyAdmins = bad('Only organization administrators can send to this stream.');
    await refused(t, create({ ...toStream, to: announce }), onlyAdmins);
    t.ok(await made({ ...toStream, to: announce }, owner));
    const id = await made(toStream);
    await refused(t, edit(id, { to: announce }), onlyAdmins);
    t.equal((await find(id))!.to, dock);
    t.ok(await made({ ...toStream, content: '@**all**' }), 'a small stream may be woken');
  });

  await t.test('edits are refused in this order', async (t) => {
    const id = await made(toStream);
    await refused(t, edit(99_999, {}), bad('Nothing to change'));
    await refused(
      t,
      edit(99_999, { type: 'stream' }),
      bad('Recipient required when updating type of scheduled message.'),
    );
    await refused(
      t,
      edit(99_999, { type: 'stream', to: dock, scheduled_delivery_timestamp: 5 }),
      bad('Topic required when updating scheduled message type to stream.'),
    );
    await refused(t, edit(99_999, { scheduled_delivery_timestamp: 5 }), IN_PAST);
    await refused(t, edit(99_999, { to: 'x' }), NO_MESSAGE);
    await refused(t, edit(id, { type: 'x', to: 5 }), bad('Invalid type'));
    await refused(t, edit(id, { to: [quay] }), bad('Invalid data type for stream ID'));
    await refused(t, edit(id, { type: 'direct', to: quay }), bad('Invalid data type for recipients'));
    await refused(t, edit(id, { content: '' }), bad('Message must not be empty'));
    await refused(t, edit(id, { topic: '' }), bad("Topic can't be empty!"));
    await refused(t, edit(id, { topic: 'a\tb', content: 'x' }), bad('Invalid character in topic, at position 2!'));
    await refused(t, edit(id, { to: 99_999 }), {
      code: 'STREAM_DOES_NOT_EXIST',
      msg: "Stream with ID '99999' does not exist",
      extra: { stream_id: 99_999 },
    });
    await refused(t, edit(id, { to: vault }), bad("Not authorized to send to stream 'vault'"));
    await refused(t, edit(id, { type: 'private', to: [99_999] }), bad('Invalid user ID 99999'));
    for (const by of [other, owner, guest, elsewhere.owner]) {
      await made({ ...direct, to: [by.id] }, by);
      await refused(t, edit(id, { content: 'x' }, by), NO_MESSAGE, `edit by ${by.role}`);
      await refused(t, remove(id, by), NO_MESSAGE, `delete by ${by.role}`);
    }
    t.equal((await remove(id)).status, 200);
    await refused(t, remove(id), NO_MESSAGE);
    await refused(t, edit(id, { content: 'x' }), NO_MESSAGE);
    for (const strange of ['-1', 'x', '4294967296']) t.not((await remove(strange)).status, 200, strange);
  });

  await t.test('snapshot + events = state', async (t) => {
    let id = 0;
    const verify = (title: string, action: () => Promise<unknown>) => verifyAction(t, title, [member, other], action);
    await verify('a message is scheduled', async () => {
      id = await made({ ...direct, scheduled_delivery_timestamp: later + 100 });
    });
    await verify('another is scheduled before it', () => made(toStream));
    await verify('it is edited', () => edited(id, { content: 'y', scheduled_delivery_timestamp: later - 100 }));
    await verify('it is deleted', () => remove(id));
  });

  await t.test('a scheduled message is sent once at its time, and is no longer listed', async (t) => {
    const texts = ['to a stream', 'to a person', 'to a group'];
    const queues = await Promise.all(
      [member, other].map((by) =>
        Queue.register(by, { event_types: ['message', 'scheduled_messages'], fetch_event_types: [] }),
      ),
    );
    const [mine, others] = queues as [Queue, Queue];
    await subscribe(other, 'dock');
    const soon = { scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 2 };
    const ids = [
      await made({ ...toStream, ...soon, content: texts[0] }),
      await made({ ...direct, ...soon, content: texts[1] }),
      await made({ ...direct, ...soon, to: [other.id, guest.id], content: texts[2] }),
    ];
    const messages = (events: readonly ApiEvent[]) =>
      events.filter((event) => event.type === 'message').map((event) => event.message as ApiMessage);
    const received = messages(await others.take(3));
    t.same(received.map((message) => message.content).sort(), [...texts].sort());
    t.ok(received.every((message) => message.sender_id === member.id));
    const told = await mine.until((events) => events.filter((event) => event.op === 'remove').length === 3);
    for (const [i, id] of ids.entries()) {
      const order = told
        .filter((event) =>
          event.type === 'message'
            ? (event.message as ApiMessage).content === texts[i]
            : event.scheduled_message_id === id,
        )
        .map((event) => event.op ?? event.type);
      t.same(order, ['message', 'remove'], 'message first');
    }
    const left = await list();
    t.notOk(left.some((message) => ids.includes(message.scheduled_message_id)));
    await refused(t, edit(ids[0], { content: 'x' }), bad('Scheduled message was already sent'));
    await refused(t, edit(ids[0], { content: 'x' }, other), NO_MESSAGE);
    t.equal((await remove(ids[0])).status, 200, 'but can be deleted');
    await refused(t, remove(ids[0]), NO_MESSAGE);
  });
};
