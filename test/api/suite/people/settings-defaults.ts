/** PATCH /realm/user_settings_defaults and POST /zcommand (users.md § PATCH /settings, realm.md § Other). */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export const settingsDefaults: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { admin, member, guest, owner } = org;
  const patch = (params: Params, by: Person = admin) => by.api.call('PATCH /realm/user_settings_defaults', params);
  const state = async (by: Person): Promise<Fields> =>
    (await by.api.ok('POST /register', { fetch_event_types: ['realm_user_settings_defaults'] }))
      .realm_user_settings_defaults as Fields;
  const settingsOf = async (by: Person): Promise<Fields> =>
    (await by.api.ok('POST /register', { fetch_event_types: ['user_settings'] })).user_settings as Fields;

  await t.test(
    'administrators change the defaults of new accounts; each change is published to all once',
    async (t) => {
      const queues = await Promise.all(
        [member, guest].map((of) => Queue.register(of, { event_types: ['realm_user_settings_defaults', 'message'] })),
      );
      t.same((await patch({ dense_mode: false, emojiset: 'twitter', enter_sends: false })).body, {
        result: 'success',
        msg: '',
      });
      for (const queue of queues) {
        t.same(
          (await queue.take(2)).map(({ property, value }) => [property, value]),
          [
            ['dense_mode', false],
            ['emojiset', 'twitter'],
          ],
        );
      }
      await patch({ dense_mode: false });
      await patch({});
      for (const queue of queues) t.same(await settled(queue), [], 'what did not change is not told');
      for (const by of [owner, member, guest]) {
        t.match(await state(by), { dense_mode: false, emojiset: 'twitter', enter_sends: false }, by.role);
      }
      t.equal((await settingsOf(member)).dense_mode, true, 'who is here already keeps what he has');
      await server.restart();
      t.equal((await state(member)).emojiset, 'twitter');
    },
  );

  await t.test('a wrong value is refused, and no value of the request is stored', async (t) => {
    const before = await state(admin);
    for (const [params, msg] of [
      [{ notification_sound: 'nosuch' }, "Invalid notification sound 'nosuch'"],
      [{ email_notifications_batching_period_seconds: -1 }, 'Invalid email batching period: -1 seconds'],
      [{ email_notifications_batching_period_seconds: 604_801 }, 'Invalid email batching period: 604801 seconds'],
      [{ dense_mode: 1 }, 'dense_mode is not a boolean'],
      [{ color_scheme: '"1"' }, 'color_scheme is not an integer'],
      [{ color_scheme: 9 }, 'Invalid color_scheme'],
      [{ emojiset: 'x' }, 'Invalid emojiset'],
      [{ default_view: 'x' }, 'Invalid default_view'],
      [{ email_address_visibility: 9 }, 'Invalid email_address_visibility'],
      [{ dense_mode: 'x' }, 'Argument "dense_mode" is not valid JSON.'],
    ] as const) {
      await refused(t, patch({ high_contrast_mode: true, ...params }), bad(msg));
    }
    const names = ['default_language', 'enable_login_emails', 'enable_marketing_emails', 'timezone'];
    const answer = await patch(Object.fromEntries(names.map((name) => [name, 'x'])));
    t.same([answer.status, answer.body.ignored_parameters_unsupported], [200, names]);
    t.same(await state(admin), before);
    const adminsOnly = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
    for (const by of [org.moderator, member, guest]) {
      await refused(t, patch({ dense_mode: true }, by), adminsOnly, by.role);
      await refused(t, patch({ dense_mode: 'x' }, by), adminsOnly, `${by.role}, before parameters`);
    }
  });

  await t.test('the state after the change equals snapshot + events', (t) =>
    verifyAction(t, 'defaults', [admin, guest], () =>
      admin.api.ok('PATCH /realm/user_settings_defaults', { enable_sounds: false, email_address_visibility: 3 }),
    ),
  );

  await t.test('slash commands change settings, and the answer says so', async (t) => {
    const run = (command: string, by: Person = member) => by.api.call('POST /zcommand', { command });
    t.same((await run('/ping')).body, { result: 'success', msg: '' });
    const queue = await Queue.register(member, { event_types: ['user_settings', 'message'] });
    for (const [command, property, value] of [
      ['/night', 'color_scheme', 2],
      ['/day', 'color_scheme', 3],
      ['/fluid-width', 'fluid_layout_width', true],
      ['/fixed-width', 'fluid_layout_width', false],
    ] as const) {
      const { status, body } = await run(command);
      t.same([status, typeof body.msg, body.msg !== ''], [200, 'string', true], command);
      const [event, ...more] = await queue.take(1);
      t.same([event!.property, event!.value, more], [property, value, []], command);
      t.equal((await settingsOf(member))[property], value, command);
      t.match((await run(command)).body.msg, /already/, `${command}, again`);
    }
    t.same(await settled(queue), [], 'what is so already is not told');
    for (const command of ['ping', '', ' /ping']) {
      await refused(t, run(command), bad('There should be a leading slash in the zcommand.'), command);
    }
    for (const command of ['dark', '', 'PING', 'night ', '{command}', '\u0000']) {
      await refused(t, run(`/${command}`), bad(`No such command: ${command}`), command);
    }
    await refused(t, member.api.call('POST /zcommand'), missing('command'));
    await verifyAction(t, 'night', [member, guest], () => run('/night'));
  });
};
