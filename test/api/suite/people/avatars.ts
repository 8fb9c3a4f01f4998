/** POST and DELETE /users/me/avatar, GET /avatar, and everything that shows an avatar (users.md § Avatars). */
import sharp from 'sharp';
import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { makeBot, makeOrganization, type Person, subscribe, tell } from '../../support/organization.js';
import { animation, gravatar, hostilePictures, lookAt, picture, shown } from '../../support/pictures.js';
import { Queue, settled } from '../../support/queue.js';
import type { Answer, ApiEvent, ApiMessage, ApiUser, Fields } from '../../support/types.js';
import { verifyAction, verifyRacing } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const MIB = 1_048_576;
const NOT_LOGGED_IN = { status: 401, msg: 'Not logged in: API authentication or user session required' };
const DISABLED = bad('Avatar changes are disabled in this organization.');

interface Shown extends Fields {
  readonly avatar_url: string;
  readonly avatar_url_medium: string;
  readonly avatar_source: string;
}

export const avatars: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  const green = await picture('#00ff00', 300, 200);
  const put = (by: Person, bytes: string | Uint8Array = green): Promise<Answer> =>
    by.api.upload('POST /users/me/avatar', [{ field: 'whatever', name: 'a.png', bytes }]);
  const take = (by: Person): Promise<Answer> => by.api.call('DELETE /users/me/avatar');
  const urlOf = (answer: Answer): string => String(answer.body.avatar_url);
  const me = (by: Person) => by.api.ok<Fields>('GET /users/me');
  const look = (url: string, headers = {}) => lookAt(org.nobody, url, headers);

  await t.test(
    'every role uploads an avatar: an address, a picture in two sizes, an event for all users',
    async (t) => {
      for (const by of org.people) {
        const queues = await Promise.all(
          [by, guest].map((one) => Queue.register(one, { event_types: ['realm_user'] })),
        );
        const { avatar_version: before } = await me(by);
        const answer = await put(by);
        t.equal(answer.status, 200, by.role);
        const url = urlOf(answer);
        const version = Number(before) + 1;
        t.match(url, new RegExp(`^/user_avatars/${org.realm}/[0-9a-f]{40}\\.png\\?version=${version}$`));
        t.same(answer.body, { result: 'success', msg: '', avatar_url: url });
        const medium = url.replace('.png', '-medium.png');
        for (const queue of queues) {
          const [event] = await queue.take(1);
          t.same(event, {
            id: event!.id,
            type: 'realm_user',
            op: 'update',
            person: {
              user_id: by.id,
              avatar_source: 'U',
              avatar_url: url,
              avatar_url_medium: medium,
              avatar_version: version,
            },
          });
        }
        const small = await look(url);
        t.same([small.status, small.headers['content-type']], [200, 'image/png']);
        t.same(await shown(small.bytes), { format: 'png', width: 100, height: 100, colour: '#00ff00' });
        t.same(await shown((await look(medium)).bytes), { format: 'png', width: 500, height: 500, colour: '#00ff00' });
      }
    },
  );

  await t.test('an avatar is shown wherever its account is', async (t) => {
    const url = urlOf(await put(member));
    const version = (await me(member)).avatar_version;
    const known = { avatar_url: url, avatar_version: version };
    t.match(await me(member), known);
    const { user } = await guest.api.ok<{ user: ApiUser }>('GET /users/{user_id}', { user_id: member.id });
    t.match(user, known, 'never left to the client: it is no gravatar');
    const { members } = await guest.api.ok<{ members: ApiUser[] }>('GET /users');
    t.match(
      members.find((one) => one.user_id === member.id),
      known,
    );
    const state = await member.api.ok<Shown & { realm_users: ApiUser[] }>('POST /register');
    t.match(state, { avatar_source: 'U', avatar_url: url, avatar_url_medium: url.replace('.png', '-medium.png') });
    t.match(
      state.realm_users.find((one) => one.user_id === member.id),
      known,
    );
    const queue = await Queue.register(other, { event_types: ['message'], client_gravatar: true });
    const message_id = await tell(member, [other], 'look at me');
    const [event] = await queue.take(1);
    t.equal((event!.message as ApiMessage).avatar_url, url);
    const { message } = await other.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id });
    t.equal(message.avatar_url, url);
    const next = urlOf(await put(member));
    const later = await other.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id });
    t.equal(later.message.avatar_url, next, 'old messages show the new one');
  });

  await t.test('the next avatar replaces it under the same name, with another version', async (t) => {
    const first = urlOf(await put(other, await picture('#ff0000')));
    const second = urlOf(await put(other, await picture('#0000ff')));
    t.equal(second.split('?')[0], first.split('?')[0]);
    t.equal(Number(second.split('=')[1]), Number(first.split('=')[1]) + 1);
    const colour = async (url: string): Promise<string> => (await shown((await look(url)).bytes)).colour;
    t.equal(await colour(second), '#0000ff');
    t.equal(await colour(first), '#0000ff', 'the old one is gone: the address leads to the new one');
    t.equal(await colour(second.split('?')[0]!), '#0000ff');
    t.match((await look(second)).headers, { 'cache-control': 'public, max-age=31536000, immutable' });
    for (const url of [first, second.split('?')[0]!, `${second}99`]) {
      t.match((await look(url)).headers, { 'cache-control': 'public, no-cache' }, 'may show another one later');
    }
    const { etag } = (await look(second)).headers;
    t.equal((await look(second, { 'if-none-match': etag })).status, 304);
    t.notSame((await look(second.replace('.png', '-medium.png'))).headers.etag, etag);
    t.match((await look(second)).headers, {
      'x-content-type-options': 'nosniff',
      'content-security-policy': /default-src 'none'/,
    });
  });

  await t.test('deleting the avatar brings back the gravatar', async (t) => {
    const url = urlOf(await put(other));
    const version = Number(url.split('=')[1]) + 1;
    const queue = await Queue.register(guest, { event_types: ['realm_user'] });
    t.same((await take(other)).body, { result: 'success', msg: '', avatar_url: gravatar(other.email, version) });
    const [event] = await queue.take(1);
    t.same(event!.person, {
      user_id: other.id,
      avatar_source: 'G',
      avatar_url: gravatar(other.email, version),
      avatar_url_medium: gravatar(other.email, version, '&s=500'),
      avatar_version: version,
    });
    t.equal((await look(url)).status, 404);
    t.equal((await look(url.replace('.png', '-medium.png'))).status, 404);
    t.equal(urlOf(await take(other)), gravatar(other.email, version + 1), 'the gravatar may be another one by now');
    const again = urlOf(await put(other));
    t.equal((await look(again)).status, 200);
  });

  await t.test('exactly one file, in any field, of at most 5 MiB', async (t) => {
    const one = bad('You must upload exactly one avatar.');
    const file = { name: 'a.png', bytes: green };
    await refused(t, member.api.call('POST /users/me/avatar'), one);
    await refused(t, member.api.upload('POST /users/me/avatar', []), one);
    await refused(
      t,
      member.api.upload('POST /users/me/avatar', [
        { field: 'a', ...file },
        { field: 'b', ...file },
      ]),
      one,
    );
    const large = bad('Uploaded file is larger than the allowed limit of 5 MiB');
    for (const size of [5 * MIB + 1, 26 * MIB]) await refused(t, put(member, Buffer.alloc(size)), large);
    const padded = Buffer.concat([green, Buffer.alloc(5 * MIB - green.length)]);
    t.equal((await put(member, padded)).status, 200);
  });

  await t.test('a file that is no picture changes nothing', async (t) => {
    const url = urlOf(await put(member));
    for (const [title, bytes, refusal] of await hostilePictures()) await refused(t, put(member, bytes), refusal, title);
    t.equal((await me(member)).avatar_url, url);
    t.equal((await look(url)).status, 200);
  });

  await t.test('the avatar of an animation is its first picture, that of a photograph is turned upright', async (t) => {
    const frames = await Promise.all([picture('#ff0000'), picture('#0000ff')]);
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const { bytes } = await look(urlOf(await put(member, gif)));
    t.same(await shown(bytes), { format: 'png', width: 100, height: 100, colour: '#ff0000' });
    const upright = await sharp({ create: { width: 100, height: 100, channels: 3, background: '#000000' } })
      .composite([{ input: await picture('#ffffff', 100, 50), top: 50, left: 0 }])
      .withMetadata({ orientation: 3 })
      .jpeg()
      .toBuffer();
    const turned = await shown((await look(urlOf(await put(member, upright)))).bytes);
    t.equal(turned.colour, '#ffffff');
    const { exif } = await sharp((await look((await me(member)).avatar_url as string)).bytes).metadata();
    t.equal(exif, undefined, 'nothing else of the file is kept');
  });

  await t.test('an animation of many pages costs no more than its first page', async (t) => {
    const gif = await animation(45, 1000, 1000);
    t.equal((await sharp(gif).metadata()).pages, 45);
    t.equal((await put(member, gif)).status, 200, '45 million pixels, of which one is needed');
  });

  await t.test('where avatar changes are disabled, administrators may still change theirs', async (t) => {
    await owner.api.ok('PATCH /realm', { avatar_changes_disabled: true });
    for (const by of org.people) {
      const refusal = by === owner || by === admin ? undefined : DISABLED;
      for (const change of [put, take]) {
        if (refusal) await refused(t, change(by), refusal, by.role);
        else t.equal((await change(by)).status, 200, by.role);
      }
      if (refusal) {
        await refused(t, put(by, 'no picture'), refusal, 'before the picture is looked at');
        await refused(t, put(by, Buffer.alloc(6 * MIB)), refusal);
        await refused(
          t,
          by.api.call('POST /users/me/avatar'),
          bad('You must upload exactly one avatar.'),
          'after the count',
        );
      }
    }
    await owner.api.ok('PATCH /realm', { avatar_changes_disabled: false });
    for (const call of ['POST /users/me/avatar', 'DELETE /users/me/avatar']) {
      await refused(t, org.nobody.call(call), NOT_LOGGED_IN);
    }
    await refused(t, org.nobody.upload('POST /users/me/avatar', [{ name: 'a', bytes: green }]), NOT_LOGGED_IN);
  });

  await t.test("a bot has an avatar of its own, and the bot's managers get the event", async (t) => {
    const bot = await makeBot(member);
    const listening = (by: Person) => Queue.register(by, { event_types: ['realm_bot', 'message'] });
    const queues = await Promise.all([member, admin, other].map(listening));
    const heard = async (queue: Queue): Promise<unknown[]> =>
      (await settled(queue)).filter(({ type }) => type === 'realm_bot').map((event) => event.bot);
    const url = urlOf(await put(bot));
    t.match(url, /^\/user_avatars\/.+\?version=2$/);
    t.equal((await look(url)).status, 200);
    const gone = urlOf(await take(bot));
    const told = [url, gone].map((avatar_url) => ({ user_id: bot.id, avatar_url }));
    t.same(await Promise.all(queues.map(heard)), [told, told, []]);
    await owner.api.ok('PATCH /realm', { avatar_changes_disabled: true });
    await refused(t, put(bot), DISABLED);
    await owner.api.ok('PATCH /realm', { avatar_changes_disabled: false });
    await verifyAction(t, 'the avatar of a bot', [bot, member, admin, other], () => put(bot));
  });

  await t.test('one of several concurrent uploads remains, whole', async (t) => {
    const colours = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#ff00ff', '#00ffff'];
    const answers = await Promise.all(colours.map(async (colour) => put(member, await picture(colour))));
    t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
    const url = String((await me(member)).avatar_url);
    const small = await shown((await look(url)).bytes);
    const medium = await shown((await look(url.replace('.png', '-medium.png'))).bytes);
    t.equal(small.colour, medium.colour);
    t.ok(answers.some((answer) => urlOf(answer) === url));
    await Promise.all([put(member), take(member), put(member), take(member)]);
    const { avatar_url } = await me(member);
    if (String(avatar_url).startsWith('/')) t.equal((await look(String(avatar_url))).status, 200, 'shown and there');
    t.pass('or none');
  });

  await t.test('snapshot and events', async (t) => {
    await subscribe(owner, 'hall', { principals: [...org.people] });
    await verifyAction(t, 'avatars come and go', org.people, async () => {
      await put(member);
      await put(other);
      await put(member, await picture('blue'));
      await take(other);
      await tell(member, [other], 'hello');
    });
    const rush = org.people.flatMap((by) => [() => put(by), () => take(by), () => put(by)]);
    await verifyRacing(t, 'a rush of avatars', [owner, member, guest], rush);
    const queue = await Queue.register(owner, { event_types: ['realm_user', 'realm_bot', 'message'] });
    await put(member);
    t.same(
      (await settled(queue)).map(({ type }: ApiEvent) => type),
      ['realm_user'],
      'one event, whoever may see it',
    );
  });
};
