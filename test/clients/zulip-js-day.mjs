/**
 * Calls of the npm package `zulip-js`: each is made once and its response checked.
 *
 * Usage: zulip-js-day.mjs PACKAGE_FOLDER ZULIPRC_1 ZULIPRC_2
 *
 * PACKAGE_FOLDER is the folder in which `npm install zulip-js` was run. Exit code 0: every call was made and every
 * check holds.
 */
import { deepStrictEqual as same } from 'node:assert';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, first, second] = process.argv.slice(2);
const zulip = createRequire(join(folder, 'package.json'))('zulip-js');
/** The package's endless loop, which zulip-js-chat.mjs covers. */
const LOOP = 'callOnEachEvent';
const PASSWORD = 'correct horse battery staple';

function ok(result) {
  if (result.result !== 'success') throw new Error(`refused: ${JSON.stringify(result)}`);
  return result;
}

const every = new Set();
const called = new Set();

/** Proxy of the client that records the names of the called functions. */
function noted(of, path) {
  return Object.fromEntries(
    Object.entries(of).map(([name, value]) => {
      const full = path ? `${path}.${name}` : name;
      if (typeof value === 'function') {
        every.add(full);
        return [
          name,
          (...args) => {
            called.add(full);
            return value(...args);
          },
        ];
      }
      return [name, full === 'config' ? value : noted(value, full)];
    }),
  );
}

const owner = noted(await zulip({ zuliprc: first }), '');
const other = noted(await zulip({ zuliprc: second }), '');
const [me, you] = await Promise.all([owner, other].map((client) => client.users.me.getProfile().then(ok)));
const names = (items) => items.map(({ name }) => name);
const send = async (content, topic = 'first') =>
  ok(await owner.messages.send({ type: 'stream', to: 'js days', topic, content })).id;
const last = async (narrow = [{ operator: 'stream', operand: 'js days' }]) => {
  const asked = { anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false, narrow };
  return ok(await other.messages.retrieve(asked)).messages;
};
let days;

const PARTS = {
  async streams() {
    const subscriptions = JSON.stringify([{ name: 'js days' }, { name: 'js nights' }]);
    for (const client of [owner, other]) ok(await client.users.me.subscriptions.add({ subscriptions }));
    days = ok(await owner.streams.getStreamId('js days')).stream_id;
    same(ok(await owner.streams.retrieve()).streams.find(({ name }) => name === 'js days').stream_id, days);
    const removed = JSON.stringify(['js nights']);
    same(ok(await other.users.me.subscriptions.remove({ subscriptions: removed })).removed, ['js nights']);
    const left = names(ok(await other.streams.subscriptions.retrieve()).subscriptions);
    same([left.includes('js days'), left.includes('js nights')], [true, false]);
    const nights = ok(await owner.streams.getStreamId({ stream: 'js nights' })).stream_id;
    ok(await owner.streams.deleteById({ stream_id: nights }));
  },
  async messages() {
    const id = await send('a **word**');
    same(ok(await other.messages.getById({ message_id: id })).raw_content, 'a **word**');
    same(ok(await other.messages.render('*this*')).rendered, '<p><em>this</em></p>');
    ok(await owner.messages.update({ message_id: id, content: 'another word' }));
    const { message_history } = ok(await other.messages.getHistoryById({ message_id: id }));
    same(
      message_history.map(({ content }) => content),
      ['a **word**', 'another word'],
    );
    same(names(ok(await other.streams.topics.retrieve({ stream_id: days })).topics).includes('first'), true);
    const wrong = await send('wrong');
    ok(await owner.messages.deleteById({ message_id: wrong }));
    same((await last()).at(-1).id, id);
  },
  async flags() {
    const id = await send('keep it');
    const flags = async () => (await last()).at(-1).flags;
    same(ok(await other.messages.flags.add({ messages: [id], flag: 'starred' })).messages, [id]);
    same(await flags(), ['starred']);
    ok(await other.messages.flags.remove({ messages: [id], flag: 'starred' }));
    same(await flags(), []);
  },
  async reactions() {
    const id = await send('like it?');
    const reacted = async () => (await last()).at(-1).reactions.map(({ emoji_name }) => emoji_name);
    ok(await other.reactions.add({ message_id: id, emoji_name: 'tada' }));
    ok(await other.reactions.add({ message_id: id, emoji_name: 'heart' }));
    same(await reacted(), ['tada', 'heart']);
    ok(await other.reactions.remove({ message_id: id, emoji_name: 'tada' }));
    same(await reacted(), ['heart']);
    ok(await other.messages.deleteReactionById({ message_id: id, emoji_name: 'heart' }));
    same(await reacted(), []);
  },
  async people() {
    const email = 'js-third@example.com';
    ok(await owner.users.create({ email, password: PASSWORD, full_name: 'Third' }));
    same(
      ok(await other.users.retrieve()).members.some(({ full_name }) => full_name === 'Third'),
      true,
    );
    const realm = owner.config.realm ?? owner.config.apiURL.replace(/\/api\/v1$/, '');
    // Log in with a password instead of an API key.
    const third = noted(await zulip({ username: email, password: PASSWORD, realm }), '');
    same(ok(await third.users.me.getProfile()).full_name, 'Third');
    const { api_key } = ok(await third.accounts.retrieve());
    same(third.config.apiKey, api_key);
  },
  async events() {
    const { queue_id, last_event_id } = ok(await owner.queues.register({ event_types: ['typing'] }));
    ok(await other.typing.send({ op: 'start', to: [me.user_id] }));
    const { events } = ok(await owner.events.retrieve({ queue_id, last_event_id }));
    same(
      events.map(({ type, op, sender }) => [type, op, sender.user_id]),
      [['typing', 'start', you.user_id]],
    );
    ok(await owner.queues.deregister({ queue_id }));
    same((await owner.events.retrieve({ queue_id, last_event_id })).code, 'BAD_EVENT_QUEUE_ID');
  },
  async 'the rest'() {
    same(ok(await owner.server.settings()).zulip_feature_level, 184);
    same(typeof ok(await owner.emojis.retrieve()).emoji, 'object');
    same(ok(await owner.users.me.alertWords.retrieve()).alert_words, []);
    same(ok(await owner.callEndpoint('/users/me')).user_id, me.user_id);
    // Operations that the API removed before this feature level: they are refused with a JSON error.
    const gone = [owner.users.me.pointer.retrieve(), owner.users.me.pointer.update(1), owner.filters.retrieve()];
    for (const refused of await Promise.all(gone)) same(refused.result, 'error');
  },
};

let failures = 0;
for (const [name, part] of Object.entries(PARTS)) {
  try {
    await part();
    console.log(`ok: ${name}`);
  } catch (error) {
    failures++;
    console.log(`not ok: ${name}: ${error.stack}`);
  }
}
const leftOut = [...every].filter((name) => !called.has(name) && name !== LOOP);
console.log(`${called.size} functions called`);
const complete = failures === 0 && leftOut.length === 0;
console.log(complete ? 'complete' : `incomplete: ${failures} failed, left out: ${leftOut}`);
process.exit(complete ? 0 : 1);
