/** Editing texts, and edit histories (messages.md § PATCH /messages/{id}, § GET /messages/{id}/history). */

import { refused } from '../../harness.js';
import { bad, invalid, missing, type Params } from '../../support/client.js';
import { upload } from '../../support/files.js';
import { makeBot, makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';

interface Edit {
  readonly user_id: number;
  readonly timestamp: number;
  readonly [field: string]: unknown;
}

interface Shown {
  readonly id: number;
  readonly content: string;
  readonly subject: string;
  readonly flags: string[];
  readonly is_me_message: boolean;
  readonly last_edit_timestamp?: number;
  readonly edit_history?: Edit[];
  readonly topic_links: unknown[];
}

export const editing: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['admin']);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'square', { principals: [...org.people] });
  await subscribe(member, 'den', { invite_only: true, principals: [member, other] });
  const edit = (by: Person, message_id: number, params: Params) =>
    by.api.call('PATCH /messages/{message_id}', { message_id, ...params });
  const edited = (by: Person, message_id: number, params: Params) =>
    by.api.ok('PATCH /messages/{message_id}', { message_id, ...params });
  const fetch = async (by: Person, message_id: number, params: Params = {}): Promise<Shown> =>
    (await by.api.ok<{ message: Shown }>('GET /messages/{message_id}', { message_id, ...params })).message;
  const watch = (by: Person) =>
    Queue.register(by, { fetch_event_types: [], event_types: ['message', 'update_message'] });
  const set = (params: Params) => owner.api.ok('PATCH /realm', params);

  await t.test('the author changes the text; all users with a copy get the event', async (t) => {
    const id = await say(member, 'square', 'talk', 'first *draft*');
    const queues = await Promise.all([watch(member), watch(guest)]);
    await edited(member, id, { content: '/me says **more**  \n' });
    for (const queue of queues) {
      const [event] = await queue.take(1);
      const { edit_timestamp, id: _, stream_id, ...rest } = event!;
      t.type(stream_id, 'number');
      t.type(edit_timestamp, 'number');
      t.same(rest, {
        type: 'update_message',
        user_id: member.id,
        message_id: id,
        message_ids: [id],
        rendering_only: false,
        stream_name: 'square',
        orig_content: 'first *draft*',
        orig_rendered_content: '<p>first <em>draft</em></p>',
        content: '/me says **more**',
        rendered_content: '<p>/me says <strong>more</strong></p>',
        prev_rendered_content_version: 1,
        is_me_message: true,
        flags: [],
      });
    }
    const shown = await fetch(other, id);
    t.equal(shown.content, '<p>/me says <strong>more</strong></p>');
    t.equal(shown.is_me_message, true);
    t.equal(shown.last_edit_timestamp, shown.edit_history![0]!.timestamp);
    const { timestamp, ...entry } = shown.edit_history![0]!;
    t.same(entry, {
      user_id: member.id,
      prev_content: 'first *draft*',
      prev_rendered_content: '<p>first <em>draft</em></p>',
      prev_rendered_content_version: 1,
    });
  });

  await t.test('a direct message is edited the same way, without a stream in its event', async (t) => {
    const id = await tell(member, [other], 'dm by id');
    const queue = await watch(other);
    await edited(member, id, { content: 'dm edited' });
    const [event] = await queue.take(1);
    t.notOk('stream_id' in event! || 'stream_name' in event!);
    t.match(event, { message_id: id, content: 'dm edited', orig_content: 'dm by id', message_ids: [id] });
    t.equal((await fetch(other, id, { apply_markdown: false })).content, 'dm edited');
    t.same(await settled(await watch(admin)), [], 'nobody else hears of it');
  });

  await t.test('an edit sets mention flags by the new text, for users who have the message', async (t) => {
    const id = await say(member, 'den', 'talk', `hello @**${other.name}**`);
    t.same((await fetch(other, id)).flags, ['mentioned']);
    await edited(member, id, { content: `hello @**${admin.name}** and @**${member.name}**` });
    t.same((await fetch(other, id)).flags, []);
    t.same((await fetch(member, id)).flags, ['mentioned']);
    await refused(t, admin.api.call('GET /messages/{message_id}', { message_id: id }), bad('Invalid message(s)'));
    const queue = await watch(other);
    await edited(member, id, { content: 'hello @**all**' });
    t.same((await queue.take(1))[0]!.flags, ['wildcard_mentioned'], 'the event has the flags of who gets it');
    t.same((await fetch(other, id)).flags, ['wildcard_mentioned']);
    await edited(member, id, { content: 'hello' });
    t.same((await fetch(other, id)).flags, []);
  });

  await t.test('an edit that still mentions a bot outside the stream leaves the bot its mention', async (t) => {
    await subscribe(member, 'balcony', { principals: [member] });
    const bot = await makeBot(member);
    const id = await say(member, 'balcony', 'talk', `helo @**${bot.name}**`);
    t.same((await fetch(bot, id)).flags, ['mentioned']);
    await edited(member, id, { content: `hello @**${bot.name}**` });
    t.same((await fetch(bot, id)).flags, ['mentioned']);
    await edited(member, id, { content: 'hello' });
    t.same((await fetch(bot, id)).flags, []);
  });

  await t.test('an edit mentions a user who has a copy of a message from before', async (t) => {
    const id = await say(member, 'balcony', 'talk', 'hello');
    await other.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name: 'wave' });
    const queue = await watch(other);
    await edited(member, id, { content: `hello @**${other.name}** and @**${admin.name}**` });
    t.same((await queue.take(1))[0]!.flags, ['read', 'mentioned', 'historical']);
    t.same((await fetch(other, id)).flags, ['read', 'mentioned', 'historical']);
    t.same((await fetch(admin, id)).flags, ['read', 'historical'], 'who has no copy gets no mention');
  });

  await t.test('alert words are looked for in the new text', async (t) => {
    await other.api.ok('POST /users/me/alert_words', { alert_words: ['pumpkin'] });
    const id = await say(member, 'square', 'food', 'soup');
    await edited(member, id, { content: 'pumpkin soup' });
    t.same((await fetch(other, id)).flags, ['has_alert_word']);
    t.same((await fetch(admin, id)).flags, []);
    await edited(member, id, { content: 'tomato soup' });
    t.same((await fetch(other, id)).flags, []);
  });

  await t.test('a blank text becomes (deleted); a text that is too long is cut', async (t) => {
    const id = await say(member, 'square', 'talk', 'x');
    await edited(member, id, { content: ' \n ' });
    t.equal((await fetch(member, id, { apply_markdown: false })).content, '(deleted)');
    await edited(member, id, { content: 'y'.repeat(10_001) });
    t.equal((await fetch(member, id, { apply_markdown: false })).content.length, 10_000);
    await refused(t, edit(member, id, { content: 'a\0b' }), bad('Message must not contain null bytes'));
    for (const content of ['\ud800', '\u{fffd}\u202e', '`'.repeat(5_000)]) await edited(member, id, { content });
  });

  await t.test('histories show each version, oldest first', async (t) => {
    const id = await say(member, 'square', 'versions', 'dm by id');
    await edited(member, id, { content: 'dm edited' });
    await edited(other, id, { topic: 'revisions', send_notification_to_new_thread: false });
    await edited(member, id, { content: 'third', topic: 'versions', send_notification_to_new_thread: false });
    const { message_history } = await guest.api.ok<{ message_history: Edit[] }>('GET /messages/{message_id}/history', {
      message_id: id,
    });
    const times = message_history.map(({ timestamp }) => timestamp);
    t.same(times, [...times].sort());
    t.same(
      message_history.map(({ timestamp: _, ...version }) => version),
      [
        { content: 'dm by id', rendered_content: '<p>dm by id</p>', topic: 'versions', user_id: member.id },
        {
          content: 'dm edited',
          rendered_content: '<p>dm edited</p>',
          topic: 'versions',
          user_id: member.id,
          prev_content: 'dm by id',
          prev_rendered_content: '<p>dm by id</p>',
          content_html_diff:
            '<div><p>dm <span class="highlight_text_inserted">edited</span> <span class="highlight_text_deleted">by id</span> </p></div>',
        },
        {
          content: 'dm edited',
          rendered_content: '<p>dm edited</p>',
          topic: 'revisions',
          user_id: other.id,
          prev_topic: 'versions',
        },
        {
          content: 'third',
          rendered_content: '<p>third</p>',
          topic: 'versions',
          user_id: member.id,
          prev_topic: 'revisions',
          prev_content: 'dm edited',
          prev_rendered_content: '<p>dm edited</p>',
          content_html_diff:
            '<div><p><span class="highlight_text_inserted">third</span> <span class="highlight_text_deleted">dm edited</span> </p></div>',
        },
      ],
    );
    const { edit_history } = await fetch(member, id);
    t.equal(edit_history!.length, 3);
    t.match(edit_history![0], { prev_topic: 'revisions', topic: 'versions', prev_content: 'dm edited' });
  });

  await t.test('an organization that hides edit histories hides them from every role', async (t) => {
    const id = await say(member, 'square', 'hidden', 'one');
    await edited(member, id, { content: 'two' });
    await set({ allow_edit_history: false });
    const off = bad('Message edit history is disabled in this organization');
    const history = (message_id: number, by = member) =>
      by.api.call('GET /messages/{message_id}/history', { message_id });
    await refused(t, history(id), off);
    await refused(t, history(999_999), off, 'before access is checked');
    const shown = await fetch(member, id);
    t.notOk('edit_history' in shown);
    t.type(shown.last_edit_timestamp, 'number');
    await set({ allow_edit_history: true });
    await refused(t, history(999_999), bad('Invalid message(s)'));
    const secret = await say(member, 'den', 'talk', 'x');
    await refused(t, history(secret, admin), bad('Invalid message(s)'));
    await refused(t, history(secret, elsewhere.admin), bad('Invalid message(s)'));
    t.equal((await org.nobody.call('GET /messages/{message_id}/history', { message_id: id })).status, 401);
  });

  await t.test('an edit is refused in this order', async (t) => {
    const id = await say(member, 'square', 'order', 'x');
    const direct = await tell(member, [other], 'x');
    const secret = await say(member, 'den', 'talk', 'x');
    const all = { propagate_mode: 'change_all' };
    await refused(t, edit(member, 999_999, { propagate_mode: 'x' }), bad('Invalid propagate_mode'));
    await refused(t, edit(member, id, { stream_id: 'x' }), invalid('stream_id', 'x'));
    await refused(
      t,
      edit(member, id, { topic: 'x', send_notification_to_old_thread: 'q' }),
      bad('Argument "send_notification_to_old_thread" is not valid JSON.'),
    );
    for (const [by, what] of [
      [admin, secret],
      [member, 999_999],
      [elsewhere.admin, id],
      [admin, direct],
    ] as const) {
      await refused(t, edit(by, what, { content: 'x' }), bad('Invalid message(s)'), `${by.role}: no access`);
    }
    await set({ allow_message_editing: false });
    await refused(t, edit(other, id, { content: 'y' }), bad('Your organization has turned off message editing'));
    await set({ allow_message_editing: true });
    await refused(t, edit(member, id, {}), bad('Nothing to change'));
    await refused(t, edit(member, id, { topic: ' order ' }), bad('Nothing to change'));
    await refused(t, edit(member, id, all), bad('Nothing to change'));
    await refused(
      t,
      edit(member, direct, { stream_id: 1, topic: 'x' }),
      bad('Direct messages cannot be moved to streams.'),
    );
    await refused(t, edit(member, direct, { topic: 'x' }), bad('Direct messages cannot have topics.'));
    await refused(t, edit(member, id, { content: 'y', ...all }), bad('Invalid propagate_mode without topic edit'));
    for (const topic of ['', '  ']) await refused(t, edit(member, id, { topic }), bad("Topic can't be empty!"));
    await refused(t, edit(member, id, { topic: 'a\nb' }), bad('Invalid character in topic, at position 2!'));
    await refused(
      t,
      edit(other, id, { content: 'y', stream_id: 1 }),
      bad('Cannot change message content while changing stream'),
    );
    const poll = await say(member, 'square', 'order', '/poll which?');
    await refused(t, edit(other, poll, { content: 'y' }), bad('Widgets cannot be edited.'), 'whoever asks');
    for (const by of [owner, admin, other, guest]) {
      await refused(t, edit(by, id, { content: 'y' }), bad("You don't have permission to edit this message"), by.role);
    }
    t.equal((await org.nobody.call('PATCH /messages/{message_id}', { message_id: id, content: 'y' })).status, 401);
    const shown = await fetch(member, id);
    t.same(
      [shown.content, shown.subject, 'edit_history' in shown],
      ['<p>x</p>', 'order', false],
      'nothing was changed',
    );
  });

  await t.test('a text with a file for a notice of a system bot is refused at once', async (t) => {
    const narrow = [
      ['stream', 'square'],
      ['topic', 'stream events'],
    ];
    const { messages } = await owner.api.ok('GET /messages', { anchor: 'oldest', num_before: 0, num_after: 1, narrow });
    const [notice] = messages as Shown[];
    const content = `[x](${await upload(owner)})`;
    await refused(t, edit(owner, notice!.id, { content }), bad("You don't have permission to edit this message"));
  });

  await t.test('where topics are mandatory, no edit takes the topic away', async (t) => {
    const id = await say(member, 'square', 'needed', 'x');
    const none = await say(member, 'square', '(no topic)', 'x');
    await set({ mandatory_topics: true });
    const topic = '(no topic)';
    await refused(t, edit(member, id, { topic }), bad('Topics are required in this organization'));
    await edited(member, none, { topic, content: 'y' });
    await set({ mandatory_topics: false });
    await edited(member, id, { topic, send_notification_to_new_thread: false });
  });

  await t.test('the topic may be edited only by the roles that the organization admits', async (t) => {
    const id = await say(member, 'square', 'policy', 'x');
    const no = bad("You don't have permission to edit this message");
    const names = ['owner', 'admin', 'moderator', 'member', 'guest'] as const;
    const allowed = async (): Promise<string[]> => {
      const who: string[] = [];
      for (const name of names) {
        const answer = await edit(org[name], id, {
          topic: `by ${name} ${Math.random()}`,
          send_notification_to_new_thread: false,
        });
        if (answer.status === 200) who.push(name);
        else t.same(answer.body, { result: 'error', code: 'BAD_REQUEST', msg: no.msg });
      }
      return who;
    };
    const expected: Record<number, readonly string[]> = {
      1: ['owner', 'admin', 'moderator', 'member'],
      2: ['owner', 'admin'],
      4: ['owner', 'admin', 'moderator'],
      6: [],
      5: ['owner', 'admin', 'moderator', 'member', 'guest'],
    };
    for (const [policy, who] of Object.entries(expected)) {
      await set({ edit_topic_policy: Number(policy) });
      t.same(await allowed(), who, `policy ${policy}`);
    }
    await set({ edit_topic_policy: 5 });
  });

  await t.test('concurrent edits and reactions of one message all take effect', async (t) => {
    const id = await say(member, 'square', 'race', 'v0');
    const queue = await watch(other);
    const texts = Array.from({ length: 20 }, (_, i) => `v${i + 1}`);
    await Promise.all(texts.map((content) => edited(member, id, { content })));
    const { edit_history, content } = await fetch(member, id, { apply_markdown: false });
    t.equal(edit_history!.length, 20);
    const before = edit_history!.map((one) => one.prev_content as string);
    t.same(new Set([content, ...before]), new Set(['v0', ...texts]), 'each version took the place of another');
    const events = await queue.take(20);
    t.same(
      events.map((event) => event.content),
      [...before.slice(0, -1).reverse(), content],
      'and the events tell them in this order',
    );
  });

  await t.test('parameters that are missing or strange change nothing', async (t) => {
    const id = await say(member, 'square', 'strange', 'x');
    for (const message_id of ['4294967295', '0']) {
      await refused(
        t,
        member.api.call('PATCH /messages/{message_id}', { message_id, content: 'y' }),
        bad('Invalid message(s)'),
      );
    }
    t.equal(
      (await member.api.call('PATCH /messages/{message_id}', { message_id: '9007199254740993', content: 'y' })).status,
      400,
    );
    await refused(t, edit(member, id, { topic: 'a', subject: 'b' }), {
      code: 'REQUEST_CONFUSING_VAR',
      msg: "Can't decide between 'topic' and 'subject' arguments",
      extra: { var_name1: 'topic', var_name2: 'subject' },
    });
    await refused(t, member.api.call('POST /messages', { type: 'stream' }), missing('content'));
  });
};
