/** The preview of a linked page in Chromium: its picture is shown, and comes from this server alone. */
import t from 'tap';
import { Hook } from '../api/support/hook.js';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe } from '../api/support/organization.js';
import { picture } from '../api/support/pictures.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}
t.setTimeout(120_000);

const WIDTH = 37;
/** The natural width of the picture that a preview shows, and its host; null while none is loaded. */
const SHOWN = `(() => {
  const image = document.querySelector('.message_embed_image img');
  if (!image?.complete || image.naturalWidth === 0) return null;
  return { width: image.naturalWidth, own: new URL(image.src).host === location.host, path: new URL(image.src).pathname };
})()`;

const server = await startFace('link-previews');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member']);
const pages = await Hook.start();
t.teardown(() => pages.close());
const bytes = await picture('red', WIDTH, 20);
pages.answer = (response, { path }) => {
  if (path.endsWith('/picture.png')) response.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
  else {
    const page = `<title>A page</title><meta property="og:image" content="${pages.url}/picture.png">`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  }
};
await org.owner.api.ok('PATCH /realm', { inline_url_embed_preview: true });
await subscribe(org.owner, 'lobby', { principals: [org.owner, org.member] });
const stream = await streamIdOf(org.owner, 'lobby');

await t.test('the picture of a link preview is shown, through the image proxy', async (t) => {
  const client = await ClientPage.open(browser, `${org.subdomain}.localhost:${server.nextPort()}`);
  await client.signIn(org.member.email, PASSWORD);
  await client.goTo(`#narrow/stream/${stream}/topic/links`);
  await say(org.owner, 'lobby', 'links', `${pages.url}/page`);
  await client.waitFor('.message_embed', 'A page');
  await client.page.waitForFunction(`${SHOWN} !== null`);
  t.match(await client.page.evaluate(SHOWN), { width: WIDTH, own: true, path: /^\/external_content\// });
  t.ok(
    pages.calls.some(({ path }) => path.endsWith('/picture.png')),
    'the server has fetched it',
  );
  t.same(client.faults, [], 'the browser asked no other host, and the policy refused nothing');
});
