/** Readers without an account, in Chromium: web-public streams, nothing else, and the way to the sign-in and back. */
import t from 'tap';
import { makeOrganization, PASSWORD, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { picked } from '../support/rounds.js';
import { CHROMIUM_IS_MISSING, ClientPage, DESK, openChromium, PHONE } from './support/chromium.js';
import { startFace } from './support/face.js';
import { openLine } from './support/line.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}
t.setTimeout(180_000);

const server = await startFace('spectators');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['member']);
const { owner, member } = org;
await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
await subscribe(owner, 'town square', { is_web_public: true, principals: [owner, member] });
await subscribe(owner, 'backstage', { principals: [owner, member] });
const square = await streamIdOf(owner, 'town square');
const backstage = await streamIdOf(owner, 'backstage');
const seen = await say(member, 'town square', 'welcome', 'read me :tada: **all of you**');
await say(owner, 'town square', 'welcome', '/poll Lunch?\nPizza');
await say(owner, 'town square', 'more', 'another topic');
await say(member, 'backstage', 'secrets', 'for insiders');
await tell(member, [owner], 'for the owner alone');
await member.api.ok('POST /messages/{message_id}/reactions', { message_id: seen, emoji_name: 'heart' });
const port = server.nextPort();
const host = `${org.subdomain}.localhost:${port}`;
const cookieName = `conclave_session_${port}`;
const hash = `#narrow/stream/${square}-town-square/topic/welcome`;

async function openAt(address: string, wait = '.visitor') {
  const at = await ClientPage.open(browser, host);
  await at.goTo(address);
  await at.page.waitForSelector(wait);
  return { at, page: at.page };
}

/** Everything on the page, with the names of its controls. */
const everything = ({ page }: ClientPage): Promise<string> =>
  page.evaluate(`document.body.innerText + [...document.querySelectorAll('[aria-label], [title]')]
    .map((e) => e.ariaLabel + ' ' + e.title).join(' ')`) as Promise<string>;
/** Words that no reader without an account may see. */
const HIDDEN = /backstage|insiders|owner alone|secrets/;

const LOOKS = [{ viewport: DESK }, { viewport: DESK, scheme: 'dark' }, { viewport: PHONE }] as const;

for (const look of picked(LOOKS, 1, (one) => `spectator ${JSON.stringify(one)}`)) {
  t.test(`a spectator reads without an account: ${JSON.stringify(look)}`, async (t) => {
    const client = await ClientPage.open(browser, host, look);
    t.teardown(() => client.leave(t.passing()));
    await client.goTo('');
    await client.waitFor('.visitor', 'without an account');
    for (const address of ['', '#recent', '#all_messages', hash]) {
      await client.goTo(address);
      await client.waitFor('.visitor', 'without an account');
      if (address === hash || address === '#all_messages') await client.waitFor('.message-body', 'all of you');
      t.strictSame(await client.findings(), [], `findings at ${address}`);
      t.notMatch(await everything(client), HIDDEN, `what is seen at ${address}`);
    }
    t.strictSame([client.faults, client.refusals], [[], []]);
  });
}

t.test('a spectator sees reactions, polls and topics, but nothing to write with', async (t) => {
  const { at, page } = await openAt(hash);
  await at.waitFor('.reaction', 'heart');
  await at.waitFor('.widget', 'Lunch?');
  t.equal(await page.$('.compose, .compose-text, .reaction-add, .poll-vote:enabled, .widget input:enabled'), null);
  await page.click('.reaction');
  for (const key of ['r', 'c', 'e', 'x', '+'] as const) await page.keyboard.press(key);
  await at.openMessageMenu();
  const items = (await page.$$eval('.menu-item', (found) => found.map(({ textContent }) => textContent))) as string[];
  t.notMatch(items.join(), /Edit|Delete|Move|Star|Quote|unread|React/);
  await page.keyboard.press('Escape');
  t.equal(await page.$('.compose-text, .emoji-picker, dialog[open]'), null);
  const { message } = await member.api.ok<{ message: { reactions: unknown[] } }>('GET /messages/{message_id}', {
    message_id: seen,
  });
  t.equal(message.reactions.length, 1, 'the reaction is not doubled');
  t.strictSame([at.faults, at.refusals], [[], []]);
});

t.test('addresses of what is not public show nothing of it', async (t) => {
  for (const address of [
    `#narrow/stream/${backstage}-x/topic/secrets`,
    `#narrow/dm/${member.id}`,
    '#settings/profile',
    '#organization/people',
    '#drafts',
    `#streams/${backstage}`,
    '#inbox',
  ]) {
    const { at, page } = await openAt(address, '.visitor, .sign-in');
    await page.waitForFunction(`document.querySelector('.spinner') === null`);
    t.notMatch((await everything(at)).replaceAll(address, ''), HIDDEN, address);
    t.strictSame(at.faults, [], address);
    await at.leave();
  }
});

t.test('what a member has read is gone from the browser when the session has ended elsewhere', async (t) => {
  const at = await ClientPage.open(browser, host);
  const { page } = at;
  await at.openSignedIn(member.email, PASSWORD, `#narrow/stream/${backstage}-backstage/topic/secrets`);
  await at.waitFor('.message-body', 'for insiders');
  const copiesOffline = `new Promise((resolve) => {
    const open = indexedDB.open('conclave');
    open.onsuccess = () => {
      const keys = open.result.transaction('values').objectStore('values').getAllKeys();
      keys.onsuccess = () => {
        open.result.close();
        resolve(keys.result.filter((key) => key.startsWith('offline/')).length);
      };
    };
  })`;
  await page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
  await page.waitForFunction(copiesOffline);
  await page.deleteCookie({ name: cookieName, url: `http://${host}/` });
  await page.reload();
  await at.waitFor('.sign-in', 'without an account');
  await page.waitForFunction(`${copiesOffline}.then((count) => count === 0)`);
  t.notMatch(await page.evaluate('document.cookie'), /conclave_known/);
  t.notMatch(await everything(at), HIDDEN);
});

t.test('places for accounts ask a spectator to sign in, and request nothing', async (t) => {
  for (const address of [
    '#inbox',
    '#settings',
    `#narrow/dm/${member.id}`,
    '#narrow/is/starred',
    '#narrow/stream/999',
  ]) {
    const { at, page } = await openAt(address, '.sign-in');
    t.equal(await page.$('.sign-in-note'), null);
    t.strictSame([at.faults, at.refusals], [[], []], address);
    await at.leave();
  }
  const { at } = await openAt('#nowhere');
  await at.waitFor('.opening', 'There is nothing at this address.');
});

t.test('a reader whose session has ended is told so when the page is opened again', async (t) => {
  const at = await ClientPage.open(browser, host);
  await at.openSignedIn(member.email, PASSWORD, '#inbox');
  await at.waitFor('.row.stream', 'backstage');
  await at.page.deleteCookie({ name: cookieName, url: at.page.url() });
  await at.page.reload();
  await at.waitFor('.sign-in-note', 'You have been signed out.');
  await at.click('button', 'without an account');
  await at.waitFor('.visitor', 'You have been signed out.');
  t.strictSame(at.faults, []);
});

t.test('a session on another port of the host is none of the page, and does not end with it', async (t) => {
  const line = await openLine(t, org);
  const at = await ClientPage.open(browser, host);
  await at.openSignedIn(member.email, PASSWORD, '#inbox');
  await at.waitFor('.row.stream', 'backstage');
  const hints = () => at.page.evaluate('document.cookie') as Promise<string>;
  await at.page.waitForFunction(`document.cookie.includes('conclave_known')`);
  const before = await hints();
  const elsewhere = await at.openTab();
  await elsewhere.goto(`http://${org.subdomain}.localhost:${line.org.server.nextPort()}/`);
  const text = await elsewhere.waitForFunction(`document.querySelector('.visitor span')?.textContent`);
  t.match(await text.jsonValue(), /without an account/);
  t.equal(await hints(), before);
  t.strictSame([at.faults, at.refusals], [[], []]);
});

t.test('signing in returns to the place that was read', async (t) => {
  const { at, page } = await openAt(hash);
  await at.waitFor('.message-body', 'all of you');
  await at.click('.visitor button', 'Sign in');
  await at.fill('input[name=username]', member.email);
  await at.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await at.waitFor('.compose-text');
  t.match(new URL(page.url()).hash, /topic\/welcome/);
  await at.waitFor('.message-body', 'all of you');
  t.equal(await page.$('.visitor'), null);
  await at.waitFor('.row.stream', 'backstage');
  t.strictSame([at.faults, at.refusals], [[], []]);
});

t.test('a spectator goes back from the sign-in to reading, and is told when the access ends', async (t) => {
  const { at, page } = await openAt('#sign-in', '.sign-in');
  await at.click('button', 'without an account');
  await at.waitFor('.row.stream', 'town square');
  await owner.api.ok('PATCH /realm', { enable_spectator_access: false });
  await page.reload();
  await at.waitFor('h1', 'Sign in to');
  t.notMatch(await everything(at), /all of you|town square/);
  await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
  t.strictSame(at.faults, []);
});
