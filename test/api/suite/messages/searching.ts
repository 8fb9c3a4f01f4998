/**
 * Searching in messages, and GET /messages/matches_narrow: narrow.md § Full-text search, § GET
 * /messages/matches_narrow.
 */

import { refused } from '../../harness.js';
import { bad, invalid, missing, type Params } from '../../support/client.js';
import { makeOrganization, NOTIFICATION_BOT, type Person, say, subscribe, tell } from '../../support/organization.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const all = { anchor: 'oldest', num_before: 0, num_after: 1000 };
const term = (operator: string, operand: unknown, negated = false) => ({ operator, operand, negated });
const mark = (word: string) => `<span class="highlight">${word}</span>`;

type Found = ApiMessage & { readonly match_content?: string; readonly match_subject?: string };

async function find(person: Person, ...narrow: unknown[]): Promise<Found[]> {
  const { messages } = await person.api.ok<{ messages: Found[] }>('GET /messages', { ...all, narrow });
  return messages;
}
/** Leaves out the notification bot's messages about new streams. */
const ids = async (person: Person, ...narrow: unknown[]) =>
  (await find(person, ...narrow)).filter((message) => message.sender_id !== NOTIFICATION_BOT).map(({ id }) => id);

export const searching: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  await subscribe(owner, ['plaza']);
  await subscribe(owner, 'vault', { invite_only: true });
  const before = await say(owner, 'plaza', 'drinks', 'coffee of the past');
  await subscribe(owner, 'plaza', { principals: [member, guest] });
  const tea = await say(owner, 'plaza', 'drinks', 'She **drinks** green tea & runs');
  const link = await say(owner, 'plaza', 'links', '[tea](https://example.com/coffee)');
  const topic = await say(owner, 'plaza', 'Tea & <milk>', 'no such word here');
  const secret = await say(owner, 'vault', 'tea', 'tea in private');
  const direct = await tell(owner, [member], 'running out of tea');
  const search = (text: string) => term('search', text);

  await t.test('words are found by their stem, in text and topic, wherever the user may read', async (t) => {
    t.same(await ids(member, search('tea')), [tea, link, topic, direct]);
    t.same(await ids(member, search('TEAS')), [tea, link, topic, direct]);
    t.same(await ids(member, search('run')), [tea, direct]);
    t.same(await ids(member, search('runs tea')), [tea, direct], 'all words, in any order');
    t.same(await ids(member, search('tea'), search('green')), [tea], 'several searches are one');
    t.same(await ids(member, search('coffee')), [], 'addresses of links are no text');
    t.same(await ids(member, search('tea'), term('stream', 'plaza')), [tea, link, topic]);
    t.same(await ids(member, search('coffee'), term('stream', 'plaza')), [before], 'history, too');
    t.same(await ids(member, search('tea'), term('is', 'dm')), [direct]);
    t.same(await ids(member, search('tea'), term('topic', 'links')), [link]);
    t.same(await ids(member, search('tea'), term('sender', member.id)), []);
    t.same(await ids(owner, search('private')), [secret]);
    t.same(await ids(member, search('private')), []);
    t.same(await ids(other, search('tea')), [], 'without copies nothing is found');
    t.same(await ids(other, search('tea'), term('streams', 'public')), [tea, link, topic]);
    t.same(await ids(guest, search('tea')), [tea, link, topic]);
    t.same(await ids(guest, search('coffee'), term('streams', 'public')), []);
  });

  await t.test('stop words are ignored, and alone find nothing', async (t) => {
    t.same(await ids(member, search('the tea of green')), [tea]);
    t.same(await ids(member, search('the')), []);
    t.same(await ids(member, search('"of the"')), []);
    t.same(await ids(member, search('?!')), []);
    const { stop_words } = await member.api.ok<{ stop_words: string[] }>('POST /register', {
      fetch_event_types: ['stop_words'],
    });
    t.equal(stop_words.length, 149);
    t.ok(stop_words.includes('the'));
  });

  await t.test('a quoted phrase must be in the raw text, or in the topic', async (t) => {
    t.same(await ids(member, search('"Green TEA"')), [tea]);
    t.same(await ids(member, search('"tea green"')), []);
    t.same(await ids(member, search('"drinks green"')), [], 'asterisks are between them');
    t.same(await ids(member, search('"tea & <"')), [topic]);
    t.same(await ids(member, search('word "tea & <milk>"')), [topic]);
    t.same(await ids(member, search('"t_a" tea')), [], 'no wildcards');
  });

  await t.test('negating a search has no effect', async (t) => {
    t.same(await ids(member, term('search', 'green', true)), [tea]);
  });

  await t.test('matches are highlighted in text and topic, not in tags, and only for a search', async (t) => {
    const [first] = await find(member, search('drink tea'));
    t.equal(first!.match_content, `<p>She <strong>${mark('drinks')}</strong> green ${mark('tea')} &amp; runs</p>`);
    t.equal(first!.match_subject, mark('drinks'));
    t.equal(first!.content, '<p>She <strong>drinks</strong> green tea &amp; runs</p>', 'the content itself is not');
    const found = await find(member, search('tea'));
    t.equal(found[1]!.match_content, `<p><a href="https://example.com/coffee">${mark('tea')}</a></p>`);
    t.equal(found[2]!.match_subject, `${mark('Tea')} &amp; &lt;milk&gt;`);
    t.equal(found[2]!.match_content, found[2]!.content, 'present though nothing is marked');
    t.equal(found[3]!.match_subject, '');
    const plain = await find(member);
    t.ok(plain.every((message) => !('match_content' in message) && !('match_subject' in message)));
    const raw = await member.api.ok<{ messages: Found[] }>('GET /messages', {
      ...all,
      narrow: [search('green')],
      apply_markdown: false,
    });
    t.match(raw.messages[0], { content: 'She **drinks** green tea & runs', match_content: /^<p>She <strong>/ });
  });

  await t.test('an edited message is found by its new words only', async (t) => {
    const quietly = { send_notification_to_new_thread: false };
    const id = await say(owner, 'plaza', 'edits', 'aardvark');
    t.same(await ids(member, search('aardvark')), [id]);
    await owner.api.ok('PATCH /messages/{message_id}', {
      message_id: id,
      content: 'buffalo',
      topic: 'zoology',
      ...quietly,
    });
    t.same(await ids(member, search('aardvark')), []);
    t.same(await ids(member, search('buffalos zoology')), [id]);
    t.same(await ids(member, search('edits')), []);
  });

  await t.test('any typed text is a valid search', async (t) => {
    const texts = [
      '"',
      '""',
      '" "',
      '\\',
      "'",
      '%',
      '\0',
      '💩',
      '\u{10ffff}',
      '-',
      '(((',
      'a'.repeat(3_000),
      '" '.repeat(900),
    ];
    for (const text of texts) {
      if (text.trim() !== '') t.same(await ids(member, search(text)), [], JSON.stringify(text).slice(0, 20));
    }
    t.same(await ids(member, search(`tea${' tea'.repeat(900)}`)), [tea, link, topic, direct]);
  });

  await t.test(
    'a hundred words in many streams are searched for; more are refused, wherever a narrow may stand',
    async (t) => {
      await subscribe(
        member,
        Array.from({ length: 12 }, (_, i) => `hall ${i}`),
      );
      const words = (count: number) => Array.from({ length: count }, (_, i) => `zq${i}x`).join(' ');
      const whole = await say(member, 'hall 7', 'words', words(100));
      await say(member, 'hall 8', 'words', words(99));
      t.same(await ids(member, search(words(100))), [whole]);
      const refusal = (desc: string) => ({
        code: 'BAD_NARROW',
        msg: `Invalid narrow operator: ${desc}`,
        extra: { desc },
      });
      const tooMany = refusal('too many search terms (maximum 100)');
      const operators = bad('narrow has too many items (limit: 100)');
      const near = Array.from({ length: 101 }, (_, i) => term('near', `${i}`));
      for (const [narrow, expected] of [
        [[search(words(2_000))], tooMany],
        [[search(words(60)), search(words(101))], tooMany],
        [near, operators],
      ] as const) {
        await refused(t, member.api.call('GET /messages', { ...all, narrow }), expected);
        await refused(t, member.api.call('GET /messages/matches_narrow', { msg_ids: [whole], narrow }), expected);
        const flags = { ...all, narrow, op: 'add', flag: 'starred' };
        await refused(t, member.api.call('POST /messages/flags/narrow', flags), expected);
      }
      const pairs = near.map(() => ['topic', 'tea']);
      await refused(t, member.api.call('POST /register', { narrow: pairs }), operators);
      const long = [['topic', 'x'.repeat(10_001)]];
      await refused(
        t,
        member.api.call('POST /register', { narrow: long }),
        bad('narrow is too long (limit: 10000 characters)'),
      );
      const types = Array.from({ length: 501 }, (_, i) => `type${i}`);
      await refused(
        t,
        member.api.call('POST /register', { event_types: types }),
        bad('event_types has too many items (limit: 500)'),
      );
    },
  );

  const matches = (params: Params, by: Person = member) => by.api.call('GET /messages/matches_narrow', params);
  const matching = async (msg_ids: unknown, narrow: unknown, by: Person = member) =>
    (await by.api.ok<{ messages: Record<string, Fields> }>('GET /messages/matches_narrow', { msg_ids, narrow }))
      .messages;
  const some = [before, tea, link, topic, secret, direct, 987_654, -1, 0, tea];

  await t.test('matches_narrow selects the messages that the user has and that match', async (t) => {
    t.same(Object.keys(await matching(some, [])), [tea, link, topic, direct].map(String));
    t.same(Object.keys(await matching(some, [], guest)), [tea, link, topic].map(String));
    t.same(Object.keys(await matching(some, [], owner)), [before, tea, link, topic, secret, direct].map(String));
    t.same(await matching(some, [], other), {}, 'no history');
    t.same(await matching(some, [term('stream', 'plaza')], other), {}, 'not by a narrow either');
    t.same(await matching([], []), {});
    t.same(Object.keys(await matching(some, [term('is', 'dm')])), [String(direct)]);
    t.same(Object.keys(await matching(some, [term('search', 'green')])), [String(tea)]);
    t.same(Object.keys(await matching(some, [term('search', 'green', true)])), [link, topic, direct].map(String));
    t.same(await matching([tea], [term('search', 'green')]), {
      [tea]: {
        match_content: `<p>She <strong>drinks</strong> ${mark('green')} tea &amp; runs</p>`,
        match_subject: 'drinks',
      },
    });
    t.same(await matching([topic], []), {
      [topic]: { match_content: '<p>no such word here</p>', match_subject: 'Tea &amp; &lt;milk&gt;' },
    });
    const many = Array.from({ length: 10_000 }, (_, i) => i);
    t.ok(String(direct) in (await matching(many, [])), 'however many are asked for');
  });

  await t.test('matches_narrow refuses other organizations and calls without credentials', async (t) => {
    const elsewhere = await makeOrganization(server, ['member']);
    t.same(await matching(some, [], elsewhere.member), {});
    const nobody = await org.nobody.call('GET /messages/matches_narrow', { msg_ids: [tea], narrow: [] });
    t.equal(nobody.status, 401);
  });

  await t.test('matches_narrow checks its parameters', async (t) => {
    await refused(t, matches({ narrow: [] }), missing('msg_ids'));
    await refused(t, matches({ msg_ids: [1] }), missing('narrow'));
    await refused(t, matches({ msg_ids: 'x', narrow: [] }), bad('Argument "msg_ids" is not valid JSON.'));
    await refused(t, matches({ msg_ids: 5, narrow: [] }), bad('msg_ids is not a list'));
    await refused(t, matches({ msg_ids: ['5'], narrow: [] }), bad('msg_ids[0] is not an integer'));
    await refused(t, matches({ msg_ids: [1], narrow: '{}' }), invalid('narrow', '{}'));
    const call = (narrow: unknown) => matches({ msg_ids: [1], narrow });
    await refused(t, call([{ operand: 'x' }]), bad('operator key is missing from elem'));
    await refused(t, call([{ operator: 'x' }]), bad('operand key is missing from elem'));
    await refused(t, call([{ operator: 'x', operand: 'y', negated: 1 }]), bad('elem["negated"] is not a boolean'));
    await refused(t, call([{ operator: 1, operand: 'y' }]), bad('elem["operator"] is not a string'));
    await refused(t, call([{ operator: 'topic', operand: 1 }]), bad('elem["operand"] is not a string'));
    await refused(t, call([{ operator: 'sender', operand: [] }]), bad('elem["operand"] is not a string or integer'));
    await refused(t, call([{ operator: 'dm', operand: 1 }]), bad('elem["operand"] is not a string or an integer list'));
    await refused(t, call([term('search', ' ')]), bad('elem["operand"] cannot be blank.'));
    await refused(t, call([term('is', 'blue')]), {
      code: 'BAD_NARROW',
      msg: "Invalid narrow operator: unknown 'is' operand blue",
      extra: { desc: "unknown 'is' operand blue" },
    });
  });
};
