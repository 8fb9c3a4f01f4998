/** PATCH /settings: users.md § Settings. */

import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { makeOrganization, type Person, subscribe } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { ApiEvent, ApiStream, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

/** Setting → another value than the default, and its legacy event. */
const CHANGES: Readonly<Record<string, readonly [value: unknown, is: 'D' | 'N' | 'M']>> = {
  twenty_four_hour_time: [true, 'D'],
  dense_mode: [false, 'D'],
  web_mark_read_on_scroll_policy: [2, 'M'],
  starred_message_counts: [false, 'D'],
  fluid_layout_width: [true, 'D'],
  high_contrast_mode: [true, 'D'],
  color_scheme: [3, 'D'],
  translate_emoticons: [true, 'D'],
  display_emoji_reaction_users: [false, 'M'],
  default_language: ['de', 'D'],
  default_view: ['all_messages', 'D'],
  escape_navigates_to_default_view: [false, 'M'],
  left_side_userlist: [true, 'D'],
  emojiset: ['twitter', 'D'],
  demote_inactive_streams: [2, 'D'],
  email_notifications_batching_period_seconds: [604_800, 'N'],
  enable_stream_desktop_notifications: [true, 'N'],
  enable_stream_email_notifications: [true, 'N'],
  enable_stream_push_notifications: [true, 'N'],
  enable_stream_audible_notifications: [true, 'N'],
  wildcard_mentions_notify: [false, 'N'],
  notification_sound: ['wood block', 'N'],
  enable_desktop_notifications: [false, 'N'],
  enable_sounds: [false, 'N'],
  enable_offline_email_notifications: [false, 'N'],
  enable_offline_push_notifications: [false, 'N'],
  enable_online_push_notifications: [false, 'N'],
  enable_digest_emails: [false, 'N'],
  enable_login_emails: [false, 'N'],
  enable_marketing_emails: [false, 'N'],
  message_content_in_email_notifications: [false, 'N'],
  pm_content_in_desktop_notifications: [false, 'N'],
  desktop_icon_count_display: [3, 'N'],
  realm_name_in_email_notifications_policy: [2, 'N'],
  presence_enabled: [false, 'N'],
  enter_sends: [true, 'D'],
  send_private_typing_notifications: [false, 'M'],
  send_stream_typing_notifications: [false, 'M'],
  send_read_receipts: [false, 'M'],
  user_list_style: [3, 'M'],
};

const OLD = { event_types: ['user_settings', 'update_display_settings', 'update_global_notifications'] };

const plain = (events: readonly ApiEvent[]): Fields[] => events.map(({ id: _, ...event }) => event);

export const settings: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, member, other, guest } = org;
  const patch = (params: Params, by: Person = member, path = '/settings') => by.api.call(`PATCH ${path}`, params);
  const own = async (by: Person) => {
    const { user_settings } = await by.api.ok('POST /register', { fetch_event_types: ['user_settings'] });
    return user_settings as Fields;
  };

  await t.test('each setting is stored and published once, in the modern and the legacy form', async (t) => {
    const queue = await Queue.register(member, OLD);
    for (const [name, [value, is]] of Object.entries(CHANGES)) {
      const answer = await patch({ [name]: value });
      t.same([answer.status, answer.body], [200, { result: 'success', msg: '' }], name);
      t.same((await own(member))[name], value, name);
      t.equal((await patch({ [name]: value })).status, 200, `${name}, again`);
      const language = name === 'default_language' ? { language_name: 'German' } : {};
      const legacy: Record<string, Fields[]> = {
        D: [{ type: 'update_display_settings', setting_name: name, setting: value, ...language }],
        N: [{ type: 'update_global_notifications', notification_name: name, setting: value }],
        M: [],
      };
      const expected = [{ type: 'user_settings', op: 'update', property: name, value, ...language }, ...legacy[is]!];
      t.same(plain(await queue.take(expected.length)), expected, name);
    }
    await patch({ dense_mode: true });
    const last = await queue.take(2);
    t.same(last[0]!.property, 'dense_mode', 'what did not change was told of no more');
  });

  await t.test('the state has all settings; for older clients at the top level', async (t) => {
    const { result: _, ...state } = await other.api.ok('POST /register', { fetch_event_types: Object.values(OLD)[0] });
    const modern = state.user_settings as Fields;
    for (const [name, [value, is]] of Object.entries(CHANGES)) {
      t.notSame(modern[name], value, `${name}: the default`);
      t.equal(typeof modern[name], typeof value, name);
      t.same(state[name], is === 'M' ? undefined : modern[name], `${name} at the top level`);
    }
    t.same([modern.timezone, modern.email_address_visibility, state.timezone], ['', 1, '']);
    t.same(state.emojiset_choices, modern.emojiset_choices);
    t.ok((modern.available_notification_sounds as string[]).includes('zulip'));
    const capable = await other.api.ok('POST /register', {
      fetch_event_types: Object.values(OLD)[0],
      client_capabilities: { user_settings_object: true },
    });
    t.same(
      Object.keys(capable).filter((name) => name in CHANGES),
      [],
      'not for clients that know the object',
    );
    const { realm_user_settings_defaults: defaults } = await guest.api.ok('POST /register', {
      fetch_event_types: ['realm_user_settings_defaults'],
    });
    const { timezone: __, ...rest } = modern;
    t.same(defaults, rest, 'a new account has the defaults');
  });

  await t.test('the older paths work the same, for guests too', async (t) => {
    const queue = await Queue.register(guest, { event_types: ['user_settings'] });
    t.equal((await patch({ enable_sounds: false }, guest, '/settings/display')).status, 200);
    t.equal((await patch({ dense_mode: false }, guest, '/settings/notifications')).status, 200);
    t.same(
      (await queue.take(2)).map(({ property }) => property),
      ['enable_sounds', 'dense_mode'],
    );
  });

  await t.test('a wrong value is refused, and no value of the request is stored', async (t) => {
    const before = await own(other);
    const wrong = async (params: Params, msg: string): Promise<void> => {
      for (const path of ['/settings', '/settings/display', '/settings/notifications']) {
        await refused(t, patch({ high_contrast_mode: true, ...params }, other, path), bad(msg), `${path}: ${msg}`);
      }
    };
    for (const [name, [value]] of Object.entries(CHANGES)) {
      if (typeof value === 'boolean') {
        await wrong({ [name]: 1 }, `${name} is not a boolean`);
        await wrong({ [name]: 'x' }, `Argument "${name}" is not valid JSON.`);
      }
      if (typeof value === 'number') {
        await wrong({ [name]: '"1"' }, `${name} is not an integer`);
        if (name !== 'email_notifications_batching_period_seconds') {
          for (const number of [0, 99, -1]) await wrong({ [name]: number }, `Invalid ${name}`);
        }
      }
    }
    await wrong({ email_address_visibility: 6 }, 'Invalid email_address_visibility');
    await wrong({ default_view: 'x' }, 'Invalid default_view');
    await wrong({ emojiset: 'x' }, 'Invalid emojiset');
    await wrong({ default_language: 'klingon' }, 'Invalid default_language');
    await wrong({ timezone: 'Mars/X' }, 'timezone is not a recognized time zone');
    await wrong({ notification_sound: 'nosuch' }, "Invalid notification sound 'nosuch'");
    await wrong({ notification_sound: '\u0000{product}' }, "Invalid notification sound '\u0000{product}'");
    for (const seconds of [0, -1, 604_801]) {
      const msg = `Invalid email batching period: ${seconds} seconds`;
      await wrong({ email_notifications_batching_period_seconds: seconds }, msg);
    }
    const order = { default_language: 'x', notification_sound: 'x', email_notifications_batching_period_seconds: 0 };
    await wrong(order, 'Invalid default_language');
    t.same(await own(other), before);
  });

  await t.test('a call without changes succeeds; unknown parameters are named', async (t) => {
    t.same((await patch({})).body, { result: 'success', msg: '' });
    t.same((await patch({ nonsense: 1 })).body.ignored_parameters_unsupported, ['nonsense']);
  });

  await t.test('a time zone is published to all users', async (t) => {
    const queues = await Promise.all(
      [member, guest].map((of) =>
        Queue.register(of, { event_types: ['user_settings', 'update_display_settings', 'realm_user'] }),
      ),
    );
    await patch({ timezone: 'Japan', enter_sends: false });
    const person = { user_id: member.id, email: member.email, timezone: 'Asia/Tokyo' };
    const [mine, others] = queues;
    t.same(
      (await mine!.take(5)).map(({ type, property, setting_name, person: of }) => [
        type,
        property ?? setting_name ?? of,
      ]),
      [
        ['user_settings', 'enter_sends'],
        ['update_display_settings', 'enter_sends'],
        ['user_settings', 'timezone'],
        ['update_display_settings', 'timezone'],
        ['realm_user', person],
      ],
    );
    t.same(plain(await others!.take(1)), [{ type: 'realm_user', op: 'update', person }]);
    t.same((await guest.api.ok('GET /users/{user_id}', { user_id: member.id })).user, {
      ...((await owner.api.ok('GET /users/{user_id}', { user_id: member.id })).user as Fields),
      timezone: 'Asia/Tokyo',
    });
  });

  await t.test(
    'hiding the address removes it for users who lose sight of it, and changes the API address for all',
    async (t) => {
      const queue = (of: Person) => Queue.register(of, { event_types: ['realm_user'] });
      const [mine, high, low] = [await queue(other), await queue(admin), await queue(member)];
      const shown = (events: readonly ApiEvent[]) =>
        events.map(({ person }) =>
          'new_email' in (person as Fields) ? 'new_email' : Object.keys(person as Fields)[1],
        );
      await patch({ email_address_visibility: 3 }, other);
      const hidden = `user${other.id}@conclave.invalid`;
      const toMember = await low.take(3);
      t.same(
        toMember.slice(0, 2).map(({ person }) => person),
        [
          { user_id: other.id, delivery_email: null },
          { user_id: other.id, new_email: hidden },
        ],
      );
      t.same(shown(await high.take(2)), ['new_email', 'avatar_source'], 'administrators keep the address');
      t.same(shown(await mine.take(2)), ['new_email', 'avatar_source']);
      const seen = async (by: Person) =>
        (await by.api.ok('GET /users/{user_id}', { user_id: other.id })).user as Fields;
      t.same([(await seen(member)).email, (await seen(member)).delivery_email], [hidden, null]);
      t.same([(await seen(admin)).email, (await seen(admin)).delivery_email], [hidden, other.email]);
      await refused(t, member.api.call('GET /users/{email}', { email: other.email }), bad('No such user'));
      t.equal(((await member.api.ok('GET /users/{email}', { email: hidden })).user as Fields).user_id, other.id);
      t.equal((await other.api.ok('GET /users/me')).email, hidden, 'the real address still logs in');
      const lowest = await Queue.register(guest, { event_types: ['realm_user', 'message'] });
      await patch({ email_address_visibility: 2 }, other);
      t.same((await low.take(1))[0]!.person, { user_id: other.id, delivery_email: other.email });
      t.same(await settled(lowest), [], 'guests gain nothing');
      await patch({ email_address_visibility: 1 }, other);
      t.same(
        (await low.take(2)).map(({ person }) => (person as Fields).new_email),
        [other.email, undefined],
      );
      t.equal((await seen(guest)).email, other.email);
    },
  );

  await t.test('without notification_settings_null, subscription settings follow the user settings', async (t) => {
    const queue = await Queue.register(other, {});
    await patch({ enable_stream_push_notifications: true }, other);
    await subscribe(other, 'pushed');
    const added = (await queue.until((events) => events.some(({ type }) => type === 'subscription'))).find(
      ({ type }) => type === 'subscription',
    )!;
    const [stream] = added.subscriptions as ApiStream[];
    const shown = (one: ApiStream) => [one.push_notifications, one.email_notifications, one.wildcard_mentions_notify];
    t.same(shown(stream!), [true, false, true]);
    await patch({ wildcard_mentions_notify: false }, other);
    const state = async (notification_settings_null: boolean) => {
      const { subscriptions } = await other.api.ok('POST /register', {
        client_capabilities: { notification_settings_null },
      });
      const [one] = subscriptions as ApiStream[];
      return shown(one!);
    };
    t.same(await state(false), [true, false, false]);
    t.same(await state(true), [null, null, null]);
  });

  await t.test('emoticons are translated for authors with that setting', async (t) => {
    const html = async (by: Person) =>
      (await by.api.ok('POST /messages/render', { content: 'so :)' })).rendered as string;
    t.equal(await html(guest), '<p>so :)</p>');
    await patch({ translate_emoticons: true }, guest);
    t.match(await html(guest), /<span aria-label="smile" class="emoji/);
    const { id } = await guest.api.ok('POST /messages', { type: 'direct', to: [owner.id], content: 'so :)' });
    const { message } = await owner.api.ok('GET /messages/{message_id}', { message_id: id });
    t.equal((message as Fields).content, await html(guest), "by the author's setting, not the reader's");
    t.equal(await html(owner), '<p>so :)</p>');
  });

  await t.test('drafts are deleted when synchronizing them is turned off', async (t) => {
    const draft = { type: '', to: [], topic: '', content: 'unfinished' };
    await other.api.ok('POST /drafts', { drafts: [draft] });
    const queue = await Queue.register(other, { event_types: ['drafts'] });
    await patch({ enable_drafts_synchronization: false }, other);
    t.same(
      (await queue.take(1)).map(({ op }) => op),
      ['remove'],
    );
    await refused(t, other.api.call('GET /drafts'), bad('User has disabled synchronizing drafts.'));
    await patch({ enable_drafts_synchronization: true }, other);
    t.same((await other.api.ok('GET /drafts')).count, 0);
  });

  await t.test('the state after the change equals snapshot + events', async (t) => {
    const people = [owner, admin, member, guest];
    const change = (title: string, params: Params, by = admin) =>
      verifyAction(t, title, people, () => by.api.ok('PATCH /settings', params));
    const all = Object.entries(CHANGES).filter(([name]) => !name.startsWith('enable_stream_'));
    await change('all settings', Object.fromEntries(all.map(([name, [value]]) => [name, value])));
    await change('time zone', { timezone: 'Europe/Berlin' });
    for (const visibility of [3, 2, 5, 4, 1])
      await change(`visibility ${visibility}`, { email_address_visibility: visibility });
  });
};
