/** API levels: the tables, and translations that no journey of the API suite reaches. */
import t from 'tap';
import type { JsonObject } from '#base';
import { SharedClientEvent, TransientClientEvent } from '#delivery';
import {
  API_CHANGES,
  API_LEVELS,
  BASE_API_LEVEL,
  ClientApiLevels,
  DEFAULT_LEVEL_BY_CLIENT,
  highestApiLevelUpTo,
  translatorOfLevel,
} from '#domain/levels';
import { API_OPERATIONS } from '#frontend/api';

const ANY = { takesEmptyTopicName: false };
const TAKING = { takesEmptyTopicName: true };
const newest = translatorOfLevel(371)!;

t.test('the tables of levels and changes', async (t) => {
  const numbers = API_LEVELS.map(({ level }) => level);
  t.same(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
  t.equal(translatorOfLevel(BASE_API_LEVEL), undefined, 'clients of the base level cost nothing');
  t.equal(translatorOfLevel(undefined), undefined, 'nor do queues that were registered before there were levels');
  const ids = new Set(API_OPERATIONS.map(({ id }) => id));
  for (const { since, summary, requests, answers } of API_CHANGES) {
    t.ok(since > BASE_API_LEVEL && since <= numbers.at(-1)!, summary);
    for (const id of [...Object.keys(requests ?? {}), ...Object.keys(answers ?? {})])
      t.ok(ids.has(id), `${summary}: there is an operation ${id}`);
  }
  t.same(
    API_CHANGES.map(({ since }) => since),
    API_CHANGES.map(({ since }) => since).sort((a, b) => a - b),
  );
  for (const { id, parameters } of API_OPERATIONS)
    for (const [name, { since, newerSchema }] of Object.entries(parameters))
      for (const level of [since, newerSchema?.since])
        t.ok(level === undefined || (level > BASE_API_LEVEL && level <= numbers.at(-1)!), `${id}: ${name}`);
});

t.test('a level has the changes up to its number', async (t) => {
  const event = { type: 'user_topic', topic_name: '(no topic)' };
  t.same(translatorOfLevel(277)!.translateEvent(event, TAKING), event);
  t.same(newest.translateEvent(event, TAKING), { ...event, topic_name: '' });
  t.same(newest.translateEvent(event, ANY), { ...event, topic_name: 'general chat' });
  t.same([0, 184, 276, 277, 370, 371, 1000].map(highestApiLevelUpTo), [184, 184, 184, 277, 277, 371, 371]);
});

t.test('the setting names clients, or switches levels off', async (t) => {
  const byDefault = ClientApiLevels.fromSetting(DEFAULT_LEVEL_BY_CLIENT);
  t.equal(byDefault.levelOfRequest('', 'ZulipFlutter'), 371);
  const own = ClientApiLevels.fromSetting('Some-Client=277, other=371');
  t.equal(own.levelOfRequest('', 'some-client'), 277);
  t.equal(own.levelOfRequest('', 'ZulipFlutter'), 184, 'the setting replaces the table');
  t.equal(own.levelOfRequest('371', 'some-client'), 371, 'the header wins');
  t.equal(own.levelOfRequest('', 'constructor'), 184);
  const off = ClientApiLevels.fromSetting('off');
  t.equal(off.levelOfRequest('371', 'ZulipFlutter'), 184);
  t.equal(off.levelOfRequest('nonsense', ''), 184);
  t.throws(() => byDefault.levelOfRequest('nonsense', ''), {
    message: 'X-Conclave-Api-Level must be the number of an API level',
  });
  for (const wrong of ['on', 'A', 'A=1', 'A=371,,B=371', Array(101).fill('A=371').join()])
    t.throws(() => ClientApiLevels.fromSetting(wrong), Error, wrong.slice(0, 20));
});

t.test('events have the forms of the state at their level', async (t) => {
  const told = (event: JsonObject, aux?: JsonObject) => newest.translateEvent(event, ANY, aux);
  const methods = { type: 'realm', op: 'update_dict', property: 'default' };
  t.same(
    told({ ...methods, data: { authentication_methods: { Email: true } } }),
    { ...methods, data: { authentication_methods: { Email: { enabled: true, available: true } } } },
    'ways to sign in',
  );
  const other = { ...methods, data: { edit_topic_policy: 5 } };
  t.same(told(other), other, 'other settings');
  const bot = { type: 'realm_bot', bot: { user_id: 9, full_name: 'B' } };
  const active = (is_active: boolean) => ({ type: 'realm_bot', op: 'update', bot: { user_id: 9, is_active } });
  t.same(told({ ...bot, op: 'remove' }), active(false), 'a bot that is deactivated');
  t.same(told({ ...bot, op: 'add' }, { reactivated: true }), active(true), 'a bot that is active again');
  t.same(told({ ...bot, op: 'add' }), { ...bot, op: 'add' }, 'a new bot');
  const typing = { type: 'typing', op: 'start' };
  t.equal(told({ ...typing, message_type: 'private' }).message_type, 'direct');
  t.equal(told({ ...typing, message_type: 'stream' }).message_type, 'stream');
  const streams = [{ stream_id: 7, name: 'a' }];
  t.same(told({ type: 'stream', op: 'delete', streams }).stream_ids, [7]);
});

t.test('a move that moves nothing is none', async (t) => {
  const edit = { type: 'update_message', stream_id: 5, flags: ['read', 'force_expand', 'summarize_in_home'] };
  const move = { propagate_mode: 'change_all', orig_subject: 'a' };
  const told = (more: JsonObject) => newest.translateEvent({ ...edit, ...more }, ANY);
  const plain = { ...edit, flags: ['read'] };
  t.same(told({ ...move, new_stream_id: 5 }), plain);
  t.same(told({ ...move, new_stream_id: 5, subject: 'a', topic_links: [] }), plain);
  t.same(told({ ...move, subject: 'a', topic_links: [], content: 'new' }), { ...plain, content: 'new' });
  t.same(told({ ...move, new_stream_id: 5, subject: 'b' }), { ...plain, ...move, subject: 'b' });
  t.same(told({ ...move, new_stream_id: 6 }), { ...plain, ...move, new_stream_id: 6 });
  t.same(told({ content: 'new' }), { ...plain, content: 'new' });
});

t.test('what no client of a poll could read is left out', async (t) => {
  const poll = JSON.stringify({ widget_type: 'poll', extra_data: { question: 'q', options: ['a'] } });
  const shown = (...contents: string[]) =>
    (
      newest.translateMessage(
        { type: 'private', reactions: [], submessages: contents.map((content) => ({ content })) },
        ANY,
      ).submessages as { content: string }[]
    ).map(({ content }) => content);
  const good = ['{"type":"vote","key":"canned,0","vote":1}', '{"type":"question","question":"r"}'];
  t.same(shown(poll, ...good), [poll, ...good]);
  const bad = [
    'no JSON',
    '[]',
    'null',
    '{}',
    '{"type":"toString"}',
    '{"type":"vote","key":"canned","vote":1}',
    '{"type":"vote","key":"1,2","vote":2}',
    '{"type":"new_option","option":"x","idx":0.5}',
    '{"type":"new_option","idx":1}',
    '{"type":"new_option","option":"x","idx":1e3}',
    '{"type":"new_option","option":"x","idx":true}',
    `{"type":"new_option","option":"x","idx":${'9'.repeat(20)}}`,
  ];
  t.same(shown(poll, ...bad, good[0]!), [poll, good[0]]);
  for (const extra of ['null', '[]', '{"options":[1]}', '{"question":5}'])
    t.same(shown(`{"widget_type":"poll","extra_data":${extra}}`, ...good), [], extra);
  const todo = '{"widget_type":"todo","extra_data":null}';
  t.same(shown(todo, ...bad), [todo, ...bad], 'other widgets stay as they are');
  const event = { type: 'submessage', content: bad[5]!, message_id: 1 };
  for (const content of [bad[5]!, ...bad.slice(-3)])
    t.same(newest.translateEvent({ ...event, content }, ANY), { type: 'heartbeat' }, content);
  for (const content of ['[1.5]', 'null', '{}', '{"widget_type":5}', 'no JSON']) {
    t.same(shown(content, ...good), [], `${content} is no widget`);
    const answer = JSON.stringify({ messages: [{ submessages: [{ content }] }] });
    t.ok(newest.mayChangeAnswer('get-messages', [Buffer.from(answer)]), 'answers with it are translated');
  }
  t.same(newest.translateEvent({ ...event, content: good[0]! }, ANY), { ...event, content: good[0] });
});

t.test('the topic without a name in requests', async (t) => {
  const translated = (operation: string, fields: Record<string, string>) => {
    const map = new Map(Object.entries(fields));
    newest.translateRequest(operation, map);
    return Object.fromEntries(map);
  };
  for (const topic of ['', '  ', '(NO topic)', 'General chat'])
    t.same(translated('send-message', { topic }), { topic: '(no topic)' }, topic);
  t.same(translated('send-message', { subject: '' }), { subject: '(no topic)' });
  t.same(translated('send-message', {}), {}, 'a missing topic stays missing');
  t.same(translated('get-users', { topic: '' }), { topic: '' });
  const narrow = (terms: unknown) => JSON.parse(translated('get-messages', { narrow: JSON.stringify(terms) }).narrow!);
  t.same(
    narrow([{ operator: 'topic', operand: '', negated: true }, ['topic', ''], { operator: 'stream', operand: '' }]),
    [
      { operator: 'topic', operand: '(no topic)', negated: true },
      ['topic', '(no topic)'],
      { operator: 'stream', operand: '' },
    ],
  );
  for (const odd of [null, 5, {}, [null, 5, [], ['topic'], ['topic', 5], { operator: 'topic' }]])
    t.same(narrow(odd), odd);
  const deep = `${'['.repeat(100_000)}""`;
  const float = '[{"operator":"topic","operand":"","n":1.5}]';
  const plain = '[ {"operator":"topic", "operand":"x"} ]';
  for (const text of ['[', '', '[""', deep, float, plain, `[${'"",'.repeat(20_000)}1]`])
    t.equal(translated('get-messages', { narrow: text }).narrow, text);
});

t.test('unread topics stay sorted when the topic without a name is among them', async (t) => {
  const streams = [
    { stream_id: 1, topic: '(no topic)', unread_message_ids: [5] },
    { stream_id: 1, topic: 'a', unread_message_ids: [6] },
    { stream_id: 2, topic: '!', unread_message_ids: [7] },
    { stream_id: 2, topic: '(no topic)', unread_message_ids: [8] },
  ];
  const topics = (client: typeof ANY): unknown[] => {
    const { unread_msgs } = newest.translateState({ unread_msgs: { streams } }, { ...client, origin: '' });
    return (unread_msgs as unknown as { streams: typeof streams }).streams.map((of) => [of.stream_id, of.topic]);
  };
  t.same(topics(ANY), [
    [1, 'a'],
    [1, 'general chat'],
    [2, '!'],
    [2, 'general chat'],
  ]);
  t.same(topics(TAKING), [
    [1, ''],
    [1, 'a'],
    [2, ''],
    [2, '!'],
  ]);
});

t.test('an event is encoded once for all queues of a level', async (t) => {
  const base = {
    applyMarkdown: true,
    clientGravatar: false,
    includeSubscribers: false,
    notificationNull: true,
    pronouns: true,
    slimPresence: true,
    levelForm: undefined,
  };
  const at = (takesEmptyTopicName: boolean) => ({
    ...base,
    levelForm: { translator: newest, client: { takesEmptyTopicName }, variantKey: `371${takesEmptyTopicName} ` },
  });
  const event = { type: 'user_topic', topic_name: '(no topic)' };
  const shared = new SharedClientEvent(7, { t: 'event', to: {}, event });
  const text = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as JsonObject;
  const plain = shared.encode(base, 1, 'a');
  const [taking, other] = [shared.encode(at(true), 1, 'b'), shared.encode(at(false), 1, 'c')];
  t.same(
    [plain, taking, other].map((bytes) => text(bytes).topic_name),
    ['(no topic)', '', 'general chat'],
  );
  t.equal(shared.encode(at(true), 2, 'd'), taking);
  t.equal(shared.encode(base, 2, 'e'), plain);
  const typing = new TransientClientEvent({ t: 'event', to: {}, event: { type: 'typing', topic: '(no topic)' } });
  t.same(
    [base, at(true), base].map((shape) => text(typing.encodeWithId(9, shape)).topic),
    ['(no topic)', '', '(no topic)'],
  );
});
