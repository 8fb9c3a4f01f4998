/** A user's own status, and hints for new users: users.md § User status, § Small operations. */

import { refused } from '../../harness.js';
import { bad, missing, type Params } from '../../support/client.js';
import { makeBot, makeOrganization, type Person } from '../../support/organization.js';
import { Queue, settled } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';
import { frame } from '../organization/emoji.js';

type Statuses = Record<string, Fields>;

export const userStatus: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, admin, member, other, guest } = org;
  const set = (params: Params, by: Person = member) => by.api.call('POST /users/me/status', params);
  const ok = (params: Params, by: Person = member) => by.api.ok('POST /users/me/status', params);
  const statuses = async (by: Person = owner): Promise<Statuses> =>
    (await by.api.ok<{ user_status: Statuses }>('POST /register', { fetch_event_types: ['user_status'] })).user_status;
  const CAR = { emoji_name: 'car', emoji_code: '1f697', reaction_type: 'unicode_emoji' };
  const NONE = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' };

  await t.test('only the given fields change and are published, to all users', async (t) => {
    const listen = (by: Person) =>
      Queue.register(by, { event_types: ['user_status', 'message'], fetch_event_types: [] });
    const queues = await Promise.all([owner, member, guest].map(listen));
    const far = await listen(elsewhere.member);
    const steps: readonly [Params, Fields, Fields | undefined][] = [
      [{ status_text: '  busy ' }, { status_text: 'busy' }, { status_text: 'busy' }],
      [{ status_text: 'busy' }, { status_text: 'busy' }, { status_text: 'busy' }],
      [CAR, CAR, { status_text: 'busy', ...CAR }],
      [{ emoji_name: 'smile' }, { ...CAR, emoji_name: 'smile', emoji_code: '1f642' }, undefined],
      [{ status_text: '' }, { status_text: '' }, { ...CAR, emoji_name: 'smile', emoji_code: '1f642' }],
      [{ emoji_name: '', emoji_code: '1f697' }, NONE, {}],
      [{ status_text: '   ' }, { status_text: '' }, {}],
    ];
    for (const [given, told, state] of steps) {
      await ok(given);
      for (const queue of queues) {
        const { id: _, ...event } = (await queue.take(1))[0]!;
        t.same(event, { type: 'user_status', user_id: member.id, ...told });
      }
      if (!state) continue;
      const expected = Object.keys(state).length > 0 ? { [member.id]: state } : {};
      t.same(await statuses(guest), expected, JSON.stringify(given));
    }
    t.same(await settled(far), []);
    t.same(await statuses(elsewhere.owner), {});
  });

  await t.test(
    'status emoji are named as in reactions: by name, custom ones, the extra one under both names',
    async (t) => {
      const png = await frame('green');
      await owner.api.upload('POST /realm/emoji/{emoji_name}', [{ name: 'a.png', bytes: png }], { emoji_name: 'leaf' });
      await ok({ emoji_name: 'leaf', status_text: 'x' });
      const shown = (await statuses())[member.id]!;
      t.match(shown, { status_text: 'x', emoji_name: 'leaf', reaction_type: 'realm_emoji' });
      const extra = { emoji_name: 'conclave', emoji_code: 'conclave', reaction_type: 'service_extra_emoji' };
      for (const given of [
        { emoji_name: 'zulip' },
        { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' },
        extra,
      ]) {
        await ok(given);
        t.match((await statuses())[member.id], extra, JSON.stringify(given));
      }
      const leaf = { emoji_name: 'leaf', emoji_code: shown.emoji_code, reaction_type: 'realm_emoji' };
      await refused(t, set({ ...leaf, emoji_name: 'twig' }), bad('Invalid custom emoji name.'));
      await refused(t, set({ ...leaf, emoji_code: '999999' }), bad('Invalid custom emoji.'));
      await ok(leaf);
      await owner.api.ok('DELETE /realm/emoji/{emoji_name}', { emoji_name: 'leaf' });
      await refused(t, set(leaf), bad('This custom emoji has been deactivated.'));
      await refused(t, set({ emoji_name: 'leaf' }), bad("Emoji 'leaf' does not exist"));
      t.match((await statuses())[member.id], leaf, 'a status that has it keeps it');
      await ok({ emoji_name: '', status_text: '' });
    },
  );

  await t.test('a refused status changes nothing', async (t) => {
    await ok({ status_text: 'as before' });
    const before = await statuses();
    const NOTHING = bad('Client did not pass any new values.');
    const NAMELESS = bad('Client must pass emoji_name if they pass either emoji_code or reaction_type.');
    await refused(t, set({}), NOTHING);
    await refused(t, set({ emoji_code: '1f697' }), NOTHING);
    await refused(t, set({ status_text: 'y', emoji_code: '1f697' }), NAMELESS);
    await refused(t, set({ away: true, reaction_type: 'unicode_emoji' }), NAMELESS);
    await refused(t, set({ status_text: 'x'.repeat(61) }), bad('status_text is too long (limit: 60 characters)'));
    await refused(t, set({ away: 'x' }), bad('Argument "away" is not valid JSON.'));
    await refused(t, set({ away: 1 }), bad('away is not a boolean'));
    await refused(t, set({ emoji_name: 'nosuch' }), bad("Emoji 'nosuch' does not exist"));
    await refused(t, set({ ...CAR, emoji_code: '1f604' }), bad('Invalid emoji name.'));
    await refused(t, set({ ...CAR, emoji_code: 'xyz' }), bad('Invalid emoji code.'));
    await refused(t, set({ ...CAR, reaction_type: 'picture' }), bad('Invalid emoji type.'));
    const bot = await makeBot(member);
    await refused(t, set({ status_text: 'beep' }, bot), bad('This endpoint does not accept bot requests.'));
    t.same(await statuses(), before);
    await ok({ status_text: 'é'.repeat(60) });
  });

  await t.test('"away" is another name for a presence setting', async (t) => {
    const listen = (by: Person, user_settings_object: boolean) =>
      Queue.register(by, {
        event_types: ['user_status', 'presence', 'user_settings', 'update_global_notifications', 'message'],
        fetch_event_types: [],
        client_capabilities: { notification_settings_null: true, user_settings_object },
      });
    const [own, old, others] = [await listen(other, true), await listen(other, false), await listen(owner, true)];
    const enabled = async (): Promise<unknown> =>
      (await other.api.ok<{ user_settings: Fields }>('POST /register', { fetch_event_types: ['user_settings'] }))
        .user_settings.presence_enabled;
    for (const away of [true, false]) {
      await ok({ away }, other);
      t.equal(await enabled(), !away);
      const setting = { type: 'user_settings', op: 'update', property: 'presence_enabled', value: !away };
      const presence = { type: 'presence', presence: { website: { status: away ? 'idle' : 'active' } } };
      const status = { type: 'user_status', user_id: other.id, away };
      t.match(await own.take(3), [setting, presence, status]);
      const oldSetting = { notification_name: 'presence_enabled', setting: !away };
      t.match(await old.take(4), [setting, oldSetting, presence, status]);
      t.match(await others.take(2), [presence, status]);
      t.same((await statuses())[other.id], away ? { away } : undefined);
      await ok({ away }, other);
      t.match(await own.take(1), [status], 'again: nothing but that it was said');
      await Promise.all([old.take(1), others.take(1)]);
    }
    await ok({ away: true, status_text: 'gone fishing' }, other);
    t.same((await statuses())[other.id], { away: true, status_text: 'gone fishing' });
    await other.api.ok('PATCH /settings', { presence_enabled: true });
    t.same((await statuses())[other.id], { status_text: 'gone fishing' }, 'whoever is seen is not away');
    t.match((await settled(others)).at(-1), { type: 'user_status', user_id: other.id, away: false });
  });

  await t.test('snapshot and events agree, for members and guests, old clients and new', async (t) => {
    const people = [admin, member, guest];
    const verify = (title: string, params: Params, by: Person = member) =>
      verifyAction(t, title, people, () => ok(params, by));
    await verify('a text', { status_text: 'verified' });
    await verify('an emoji', { emoji_name: 'tada' }, guest);
    await verify('away', { away: true, status_text: 'away' }, guest);
    await verifyAction(t, 'seen again', people, () => guest.api.ok('PATCH /settings', { presence_enabled: true }));
    await verify('cleared', { status_text: '', emoji_name: '' });
    await verify('cleared again', { status_text: '', emoji_name: '' }, guest);
  });
};

interface Hint extends Fields {
  readonly name: string;
}

export const tutorial: Facts = async (t, server) => {
  const { owner, member } = await makeOrganization(server, ['member']);
  const names = ['intro_streams', 'intro_topics', 'intro_gear', 'intro_compose'];
  const seen = (hotspot: unknown, by: Person = member) => by.api.call('POST /users/me/hotspots', { hotspot });
  const status = (value: string, by: Person = member) => by.api.ok('POST /users/me/tutorial_status', { status: value });
  const shown = async (by: Person = member): Promise<string[]> => {
    const state = await by.api.ok<{ hotspots: Hint[] }>('POST /register', { fetch_event_types: ['hotspots'] });
    return state.hotspots.map(({ name }) => name);
  };

  await t.test("hints are published one after the other to the user's own clients", async (t) => {
    const queue = await Queue.register(member, { event_types: ['hotspots', 'message'], fetch_event_types: [] });
    for (const [i, name] of names.entries()) {
      t.same(await shown(), [name]);
      t.same((await seen(name)).body, { result: 'success', msg: '' });
      const [event] = await queue.take(1);
      t.same(
        (event!.hotspots as Hint[]).map((hint) => hint.name),
        names.slice(i + 1, i + 2),
      );
    }
    t.same(await shown(), [], 'all were seen');
    await seen('intro_gear');
    t.same((await queue.take(1))[0]!.hotspots, [], 'told again when it is seen again');
    t.same(await shown(owner), ['intro_streams'], 'each has his own');
  });

  await t.test('hints are marked in any order; after the tutorial none is left', async (t) => {
    await seen('intro_streams', owner);
    await seen('intro_gear', owner);
    t.same(await shown(owner), ['intro_topics']);
    await status('started', owner);
    await status('nonsense', owner);
    t.same(await shown(owner), ['intro_topics']);
    await status('finished', owner);
    t.same(await shown(owner), []);
    await status('started', owner);
    t.same(await shown(owner), ['intro_topics']);
  });

  await t.test('unknown hints are refused', async (t) => {
    await refused(t, seen(undefined), missing('hotspot'));
    await refused(t, member.api.call('POST /users/me/tutorial_status'), missing('status'));
    for (const name of ['x', '', 'INTRO_GEAR', '__proto__', 'constructor'])
      await refused(t, seen(name), bad(`Unknown hotspot: ${name}`), name);
    const bot = await makeBot(member);
    const NO_BOTS = bad('This endpoint does not accept bot requests.');
    await refused(t, seen('intro_gear', bot), NO_BOTS);
    await refused(t, bot.api.call('POST /users/me/tutorial_status', { status: 'started' }), NO_BOTS);
    t.same(await shown(bot), [], 'bots need no hints');
  });

  await t.test('snapshot and events agree', async (t) => {
    const { owner, member } = await makeOrganization(server, ['member']);
    await verifyAction(t, 'seen', [owner, member], () => seen('intro_streams', member));
    await verifyAction(t, 'finished', [owner, member], () => status('finished', member));
    await verifyAction(t, 'started', [owner, member], () => status('started', member));
  });
};
