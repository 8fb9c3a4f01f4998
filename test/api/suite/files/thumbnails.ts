/** Thumbnails of uploaded pictures (realm.md § Uploads and attachments). */
import sharp from 'sharp';
import { BASE_API_LEVEL } from '#domain/levels';
import { CURRENT_CLIENT_HEADERS, CURRENT_CLIENT_REGISTRATION } from '../../support/current-client-requests.js';
import { attachmentsOf, FORBIDDEN, look, NOT_FOUND, page, thumbnailOf, upload } from '../../support/files.js';
import { atLevel } from '../../support/levels.js';
import { makeOrganization, type Person, say, subscribe } from '../../support/organization.js';
import { animation, hostilePictures } from '../../support/pictures.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

interface Format {
  readonly name: string;
  readonly max_width: number;
  readonly max_height: number;
  readonly format: string;
  readonly animated: boolean;
}

/** A picture whose file is large, as photographs are. */
const photograph = (width: number, height: number): Promise<Buffer> =>
  sharp({
    create: { width, height, channels: 3, background: 'teal', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  })
    .jpeg({ quality: 90 })
    .toBuffer();

export const thumbnails: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, member, other } = org;
  await subscribe(owner, 'open', { principals: [owner, member] });
  const phone: Person = { ...member, api: member.api.with(CURRENT_CLIENT_HEADERS) };
  const atBaseLevel = atLevel(member, BASE_API_LEVEL);
  const queue = await Queue.register(phone, CURRENT_CLIENT_REGISTRATION);
  const formats = queue.state.server_thumbnail_formats as Format[];
  const [large, small] = formats as [Format, Format];
  const uploadPicture = (bytes: Uint8Array, name: string, type = 'image/jpeg') => upload(member, name, bytes, type);
  const photo = await uploadPicture(await photograph(1_200, 900), 'photo.jpg');

  await t.test('each format of the state is a smaller picture of the same shape', async (t) => {
    t.ok(formats.length > 0);
    for (const { name, max_width, max_height, format, animated } of formats) {
      const answer = await look(member, thumbnailOf(photo, name));
      t.same([answer.status, answer.headers['content-type'], animated], [200, `image/${format}`, false]);
      const { width, height, format: made } = await sharp(answer.bytes).metadata();
      t.equal(made, format);
      t.ok(width === max_width || height === max_height, `${width} × ${height} fills ${name}`);
      t.ok(width <= max_width && height <= max_height);
      t.ok(Math.abs(width / height - 4 / 3) < 0.02, 'the shape');
    }
  });

  await t.test('a client that has a thumbnail is told that it is still good; parts are served', async (t) => {
    const uri = thumbnailOf(photo, small.name);
    const whole = await look(member, uri);
    t.match(whole.headers, { 'cache-control': /^private/, 'x-content-type-options': 'nosniff' });
    const again = await look(member, uri, { 'if-none-match': String(whole.headers.etag) });
    t.same([again.status, again.bytes.length], [304, 0]);
    const part = await look(member, uri, { range: 'bytes=0-3' });
    t.same([part.status, part.text], [206, 'RIFF']);
  });

  await t.test('a picture that a camera has turned is upright', async (t) => {
    const turned = await sharp(await photograph(900, 600))
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { bytes } = await look(member, thumbnailOf(await uploadPicture(turned, 'turned.jpg'), small.name));
    const { width, height } = await sharp(bytes).metadata();
    t.ok(height > width, `${width} × ${height}`);
  });

  await t.test('a file that gains nothing or cannot be scaled is served itself', async (t) => {
    const photoBytes = await photograph(600, 400);
    const coarse = await sharp(photoBytes).webp({ quality: 5 }).toBuffer();
    const files: readonly (readonly [string, Uint8Array, string])[] = [
      ['coarse.webp', coarse, 'image/webp'],
      ['moving.gif', await animation(3, 900, 600), 'image/gif'],
      ['text.jpg', Buffer.from('no picture at all'), 'image/jpeg'],
      ['half.jpg', photoBytes.subarray(0, photoBytes.length / 2), 'image/jpeg'],
      ['drawing.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
    ];
    for (const [name, bytes, type] of files) {
      const uri = await uploadPicture(bytes, name, type);
      for (let turn = 0; turn < 2; turn++) {
        const [direct, answer] = [await look(member, uri), await look(member, thumbnailOf(uri, large.name))];
        t.same([answer.status, answer.bytes], [200, Buffer.from(bytes)], name);
        for (const header of ['content-type', 'content-disposition', 'content-security-policy', 'etag'])
          t.equal(answer.headers[header], direct.headers[header], `${name}: ${header}`);
      }
    }
  });

  await t.test('a hostile picture is served itself', async (t) => {
    for (const [title, bytes] of await hostilePictures()) {
      const uri = await uploadPicture(Buffer.from(bytes), 'hostile.png', 'image/png');
      const answer = await look(member, thumbnailOf(uri, small.name));
      t.same([answer.status, answer.bytes.equals(Buffer.from(bytes))], [200, true], title);
    }
  });

  await t.test('unknown formats, unknown files and files of others are not found or forbidden', async (t) => {
    for (const name of ['1x1.webp', '840x560.png', '', '..', `${large.name}/x`, `%2e%2e%2f${large.name}`])
      t.same(page(await member.api.raw({ method: 'GET', path: thumbnailOf(photo, name) })).slice(0, 1), [404], name);
    t.same(page(await look(member, thumbnailOf(photo.replace('photo', 'other'), large.name))), NOT_FOUND);
    t.same(page(await look(elsewhere.owner, thumbnailOf(photo, large.name))), NOT_FOUND, 'another organization');
    t.same(page(await look(other, thumbnailOf(photo, large.name))), FORBIDDEN, 'the file is in no message yet');
  });

  await t.test('a thumbnail is gone with its file', async (t) => {
    const uri = await uploadPicture(await photograph(700, 500), 'gone.jpg');
    t.equal((await look(member, thumbnailOf(uri, small.name))).status, 200);
    const { attachments } = await attachmentsOf(member);
    const { id } = attachments.find(({ path_id }) => uri.endsWith(path_id))!;
    await member.api.ok('DELETE /attachments/{attachment_id}', { attachment_id: id });
    t.same(page(await look(member, thumbnailOf(uri, small.name))), NOT_FOUND);
  });

  await t.test('messages of newer levels show thumbnails of pictures, and link to the files', async (t) => {
    const moving = await uploadPicture(await animation(2, 30, 30), 'moving.gif', 'image/gif');
    const content = `[a photo](${photo}) and [one that moves](${moving})`;
    const shown = (src: string, href: string, title: string): string =>
      `<div class="message_inline_image"><a href="${href}" title="${title}"><img src="${src}"></a></div>`;
    const atBase = [shown(photo, photo, 'a photo'), shown(moving, moving, 'one that moves')];
    const atNewer = [shown(thumbnailOf(photo, large.name), photo, 'a photo'), atBase[1]!];
    const previewsOf = (html: unknown): string[] =>
      String(html).match(/<div class="message_inline_image">.*?<\/div>/g) ?? [];
    await settled(queue);
    const id = await say(member, 'open', 'pictures', content);
    const [event] = (await settled(queue)).filter(({ type }) => type === 'message');
    t.same(previewsOf((event!.message as ApiMessage).content), atNewer, 'the event');
    const fetched = async (by: Person) =>
      (await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id })).message.content;
    t.same(previewsOf(await fetched(phone)), atNewer);
    t.same(previewsOf(await fetched(atBaseLevel)), atBase, 'level 184 is as it was');
    const rendered = async (by: Person) =>
      (await by.api.ok<{ rendered: string }>('POST /messages/render', { content })).rendered;
    t.same([previewsOf(await rendered(phone)), previewsOf(await rendered(atBaseLevel))], [atNewer, atBase]);
    await member.api.ok('PATCH /messages/{message_id}', { message_id: id, content: `again: [a photo](${photo})` });
    const edits = (await settled(queue)).filter(({ type }) => type === 'update_message') as Fields[];
    t.same(
      edits.map(({ rendered_content }) => previewsOf(rendered_content)),
      [[atNewer[0]]],
    );
    t.equal((await look(other, thumbnailOf(photo, large.name))).status, 200, 'readers of the message see it');
  });
};
