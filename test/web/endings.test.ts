/** Journeys in Chromium to the end of an account and of an organization, and back. */
import t from 'tap';
import { setRealmActive } from '#app/admin';
import { makeOrganization, PASSWORD, type Person, streamIdOf, subscribe } from '../api/support/organization.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium, withPictures } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}
t.setTimeout(240_000);

const server = await startFace('endings');
const browser = await openChromium(t);
const org = await makeOrganization(server, ['admin', 'moderator', 'member', 'other']);
const { owner, moderator, member, other } = org;
await subscribe(owner, 'general', { principals: [owner, moderator, member, other] });
const stream = await streamIdOf(owner, 'general');
const host = `${org.subdomain}.localhost:${server.nextPort()}`;
const HASH = `#narrow/stream/${stream}-general/topic/hello`;

async function signedIn(person: Person): Promise<ClientPage> {
  const client = await ClientPage.open(browser, host);
  await client.signIn(person.email, PASSWORD);
  await client.waitFor('.app');
  await client.goTo(HASH);
  await client.waitFor('.compose-text');
  return client;
}

t.test('a member who deactivates the own account reads a plain sentence, in every tab', async (t) => {
  const client = await signedIn(member);
  const tab = await client.openTab();
  const refusals: string[] = [];
  tab.on('response', (response) => {
    if (response.status() >= 400) refusals.push(new URL(response.url()).pathname);
  });
  await withPictures(t, { client }, async () => {
    await tab.goto(client.page.url());
    await tab.waitForFunction("document.querySelector('.compose-text') !== null", { polling: 50 });
    await client.page.bringToFront();
    await client.goTo('#settings/account');
    await client.click('button', 'Deactivate account');
    await client.waitFor('dialog', 'Only an administrator can reactivate');
    await client.click('dialog button.danger', 'Deactivate account');
    await client.waitFor('.sign-in-note', 'This account is deactivated. Ask an administrator of your organization.');
    t.strictSame(await client.findings(), []);
    const said = "document.querySelector('.sign-in-note')?.textContent.includes('This account is deactivated')";
    await tab.waitForFunction(said, { polling: 50 });
  });
  t.strictSame([client.faults, client.refusedPaths, refusals], [[], [], []], 'no request is refused');
});

t.test('the last owner cannot deactivate the own account, and reads why', async (t) => {
  const client = await signedIn(owner);
  await withPictures(t, { client }, async () => {
    await client.goTo('#settings/account');
    await client.click('button', 'Deactivate account');
    await client.click('dialog button.danger', 'Deactivate account');
    await client.waitFor('dialog [role=alert]', 'organization owner');
  });
  t.strictSame([client.faults, client.refusals], [[], [400]]);
});

t.test('a member whose account an owner deactivates reads why, also at the next sign-in', async (t) => {
  const client = await signedIn(moderator);
  await withPictures(t, { client }, async () => {
    await owner.api.ok('DELETE /users/{user_id}', { user_id: moderator.id });
    await client.waitFor('.sign-in-note', 'This account is deactivated. Ask an administrator of your organization.');
    await client.fill('input[name=username]', moderator.email);
    await client.fill('input[name=password]', PASSWORD);
    await client.page.keyboard.press('Enter');
    await client.waitFor('[role=alert]', 'This account is deactivated');
  });
  t.strictSame(client.faults, []);
});

t.test('a deactivated account is marked in its conversation, and has no presence', async (t) => {
  await owner.api.ok('POST /users/{user_id}/reactivate', { user_id: moderator.id });
  await moderator.api.ok('POST /messages', { type: 'direct', to: [other.id], content: 'farewell' });
  const client = await signedIn(other);
  const row = `.row.direct > a[href^="#narrow/dm/${moderator.id}-"]`;
  await withPictures(t, { client }, async () => {
    await client.goTo(`#narrow/dm/${moderator.id}`);
    await client.waitFor('.message-row', 'farewell');
    t.ok(await client.page.$(`${row} .presence`));
    await owner.api.ok('DELETE /users/{user_id}', { user_id: moderator.id });
    await client.waitFor('.compose-refused', `${moderator.name} is deactivated.`);
    for (const place of ['.bar-title', row]) await client.waitFor(place, 'deactivated');
    t.equal(await client.page.$(`${row} .presence`), null);
    await client.goTo('#recent');
    await client.waitFor('.overview-row', `${moderator.name}deactivated`);
    t.strictSame(await client.findings(), []);
  });
  t.strictSame(client.faults, []);
});

t.test('a deactivated organization signs everyone out, and has everything when it is reactivated', async (t) => {
  const [boss, client] = [await signedIn(owner), await signedIn(other)];
  await withPictures(t, { boss, client }, async () => {
    await client.fill('.compose-text', 'before the end');
    await client.pressControl('Enter');
    await boss.waitFor('.message-body', 'before the end');
    await client.fill('.compose-text', 'half a word');
    await owner.api.ok('POST /realm/deactivate');
    for (const one of [boss, client]) await one.waitFor('.sign-in-note', 'This organization is closed.');
    await client.fill('input[name=username]', other.email);
    await client.fill('input[name=password]', PASSWORD);
    await client.page.keyboard.press('Enter');
    await client.waitFor('[role=alert]', 'This organization is closed.');
    t.strictSame(await client.findings(), []);
    await setRealmActive(server.actors, org.realm, true);
    await client.page.keyboard.press('Enter');
    await client.waitFor('.message-body', 'before the end');
    await client.page.waitForFunction("document.querySelector('.compose-text')?.value === 'half a word'");
    await client.pressControl('a');
    await client.fill('.compose-text', 'we are back');
    await client.pressControl('Enter');
    await client.waitFor('.message-body', 'we are back');
    await boss.page.reload();
    await boss.waitFor('.message-body', 'we are back');
  });
  t.strictSame([client.faults, boss.faults], [[], []]);
});

t.test('a page shows the same text if it learns of the deactivation by a refused request', async (t) => {
  const client = await signedIn(other);
  await withPictures(t, { client }, async () => {
    await client.intercept((request) => request.url().includes('/api/v1/events?') || request.continue());
    await client.page.reload();
    await client.waitFor('.compose-text');
    await client.page.focus('.compose-text');
    await owner.api.ok('POST /realm/deactivate');
    // Another request may be refused before the draft is saved; then the sign-in takes these keys.
    await client.page.keyboard.type('a draft that is refused');
    await client.waitFor('.sign-in-note', 'This organization is closed.');
  });
  t.ok(client.refusedPaths.every((path) => path.startsWith('/api/v1/')));
  t.strictSame([client.faults, [...new Set(client.refusals)]], [[], [401]]);
});
