/** Previews of linked pages (markdown.md § Previews): shown after sending, told as an update that is no edit. */

import type { ServerResponse } from 'node:http';
import { Hook } from '../../support/hook.js';
import { atLevel } from '../../support/levels.js';
import {
  makeBot,
  makeOrganization,
  type Person,
  say,
  streamIdOf,
  subscribe,
  tell,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

const TEXTS = '<title>A <b>page</b></title><meta name="description" content="What &lt;it&gt; says">';
const PAGE = `${TEXTS}<meta property="og:image" content="/picture.png">`;

export const linkPreviews: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other, guest } = org;
  const pages = await Hook.start();
  t.teardown(() => pages.close());
  pages.answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  await subscribe(member, 'lobby', { principals: [owner, member, other] });
  const stream = await streamIdOf(member, 'lobby');
  let made = 0;
  const newUrl = (): string => `${pages.url}/${++made}`;
  const switchOn = (on: boolean) => owner.api.ok('PATCH /realm', { inline_url_embed_preview: on });
  const watch = (by: Person): Promise<Queue> => Queue.register(by, { event_types: ['message', 'update_message'] });
  const isUpdate = ({ type }: ApiEvent): boolean => type === 'update_message';
  const update = async (queue: Queue): Promise<ApiEvent> =>
    (await queue.until((all) => all.some(isUpdate))).find(isUpdate)!;
  const read = async (by: Person, id: number): Promise<ApiMessage> =>
    (await by.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id })).message;

  await t.test('no page is fetched while the organization has previews switched off', async (t) => {
    const id = await say(member, 'lobby', 'links', newUrl());
    const queue = await watch(member);
    t.notMatch(String((await read(member, id)).content), /message_embed/);
    t.same([await settled(queue), pages.calls.length], [[], 0]);
  });

  await switchOn(true);

  await t.test('readers get the preview by an update without a user, and the message shows it', async (t) => {
    const [queue, elsewhere] = [await watch(other), await watch(guest)];
    const url = newUrl();
    const id = await say(member, 'lobby', 'links', `see ${url}`);
    const event = await update(queue);
    t.match(event, { user_id: null, rendering_only: true, message_id: id, message_ids: [id], content: `see ${url}` });
    t.notOk('stream_id' in event || 'stream_name' in event);
    const html = String(event.rendered_content);
    t.ok(html.startsWith(String(event.orig_rendered_content)));
    t.match(
      html,
      /<div class="message_embed"><a class="message_embed_image" href="[^"]+" style="background-image: url/,
    );
    t.match(html, /<\/a><div class="data-container">/);
    t.match(html, /title="A page">A page<\/a>|>A &lt;b&gt;page&lt;\/b&gt;</);
    t.match(html, /What &lt;it&gt; says/);
    const message = await read(other, id);
    t.equal(message.content, html);
    t.notOk('last_edit_timestamp' in message, 'it is no edit');
    t.same(await settled(elsewhere), [], 'users who can not read the message get nothing');
  });

  await t.test('a page without a picture has a preview of its texts at level 184 alone', async (t) => {
    const [older, newer] = [atLevel(other, 184), atLevel(other)];
    const queues = await Promise.all([watch(older), watch(newer)]);
    const answer = pages.answer;
    pages.answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(TEXTS);
    const url = newUrl();
    const id = await say(member, 'lobby', 'links', `see ${url}`);
    const [shown, left] = [await update(queues[0]!), await update(queues[1]!)];
    pages.answer = answer;
    const html = String(shown.rendered_content);
    t.match(html, /<\/p>\n<div class="message_embed"><div class="data-container"><div class="message_embed_title">/);
    t.equal((await read(older, id)).content, html);
    const text = html.slice(0, html.indexOf('\n<div'));
    t.match(left, { message_id: id, rendering_only: true, rendered_content: text });
    t.equal((await read(newer, id)).content, text, "today's client shows such a preview as source");
  });

  await t.test('a page that was fetched is not fetched again', async (t) => {
    const queue = await watch(member);
    const url = newUrl();
    const before = pages.calls.length;
    await tell(member, [other], url);
    await update(queue);
    const again = await watch(member);
    await tell(member, [other], `again ${url}`);
    t.match(await update(again), { rendering_only: true });
    t.equal(pages.calls.length - before, 1);
  });

  await t.test('an edited text gets the previews of its own links', async (t) => {
    const [first, second] = [newUrl(), newUrl()];
    const queue = await watch(member);
    const id = await say(member, 'lobby', 'links', first);
    await update(queue);
    const edited = await watch(member);
    await member.api.ok('PATCH /messages/{message_id}', { message_id: id, content: `now ${second}` });
    const events = await edited.until((all) => all.filter(isUpdate).length === 2);
    t.same(
      events.map(({ rendering_only, user_id }) => [rendering_only, user_id]),
      [
        [false, member.id],
        [true, null],
      ],
    );
    const html = String((await read(member, id)).content);
    t.ok(html.includes(second) && !html.includes(first));
    t.equal(html.split('class="message_embed"').length, 2);
    const { message_history } = await member.api.ok<{ message_history: unknown[] }>(
      'GET /messages/{message_id}/history',
      { message_id: id },
    );
    t.equal(message_history.length, 2, 'the history has the edit alone');
  });

  await t.test('a link that an edit adds while the pages are fetched gets its preview', async (t) => {
    const [first, second] = [newUrl(), newUrl()];
    const queue = await watch(member);
    const answer = pages.answer;
    const fetched = new Promise<ServerResponse>((resolve) => {
      pages.answer = resolve;
    });
    const id = await say(member, 'lobby', 'links', first);
    const response = await fetched;
    pages.answer = answer;
    await member.api.ok('PATCH /messages/{message_id}', { message_id: id, content: `${first} and ${second}` });
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    await queue.until((all) => all.some(({ rendering_only }) => rendering_only === true));
    const html = String((await read(member, id)).content);
    t.equal(html.split('class="message_embed"').length, 3);
  });

  await t.test('links in angle brackets, of bots, and to pages without a title have no preview', async (t) => {
    const queue = await watch(member);
    const bot = await makeBot(member);
    await say(member, 'lobby', 'links', `<${newUrl()}>`);
    await tell(bot, [member], newUrl());
    pages.answer = (response) => void response.writeHead(500, { 'content-type': 'text/html' }).end(PAGE);
    await say(member, 'lobby', 'links', newUrl());
    const last = newUrl();
    pages.answer = (response, { path }) =>
      last.endsWith(path)
        ? void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
        : void response.writeHead(500).end();
    const shown = await say(member, 'lobby', 'links', last);
    t.equal((await update(queue)).message_id, shown);
  });

  await t.test('a message that moves away before its preview comes gets it where it is', async (t) => {
    await subscribe(member, 'attic', { principals: [owner, member] });
    const attic = await streamIdOf(member, 'attic');
    let release = (): void => {};
    pages.answer = (response) => {
      release = () => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    };
    const calls = pages.calls.length;
    const id = await say(member, 'lobby', 'moving', newUrl());
    await pagesCalled(pages, calls + 1);
    await owner.api.ok('PATCH /messages/{message_id}', {
      message_id: id,
      stream_id: attic,
      propagate_mode: 'change_one',
    });
    const queue = await watch(member);
    release();
    t.match(await update(queue), { message_id: id, rendering_only: true });
    t.match(String((await read(member, id)).content), /message_embed/);
    t.equal((await read(member, id)).stream_id, attic);
  });

  await t.test('a message that is deleted meanwhile stays deleted', async (t) => {
    let release = (): void => {};
    pages.answer = (response) => {
      release = () => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    };
    const calls = pages.calls.length;
    const id = await say(member, 'lobby', 'gone', newUrl());
    await pagesCalled(pages, calls + 1);
    await owner.api.ok('DELETE /messages/{message_id}', { message_id: id });
    const queue = await watch(member);
    release();
    pages.answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    const next = await say(member, 'lobby', 'gone', newUrl());
    t.equal((await update(queue)).message_id, next);
  });

  await switchOn(false);
  t.ok(stream > 0);
};

async function pagesCalled(pages: Hook, count: number): Promise<void> {
  while (pages.calls.length < count) await pages.next();
}
