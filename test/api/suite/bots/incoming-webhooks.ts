/** Incoming webhooks (users.md § Incoming webhooks): who may post, where the message goes, and refused payloads. */
import { refused } from '../../harness.js';
import { bad, Client, missing, type Params, type Refusal, unauthorized } from '../../support/client.js';
import {
  makeBot,
  makeOrganization,
  NOTIFICATION_BOT,
  type Person,
  streamIdOf,
  subscribe,
} from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiMessage, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const POST = 'POST /external/{integration}';
const FORM = 'application/x-www-form-urlencoded';
const WEBHOOKS_ONLY = unauthorized('This API is only available to incoming webhook bots.');
const NOT_JSON: Refusal = { code: 'INVALID_JSON', msg: 'Malformed JSON' };
const refusedKey = (code: string, msg: string): Refusal => ({ status: 401, code, msg });

export const incomingWebhooks: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, other } = org;
  await subscribe(member, 'alerts', { principals: [member, other] });
  const stream_id = await streamIdOf(member, 'alerts');
  const hook = await makeBot(member, { bot_type: 2, service_name: 'json' });
  /** A program that knows the address alone, and sends no header of its own. */
  const program = new Client(server, 'bot', {});
  const post = (integration: string, params: Params, body: string | Uint8Array, type?: string) =>
    program.post(POST, { integration, api_key: hook.key, ...params }, body, type);
  const messages = (by: Person) => Queue.register(by, { event_types: ['message'] });
  const shown = ({ message }: Fields) => {
    const { display_recipient, subject, content, sender_id } = message as ApiMessage;
    return [display_recipient, subject, content, sender_id];
  };

  await t.test(
    'a payload becomes a message of the bot, in the topic of the integration or of the address',
    async (t) => {
      const queue = await messages(other);
      const sent = [
        await post('json', { stream: 'Alerts' }, '{"a":[1,"b"]}'),
        await post('json', { stream: stream_id, topic: 'own' }, '7'),
        await post(
          'slack_incoming',
          { stream: 'alerts' },
          '{"text":"*up* <https://a.example|again>","channel":"#ops"}',
        ),
        await post('slack_incoming', { stream: 'alerts', topic: 'mine' }, '{"text":"down","channel":"#ops"}'),
        await post(
          'alertmanager',
          { stream: 'alerts' },
          '{"alerts":[{"status":"firing","labels":{"alertname":"Slow"}}]}',
        ),
      ];
      t.same(
        sent.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      );
      t.same((await queue.take(5)).map(shown), [
        ['alerts', 'JSON', '```json\n{\n  "a": [\n    1,\n    "b"\n  ]\n}\n```', hook.id],
        ['alerts', 'own', '```json\n7\n```', hook.id],
        ['alerts', 'ops', '**up** [again](https://a.example)', hook.id],
        ['alerts', 'mine', 'down', hook.id],
        ['alerts', 'Slow', ':alert: **Firing** Slow', hook.id],
      ]);
    },
  );

  await t.test("without a stream the message goes to the bot's owner alone", async (t) => {
    const [queue, others] = [await messages(member), await messages(other)];
    t.equal((await post('json', { topic: 'unused' }, '{}')).status, 200);
    const message = (await queue.take(1))[0]!.message as ApiMessage;
    const people = message.display_recipient as readonly Fields[];
    t.same([message.type, people.map(({ id }) => id).sort()], ['private', [member.id, hook.id].sort()]);
    t.same(await settled(others), []);
  });

  await t.test('a payload may be the field of a form; JSON sent as a form is read as JSON', async (t) => {
    const queue = await messages(other);
    const params = { stream: 'alerts', topic: 'forms' };
    const field = `payload=${encodeURIComponent('{"text":"a form + more"}')}`;
    t.equal((await post('slack_incoming', params, field, FORM)).status, 200);
    t.equal((await post('slack_incoming', params, '{"text":"x&topic=evil&stream=none"}', FORM)).status, 200);
    t.same((await queue.take(2)).map(shown), [
      ['alerts', 'forms', 'a form + more', hook.id],
      ['alerts', 'forms', 'x&topic=evil&stream=none', hook.id],
    ]);
    await refused(t, post('slack_incoming', params, 'text=hello', FORM), missing('payload'));
  });

  await t.test('a message that is too long is cut', async (t) => {
    const queue = await messages(other);
    t.equal((await post('json', { stream: 'alerts' }, JSON.stringify('é'.repeat(20_000)))).status, 200);
    const { content } = (await queue.take(1))[0]!.message as ApiMessage;
    t.equal([...String(content)].length, 10_000);
    t.ok(String(content).endsWith('é\n[message truncated]'));
  });

  await t.test('a stream that does not exist is refused, and the owner hears of it', async (t) => {
    const [queue, others] = [await messages(member), await messages(other)];
    const code = 'STREAM_DOES_NOT_EXIST';
    const byName = { code, msg: "Stream 'nowhere' does not exist", extra: { stream: 'nowhere' } };
    await refused(t, post('json', { stream: 'nowhere' }, '{}'), byName);
    const byId = { code, msg: "Stream with ID '999999' does not exist", extra: { stream_id: 999_999 } };
    await refused(t, post('json', { stream: '999999' }, '{}'), byId);
    const [notice] = await queue.take(1);
    t.equal((notice!.message as ApiMessage).sender_id, NOTIFICATION_BOT);
    t.same(await settled(others), []);
  });

  await t.test('the key of the address must be that of an active bot for incoming webhooks', async (t) => {
    const withKey = (api_key: string) => program.post(POST, { integration: 'json', api_key }, '{}');
    await refused(t, withKey('short'), refusedKey('INVALID_API_KEY', 'Malformed API key'));
    await refused(t, withKey('A'.repeat(32)), refusedKey('INVALID_API_KEY', 'Invalid API key'));
    const generic = await makeBot(member);
    for (const { key, role } of [...org.people, generic]) await refused(t, withKey(key), WEBHOOKS_ONLY, role);
    for (const by of org.people) await refused(t, by.api.post(POST, { integration: 'json' }, '{}'), WEBHOOKS_ONLY);
    const gone = await makeBot(member, { bot_type: 2 });
    await member.api.ok('DELETE /bots/{bot_id}', { bot_id: gone.id });
    await refused(t, withKey(gone.key), refusedKey('USER_DEACTIVATED', 'Account is deactivated'));
  });

  await t.test('the key of the address counts beside an Authorization header of the program', async (t) => {
    const queue = await messages(other);
    const busy = program.with({ authorization: 'Bearer of-the-program' });
    const params = { integration: 'json', api_key: hook.key, stream: 'alerts', topic: 'header' };
    t.equal((await busy.post(POST, params, '1')).status, 200);
    t.equal(((await queue.take(1))[0]!.message as ApiMessage).subject, 'header');
  });

  await t.test('a payload that cannot be read is refused, and nothing is sent', async (t) => {
    const queue = await messages(other);
    const params = { stream: 'alerts' };
    for (const body of ['', '{', 'text=hello']) await refused(t, post('json', params, body), NOT_JSON, body);
    await refused(t, post('json', params, Buffer.from([0x22, 0xff, 0x22])), bad('Malformed payload'));
    await refused(t, post('json', params, 'payload=%ff', FORM), bad('Malformed payload'));
    for (const [integration, name] of [
      ['slack_incoming', 'Slack-compatible webhook'],
      ['alertmanager', 'Alertmanager'],
      ['grafana', 'Grafana'],
    ] as const) {
      const anomalous: Refusal = {
        code: 'ANOMALOUS_WEBHOOK_PAYLOAD',
        msg: `Unable to parse request: Did ${name} generate this event?`,
        extra: { webhook_name: name },
      };
      for (const body of ['{}', '[]', 'null', '"text"']) await refused(t, post(integration, params, body), anomalous);
    }
    await refused(t, post('github', params, '{}'), bad('Invalid integration'));
    await refused(
      t,
      post('json', { ...params, only_events: 'x' }, '{}'),
      bad('Argument "only_events" is not valid JSON.'),
    );
    t.same(await settled(queue), []);
  });

  await t.test('the state names the integrations, and a bot may name one of them', async (t) => {
    const state = await member.api.ok('POST /register', { fetch_event_types: ['realm_incoming_webhook_bots'] });
    const names = ['alertmanager', 'grafana', 'json', 'slack_incoming'];
    t.same(
      state.realm_incoming_webhook_bots,
      names.map((name) => ({ name, config: {} })),
    );
    for (const service_name of names) t.ok(await makeBot(member, { bot_type: 2, service_name }), service_name);
  });

  await t.test('snapshot and events', (t) =>
    verifyAction(t, POST, [owner, member, other], () =>
      hook.api.post(POST, { integration: 'json', stream: 'alerts', exclude_events: '["*"]' }, '{"a":1}'),
    ),
  );
};
