/** PATCH and DELETE /streams/{stream_id}, default streams, and the notices about streams: streams.md. */

import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import {
  makeOrganization,
  NOTIFICATION_BOT,
  type Person,
  say,
  streamIdOf,
  subscribe,
  userGroup,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage, ApiStream } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NO_STREAM = bad('Invalid stream ID');
const ADMINS_ONLY: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const OWNERS_ONLY: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };

/** The contents of an event, without its id. */
function brief({ id: _, ...event }: ApiEvent): unknown {
  if (event.type === 'message') {
    const { sender_id, subject, content, display_recipient } = event.message as ApiMessage;
    if (sender_id !== NOTIFICATION_BOT) throw new Error(`not a notice: ${content}`);
    return [typeof display_recipient === 'string' ? display_recipient : 'direct', subject, content];
  }
  if (event.streams) return [`${event.type}/${event.op}`, (event.streams as ApiStream[]).map((one) => one.name)];
  const { type, op, ...rest } = event;
  return [`${type}/${op}`, rest];
}

export const changingStreams: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, other, guest } = org;
  const patch = (stream_id: number, params: Params, by: Person = admin) =>
    by.api.call('PATCH /streams/{stream_id}', { stream_id, ...params });
  const made = async (name: string, params: Parameters<typeof subscribe>[2] = {}): Promise<number> => {
    await subscribe(member, name, { principals: [member, guest], ...params });
    return streamIdOf(member, name);
  };
  const as = async (by: Person, stream_id: number) =>
    (await by.api.ok<{ stream: ApiStream }>('GET /streams/{stream_id}', { stream_id })).stream;
  const watch = (person: Person) =>
    Queue.register(person, { event_types: ['stream', 'subscription', 'default_streams', 'message'] });
  const heard = async (queue: Queue) => (await settled(queue)).map(brief);
  const nameOf = async (person: Person): Promise<string> =>
    (await person.api.ok<{ full_name: string }>('GET /users/me')).full_name;
  const adminName = `@_**${await nameOf(admin)}|${admin.id}**`;
  const ownerName = `@_**${await nameOf(owner)}|${owner.id}**`;
  const memberName = await nameOf(member);

  await t.test('administrators change streams; other users get events only of streams they may see', async (t) => {
    const open = await made('roles open');
    const closed = await made('roles closed', { invite_only: true });
    for (const by of [moderator, member, guest, other]) {
      await refused(t, patch(open, { description: 'x' }, by), ADMINS_ONLY, `${by.role}, open`);
      const expected = by === member || by === guest ? ADMINS_ONLY : NO_STREAM;
      await refused(t, patch(closed, { description: 'x' }, by), expected, `${by.role}, closed`);
      const end = by.api.call('DELETE /streams/{stream_id}', { stream_id: closed });
      await refused(t, end, expected, `${by.role}, the end`);
    }
    for (const by of [owner, admin]) t.equal((await patch(closed, { description: by.role }, by)).status, 200, by.role);
    t.equal((await as(member, closed)).description, 'admin');
    await refused(t, patch(987_654, { description: 'x' }), NO_STREAM);
    await refused(t, patch(closed, { description: 'x' }, elsewhere.owner), NO_STREAM, 'another organization');
    t.equal((await patch(open, {})).status, 200, 'nothing at all');
  });

  await t.test('each change is published to users who see the stream, with a notice in it', async (t) => {
    const id = await made('one');
    const [inside, outside, out] = [await watch(member), await watch(other), await watch(admin)];
    const update = (property: string, value: unknown, name = 'one', more = {}) => [
      'stream/update',
      { property, value, stream_id: id, name, ...more },
    ];
    const said = (text: string, name = 'one') => [name, 'stream events', text];
    const quote = (text: string) => `\`\`\`\` quote\n${text}\n\`\`\`\``;
    const changes: [Person, Params, unknown[], unknown[]][] = [
      [
        admin,
        { description: 'new\n**desc**' },
        [update('description', 'new **desc**', 'one', { rendered_description: '<p>new <strong>desc</strong></p>' })],
        said(
          `${adminName} changed the description for this stream.\n\n* **Old description:**\n${quote('*No description.*')}\n* **New description:**\n${quote('new **desc**')}`,
        ),
      ],
      [
        admin,
        { new_name: ' two ' },
        [update('email_address', ''), update('name', 'two')],
        said(`${adminName} renamed stream **one** to **two**.`, 'two'),
      ],
      [
        admin,
        { new_name: 'Two' },
        [update('email_address', '', 'two'), update('name', 'Two', 'two')],
        said(`${adminName} renamed stream **two** to **Two**.`, 'Two'),
      ],
      [
        admin,
        { stream_post_policy: 2 },
        [update('stream_post_policy', 2, 'Two'), update('is_announcement_only', true, 'Two')],
        said(
          `${adminName} changed the [posting permissions](/help/stream-sending-policy) for this stream:\n\n* **Old permissions**: All stream members can post.\n* **New permissions**: Only organization administrators can post.`,
          'Two',
        ),
      ],
      [
        admin,
        { is_announcement_only: false, stream_post_policy: 4 },
        [update('stream_post_policy', 1, 'Two'), update('is_announcement_only', false, 'Two')],
        said(
          `${adminName} changed the [posting permissions](/help/stream-sending-policy) for this stream:\n\n* **Old permissions**: Only organization administrators can post.\n* **New permissions**: All stream members can post.`,
          'Two',
        ),
      ],
      [
        owner,
        { message_retention_days: 7 },
        [update('message_retention_days', 7, 'Two')],
        said(
          `${ownerName} has changed the [message retention period](/help/message-retention-policy) for this stream:\n* **Old retention period**: Forever\n* **New retention period**: 7 days\n\nMessages in this stream will now be automatically deleted 7 days after they are sent.`,
          'Two',
        ),
      ],
      [
        owner,
        { message_retention_days: '"unlimited"' },
        [update('message_retention_days', -1, 'Two')],
        said(
          `${ownerName} has changed the [message retention period](/help/message-retention-policy) for this stream:\n* **Old retention period**: 7 days\n* **New retention period**: Forever\n\nMessages in this stream will now be retained forever.`,
          'Two',
        ),
      ],
      [admin, { can_remove_subscribers_group_id: 3 }, [update('can_remove_subscribers_group_id', 3, 'Two')], []],
    ];
    for (const [by, params, events, notice] of changes) {
      t.equal((await patch(id, params, by)).status, 200, JSON.stringify(params));
      t.same(await heard(inside), [...events, ...(notice.length > 0 ? [notice] : [])], JSON.stringify(params));
      t.same(await heard(outside), events, 'a member outside hears no notice');
      t.same(await heard(out), events);
    }
    t.match(await as(member, id), {
      name: 'Two',
      description: 'new **desc**',
      stream_post_policy: 1,
      message_retention_days: -1,
      can_remove_subscribers_group_id: 3,
    });
    await patch(id, { message_retention_days: '"realm_default"' }, owner);
    t.equal((await as(member, id)).message_retention_days, null);
  });

  await t.test(
    'a change of privacy publishes the stream to users who gain sight of it, and its removal to those who lose it',
    async (t) => {
      const id = await made('shy');
      const queues = await Promise.all(org.people.map((person) => watch(person)));
      const all = async () => {
        const of: Record<string, string> = {};
        for (const queue of queues) {
          const events = (await settled(queue)).filter((event) => event.type !== 'message');
          of[queue.of.role] = events.map((event) => `${event.type}/${event.op}`).join(' ');
        }
        return of;
      };
      const everybody = (text: string, but: Record<string, string> = {}) => ({
        ...Object.fromEntries(org.people.map((person) => [person.role, text])),
        ...but,
      });
      t.equal((await patch(id, { is_private: true })).status, 200);
      t.same(await all(), everybody('stream/update', { moderator: 'stream/delete', other: 'stream/delete' }));
      t.match(await as(member, id), { invite_only: true, history_public_to_subscribers: false, is_web_public: false });
      await refused(t, other.api.call('GET /streams/{stream_id}', { stream_id: id }), NO_STREAM);
      await refused(t, patch(id, { is_private: false }), NO_STREAM, 'not by an administrator who is not in it');
      await refused(t, patch(id, { can_remove_subscribers_group_id: 3 }), NO_STREAM, 'nor the group');
      t.equal((await patch(id, { history_public_to_subscribers: true })).status, 200, 'but its history');
      t.same(await all(), everybody('stream/update', { moderator: '', other: '' }));
      await subscribe(member, 'shy', { principals: [admin] });
      await all();
      t.equal((await patch(id, { is_private: false })).status, 200);
      const gained = 'stream/create subscription/peer_add stream/update';
      t.same(await all(), everybody('stream/update', { moderator: gained, other: gained }));
      t.match(await as(other, id), { invite_only: false, history_public_to_subscribers: true });
      const texts = queues
        .find(({ of }) => of === member)!
        .received.map((event) => (event.message as ApiMessage)?.content);
      const kinds = ['Public', 'Private, protected history', 'Private, shared history', 'Public'];
      kinds.slice(1).forEach((kind, i) => {
        const text = `${adminName} changed the [access permissions](/help/stream-permissions) for this stream from **${kinds[i]}** to **${kind}**.`;
        t.ok(texts.includes(text), text);
      });
    },
  );

  await t.test('former subscribers lose a stream that becomes private, and hear nothing more of it', async (t) => {
    const id = await made('left', { principals: [member, admin, other, guest, owner] });
    for (const one of [other, guest, owner]) {
      await one.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['left'] });
    }
    const queues = await Promise.all(org.people.map((person) => watch(person)));
    const heardBy = async () => {
      const of: Record<string, string> = {};
      for (const queue of queues) {
        const events = (await settled(queue)).filter((event) => event.type !== 'message');
        of[queue.of.role] = events.map((event) => `${event.type}/${event.op}`).join(' ');
      }
      return of;
    };
    const kept = async (by: Person) => {
      const { unsubscribed } = await by.api.ok<{ unsubscribed: ApiStream[] }>('POST /register', {
        fetch_event_types: ['subscription'],
      });
      const stream = unsubscribed.find((one) => one.stream_id === id);
      return stream && [stream.name, stream.invite_only];
    };
    const seeing = { owner: 'stream/update', admin: 'stream/update', member: 'stream/update' };
    await patch(id, { is_private: true });
    t.same(await heardBy(), { ...seeing, moderator: 'stream/delete', other: 'stream/delete', guest: '' });
    await patch(id, { new_name: 'left and renamed', description: 'hidden' });
    const renamed = 'stream/update stream/update stream/update';
    const silent = { moderator: '', other: '', guest: '' };
    t.same(await heardBy(), { owner: renamed, admin: renamed, member: renamed, ...silent });
    t.same(await kept(owner), ['left and renamed', true]);
    for (const one of [other, guest, moderator]) t.equal(await kept(one), undefined, one.role);
    await refused(t, other.api.call('GET /streams/{stream_id}', { stream_id: id }), NO_STREAM);
    await patch(id, { is_private: false });
    const back = 'stream/create subscription/peer_add stream/update';
    t.same(await heardBy(), { ...seeing, moderator: back, other: back, guest: '' });
    for (const one of [other, owner]) t.same(await kept(one), ['left and renamed', false], one.role);
    t.equal(await kept(guest), undefined);
  });

  await t.test('privacy decides the access to messages of before, between and after its changes', async (t) => {
    const id = await made('flipping', { principals: [member, admin] });
    const public_ = await say(member, 'flipping', 'topic');
    const may = async (by: Person, message_id: number) =>
      (await by.api.call('GET /messages/{message_id}', { message_id })).status === 200;
    t.equal(await may(other, public_), true);
    await patch(id, { is_private: true, history_public_to_subscribers: false });
    const hidden = await say(member, 'flipping', 'topic');
    for (const message of [public_, hidden]) t.equal(await may(other, message), false, 'nothing of a private stream');
    await subscribe(member, 'flipping', { principals: [other] });
    for (const message of [public_, hidden])
      t.equal(await may(other, message), false, 'protected from new subscribers');
    await patch(id, { history_public_to_subscribers: true, is_private: true });
    for (const message of [public_, hidden]) t.equal(await may(other, message), true, 'shared with subscribers');
    t.equal(await may(moderator, hidden), false);
    await patch(id, { is_private: false });
    t.equal(await may(moderator, hidden), true, 'public with all of its past');
    t.equal(await may(guest, hidden), false);
  });

  await t.test('parameters are checked in the order in which they are applied', async (t) => {
    const id = await made('checked', { principals: [member, admin] });
    await made('taken');
    const cases: [Params, Refusal][] = [
      [{ description: 'x'.repeat(1025) }, bad('description is too long (limit: 1024 characters)')],
      [{ new_name: 'checked' }, bad('Stream already has that name!')],
      [{ new_name: 'TAKEN' }, bad("Stream name 'TAKEN' is already taken.")],
      [{ new_name: ' ' }, bad("Stream name can't be empty!")],
      [{ new_name: 'x'.repeat(61) }, bad('Stream name too long (limit: 60 characters).')],
      [{ new_name: 'a\u{0}' }, bad('Invalid character in stream name, at position 2!')],
      [{ is_private: 'x' }, bad('Argument "is_private" is not valid JSON.')],
      [{ is_private: 1 }, bad('is_private is not a boolean')],
      [{ stream_post_policy: 7 }, bad('Invalid stream_post_policy')],
      [{ message_retention_days: 8 }, OWNERS_ONLY],
      [{ can_remove_subscribers_group_id: 987_654 }, bad('Invalid user group')],
      [{ is_private: false, history_public_to_subscribers: false }, bad('Invalid parameters')],
      [{ is_web_public: true, is_private: true }, bad('Invalid parameters')],
      [{ is_web_public: true }, bad('Web-public streams are not enabled.')],
    ];
    for (const [params, refusal] of cases)
      await refused(t, patch(id, params), refusal, JSON.stringify(params).slice(0, 60));
    const can_remove_subscribers_group_id = await userGroup(owner, 'the removers');
    const system = bad("'can_remove_subscribers_group' must be a system user group.");
    await refused(t, patch(id, { can_remove_subscribers_group_id }), system);
    for (const [group, name] of [
      [1, 'owners'],
      [7, 'internet'],
      [8, 'nobody'],
    ] as const) {
      const msg = `'can_remove_subscribers_group' setting cannot be set to '@role:${name}' group.`;
      await refused(t, patch(id, { can_remove_subscribers_group_id: group }), bad(msg));
    }
    await refused(t, patch(id, { message_retention_days: -1 }, owner), {
      code: 'REQUEST_VARIABLE_INVALID',
      msg: "Bad value for 'message_retention_days': -1",
      extra: { var_name: 'message_retention_days', bad_value: -1 },
    });
    t.match(await as(member, id), { name: 'checked', description: '', invite_only: false });
    const params = { description: 'kept', new_name: 'taken', stream_post_policy: 2 };
    await refused(t, patch(id, params), bad("Stream name 'taken' is already taken."));
    t.match(await as(member, id), { description: 'kept', stream_post_policy: 1 }, 'what came before stays');
  });

  await t.test(
    'an archived stream is removed for all users, its name freed, its messages kept for recipients',
    async (t) => {
      const id = await made('doomed', { principals: [member, guest, other] });
      const message_id = await say(member, 'doomed', 'topic');
      const queues = await Promise.all(org.people.map((person) => watch(person)));
      await refused(t, admin.api.call('DELETE /streams/{stream_id}', { stream_id: 987_654 }), NO_STREAM);
      await admin.api.ok('DELETE /streams/{stream_id}', { stream_id: id });
      for (const queue of queues) {
        t.same(await heard(queue), [['stream/delete', ['doomed']]], queue.of.role);
      }
      await refused(
        t,
        admin.api.call('DELETE /streams/{stream_id}', { stream_id: id }),
        bad('Stream is already deactivated'),
      );
      const archived = await as(admin, id);
      t.match(archived, { invite_only: true, is_web_public: false });
      t.match(archived.name, /^[0-9a-f]{7}!DEACTIVATED:doomed$/);
      await refused(t, member.api.call('GET /streams/{stream_id}', { stream_id: id }), NO_STREAM);
      t.same((await admin.api.ok('GET /streams/{stream_id}/members', { stream_id: id })).subscribers, []);
      const call = { type: 'stream', to: [id], topic: 'x', content: 'x' };
      t.equal((await member.api.call('POST /messages', call)).status, 400);
      t.equal((await other.api.call('GET /messages/{message_id}', { message_id })).status, 200, 'received');
      await refused(t, owner.api.call('GET /messages/{message_id}', { message_id }), bad('Invalid message(s)'));
      const again = await made('doomed');
      t.not(again, id);
      t.equal((await patch(id, { description: 'still there' })).status, 200);
      t.same(
        await Promise.all(
          queues.map((queue) => settled(queue).then((events) => events.filter((e) => e.op === 'update'))),
        ),
        queues.map(() => []),
      );
    },
  );

  await t.test('default streams are listed, published to all but guests, and always public', async (t) => {
    const id = await made('welcome');
    const closed = await made('inner', { invite_only: true, principals: [member, admin] });
    const far = await made('far', { invite_only: true, principals: [member] });
    const queues = await Promise.all([member, guest].map((person) => watch(person)));
    const set = (method: string, stream_id: unknown, by: Person = admin) =>
      by.api.call(`${method} /default_streams`, { stream_id });
    const told = async () =>
      Promise.all(
        queues.map(async (queue) =>
          (await settled(queue)).map((event) => (event.default_streams as ApiStream[]).map((one) => one.name)),
        ),
      );
    t.equal((await set('POST', id)).status, 200);
    t.same(await told(), [[['welcome']], []]);
    t.equal((await set('POST', id)).status, 200, 'again');
    t.same(await told(), [[], []]);
    const defaults = async (by: Person) =>
      (
        await by.api.ok<{ realm_default_streams: ApiStream[] }>('POST /register', {
          fetch_event_types: ['default_streams'],
        })
      ).realm_default_streams.map((one) => one.name);
    t.same([await defaults(member), await defaults(guest)], [['welcome'], []]);
    const { streams } = await member.api.ok<{ streams: ApiStream[] }>('GET /streams', { include_default: true });
    t.same(
      streams.filter((one) => one.is_default).map((one) => one.name),
      ['welcome'],
    );
    await refused(t, patch(id, { is_private: true }), bad('Default streams cannot be made private.'));
    await refused(t, set('POST', closed), bad('Private streams cannot be made default.'));
    for (const unseen of [far, 987_654]) await refused(t, set('POST', unseen), NO_STREAM);
    await refused(t, set('DELETE', 987_654), NO_STREAM);
    await refused(t, set('POST', undefined), missing('stream_id'));
    for (const by of [moderator, member, other, guest]) {
      for (const method of ['POST', 'DELETE']) await refused(t, set(method, id, by), ADMINS_ONLY, by.role);
    }
    t.equal((await set('DELETE', id)).status, 200);
    t.same(await told(), [[[]], []]);
    t.equal((await set('DELETE', id)).status, 200, 'again');
    t.same(await told(), [[[]], []], 'told always');
    await set('POST', id);
    await told();
    await admin.api.ok('DELETE /streams/{stream_id}', { stream_id: id });
    t.same(
      (await settled(queues[0]!)).map((event) => event.type),
      ['default_streams', 'stream'],
      'an archived stream leaves the list first',
    );
  });

  await t.test('a subscription has a notice to users subscribed by others, and one in each new stream', async (t) => {
    await subscribe(member, ['said one', 'said two']);
    const [theirs, own] = [await watch(other), await watch(member)];
    await subscribe(member, 'said one', { principals: [other] });
    t.same((await heard(theirs)).slice(1), [
      ['direct', '', `@**${memberName}|${member.id}** subscribed you to the stream #**said one**.`],
    ]);
    t.same(await heard(own), [
      ['subscription/peer_add', { stream_ids: [await streamIdOf(member, 'said one')], user_ids: [other.id] }],
    ]);
    await member.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['said one', 'said two'] });
    await admin.api.ok('DELETE /users/me/subscriptions', { subscriptions: ['said one'], principals: [other.id] });
    await settled(theirs);
    await subscribe(admin, ['said two', 'said one', 'said three'], { principals: [other] });
    const text = `@**${adminName.slice(4)} subscribed you to the following streams:\n\n* #**said one**\n* #**said two**`;
    // Two actors publish two events, in any order.
    const direct = (await heard(theirs)).filter((one) => Array.isArray(one) && one[0] === 'direct');
    t.same(direct, [['direct', '', text]], 'not of the one that is new');
    await settled(own);
    await subscribe(member, 'described', { principals: [member, other] });
    const events = await settled(own);
    const notice = events.at(-1)!;
    t.same(brief(notice), [
      'described',
      'stream events',
      `**Public** stream created by @_**${memberName}|${member.id}**. **Description:**\n\`\`\`\` quote\n*No description.*\n\`\`\`\``,
    ]);
    t.same(notice.flags, ['read'], 'read for who made it');
    t.same((await settled(theirs)).at(-1)!.flags, [], 'and for nobody else');
  });
};
