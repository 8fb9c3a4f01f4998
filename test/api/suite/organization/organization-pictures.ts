/** Icon and logos of the organization, and the files of the program that answers name (realm.md § Icon and logo). */
import { createHash } from 'node:crypto';
import { refused } from '../../harness.js';
import { bad, missing } from '../../support/client.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { hostilePictures, leadsTo, lookAt, picture, shown } from '../../support/pictures.js';
import { Queue } from '../../support/queue.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const MIB = 1_048_576;
const ADMIN = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
const NOT_LOGGED_IN = { status: 401, msg: 'Not logged in: API authentication or user session required' };
const DEFAULT_LOGO = '/static/images/logo.svg?version=0';

export const organizationPictures: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, guest } = org;
  const green = await picture('#00ff00', 300, 200);
  const look = (url: string) => lookAt(org.nobody, url);
  const register = (by: Person = guest) => by.api.ok('POST /register', { fetch_event_types: ['realm'] });
  const identicon = `https://secure.gravatar.com/avatar/${createHash('md5').update(org.subdomain).digest('hex')}?d=identicon`;

  const KINDS = [
    { name: 'icon', operation: '/realm/icon', params: {}, size: [100, 100], default: identicon, source: 'G' },
    {
      name: 'logo',
      operation: '/realm/logo',
      params: { night: false },
      size: [150, 100],
      default: DEFAULT_LOGO,
      source: 'D',
    },
    {
      name: 'night_logo',
      operation: '/realm/logo',
      params: { night: true },
      size: [150, 100],
      default: DEFAULT_LOGO,
      source: 'D',
    },
  ] as const;

  for (const { name, operation, params, size, default: standard, source } of KINDS) {
    const put = (by: Person = owner, bytes: string | Uint8Array = green) =>
      by.api.upload(`POST ${operation}`, [{ name: 'a.png', bytes }], params);
    const take = (by: Person = owner) => by.api.call(`DELETE ${operation}`, params);
    const state = async (by?: Person): Promise<unknown[]> => {
      const all = await register(by);
      return [all[`realm_${name}_url`], all[`realm_${name}_source`]];
    };

    await t.test(`${name}: the default is shown until a picture is uploaded`, async (t) => {
      t.same(await state(), [standard, source]);
      for (const by of org.people) {
        const { status, headers } = await by.api.call(`GET ${operation}`, { ...params, x: 'y' });
        const query = name === 'icon' ? 'x=y' : `night=${name === 'night_logo'}&x=y`;
        t.same([status, headers.location], [302, `${standard}&${query}`], by.role);
      }
      await refused(t, org.nobody.call(`GET ${operation}`, params), NOT_LOGGED_IN);
    });

    await t.test(`${name}: an upload by an administrator is shown and published to all`, async (t) => {
      for (const by of [owner, admin]) {
        const queue = await Queue.register(guest, { event_types: ['realm'] });
        const { status, body } = await put(by);
        t.equal(status, 200);
        const [url, now] = await state();
        t.match(url, new RegExp(`^/user_avatars/${org.realm}/realm/${name}\\.png\\?version=\\d+$`));
        t.equal(now, 'U');
        t.same(body, { result: 'success', msg: '', ...(name === 'icon' ? { icon_url: url } : {}) });
        const [event] = await queue.take(1);
        const data = { [`${name}_url`]: url, [`${name}_source`]: 'U' };
        t.same(event, { id: event!.id, type: 'realm', op: 'update_dict', property: name, data });
        const { bytes, headers } = await look(String(url));
        t.same(await shown(bytes), { format: 'png', width: size[0], height: size[1], colour: '#00ff00' });
        t.match(headers, { 'content-type': 'image/png', 'cache-control': /immutable/ });
        t.same(leadsTo(await guest.api.call(`GET ${operation}`, params)).slice(0, 1), [302]);
      }
      const [first] = await state();
      await put(owner, await picture('#ff0000'));
      const [second] = await state();
      t.not(first, second);
      for (const url of [first, second, String(second).split('?')[0]]) {
        t.equal((await shown((await look(String(url))).bytes)).colour, '#ff0000');
      }
      t.notSame((await state(elsewhere.owner))[1], 'U', 'that of another organization is its own');
      t.equal((await look(String(second).replace(`/${org.realm}/`, `/${elsewhere.realm}/`))).status, 404);
    });

    await t.test(`${name}: other roles are refused`, async (t) => {
      for (const by of [org.moderator, member, guest]) {
        await refused(t, put(by), ADMIN, by.role);
        await refused(t, put(by, 'no picture'), ADMIN);
        await refused(t, by.api.call(`POST ${operation}`), ADMIN);
        await refused(t, take(by), ADMIN);
      }
      await refused(t, org.nobody.call(`POST ${operation}`, params), NOT_LOGGED_IN);
      await refused(t, org.nobody.call(`DELETE ${operation}`, params), NOT_LOGGED_IN);
    });

    await t.test(`${name}: an upload has exactly one file, a picture`, async (t) => {
      const before = await state();
      const one = bad(`You must upload exactly one ${name === 'icon' ? 'icon' : 'logo'}.`);
      const file = { name: 'a.png', bytes: green };
      await refused(t, owner.api.call(`POST ${operation}`, params), one);
      await refused(
        t,
        owner.api.upload(
          `POST ${operation}`,
          [
            { field: 'a', ...file },
            { field: 'b', ...file },
          ],
          params,
        ),
        one,
      );
      const large = bad('Uploaded file is larger than the allowed limit of 5 MiB');
      for (const bytes of [5 * MIB + 1, 26 * MIB]) await refused(t, put(owner, Buffer.alloc(bytes)), large);
      for (const [title, bytes, refusal] of await hostilePictures())
        await refused(t, put(owner, bytes), refusal, title);
      t.same(await state(), before);
    });

    await t.test(`${name}: deletion brings back the default`, async (t) => {
      const [url] = await state();
      const queue = await Queue.register(guest, { event_types: ['realm'] });
      const { status, body } = await take(admin);
      t.same([status, body], [200, { result: 'success', msg: '', ...(name === 'icon' ? { icon_url: standard } : {}) }]);
      t.same(await state(), [standard, source]);
      const [event] = await queue.take(1);
      t.same(event!.data, { [`${name}_url`]: standard, [`${name}_source`]: source });
      t.equal((await look(String(url))).status, 404);
      await put(owner);
      t.not((await state())[0], url, 'no address comes twice');
    });

    await t.test(`${name}: snapshot and events agree`, async (t) => {
      await verifyAction(t, name, org.people, async () => {
        await put(owner);
        await take(admin);
        await put(admin, await picture('blue'));
      });
    });
  }

  await t.test('the icon is in the public server settings', async (t) => {
    const host = `${org.subdomain}.localhost`;
    const settings = () => org.nobody.with({ host }).ok('GET /server_settings');
    t.equal((await settings()).realm_icon, (await register()).realm_icon_url);
    await owner.api.ok('DELETE /realm/icon');
    t.equal((await settings()).realm_icon, identicon);
  });

  await t.test('a logo upload must name the day or the night logo', async (t) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      await refused(t, owner.api.call(`${method} /realm/logo`), missing('night'), method);
      await refused(
        t,
        owner.api.call(`${method} /realm/logo`, { night: 'x' }),
        bad('Argument "night" is not valid JSON.'),
      );
      await refused(t, owner.api.call(`${method} /realm/logo`, { night: 1 }), bad('night is not a boolean'));
    }
    await owner.api.upload('POST /realm/logo', [{ name: 'a', bytes: green }], { night: true });
    await owner.api.ok('DELETE /realm/logo', { night: false });
    const { realm_logo_source, realm_night_logo_source } = await register();
    t.same([realm_logo_source, realm_night_logo_source], ['D', 'U'], 'each by itself');
  });

  await t.test('a logo keeps its proportions', async (t) => {
    for (const [width, height, wide, high] of [
      [50, 20, 50, 20],
      [1_600, 100, 800, 50],
      [100, 400, 25, 100],
    ] as const) {
      await owner.api.upload('POST /realm/logo', [{ name: 'a', bytes: await picture('red', width, height) }], {
        night: false,
      });
      const found = await shown((await look(String((await register()).realm_logo_url))).bytes);
      t.same([found.width, found.height], [wide, high]);
    }
  });

  await t.test('addresses under /static in answers exist', async (t) => {
    const { server_emoji_data_url } = await register();
    const data = await look(new URL(String(server_emoji_data_url)).pathname);
    t.same([data.status, data.headers['content-type']], [200, 'application/json']);
    const { code_to_names } = data.body as { code_to_names: Record<string, string[]> };
    t.same(code_to_names['1f642'], ['smile']);
    t.equal(Object.keys(code_to_names).length, 1_826);
    const logo = await look(DEFAULT_LOGO);
    t.same([logo.status, logo.headers['content-type']], [200, 'image/svg+xml']);
    t.match(logo.headers, { 'x-content-type-options': 'nosniff', 'content-security-policy': /^default-src 'none'/ });
    t.match(await shown(logo.bytes), { format: 'svg', width: 300, height: 64 });
    for (const path of ['/static/emoji/conclave.png', '/static/generated/emoji/images/emoji/unicode/zulip.png']) {
      t.match(await shown((await look(path)).bytes), { format: 'png', width: 64, height: 64 }, path);
    }
    const { etag } = logo.headers;
    const again = await org.nobody.raw({
      method: 'GET',
      path: DEFAULT_LOGO,
      headers: { 'if-none-match': String(etag) },
    });
    t.same([again.status, again.text], [304, '']);
    const head = await org.nobody.raw({ method: 'HEAD', path: DEFAULT_LOGO });
    t.same([head.status, head.text, head.headers['content-length']], [200, '', String(logo.bytes.length)]);
    for (const path of [
      'images',
      'images/',
      'images/logo.svg/x',
      '../package.json',
      '..%2fpackage.json',
      '__proto__',
      'x%00',
    ]) {
      t.equal((await look(`/static/${path}`)).status, 404, path);
    }
  });
};
