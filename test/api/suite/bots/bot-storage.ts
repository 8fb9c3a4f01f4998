/** GET, PUT and DELETE /bot_storage (users.md § Bot storage). */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeBot, makeOrganization, type Person } from '../../support/organization.js';
import type { Facts } from '../facts.js';

const NO_KEY = bad('Key does not exist.');
const LIMIT = 10_000_000;

export const botStorage: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const elsewhere = await makeOrganization(server, []);
  const { owner, member } = org;
  const bot = await makeBot(member);
  const all = async (by: Person, params: Params = {}) => (await by.api.ok('GET /bot_storage', params)).storage;
  const put = (by: Person, storage: unknown) => by.api.call('PUT /bot_storage', { storage });

  await t.test('every account has a storage of its own', async (t) => {
    t.same(await all(bot), {});
    t.same((await put(bot, { color: 'red', '': 'nothing', size: '' })).body, { result: 'success', msg: '' });
    t.same(await all(bot), { color: 'red', '': 'nothing', size: '' });
    t.same((await put(bot, { color: 'blue', more: 'x' })).status, 200);
    t.same(await all(bot, { keys: ['color', 'size', 'color'] }), { color: 'blue', size: '' });
    for (const by of [owner, member, elsewhere.owner]) t.same(await all(by), {}, by.role);
    t.same((await put(member, { color: 'mine' })).status, 200);
    t.same(await all(bot, { keys: ['color'] }), { color: 'blue' });
  });

  await t.test('unknown keys are neither returned nor removed', async (t) => {
    await refused(t, bot.api.call('GET /bot_storage', { keys: ['color', 'gone'] }), NO_KEY);
    await refused(t, bot.api.call('DELETE /bot_storage', { keys: ['color', 'gone'] }), NO_KEY);
    t.ok(await all(bot, { keys: ['color'] }));
    t.same(await all(bot, { keys: [] }), {});
    await bot.api.ok('DELETE /bot_storage', { keys: ['color', 'more'] });
    t.same(await all(bot), { '': 'nothing', size: '' });
    await bot.api.ok('DELETE /bot_storage');
    t.same(await all(bot), {});
    t.same(await all(member), { color: 'mine' });
  });

  await t.test('keys and values are only text', async (t) => {
    const strange = '{"constructor":"b","a.b$c":"\\u0000","é":"\u{1f419}","\\ud800":"\\udfff"}';
    t.equal((await put(bot, strange)).status, 200);
    await refused(t, bot.api.call('GET /bot_storage', { keys: ['__proto__'] }), NO_KEY);
    t.same(await all(bot, { keys: ['constructor', 'a.b$c'] }), { constructor: 'b', 'a.b$c': '\0' });
    t.same(await all(bot, { keys: ['é'] }), { é: '\u{1f419}' });
    await bot.api.ok('DELETE /bot_storage');
  });

  await t.test('a key __proto__ is refused, and nothing is stored', async (t) => {
    await refused(t, put(bot, '{"a":"b","__proto__":"c"}'), bad('storage contains an invalid key: __proto__'));
    t.same(await all(bot), {});
  });

  await t.test('wrong shapes are refused', async (t) => {
    await refused(t, bot.api.call('PUT /bot_storage'), missing('storage'));
    await refused(t, put(bot, []), bad('storage is not a dict'));
    await refused(t, put(bot, { a: 1 }), bad('storage contains a value that is not a string'));
    await refused(t, bot.api.call('GET /bot_storage', { keys: 'x' }), bad('Argument "keys" is not valid JSON.'));
    await refused(t, bot.api.call('DELETE /bot_storage', { keys: [1] }), bad('keys[0] is not a string'));
  });

  await t.test('entries are limited, in one call and in all', async (t) => {
    const entries = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${from + i}`, '']));
    await refused(t, put(bot, entries(0, 2_001)), bad('storage has too many items (limit: 2000)'));
    t.same(await all(bot), {});
    for (let i = 0; i < 10; i++) t.equal((await put(bot, entries(i * 2_000, 2_000))).status, 200);
    await refused(t, put(bot, { more: '' }), bad('storage has too many items (limit: 20000)'));
    t.equal((await put(bot, { k7: 'changed' })).status, 200, 'what is there may change');
    await bot.api.ok('DELETE /bot_storage');
  });

  await t.test('characters of keys and values together are limited', async (t) => {
    const [piece, pieces] = [500_000, 20];
    for (let i = 0; i < pieces; i++) {
      const key = String.fromCharCode(97 + i);
      t.equal(
        (await put(bot, { [key]: 'x'.repeat(piece - 1) })).status,
        200,
        i === pieces - 1 ? 'exactly the limit' : '',
      );
    }
    const tooMuch = (n: number) =>
      bad(`Request exceeds storage limit by ${n} characters. The limit is ${LIMIT} characters.`);
    await refused(t, put(bot, { new: '' }), tooMuch(3));
    await refused(t, put(bot, { '': '\u{1f419}\u{1f419}' }), tooMuch(2), 'code points count');
    t.equal((await put(bot, { a: 'short', new: 'fits' })).status, 200, 'what is replaced does not count');
    t.same(await all(bot, { keys: ['a', 'new'] }), { a: 'short', new: 'fits' });
    const rest = piece - 'ashortnewfits'.length;
    await refused(t, put(bot, { z: 'x'.repeat(rest) }), tooMuch(1));
    await bot.api.ok('DELETE /bot_storage', { keys: ['b'] });
    t.equal((await put(bot, { z: 'x'.repeat(rest) })).status, 200, 'there is room again');
    await bot.api.ok('DELETE /bot_storage');
  });
};
