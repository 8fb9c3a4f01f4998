/** The web client gets no API keys and tokens of bots unasked; its session fetches one key to show it. */
import { refused } from '../../harness.js';
import { browserOf } from '../../support/browser.js';
import { bad, type Client, type Refusal } from '../../support/client.js';
import { makeBot, makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Answer, ApiEvent, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const principal = (msg: string): Refusal => ({ code: 'UNAUTHORIZED_PRINCIPAL', msg });
const OWNERS = principal('Must be an organization owner');
const NOT_THE_CLIENT: Refusal = {
  status: 403,
  code: 'UNAUTHORIZED',
  msg: 'This request does not come from the web client',
};

interface ApiBot extends Fields {
  readonly user_id: number;
  readonly services: readonly Fields[];
}

const BOT_EVENTS = { event_types: ['realm_bot', 'message'] };

export const keysInBrowsers: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  const keyOf = (by: Client, { id }: Pick<Person, 'id'>): Promise<Answer> =>
    by.raw({ method: 'GET', path: `/web/bots/${id}/api_key` });
  const botsIn = ({ state }: Queue) => state.realm_bots as readonly ApiBot[];
  const botEvents = async (queue: Queue): Promise<readonly ApiEvent[]> =>
    (await settled(queue)).filter(({ type }) => type === 'realm_bot');

  await t.test('state and events of a session have bots without keys and tokens; API clients get them', async (t) => {
    for (const person of [member, admin]) {
      const before = await makeBot(member, { bot_type: 3, payload_url: '"https://a.example.com/"' });
      const browser = await browserOf(org, person);
      const page = await Queue.register(browser, BOT_EVENTS);
      const program = await Queue.register(person, BOT_EVENTS);
      const full = botsIn(program).find(({ user_id }) => user_id === before.id)!;
      t.equal(full.api_key, before.key, person.role);
      t.match(String(full.services[0]!.token), /^\w{32}$/, person.role);
      const { api_key, services, ...rest } = full;
      const { token, ...service } = services[0]!;
      const shown = botsIn(page).find(({ user_id }) => user_id === before.id);
      t.same(shown, { ...rest, services: [service] }, person.role);

      const made = await makeBot(member);
      const renewed = await member.api.ok('POST /bots/{bot_id}/api_key/regenerate', { bot_id: made.id });
      await member.api.ok('PATCH /bots/{bot_id}', {
        bot_id: before.id,
        service_payload_url: '"https://a.example.com/"',
        service_interface: 2,
      });
      const asked = [made.key, String(renewed.api_key), String(token)];
      const [toProgram, toPage] = [await botEvents(program), await botEvents(page)];
      t.same(
        toPage.map(({ op, bot }) => [op, (bot as ApiBot).user_id]),
        toProgram.map(({ op, bot }) => [op, (bot as ApiBot).user_id]),
        person.role,
      );
      const [programText, pageText] = [JSON.stringify(toProgram), JSON.stringify([page.state, toPage])];
      for (const secret of asked) t.ok(programText.includes(secret), person.role);
      for (const secret of [...asked, before.key]) t.notOk(pageText.includes(secret), person.role);
      t.notMatch(pageText, /"(api_key|token)"/, person.role);
    }
  });

  await t.test('a queue that a poll makes for a session has no keys either', async (t) => {
    const browser = await browserOf(org, member);
    const answered = browser.api.ok('GET /events', { event_types: ['realm_bot'], dont_block: true });
    const { queue_id } = await answered;
    await makeBot(member);
    const polled = await browser.api.ok('GET /events', { queue_id, last_event_id: -1 });
    const text = JSON.stringify(polled);
    t.match(text, /realm_bot/);
    t.notMatch(text, /api_key/);
  });

  await t.test('the page fetches the key of one bot: its owner and administrators may', async (t) => {
    const bot = await makeBot(member);
    for (const person of [member, admin, owner]) {
      const answer = await keyOf((await browserOf(org, person)).api, bot);
      t.same([answer.status, answer.body], [200, { result: 'success', msg: '', api_key: bot.key }], person.role);
    }
    for (const person of [other, guest]) {
      await refused(t, keyOf((await browserOf(org, person)).api, bot), bad('Insufficient permission'), person.role);
    }
    const { api } = await browserOf(org, member);
    await refused(t, keyOf(api, { id: 4_000 }), bad('No such bot'));
    await refused(t, keyOf(api, other), bad('No such bot'), 'of a person');
    await refused(t, keyOf(api.with({ origin: 'https://evil.example' }), bot), NOT_THE_CLIENT);
    await refused(t, keyOf(member.api, bot), NOT_THE_CLIENT, 'a program');
    await owner.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, role: 100 });
    await refused(t, keyOf((await browserOf(org, admin)).api, bot), OWNERS);
    t.equal((await keyOf((await browserOf(org, owner)).api, bot)).body.api_key, bot.key);
    const { api_key } = await owner.api.ok('POST /bots/{bot_id}/api_key/regenerate', { bot_id: bot.id });
    t.equal((await keyOf((await browserOf(org, owner)).api, bot)).body.api_key, api_key);
  });
};
