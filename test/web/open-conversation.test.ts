/** Around an open conversation in Chromium: announcements, keys, slash commands, playgrounds of code. */
import t from 'tap';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe } from '../api/support/organization.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

t.setTimeout(240_000);

const server = await startFace('open-conversation');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member', 'other']);
const { owner, member, other } = org;
for (const name of ['alpha', 'beta']) await subscribe(owner, name, { principals: [owner, member, other] });
const stream = await streamIdOf(member, 'alpha');
const host = `${org.subdomain}.localhost:${server.nextPort()}`;

async function openTopic(topic: string): Promise<ClientPage> {
  const client = await ClientPage.open(browser, host);
  await client.openSignedIn(member.email, PASSWORD, `#narrow/stream/${stream}-alpha/topic/${topic}`);
  await client.waitFor('.compose-text');
  return client;
}

t.test('a message of another that arrives is announced, and an own one is not', async (t) => {
  await say(other, 'alpha', 'news', 'there before');
  const client = await openTopic('news');
  await client.waitFor('.message-body', 'there before');
  await client.waitFor('[aria-posinset="1"][aria-setsize="-1"]', 'there before');
  await say(member, 'alpha', 'news', 'from my telephone');
  await client.waitFor('.message-body', 'from my telephone');
  await say(other, 'alpha', 'news', `**late** news ${'and more '.repeat(40)}`);
  await client.waitFor('[aria-live=polite]', `${other.name}: late news and more`);
  const said = (await client.page.evaluate(
    `[...document.querySelectorAll('[aria-live=polite]')].map((e) => e.textContent).join('')`,
  )) as string;
  t.notMatch(said, 'telephone');
  t.ok(said.length < 200, 'a long text is cut');
  // The page of a reader who is signed out has no text of a message either.
  await client.goTo('#inbox');
  await client.page.waitForFunction("!document.body.textContent.includes('late news')");
  t.strictSame(client.faults, []);
});

t.test('keys lead to the streams above and below, to the readers of a message, and to the preview', async (t) => {
  await say(member, 'alpha', 'keys', 'who reads this?');
  const client = await openTopic('keys');
  const { keyboard } = client.page;
  await client.waitFor('.message-body', 'who reads this?');
  await client.waitFor('.row.stream', 'beta');
  await keyboard.press('V');
  await client.waitFor('dialog', 'Read receipts');
  await keyboard.press('Escape');
  await client.waitUntilGone('dialog[open]');
  await keyboard.press('D');
  await client.waitFor('.bar-title', 'beta');
  await keyboard.press('A');
  await client.waitFor('.bar-title', 'alpha');
  const writing = await openTopic('keys');
  await writing.page.type('.compose-text', '**loud**');
  await writing.page.keyboard.down('Alt');
  await writing.page.keyboard.press('p');
  await writing.page.keyboard.up('Alt');
  await writing.waitFor('.compose-preview strong', 'loud');
  t.strictSame([client.faults, writing.faults], [[], []]);
});

t.test('the focus stays near when the preview hides the text or a reaction is taken back', async (t) => {
  const id = await say(other, 'alpha', 'focus', 'cheer up');
  await member.api.ok('POST /messages/{message_id}/reactions', { message_id: id, emoji_name: 'tada' });
  const client = await openTopic('focus');
  const { page } = client;
  const focusIs = (selector: string) => page.waitForFunction(`document.activeElement.matches('${selector}')`);
  await page.type('.compose-text', '**loud**');
  await page.keyboard.down('Alt');
  await page.keyboard.press('p');
  await focusIs('.compose-preview');
  await page.keyboard.press('p');
  await page.keyboard.up('Alt');
  await focusIs('.compose-text');
  await page.focus('.reaction');
  await page.keyboard.press('Enter');
  await client.waitUntilGone('.reaction');
  await focusIs('.message-row *');
  await page.evaluate('document.activeElement.blur()');
  await focusIs('body');
  t.strictSame(client.faults, []);
});

t.test('the line "Today" becomes "Yesterday" at midnight in an open page', async (t) => {
  await say(other, 'alpha', 'midnight', 'good night');
  const client = await openTopic('midnight');
  await client.waitFor('.day-line', 'Today');
  await client.page.evaluate(`{
    const now = Date.now;
    Date.now = () => now() + 86_400_000;
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
  await client.waitFor('.day-line', 'Yesterday');
  t.strictSame(client.faults, []);
});

t.test('a slash command changes the setting and sends no message', async (t) => {
  const client = await openTopic('slash');
  await client.page.type('.compose-text', '/dark');
  await client.pressControl('Enter');
  await until('the theme is dark', async () => {
    const { user_settings } = await member.api.ok<{ user_settings: { color_scheme: number } }>('POST /register', {
      fetch_event_types: ['user_settings'],
      client_capabilities: { user_settings_object: true },
    });
    return user_settings.color_scheme === 2;
  });
  await client.page.waitForFunction(`document.querySelector('.compose-text').value === ''`);
  const narrow = [{ operator: 'topic', operand: 'slash' }];
  const { messages } = await member.api.ok('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0, narrow });
  t.strictSame(messages, []);
  t.strictSame([client.faults, client.refusals], [[], []]);
});

t.test('a code block opens in the playground of its language, without a way back to the page', async (t) => {
  await owner.api.ok('POST /realm/playgrounds', {
    name: 'Sandbox',
    highlighter_language: 'Python',
    url_prefix: `http://${host}/robots.txt?code=`,
  });
  await say(other, 'alpha', 'code', '```python\nprint("a & b")\n```\n```js\nlet n = 1;\n```');
  const client = await openTopic('code');
  await client.waitFor('.code-play', 'Open in Sandbox');
  t.equal((await client.page.$$('.code-play')).length, 1, 'only Python has a playground');
  await client.page.hover('.codehilite');
  const opened = browser.waitForTarget((target) => target.url().includes('/robots.txt?code='));
  await client.click('.code-play', 'Open in Sandbox');
  const target = await opened;
  t.match(target.url(), '?code=print%28%22a%20%26%20b%22%29');
  t.equal(await (await target.page())!.evaluate('window.opener'), null);
  t.strictSame(client.faults, []);
});
