/** Two people from the first link to the end of a session, each in a browser profile of their own, on both faces. */
import type { Browser } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { createOneTimeSignInUrl } from '#app/admin';
import { services, startCluster, startEmbedded, type TestServer } from '../api/support/faces.js';
import { linkIn, mailed } from '../api/support/mails.js';
import { makeOrganization, streamIdOf, subscribe } from '../api/support/organization.js';
import type { ApiUser } from '../api/support/types.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, withPictures } from './support/chromium.js';

const PASSWORD = 'brightly-heron-canoe-52';
const NAME = 'Ada Newcomer';

const write = async (client: ClientPage, text: string): Promise<void> => {
  await client.fill('.compose-text', text);
  await client.pressControl('Enter');
};

/** Opens the menu of the message with these words, and chooses an item. */
async function act(client: ClientPage, words: string, item: string): Promise<void> {
  await client.openMessageMenu(words);
  await client.click('.menu-item', item);
}

const titled = (client: ClientPage, condition: string): Promise<unknown> =>
  client.page.waitForFunction(`((title) => ${condition})(document.title)`);

const unread = (client: ClientPage, n: number): Promise<unknown> =>
  titled(client, n === 0 ? `!title.startsWith('(')` : `title.startsWith('(${n})')`);

async function runJourney(t: Test, server: TestServer, browser: Browser): Promise<void> {
  const org = await makeOrganization(server, ['other']);
  await subscribe(org.owner, 'general', { principals: [org.owner, org.other] });
  await org.owner.api.ok('POST /mark_all_as_read');
  const stream = await streamIdOf(org.owner, 'general');
  const hash = (topic: string): string => `#narrow/stream/${stream}-general/topic/${topic}`;
  const address = `ada@${org.subdomain}.example.com`;
  const host = `${org.subdomain}.localhost:${server.nextPort()}`;
  const owner = await ClientPage.open(browser, host, { hasServiceWorker: true });
  const ada = await ClientPage.open(browser, host, { hasServiceWorker: true });
  const step = (title: string, run: () => Promise<void>): Promise<unknown> =>
    t.test(title, async () => withPictures(t, { owner, ada }, run));
  /** Opens an address of a letter or invitation on this server, whose port the letter does not know. */
  const open = (client: ClientPage, url: string): Promise<unknown> =>
    client.goTo(new URL(url, 'http://x').pathname.slice(1));

  await step('the owner signs in by a one-time link', async () => {
    await owner.goTo('');
    await owner.waitFor('h1', 'Sign in to');
    const url = await createOneTimeSignInUrl(server.actors, server.secrets, org.realm, org.owner.email, 'http://x');
    await owner.goTo(new URL(url).hash);
    await owner.waitFor('.row.stream', 'general');
    await owner.page.waitForFunction(`!location.hash.includes('sign-in')`);
  });

  let invitation = '';
  await step('the owner makes a link that invites', async () => {
    await owner.goTo('#organization/invitations');
    await owner.click('label', 'By a link');
    await owner.click('label', '#general');
    await owner.click('button', 'Make a link');
    await owner.waitFor('.settings-form .copy-text input', 'Invitation link');
    invitation = await owner.valueOf('.settings-form .copy-text input');
  });

  await step('a second person makes an account with it, and signs in by password', async () => {
    await open(ada, invitation);
    await ada.fill('#email', address);
    await ada.click('button', 'Send the link');
    await ada.waitFor('h1', 'Check your mail');
    const [letter] = await mailed(server, address);
    await open(ada, linkIn(letter!));
    await ada.fill('#full_name', NAME);
    await ada.fill('#password', PASSWORD);
    await ada.click('button', 'Join');
    await ada.waitFor('h1', 'Welcome');
    await ada.signIn(address, PASSWORD);
    await ada.waitFor('.app');
  });

  const { members } = await org.owner.api.ok<{ members: ApiUser[] }>('GET /users');
  const adaId = Number(members.find(({ full_name }) => full_name === NAME)!.user_id);
  await org.owner.api.ok('POST /mark_all_as_read');

  await step('what one writes appears at the other', async () => {
    await Promise.all([owner.goTo(hash('plans')), ada.goTo(hash('plans'))]);
    await Promise.all([owner.waitFor('.compose-text'), ada.waitFor('.compose-text')]);
    await write(ada, 'shall we **begin**?');
    await owner.waitFor('.message-body strong', 'begin');
    await ada.waitFor('.message-body strong', 'begin');
    await write(owner, 'yes, at noon');
    await ada.waitFor('.message-body', 'yes, at noon');
    t.equal(await ada.valueOf('.compose-text'), '', 'the box is empty again');
  });

  await step('each sees that the other is typing', async () => {
    await ada.fill('.compose-text', 'a long story');
    // A notice is stored nowhere and may be lost; it comes again as the user goes on typing.
    await ada.typeUntil(owner.waitFor('.messages', `${NAME} is typing`));
    await ada.pressControl('Enter');
    await owner.waitFor('.message-body', 'a long story');
    await owner.waitUntilGone('.messages', 'is typing');
  });

  await step('a reaction, joined and left again', async () => {
    await owner.waitFor('.message-row', 'a long story');
    await act(owner, 'a long story', 'Add a reaction');
    await owner.fill('.emoji-picker input', 'tada');
    await owner.waitFor('.emoji-picker', '🎉');
    await owner.page.keyboard.press('Enter');
    await ada.waitFor('.reaction', 'reacted with :tada:');
    await ada.click('.reaction', ':tada:');
    await owner.waitFor('.reaction', `You, ${NAME}`);
    await ada.click('.reaction', ':tada:');
    await owner.waitUntilGone('.reaction', NAME);
    // By choice, or when more than three have reacted, numbers stand in place of the names.
    await org.owner.api.ok('PATCH /settings', { display_emoji_reaction_users: false });
    await owner.waitFor('.reaction', '1');
  });

  await step('an edit shows on both sides', async () => {
    await act(ada, 'a long story', 'Edit');
    await ada.fill('.edit-text', 'a short story');
    await ada.pressControl('Enter');
    await owner.waitFor('.message-body', 'a short story');
    await owner.waitFor('.message-edited', 'edited');
    await ada.waitUntilGone('.edit-text');
  });

  await step('a deleted message disappears', async () => {
    await act(owner, 'a short story', 'Delete');
    await owner.click('dialog button', 'Delete');
    await owner.waitUntilGone('.message-body', 'a short story');
    await ada.waitUntilGone('.message-body', 'a short story');
  });

  await step('messages that move to another topic are found there', async () => {
    await act(owner, 'yes, at noon', 'Move message');
    await owner.fill('dialog input:not([type=radio]):not([type=checkbox])', 'lunch');
    await owner.click('dialog button', 'Move');
    await owner.waitUntilGone('dialog');
    // The messages on screen are the ones that move: the conversation goes on there.
    await owner.page.waitForFunction("location.hash.includes('topic/lunch')");
    for (const client of [ada, owner]) {
      await client.goTo(hash('lunch'));
      await client.waitFor('.message-body', 'yes, at noon');
      await client.waitFor('.message-body', 'moved here');
    }
    await unread(owner, 0);
  });

  await step('unread messages are counted until they are read', async () => {
    await owner.goTo('#inbox');
    await unread(owner, 0);
    await write(ada, 'one');
    await unread(owner, 1);
    await write(ada, 'two');
    await unread(owner, 2);
    await owner.click('.overview-main', 'lunch');
    await owner.waitFor('.message-body', 'two');
    await unread(owner, 0);
  });

  await step('a mention is marked in the sidebar, and found among the mentions', async () => {
    await owner.goTo('#drafts');
    await write(ada, `@**${org.owner.name}** hungry?`);
    await owner.waitFor('.side.left', 'You are mentioned');
    await owner.goTo('#narrow/is/mentioned');
    await owner.waitFor('.message-row.mentioned', 'hungry?');
    await unread(owner, 0);
  });

  await step('a direct message reaches the other, who answers', async () => {
    await ada.goTo('#inbox');
    await ada.click('button', 'Mark all as read');
    await ada.click('dialog .primary', 'Mark all as read');
    await unread(ada, 0);
    await owner.goTo(`#narrow/dm/${adaId}`);
    await write(owner, 'just between us');
    await unread(ada, 1);
    await ada.click('.overview-main', org.owner.name);
    await ada.waitFor('.message-body', 'just between us');
    await write(ada, 'I keep it');
    await owner.waitFor('.message-body', 'I keep it');
    await unread(ada, 0);
  });

  await step('a session that is ended elsewhere goes back to the sign-in, and what was written stays', async () => {
    await ada.goTo(hash('lunch'));
    await ada.fill('.compose-text', 'half a sent');
    const elsewhere = await ClientPage.open(browser, host, { hasServiceWorker: true });
    await elsewhere.signIn(address, PASSWORD);
    await elsewhere.waitFor('.app');
    await elsewhere.goTo('#settings/sessions');
    await elsewhere.waitFor('.sessions', 'This browser');
    await elsewhere.click('button', 'End all other sessions');
    await ada.waitFor('h1', 'Sign in to');
    await ada.waitFor('.sign-in-note', 'nothing you wrote is lost');
    await elsewhere.waitUntilGone('.sessions li:nth-child(2)');
    t.strictSame([elsewhere.faults, elsewhere.refusals], [[], []]);
    await elsewhere.page.close();
    await ada.fill('input[name=username]', address);
    await ada.fill('input[name=password]', PASSWORD);
    await ada.page.keyboard.press('Enter');
    await ada.page.waitForFunction(`document.querySelector('.compose-text')?.value === 'half a sent'`);
  });

  await step('signing out leaves nothing to read, in other tabs and after a reload', async () => {
    const tab = await ada.openTab();
    await tab.goto(ada.page.url());
    // No frames are painted in a tab in the background, so the condition is looked at by the clock.
    const polling = { polling: 50 };
    await tab.waitForFunction(`document.querySelector('.message-body') !== null`, polling);
    await ada.page.bringToFront();
    const { length: before } = ada.refusedPaths;
    await ada.click('.own-button');
    await ada.click('.menu-item', 'Sign out');
    await ada.waitFor('h1', 'Sign in to');
    await tab.waitForFunction(`document.querySelector('h1')?.textContent.includes('Sign in to')`, polling);
    await ada.page.reload();
    await ada.waitFor('h1', 'Sign in to');
    t.notMatch(await ada.textOf('body'), 'hungry?');
    // Another request that was on its way may be refused.
    t.notOk(ada.refusedPaths.slice(before).includes('/api/v1/events'), 'no poll of the ended session is refused');
  });

  t.strictSame([owner.faults, owner.refusals], [[], []], 'pages of the owner');
  const refusals = ada.refusals.filter((status) => status !== 401);
  t.strictSame(
    [ada.faults, refusals],
    [[], []],
    'the second person: only the poll of the session that was ended elsewhere is refused',
  );
}

t.setTimeout(240_000);

t.test('two people chat', { skip: CHROMIUM_IS_MISSING }, async (t) => {
  const browser = await openChromium(t);
  await t.test('embedded face', async (t) => {
    const server = await startEmbedded();
    t.teardown(() => server.close());
    await runJourney(t, server, browser);
  });
  await t.test('cluster face', async (t) => {
    const known = services(t);
    if (!known) return;
    const server = await startCluster(known);
    t.teardown(() => server.close());
    await runJourney(t, server, browser);
  });
});
