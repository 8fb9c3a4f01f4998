/** GET /messages and GET /messages/{id}: narrow.md, parameters and answers. Windows have a property of their own. */

import { refused } from '../../harness.js';
import { bad, invalid, missing, type Params, type Refusal } from '../../support/client.js';
import {
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
  withoutNotices,
} from '../../support/organization.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const badNarrow = (desc: string): Refusal => ({
  code: 'BAD_NARROW',
  msg: `Invalid narrow operator: ${desc}`,
  extra: { desc },
});

export const fetching: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  await subscribe(owner, ['red', 'blue'], { principals: [owner, member, guest] });
  const red = await streamIdOf(owner, 'red');
  const ids = {
    apple: await say(owner, 'red', 'Apple', '**bold** & <raw>'),
    appleToo: await say(member, 'red', 'apple'),
    pear: await say(member, 'red', 'pear'),
    solved: await say(member, 'blue', '✔ pear'),
    sky: await say(owner, 'blue', 'sky'),
    pair: await tell(member, [owner]),
    back: await tell(owner, [member]),
    group: await tell(member, [owner, guest]),
    self: await tell(member, [member]),
  };
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const all = { anchor: 'oldest', num_before: 0, num_after: 1000 };
  const fetch = async (narrow: unknown, by: Person = member): Promise<string[]> => {
    const { messages } = await by.api.ok<{ messages: ApiMessage[] }>('GET /messages', { ...all, narrow });
    return withoutNotices(messages).map((message) => names.get(message.id) ?? String(message.id));
  };
  const term = (operator: string, operand: unknown, negated?: boolean) => [
    { operator, operand, ...(negated === undefined ? {} : { negated }) },
  ];
  const EVERYTHING = Object.keys(ids);

  await t.test('each operator finds its messages', async (t) => {
    const streams = ['apple', 'appleToo', 'pear', 'solved', 'sky'];
    const found: [unknown, string[]][] = [
      [[], EVERYTHING],
      [term('stream', 'red'), ['apple', 'appleToo', 'pear']],
      [term('stream', ' RED'), ['apple', 'appleToo', 'pear']],
      [term('stream', red), ['apple', 'appleToo', 'pear']],
      [[['stream', 'red']], ['apple', 'appleToo', 'pear']],
      [term('streams', 'public'), streams],
      [term('topic', 'APPLE'), ['apple', 'appleToo']],
      [[...term('stream', 'red'), ...term('topic', 'pear')], ['pear']],
      [term('topic', ''), []],
      [term('sender', owner.email.toUpperCase()), ['apple', 'sky', 'back']],
      [term('sender', owner.id), ['apple', 'sky', 'back']],
      [term('dm', owner.email), ['pair', 'back']],
      [term('pm-with', [owner.id]), ['pair', 'back']],
      [[['pm_with', owner.email]], ['pair', 'back']],
      [term('dm', [owner.id, member.id]), ['pair', 'back']],
      [term('dm', [owner.id, guest.id]), ['group']],
      [term('dm', `${guest.email}, ${owner.email}`), ['group']],
      [term('dm', [member.id]), ['self']],
      [term('dm', [other.id]), []],
      [term('dm-including', owner.id), ['pair', 'back', 'group']],
      [term('dm-including', owner.email), ['pair', 'back', 'group']],
      [term('dm-including', member.id), ['pair', 'back', 'group', 'self']],
      [term('group-pm-with', owner.id), ['group']],
      [[['group_pm_with', guest.email]], ['group']],
      [term('is', 'dm'), ['pair', 'back', 'group', 'self']],
      [term('is', 'private'), ['pair', 'back', 'group', 'self']],
      [term('is', 'resolved'), ['solved']],
      [term('in', 'all'), EVERYTHING],
      [term('in', 'home'), EVERYTHING],
      [term('near', String(ids.pear)), EVERYTHING],
      [term('id', String(ids.pear)), ['pear']],
      [term('id', '987654'), []],
      [[...term('stream', 'red'), ...term('stream', 'blue')], []],
      [
        [...term('sender', member.id), ...term('is', 'dm')],
        ['pair', 'group', 'self'],
      ],
    ];
    for (const [narrow, expected] of found) t.same(await fetch(narrow), expected, JSON.stringify(narrow));
  });

  await t.test('a negated term finds the other messages, except where negation has no effect', async (t) => {
    const without = (...names: string[]) => EVERYTHING.filter((name) => !names.includes(name));
    t.same(await fetch(term('stream', 'red', true)), without('apple', 'appleToo', 'pear'));
    t.same(await fetch(term('topic', 'apple', true)), without('apple', 'appleToo'));
    t.same(await fetch(term('sender', owner.id, true)), without('apple', 'sky', 'back'));
    t.same(await fetch(term('dm', [owner.id], true)), without('pair', 'back'));
    t.same(await fetch(term('is', 'dm', true)), ['apple', 'appleToo', 'pear', 'solved', 'sky']);
    t.same(await fetch(term('id', String(ids.sky), true)), without('sky'));
    t.same(await fetch(term('in', 'all', true)), EVERYTHING);
    t.same(await fetch(term('sender', owner.id, false)), ['apple', 'sky', 'back']);
  });

  await t.test('unknown keys of a term are dropped', async (t) => {
    t.same(await fetch([{ operator: 'stream', operand: 'blue', color: 'blue' }]), ['solved', 'sky']);
  });

  await t.test('messages found in history, without a copy, are flagged read and historical', async (t) => {
    const { messages } = await other.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
      ...all,
      narrow: term('stream', 'red'),
    });
    t.same(
      withoutNotices(messages).map((message) => message.flags),
      Array(3).fill(['read', 'historical']),
    );
    const { message } = await other.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', {
      message_id: ids.apple,
    });
    t.same(message.flags, ['read', 'historical']);
  });

  await t.test('content comes rendered or raw, the avatar as an address or for the client to compute', async (t) => {
    const one = async (params: Params) => {
      const { messages } = await member.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
        anchor: ids.apple,
        num_before: 0,
        num_after: 0,
        ...params,
      });
      return messages[0]!;
    };
    const plain = await one({});
    t.same([plain.content_type, plain.avatar_url], ['text/html', null]);
    t.equal(plain.content, '<p><strong>bold</strong> &amp; &lt;raw&gt;</p>');
    const raw = await one({ apply_markdown: false, client_gravatar: false });
    t.same([raw.content_type, raw.content], ['text/x-markdown', '**bold** & <raw>']);
    t.match(raw.avatar_url, /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/);
    const single = await member.api.ok<{ message: ApiMessage; raw_content: string }>('GET /messages/{message_id}', {
      message_id: ids.apple,
      apply_markdown: false,
    });
    t.same(
      [single.message.content, single.raw_content, single.message.avatar_url],
      ['**bold** & <raw>', '**bold** & <raw>', null],
    );
  });

  await t.test('window parameters are checked', async (t) => {
    const call = (params: Params) => member.api.call('GET /messages', params);
    await refused(t, call({}), missing('num_before'));
    await refused(t, call({ num_before: 1 }), missing('num_after'));
    await refused(t, call({ num_before: 1, num_after: 1 }), bad("Missing 'anchor' argument."));
    for (const anchor of ['last', '1.5', '0x10', '', '"newest"']) {
      await refused(t, call({ num_before: 1, num_after: 1, anchor }), bad('Invalid anchor'), `anchor '${anchor}'`);
    }
    for (const value of ['-1', 'many', '1.0', '4294967296', '', 'true']) {
      await refused(t, call({ ...all, num_before: value }), invalid('num_before', value));
      await refused(t, call({ ...all, num_after: value }), invalid('num_after', value));
    }
    const tooMany = bad('Too many messages requested (maximum 5000).');
    await refused(t, call({ anchor: '1', num_before: 2501, num_after: 2500 }), tooMany);
    await refused(
      t,
      call({ anchor: '1', num_before: 4_294_967_295, num_after: 4_294_967_295 }),
      tooMany,
      'far too many',
    );
    t.equal((await call({ anchor: '1', num_before: 2500, num_after: 2500 })).status, 200);
    await refused(
      t,
      call({ anchor: '1', num_before: 1, num_after: 1, include_anchor: false }),
      bad('The anchor can only be excluded at an end of the range'),
    );
    t.equal(
      (await call({ anchor: '-5', num_before: 0, num_after: ' 1 ' })).status,
      200,
      'below all ids, and blanks around a count',
    );
  });

  await t.test('use_first_unread_anchor is the older form of first_unread', async (t) => {
    const narrow = [['topic', 'apple']];
    const [old, modern] = [
      await member.api.ok('GET /messages', { narrow, use_first_unread_anchor: true, num_before: 0, num_after: 5 }),
      await member.api.ok('GET /messages', { narrow, anchor: 'first_unread', num_before: 0, num_after: 5 }),
    ];
    t.same(old, modern);
    t.equal(modern.anchor, ids.apple);
  });

  for (const operation of ['GET /messages', 'POST /messages/flags/narrow'])
    await t.test(`${operation}: a narrow of the wrong shape is refused`, async (t) => {
      const flags = operation === 'GET /messages' ? {} : { op: 'add', flag: 'starred' };
      const call = (narrow: unknown) => member.api.call(operation, { ...all, ...flags, narrow });
      await refused(t, member.api.call(operation, { ...all, ...flags, num_before: -1 }), invalid('num_before', '-1'));
      await refused(t, member.api.call(operation, { ...all, ...flags, num_after: 'x' }), invalid('num_after', 'x'));
      await refused(t, call([['streams', 'x']]), {
        code: 'BAD_NARROW',
        msg: 'Invalid narrow operator: unknown streams operand x',
        extra: { desc: 'unknown streams operand x' },
      });
      for (const narrow of [
        'nonsense',
        '',
        '{}',
        '5',
        'null',
        '["stream"]',
        '[["stream"]]',
        '[["stream",1]]',
        '[["a","b","c"]]',
        '[5]',
        '[null]',
      ]) {
        await refused(t, call(narrow), invalid('narrow', narrow));
      }
      await refused(t, call([{ operand: 'x' }]), bad('operator key is missing from elem'));
      await refused(t, call([{ operator: 'topic' }]), bad('operand key is missing from elem'));
      await refused(
        t,
        call([{ operator: 'topic', operand: 'x', negated: 'yes' }]),
        bad('elem["negated"] is not a boolean'),
      );
      await refused(t, call([{ operator: 5, operand: 'x' }]), bad('elem["operator"] is not a string'));
      for (const operator of ['topic', 'id', 'is', 'near', 'has', 'in', 'pm_with', 'no-such-operator']) {
        await refused(t, call([{ operator, operand: 5 }]), bad('elem["operand"] is not a string'), operator);
      }
      for (const operator of ['stream', 'sender', 'dm-including', 'group-pm-with']) {
        await refused(
          t,
          call([{ operator, operand: [1] }]),
          bad('elem["operand"] is not a string or integer'),
          operator,
        );
      }
      for (const operator of ['dm', 'pm-with']) {
        await refused(
          t,
          call([{ operator, operand: 5 }]),
          bad('elem["operand"] is not a string or an integer list'),
          operator,
        );
        await refused(t, call([{ operator, operand: ['x'] }]), bad('elem["operand"][0] is not an integer'), operator);
      }
      await refused(t, call([{ operator: 'search', operand: ' ' }]), bad('elem["operand"] cannot be blank.'));
    });

  await t.test('a narrow that names a missing user or stream is refused', async (t) => {
    const call = (operator: string, operand: unknown) =>
      member.api.call('GET /messages', { ...all, narrow: [{ operator, operand }] });
    await refused(t, call('stream', 'nowhere'), badNarrow('unknown stream nowhere'));
    await refused(t, call('stream', 987_654), badNarrow('unknown stream 987654'));
    await refused(t, call('streams', 'secret'), badNarrow('unknown streams operand secret'));
    await refused(t, call('sender', 'x@y.example'), badNarrow('unknown user x@y.example'));
    await refused(t, call('sender', 987_654), badNarrow('unknown user 987654'));
    await refused(t, call('dm', 'x@y.example'), badNarrow('unknown user in x@y.example'));
    await refused(t, call('dm', [987_654]), badNarrow('unknown user in [987654]'));
    await refused(t, call('dm-including', 987_654), badNarrow('unknown user 987654'));
    await refused(t, call('group-pm-with', 'x@y.example'), badNarrow('unknown user x@y.example'));
    await refused(t, call('has', 'reaction'), badNarrow("unknown 'has' operand reaction"));
    await refused(t, call('is', 'blue'), badNarrow("unknown 'is' operand blue"));
    await refused(t, call('in', 'heaven'), badNarrow("unknown 'in' operand heaven"));
    await refused(t, call('id', 'seven'), badNarrow('Invalid message ID'));
    for (const operator of ['channel', 'with', 'date', 'STREAM', '', 'constructor', '__proto__']) {
      await refused(t, call(operator, 'x'), badNarrow(`unknown operator ${operator}`));
    }
    for (const operand of ['followed', 'muted', 'constructor', '']) {
      await refused(t, call('is', operand), badNarrow(`unknown 'is' operand ${operand}`));
    }
  });

  await t.test('a message id that does not exist is refused as invalid', async (t) => {
    for (const message_id of [0, 987_654, 4_294_967_296, '99999999999999999999']) {
      await refused(
        t,
        member.api.call('GET /messages/{message_id}', { message_id }),
        bad('Invalid message(s)'),
        `id ${message_id}`,
      );
    }
    const wrong = member.api.call('GET /messages/{message_id}', { message_id: ids.apple, apply_markdown: 'x' });
    await refused(t, wrong, bad('Argument "apply_markdown" is not valid JSON.'));
  });
};
