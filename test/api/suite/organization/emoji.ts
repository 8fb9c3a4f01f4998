/** GET, POST and DELETE /realm/emoji, and the use of custom emoji (realm.md § Custom emoji). */
import sharp from 'sharp';
import { refused } from '../../harness.js';
import { bad, type Refusal } from '../../support/client.js';
import { makeOrganization, type Person, say, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Answer } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export const frame = (background: string, width = 8, height = 8) =>
  sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer();
const moving = async () => sharp(await Promise.all([frame('red'), frame('blue')]), { join: { animated: true } });

const image = (msg: string): Refusal => ({ code: 'BAD_IMAGE', msg });
const UNDECODABLE = image('Could not decode image; did you upload an image file?');

interface ApiEmoji {
  readonly id: string;
  readonly name: string;
  readonly source_url: string;
  readonly still_url: string | null;
  readonly deactivated: boolean;
  readonly author_id: number;
}

export const emoji: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  const png = await frame('green');
  const add = (by: Person, emoji_name: string, bytes: string | Uint8Array = png, name = 'a.png'): Promise<Answer> =>
    by.api.upload('POST /realm/emoji/{emoji_name}', [{ name, bytes }], { emoji_name });
  const remove = (by: Person, emoji_name: string): Promise<Answer> =>
    by.api.call('DELETE /realm/emoji/{emoji_name}', { emoji_name });
  const list = async (by: Person = member): Promise<Record<string, ApiEmoji>> =>
    (await by.api.ok<{ emoji: Record<string, ApiEmoji> }>('GET /realm/emoji')).emoji;
  const named = async (name: string): Promise<ApiEmoji[]> =>
    Object.values(await list()).filter((one) => one.name === name);
  const picture = (path: string) => org.nobody.raw({ method: 'GET', path });

  await t.test('a new emoji is listed for all users, published to all, and shown in messages', async (t) => {
    const queues = await Promise.all([owner, guest].map((by) => Queue.register(by, { event_types: ['realm_emoji'] })));
    t.same((await add(member, 'green square')).body, { result: 'success', msg: '' });
    const all = await list(guest);
    const [made] = Object.values(all);
    t.same(made, {
      id: made!.id,
      name: 'green_square',
      source_url: `/user_avatars/${org.realm}/emoji/images/${made!.id}.png`,
      still_url: null,
      deactivated: false,
      author_id: member.id,
    });
    for (const queue of queues) {
      const [event] = await queue.take(1);
      t.same(event, { id: event!.id, type: 'realm_emoji', op: 'update', realm_emoji: all });
    }
    await subscribe(owner, 'hall');
    const id = await say(owner, 'hall', 'emoji', 'a :green_square: here');
    const { message } = await owner.api.ok<{ message: { content: string } }>('GET /messages/{message_id}', {
      message_id: id,
    });
    t.match(message.content, `<img alt=":green_square:" class="emoji" src="${made!.source_url}" title="green square">`);
    t.same(await list(elsewhere.owner), {}, 'not in another organization');
  });

  await t.test("a custom emoji's picture is a square of 64 pixels and needs no credentials", async (t) => {
    const wide = await sharp({ create: { width: 200, height: 50, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    t.equal((await add(member, 'wide', wide, 'a.jpg')).status, 200);
    const [{ source_url } = { source_url: '' }] = await named('wide');
    const answer = await picture(source_url);
    t.same([answer.status, answer.headers['content-type']], [200, 'image/png']);
    t.match(await sharp(answer.bytes).metadata(), { format: 'png', width: 64, height: 64 });
    t.match(answer.headers, { 'x-content-type-options': 'nosniff', 'cache-control': /immutable/ });
    for (const path of [source_url.replace('images/', 'images/9'), `${source_url}x`, '/user_avatars/999/emoji/x']) {
      t.equal((await picture(path)).status, 404, path);
    }
  });

  await t.test('an animated emoji stays animated, with a still picture besides', async (t) => {
    t.equal((await add(member, 'moving', await (await moving()).gif().toBuffer(), 'a.gif')).status, 200);
    const [made] = await named('moving');
    t.match(made!.source_url, /\/images\/\d+\.gif$/);
    t.equal(made!.still_url, `/user_avatars/${org.realm}/emoji/images/still/${made!.id}.png`);
    const gif = await picture(made!.source_url);
    t.match(await sharp(gif.bytes, { animated: true }).metadata(), {
      format: 'gif',
      pages: 2,
      width: 64,
      pageHeight: 64,
    });
    const still = await picture(made!.still_url!);
    t.match(await sharp(still.bytes).metadata(), { format: 'png', width: 64, height: 64 });
    const webp = await (await moving()).webp().toBuffer();
    await refused(t, add(member, 'webp', webp), image('Unknown animated image format.'));
  });

  await t.test('names are checked first, in this order', async (t) => {
    const characters =
      'Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.';
    await refused(t, add(member, ' '), bad('Emoji name is missing'));
    await refused(t, add(member, 'x'.repeat(101)), bad('emoji_name is too long (limit: 100 characters)'));
    for (const name of ['BAD Name', 'ä', 'a.b', 'a/b', 'a\0b', '\u{1f600}', 'a:b']) {
      await refused(t, add(member, name, 'no image'), bad(characters), name);
    }
    for (const name of ['x_', 'x-', '_']) {
      await refused(t, add(member, name, 'no image'), bad('Emoji names must end with either a letter or digit.'), name);
    }
    await refused(t, add(member, 'wide', 'no image'), bad('A custom emoji with this name already exists.'));
    const none = member.api.upload(
      'POST /realm/emoji/{emoji_name}',
      [
        { name: 'a', bytes: png },
        { name: 'b', bytes: png },
      ],
      {
        emoji_name: 'smile',
      },
    );
    await refused(t, none, bad('You must upload exactly one file.'));
    const call = member.api.call('POST /realm/emoji/{emoji_name}', { emoji_name: 'nofile' });
    await refused(t, call, bad('You must upload exactly one file.'));
    await refused(t, add(member, 'smile', 'no image'), bad('Only administrators can override default emoji.'));
    const large = Buffer.alloc(5 * 1_048_576 + 1);
    await refused(t, add(member, 'large', large), bad('Uploaded file is larger than the allowed limit of 5 MiB'));
    const larger = Buffer.alloc(26 * 1_048_576);
    await refused(t, add(member, 'large', larger), bad('Uploaded file is larger than the allowed limit of 5 MiB'));
  });

  await t.test('a file that is no picture is refused and stored nowhere', async (t) => {
    const before = await list();
    const gif = await (await moving()).gif().toBuffer();
    const bomb = await sharp({ create: { width: 8_000, height: 8_000, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
    for (const bytes of [
      'hello',
      '',
      png.subarray(0, 40),
      svg,
      '%PDF-1.4',
      Buffer.from('GIF89a'),
      gif.subarray(0, 20),
    ]) {
      await refused(t, add(member, 'broken', bytes), UNDECODABLE);
    }
    await refused(t, add(member, 'huge', bomb), image('Image size exceeds limit.'));
    t.same(await list(), before);
  });

  await t.test('an animation that cannot be decoded is refused, even if its first picture is good', async (t) => {
    const noise = (seed: number) => {
      const bytes = Buffer.from(
        Array.from({ length: 64 * 64 * 3 }, (_, i) => Math.imul(i + seed, 2_654_435_761) >>> 24),
      );
      return sharp(bytes, { raw: { width: 64, height: 64, channels: 3 } })
        .png()
        .toBuffer();
    };
    const pictures = await Promise.all([noise(1), noise(50_000)]);
    const whole = await sharp(pictures, { join: { animated: true } })
      .gif()
      .toBuffer();
    t.equal((await add(member, 'whole', whole, 'a.gif')).status, 200);
    const broken = Buffer.from(whole);
    broken.fill(0xff, Math.floor(whole.length * 0.75), Math.floor(whole.length * 0.9));
    await refused(t, add(member, 'broken', broken, 'a.gif'), image('Corrupt animated image.'));
    t.same(await named('broken'), []);
  });

  await t.test('all users but guests may add emoji; a policy may say which roles', async (t) => {
    for (const by of org.people) {
      const answer = add(by, `by_${by.role}`);
      if (by === guest) await refused(t, answer, bad('Not allowed for guest users'));
      else t.equal((await answer).status, 200, by.role);
    }
    await refused(t, add(guest, 'BAD'), bad('Not allowed for guest users'), 'before anything else');
    await owner.api.ok('PATCH /realm', { add_custom_emoji_policy: 2 });
    for (const by of [org.moderator, member]) {
      await refused(t, add(by, 'wanted'), bad('Insufficient permission'), by.role);
      await refused(t, add(by, 'wide', 'no image'), bad('Insufficient permission'), `${by.role}, before the picture`);
    }
    t.equal((await add(admin, 'wanted')).status, 200);
    await owner.api.ok('PATCH /realm', { add_custom_emoji_policy: 1 });
    const nobody = org.nobody.upload('POST /realm/emoji/{emoji_name}', [{ name: 'a', bytes: png }], {
      emoji_name: 'x',
    });
    const anonymous = { status: 401, msg: 'Not logged in: API authentication or user session required' };
    await refused(t, nobody, anonymous);
    await refused(t, org.nobody.call('GET /realm/emoji'), anonymous);
    await refused(t, org.nobody.call('DELETE /realm/emoji/{emoji_name}', { emoji_name: 'x' }), anonymous);
  });

  await t.test('administrators may take the name of a Unicode emoji', async (t) => {
    t.equal((await add(admin, 'smile')).status, 200);
    const [made] = await named('smile');
    const id = await say(owner, 'hall', 'emoji', ':smile:');
    const { message } = await owner.api.ok<{ message: { content: string } }>('GET /messages/{message_id}', {
      message_id: id,
    });
    t.match(message.content, made!.source_url);
  });

  await t.test('authors and administrators deactivate an emoji; old messages keep it, the name is free', async (t) => {
    const authors = bad('Must be an organization administrator or emoji author');
    await refused(t, remove(other, 'wide'), authors);
    await refused(t, remove(org.moderator, 'wide'), authors);
    await refused(t, remove(guest, 'wide'), authors);
    await refused(t, remove(elsewhere.owner, 'wide'), bad("Emoji 'wide' does not exist"), 'of another organization');
    const [first] = await named('wide');
    t.equal((await remove(member, 'wide')).status, 200);
    for (const name of ['wide', 'nosuch', 'BAD Name', '\0']) {
      await refused(t, remove(admin, name), bad(`Emoji '${name}' does not exist`));
    }
    t.same(await named('wide'), [{ ...first, deactivated: true }]);
    t.equal((await picture(first!.source_url)).status, 200);
    t.equal((await add(other, 'wide')).status, 200);
    const both = await named('wide');
    t.same(
      both.map((one) => [one.deactivated, one.author_id]),
      [
        [true, member.id],
        [false, other.id],
      ],
    );
    t.ok(Number(both[1]!.id) > Number(first!.id));
    t.equal((await remove(admin, 'wide')).status, 200, "an administrator takes back another's");
  });

  await t.test('a name added by several calls at once is one emoji', async (t) => {
    const queue = await Queue.register(owner, { event_types: ['realm_emoji', 'message'] });
    const answers = await Promise.all([owner, admin, member, other].map((by) => add(by, 'race')));
    t.same(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
    t.equal((await named('race')).length, 1);
    t.equal((await settled(queue)).length, 1);
  });

  await t.test('snapshot and events', async (t) => {
    await verifyAction(t, 'emoji come and go', org.people, async () => {
      await add(member, 'comes');
      await add(member, 'stays');
      await remove(member, 'comes');
    });
  });
};
