/** Outgoing webhooks (users.md § Bots): the payloads they get, the replies they may send, and reports of failures. */

import type { ServerResponse } from 'node:http';
import { freePort } from '../../../support/free-port.js';
import type { Params } from '../../support/client.js';
import { Hook } from '../../support/hook.js';
import {
  makeBot,
  makeOrganization,
  NOTIFICATION_BOT,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import { schemaCompiler, wire } from '../../support/wire.js';
import type { Facts } from '../facts.js';

const isRequest = schemaCompiler(wire.$defs)(wire.outgoing_webhook_request);

export const outgoingWebhooks: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other } = org;
  const hook = await Hook.start();
  t.teardown(() => hook.close());
  await subscribe(member, 'lobby', { principals: [owner, member, other] });
  const stream_id = await streamIdOf(member, 'lobby');
  const make = (params: Params = {}, by = member) =>
    makeBot(by, { bot_type: 3, payload_url: JSON.stringify(hook.url), ...params });
  const bot = await make();
  const mention = (of: Person): string => `@**${of.name}**`;

  /** The next message of this account in this queue. */
  const from = async (queue: Queue, sender: number): Promise<ApiMessage> => {
    const is = (event: Fields): boolean => (event.message as ApiMessage | undefined)?.sender_id === sender;
    const events = await queue.until((seen) => seen.some(is));
    return events.find(is)!.message as ApiMessage;
  };
  const messages = (by: Person) => Queue.register(by, { event_types: ['message'] });
  const bodyOf = (call: { readonly body: string }): Fields & { readonly message: Fields } => JSON.parse(call.body);

  await t.test(
    "a direct message is posted to the bot's server as the contract says; the reply comes from the bot",
    async (t) => {
      hook.answer = { content: 'Hello **you**  ' };
      const queue = await messages(other);
      const id = await tell(other, [bot], 'Hello *bot*');
      const call = await hook.next();
      t.same([call.method, call.path, call.headers['content-type']], ['POST', '/hook', 'application/json']);
      const body = bodyOf(call);
      t.ok(isRequest(body), JSON.stringify(isRequest.errors));
      t.same(
        [body.bot_email, body.bot_full_name, body.data, body.trigger],
        [bot.email, bot.name, 'Hello *bot*', 'private_message'],
      );
      t.match(String(body.token), /^[A-Za-z0-9]{32}$/);
      t.same(
        [body.message.id, body.message.content, body.message.rendered_content, body.message.sender_id],
        [id, 'Hello *bot*', '<p>Hello <em>bot</em></p>', other.id],
      );
      const reply = await from(queue, bot.id);
      t.same([reply.type, reply.content], ['private', 'Hello **you**']);
      const state = await member.api.ok<{ realm_bots: Fields[] }>('POST /register', {
        fetch_event_types: ['realm_bot'],
      });
      const { services } = state.realm_bots.find(({ user_id }) => user_id === bot.id) as { services: Fields[] };
      t.equal(services[0]!.token, body.token, 'the token is the one that its owner sees');
    },
  );

  await t.test(
    'a mention in a stream is posted; the reply goes to the same topic, also under the older field name',
    async (t) => {
      hook.answer = { response_string: 'Here' };
      const queue = await messages(owner);
      await say(member, 'lobby', 'talk', `hey ${mention(bot)}`);
      const body = bodyOf(await hook.next());
      t.ok(isRequest(body), JSON.stringify(isRequest.errors));
      t.same([body.trigger, body.message.stream_id, body.message.subject], ['mention', stream_id, 'talk']);
      const reply = await from(queue, bot.id);
      t.same(
        [reply.stream_id, reply.subject, reply.content, reply.client],
        [stream_id, 'talk', 'Here', 'OutgoingWebhookResponse'],
      );
    },
  );

  await t.test('with widget_content the reply has a widget', async (t) => {
    const choices = [{ type: 'multiple_choice', short_name: 'A', long_name: 'a', reply: 'a' }];
    const widget = { widget_type: 'zform', extra_data: { type: 'choices', heading: 'Which?', choices } };
    const queue = await messages(member);
    for (const widget_content of [JSON.stringify(widget), widget]) {
      hook.answer = { content: 'Which?', widget_content };
      await tell(member, [bot], 'widget');
      await hook.next();
      const { submessages } = await from(queue, bot.id);
      t.same(JSON.parse(String((submessages as Fields[])[0]!.content)), widget);
    }
  });

  await t.test(
    'nothing else calls a webhook: silent mentions, group mentions, wildcards, bots, or its own messages',
    async (t) => {
      hook.answer = { content: `I am ${mention(bot)}` };
      const before = hook.calls.length;
      const generic = await makeBot(member);
      await subscribe(member, 'lobby', { principals: [bot, generic] });
      const queue = await messages(member);
      await say(member, 'lobby', 'talk', `@_**${bot.name}** and @**all** and \`${mention(bot)}\``);
      await say(member, 'lobby', 'talk', `> ${mention(bot)}\n\nplain`);
      await say(generic, 'lobby', 'talk', mention(bot));
      await tell(generic, [bot], 'from a bot');
      await say(member, 'lobby', 'talk', mention(bot));
      await hook.next();
      await from(queue, bot.id);
      // Calls for the earlier messages would have come earlier, and none waits for the bot's own message.
      await tell(member, [bot], 'last');
      t.equal(bodyOf(await hook.next()).data, 'last');
      await from(queue, bot.id);
      t.equal(hook.calls.length, before + 2);
    },
  );

  await t.test('two bots mentioned in one message, and a group conversation with bots, are each called', async (t) => {
    hook.answer = { response_not_required: true, content: 'never said' };
    const second = await make();
    await tell(member, [bot, second, other], 'both');
    const told = [bodyOf(await hook.next()), bodyOf(await hook.next())];
    t.same(told.map(({ bot_email }) => bot_email).sort(), [bot.email, second.email].sort());
    const queue = await messages(member);
    hook.answer = { content: 'said' };
    await tell(member, [bot], 'and now');
    await hook.next();
    t.equal((await from(queue, bot.id)).content, 'said', 'where no reply is wanted, none comes');
  });

  await t.test('failures are reported to the owner by the notification bot, and to no other user', async (t) => {
    const queue = await messages(member);
    const bystander = await messages(other);
    const failing = async (answer: Hook['answer'], says: RegExp, text = 'fail') => {
      hook.answer = answer;
      await say(other, 'lobby', 'failing', `${mention(bot)} ${text}`);
      await hook.next();
      const { content, type } = await from(queue, NOTIFICATION_BOT);
      t.equal(type, 'private');
      t.match(content, says);
      t.match(content, `@_**${bot.name}|${bot.id}**`);
    };
    const status =
      (code: number, headers: Record<string, string> = {}) =>
      (response: ServerResponse) =>
        void response.writeHead(code, headers).end('{"content":"no"}');
    await failing(
      status(500),
      /was not told of \[a message\]\(\S+-lobby\/topic\/failing\/near\/\d+\): its server answered with status 500\./,
    );
    await member.api.ok('PATCH /settings', { default_language: 'de' });
    await failing(
      status(500),
      /wurde über \[eine Nachricht\]\(\S+\) nicht informiert: sein Server antwortete mit Status 500\.$/,
    );
    await member.api.ok('PATCH /settings', { default_language: 'en' });
    await failing(status(404), /status 404/);
    await failing(status(302, { location: hook.url }), /status 302/);
    await failing('nonsense', /was told of \[a message\]\(\S+\), but its answer is not JSON\./);
    await failing('[]', /its answer is no JSON object/);
    await failing({ content: 5 }, /what its answer says is not text/);
    await failing(
      { content: 'x', widget_content: '{' },
      /could not answer .*: Widgets: API programmer sent invalid JSON content/,
    );
    await failing({ content: '\u0000' }, /could not answer .*: Message must not contain null bytes/);
    await failing((response) => void response.destroy(), /the connection broke/);
    await failing((response) => void response.end('x'.repeat(300_000)), /its answer was too long/);
    const heard = (await settled(bystander)).map(({ message }) => (message as ApiMessage).sender_id);
    t.same(new Set(heard), new Set([other.id]));
  });

  await t.test('empty answers are no replies, and no failures', async (t) => {
    const queue = await messages(member);
    for (const answer of ['', '""', '{}', '{"content":""}', '{"content":null}', '{"response_string":""}']) {
      hook.answer = answer;
      await tell(member, [bot], `answer ${answer}`);
      await hook.next();
    }
    hook.answer = { content: 'the first word' };
    await tell(member, [bot], 'now');
    await hook.next();
    const { content } = await from(queue, bot.id);
    t.equal(content, 'the first word');
    t.notOk(queue.received.some(({ message }) => (message as ApiMessage | undefined)?.sender_id === NOTIFICATION_BOT));
  });

  await t.test("the bot's owner is notified of a reply that the bot may not send", async (t) => {
    const queue = await messages(member);
    hook.answer = { content: 'too late' };
    await subscribe(owner, 'closed');
    const closed = await streamIdOf(owner, 'closed');
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id: closed, stream_post_policy: 2 });
    await say(owner, 'closed', 'quiet', mention(bot));
    await hook.next();
    const { content } = await from(queue, NOTIFICATION_BOT);
    t.match(
      content,
      /could not answer \[a message\]\(\S+-closed\/topic\/quiet\/\S+\): Only organization administrators can send/,
    );
  });

  await t.test('a slow or unreachable webhook server holds up no other, and is tried again', async (t) => {
    const queue = await messages(member);
    const slow: (() => void)[] = [];
    hook.answer = (response) => void slow.push(() => response.end('{"content":"at last"}'));
    await tell(member, [bot], 'slow');
    await hook.next();
    await tell(member, [other], 'meanwhile');
    await bot.api.ok('GET /users/me');
    await tell(member, [bot], 'slow too');
    slow.shift()!();
    t.equal((await from(queue, bot.id)).content, 'at last');
    await hook.next();
    slow.shift()!();
    t.equal((await from(queue, bot.id)).content, 'at last');
    // No server listens on this port.
    const port = await freePort();
    // The name contains replacement patterns of `String.replace`.
    const name = `cash $' $& ${port}`;
    const away = await make({ full_name: name, payload_url: JSON.stringify(`http://127.0.0.1:${port}/`) });
    await tell(member, [away], 'nobody there');
    const late = await from(queue, NOTIFICATION_BOT);
    t.match(late.content, `@_**${name}|${away.id}** was not told of a direct message: it could not be reached`);
    t.match(late.content, '(ECONNREFUSED).');
  });

  /** Lets the hook answer when the test says so. @returns answers the oldest call that has none */
  const holdAnswers = (): ((answer: Fields) => void) => {
    const held: ServerResponse[] = [];
    hook.answer = (response) => void held.push(response);
    return (answer) => void held.shift()!.end(JSON.stringify(answer));
  };
  const makePrivateStream = async (name: string): Promise<number> => {
    await subscribe(owner, name, { invite_only: true });
    return streamIdOf(owner, name);
  };

  await t.test('a slow answer holds back no later message to the bot', async (t) => {
    const queue = await messages(member);
    const answer = holdAnswers();
    for (const text of ['slow', 'ping 1', 'ping 2']) {
      await tell(member, [bot], text);
      t.equal(bodyOf(await hook.next()).data, text);
    }
    hook.answer = { content: 'pong' };
    await tell(member, [bot], 'ping 3');
    await hook.next();
    t.equal((await from(queue, bot.id)).content, 'pong', 'the reply waits for no earlier one');
    for (const content of ['re slow', 're ping 1', 're ping 2']) {
      answer({ content });
      t.equal((await from(queue, bot.id)).content, content);
    }
  });

  await t.test('a bot is called at most eight times at once, in the order of its messages', async (t) => {
    const answer = holdAnswers();
    const texts = Array.from({ length: 20 }, (_, i) => `number ${i}`);
    const before = hook.calls.length;
    for (const text of texts) await tell(member, [bot], text);
    for (const [i, text] of texts.entries()) {
      t.equal(bodyOf(await hook.next()).data, text);
      if (i < 7) continue;
      t.equal(hook.calls.length - before, i + 1);
      answer({});
    }
    for (let i = 0; i < 7; i++) answer({});
  });

  await t.test('a webhook is not told of a message that was moved out of its reach before the call', async (t) => {
    const board = await makePrivateStream('board');
    const answer = holdAnswers();
    // Further calls wait while as many as may run are held.
    const held = Array.from({ length: 8 }, (_, i) => `held ${i}`);
    for (const text of held) {
      await tell(member, [bot], text);
      await hook.next();
    }
    const message_id = await say(other, 'lobby', 'plans', `${mention(bot)} so far`);
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, stream_id: board, topic: 'layoffs' });
    for (const _ of held) answer({});
    await tell(member, [bot], 'later');
    t.equal(bodyOf(await hook.next()).data, 'later');
    answer({});
  });

  await t.test("a notice to the owner names no stream whose messages the bot's owner may not read", async (t) => {
    await makePrivateStream('quiet corner');
    const queue = await messages(member);
    hook.answer = 'nonsense';
    await say(owner, 'quiet corner', 'whispers', mention(bot));
    await hook.next();
    const { content } = await from(queue, NOTIFICATION_BOT);
    t.match(content, /a message that you may not read, but its answer is not JSON/);
    t.notMatch(content, /quiet corner|whispers/);
  });

  await t.test('the name of a topic is no Markdown in a notice to the owner', async (t) => {
    const queue = await Queue.register(member, { event_types: ['message'], apply_markdown: true });
    hook.answer = 'nonsense';
    await say(other, 'lobby', 'a>b** [x](http://evil.example) @**all**', mention(bot));
    await hook.next();
    const { content } = await from(queue, NOTIFICATION_BOT);
    t.match(content, />a message<\/a>, but its answer is not JSON\.<\/p>$/);
    t.notMatch(content, /href="http:\/\/evil|data-user-id="\*"/);
  });

  await t.test('a reply goes to the topic to which the message was moved while the webhook answered', async (t) => {
    const queue = await messages(owner);
    const answer = holdAnswers();
    const message_id = await say(other, 'lobby', 'before', mention(bot));
    await hook.next();
    await owner.api.ok('PATCH /messages/{message_id}', { message_id, topic: 'after' });
    answer({ content: 'found you' });
    const { subject, content } = await from(queue, bot.id);
    t.same([subject, content], ['after', 'found you']);
  });

  await t.test('no reply comes to a message that was deleted or moved away while the webhook answered', async (t) => {
    const private_id = await makePrivateStream('attic');
    const queue = await messages(owner);
    const answer = holdAnswers();
    const ask = async (): Promise<number> => {
      const id = await say(other, 'lobby', 'vanishing', mention(bot));
      await hook.next();
      return id;
    };
    await owner.api.ok('DELETE /messages/{message_id}', { message_id: await ask() });
    answer({ content: 'to nobody' });
    await owner.api.ok('PATCH /messages/{message_id}', { message_id: await ask(), stream_id: private_id });
    answer({ content: 'to nobody here' });
    await ask();
    answer({ content: 'to somebody' });
    t.equal((await from(queue, bot.id)).content, 'to somebody');
  });

  await t.test("addresses that only machines of the server's network can reach are not called", async (t) => {
    const queue = await messages(member);
    const addresses = [
      'http://127.0.0.2/',
      'http://localhost.example.com.:1/'.replace('localhost.example.com.', '[::1]'),
      'http://[::ffff:127.0.0.2]/',
      'http://2130706434/',
      'http://0x7f000002/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[fe80::1]/',
      'http://0.0.0.0/',
    ];
    const shut = await make();
    for (const address of addresses) {
      const url = { bot_id: shut.id, service_payload_url: JSON.stringify(address) };
      const { status } = await member.api.call('PATCH /bots/{bot_id}', url);
      // An address that the API refuses is never called.
      if (status !== 200) continue;
      await tell(member, [shut], address);
      const { content } = await from(queue, NOTIFICATION_BOT);
      t.match(content, /its address is one that this server does not call/, address);
    }
    const { service_payload_url } = await member.api.ok('PATCH /bots/{bot_id}', {
      bot_id: shut.id,
      service_payload_url: '"ftp://files.example.com/"',
    });
    t.equal(service_payload_url, 'ftp://files.example.com/');
    await tell(member, [shut], 'ftp');
    t.match((await from(queue, NOTIFICATION_BOT)).content, /its address is none of a web server/);
  });

  await t.test('an address that nothing can call fails its call, and holds back no later message', async (t) => {
    const queue = await messages(member);
    const impossible = await make({ payload_url: JSON.stringify(hook.url.replace('//', '//%@')) });
    await tell(member, [impossible], 'impossible');
    t.match((await from(queue, NOTIFICATION_BOT)).content, /its address is none of a web server/);
    await member.api.ok('PATCH /bots/{bot_id}', {
      bot_id: impossible.id,
      service_payload_url: JSON.stringify(hook.url),
    });
    hook.answer = { content: 'possible' };
    await tell(member, [impossible], 'now');
    t.equal(bodyOf(await hook.next()).data, 'now');
    t.equal((await from(queue, impossible.id)).content, 'possible');
  });

  await t.test('a bot with the Slack payload is called for messages of streams only', async (t) => {
    const slack = await make({ interface_type: 2 });
    const queue = await messages(member);
    hook.answer = { text: 'in their words' };
    await say(member, 'lobby', 'slack', `${mention(slack)} told`);
    const call = await hook.next();
    t.equal(call.headers['content-type'], 'application/x-www-form-urlencoded');
    const form = Object.fromEntries(new URLSearchParams(call.body));
    t.match(form.token!, /^[A-Za-z0-9]{32}$/);
    t.match(form, {
      team_domain: '127.0.0.1',
      channel_id: `C${stream_id}`,
      channel_name: 'lobby',
      user_id: `U${member.id}`,
      user_name: member.name,
      text: `${mention(slack)} told`,
      trigger_word: 'mention',
      service_id: String(slack.id),
    });
    t.equal((await from(queue, slack.id)).content, 'in their words');
    await tell(member, [slack], 'direct');
    t.match((await from(queue, NOTIFICATION_BOT)).content, /its form of calls knows no direct messages/);
  });

  await t.test(
    "a subscribed webhook bot gets no copies of the stream's messages, but sees them as history",
    async (t) => {
      await subscribe(member, 'lobby', { principals: [bot] });
      const queue = await messages(bot);
      const id = await say(member, 'lobby', 'copies');
      t.same(await settled(queue), []);
      const { message } = await bot.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id });
      t.same(message.flags, ['read', 'historical']);
      const { subscriptions } = await member.api.ok<{ subscriptions: Fields[] }>('GET /users/me/subscriptions', {
        include_subscribers: true,
      });
      const lobby = subscriptions.find((one) => one.name === 'lobby') as { subscribers: number[] };
      t.ok(lobby.subscribers.includes(bot.id));
    },
  );

  await t.test('a generic bot that is mentioned where it is not subscribed gets a copy', async (t) => {
    const generic = await makeBot(member);
    const queue = await messages(generic);
    const id = await say(member, 'lobby', 'named', `to ${mention(generic)}`);
    await say(member, 'lobby', 'named', 'to nobody');
    const events = await settled(queue);
    t.same(
      events.map(({ message, flags }) => [(message as ApiMessage).id, flags]),
      [[id, ['mentioned']]],
    );
    const { messages: found } = await generic.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'is', operand: 'mentioned' }],
    });
    t.same(
      found.map((message) => [message.id, message.flags]),
      [[id, ['mentioned']]],
    );
    await generic.api.ok('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' });
    const { message } = await generic.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id });
    t.same(message.flags, ['read', 'mentioned']);
  });
};
