/**
 * Push notifications in Chromium. A headless browser has no push service, so the pushes that the server sends to a
 * service on loopback are handed to the service worker by the DevTools protocol.
 */
import type { CDPSession, WebWorker } from 'puppeteer-core';
import t from 'tap';
import { browserOf } from '../api/support/browser.js';
import { makeOrganization, PASSWORD, say, subscribe, tell } from '../api/support/organization.js';
import { PushService } from '../api/support/push-service.js';
import type { Fields } from '../api/support/types.js';
import { until } from '../support/until.js';
import { CHROMIUM_IS_MISSING, ClientPage, openChromium } from './support/chromium.js';
import { startFace } from './support/face.js';

if (CHROMIUM_IS_MISSING) {
  t.plan(0, CHROMIUM_IS_MISSING);
  process.exit(0);
}

const server = await startFace('pushes');
const chromium = await openChromium(t, 'windows');
const service = await PushService.start();
t.teardown(() => service.close());
const org = await makeOrganization(server, ['member', 'other']);
const { owner, member, other } = org;
await subscribe(owner, 'general', { principals: [owner, member, other] });
const host = `${org.subdomain}.localhost:${server.nextPort()}`;
const origin = `http://${host}`;

/** A subscription of the member, by which the test gets what the server pushes. */
async function subscribeReceiver() {
  const { api } = await browserOf(org, member);
  const { key } = (await api.raw({ method: 'GET', path: '/web/push' })).body;
  const receiver = service.browser(String(key));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(receiver.subscription).toString();
  const { status } = await api.raw({ method: 'POST', path: '/web/push', headers, body });
  t.equal(status, 200);
  return receiver;
}

async function open(): Promise<ClientPage> {
  const client = await ClientPage.open(chromium, host, { hasServiceWorker: true });
  await client.page.browserContext().overridePermissions(origin, ['notifications']);
  await client.openSignedIn(member.email, PASSWORD);
  await client.page.evaluate('navigator.serviceWorker.ready.then(() => true)');
  return client;
}

/** The service worker, and its number in the protocol. */
async function workerOf(client: ClientPage): Promise<{ worker: WebWorker; session: CDPSession; id: string }> {
  const session = await client.page.createCDPSession();
  const updated = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
      if (own) resolve(own.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const id = await updated;
  const target = await client.page
    .browserContext()
    .waitForTarget((one) => one.type() === 'service_worker' && one.url().startsWith(origin));
  return { worker: (await target.worker())!, session, id };
}

/** Number of looks at the notifications after which the newest push is delivered again. */
const REPEAT_POLLS = 100;

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
}

const shownBy = (worker: WebWorker): Promise<Shown[]> =>
  worker.evaluate(
    'self.registration.getNotifications().then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))',
  ) as Promise<Shown[]>;

t.test('a push shows one notification per conversation, and a later push closes it', async (t) => {
  const receiver = await subscribeReceiver();
  const client = await open();
  const { worker, session, id } = await workerOf(client);
  // No page is open, so the worker is the only one that can notify.
  await client.page.goto('about:blank');
  const deliver = (said: Fields): Promise<void> =>
    session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: id, data: JSON.stringify(said) });
  let delivered = 0;
  /** Delivers the pushes that arrive until the notifications are as wanted. */
  const shows = (title: string, is: (shown: readonly Shown[]) => boolean): Promise<number> => {
    let polls = 0;
    return until(title, async () => {
      while (delivered < receiver.pushes.length) await deliver(receiver.pushes[delivered++]!.said);
      // The protocol may lose a push while the worker stops. The tag makes a repeat harmless.
      if (++polls % REPEAT_POLLS === 0 && delivered > 0) await deliver(receiver.pushes.at(-1)!.said);
      return is(await shownBy(worker));
    });
  };
  await tell(other, [member], 'hello *there*');
  await shows('the first is shown', ([shown]) => shown?.body === 'hello there');
  const first = receiver.pushes[0]!.said;
  t.same(await shownBy(worker), [{ title: other.name, body: 'hello there', tag: first.tag }]);
  const second = await tell(other, [member], 'and again');
  await shows('the second is shown', ([shown]) => shown?.body === 'and again');
  t.same(await shownBy(worker), [{ title: other.name, body: 'and again', tag: first.tag }], 'in place of the first');
  await say(other, 'general', 'plans', `@**${member.name}** for tomorrow`);
  await shows('the mention is shown', ({ length }) => length === 2);
  t.match(
    (await shownBy(worker)).map(({ title }) => title).sort(),
    [other.name, `${other.name} · #general › plans`].sort(),
  );
  await member.api.ok('PATCH /settings', { pm_content_in_desktop_notifications: false, default_language: 'de' });
  await tell(other, [member, owner], 'for a group');
  await shows('it is shown in the language of the reader, without the text', (shown) =>
    shown.some(
      ({ title, body }) => title === `${other.name} an dich und 1 weitere Person` && body === 'Neue Direktnachricht',
    ),
  );
  await member.api.ok('PATCH /settings', { default_language: 'en' });
  await member.api.ok('POST /messages/flags', { messages: [second], op: 'add', flag: 'read' });
  await shows('the one that was read goes', (shown) => !shown.some(({ tag }) => tag === first.tag));
  t.match(receiver.pushes.at(-1)!.said, { event: 'remove', messages: [second] });
  t.same(client.faults, []);
});

t.test('a press on a notification brings the open page to the conversation', async (t) => {
  const client = await open();
  const { worker } = await workerOf(client);
  const message = await say(other, 'general', 'lunch', 'soup');
  // Only a real press lets a worker focus a page; the page goes to the conversation without.
  await until('the page goes there', async () => {
    // The part of the page that notifies is loaded last.
    await worker.evaluate(`(async () => {
      const data = { message: ${message}, hash: '#narrow/is/starred' };
      await self.registration.showNotification('press me', { tag: 'press', data });
      const [notification] = await self.registration.getNotifications({ tag: 'press' });
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
    })()`);
    return (await client.page.evaluate('location.hash')) === '#narrow/is/starred';
  });
  t.same(client.faults, []);
});

t.test(
  'the settings show the state of push notifications in this browser, with a button that turns them on',
  async (t) => {
    const client = await open();
    await client.page.evaluate(`location.hash = '#settings/notifications'`);
    await client.waitFor('.settings-group', 'Push notifications in this browser');
    await client.click('.settings-group button', 'Turn on in this browser');
    // The headless browser has no push service.
    await client.waitFor('.settings-group', 'gave no subscription');
    t.same(await client.findings(), []);
    t.same(
      client.faults.filter((text) => !text.includes('incognito')),
      [],
    );
  },
);

t.test('a browser ends the subscription of the account that was signed in before', async (t) => {
  const { page } = await open();
  await page.evaluateOnNewDocument(`
    PushManager.prototype.getSubscription = async () => ({
      unsubscribe: async () => { globalThis.isUnsubscribed = true; return true; },
    });
  `);
  await page.evaluate(`localStorage.setItem('push-account', '${other.id}')`);
  await page.reload();
  t.ok(await page.waitForFunction('globalThis.isUnsubscribed'));
});
