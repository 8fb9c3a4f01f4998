/** Drafts: messages.md § Drafts. */
import { toUserId, userActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import { refused } from '../../harness.js';
import { bad, missing, type Params, unauthorized } from '../../support/client.js';
import { makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

interface ApiDraft extends Fields {
  readonly id: number;
  readonly content: string;
  readonly timestamp: number;
}

const NO_DRAFT = { status: 404, msg: 'Draft does not exist' };

export const drafts: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;
  await subscribe(owner, 'shore', { principals: [owner, member, guest] });
  await subscribe(owner, 'vault', { invite_only: true });
  const [shore, vault] = [await streamIdOf(owner, 'shore'), await streamIdOf(owner, 'vault')];
  // Ids are per organization: this one does not exist here.
  await subscribe(elsewhere.owner, ['a1', 'a2', 'a3', 'abroad']);
  const abroad = await streamIdOf(elsewhere.owner, 'abroad');

  const create = (drafts: unknown, by: Person = member) => by.api.call('POST /drafts', { drafts });
  const made = async (draft: Params, by: Person = member): Promise<number> => {
    const { ids } = await by.api.ok<{ ids: number[] }>('POST /drafts', { drafts: [draft] });
    return ids[0]!;
  };
  const list = async (by: Person = member): Promise<ApiDraft[]> => {
    const { count, drafts } = await by.api.ok<{ count: number; drafts: ApiDraft[] }>('GET /drafts');
    t.equal(count, drafts.length);
    return drafts;
  };
  const find = async (id: number, by: Person = member) => (await list(by)).find((draft) => draft.id === id);
  const forStream = { type: 'stream', to: [shore], topic: 'tides', content: 'high water' };

  await t.test('drafts are stored as they were sent, for their owner alone', async (t) => {
    const queue = await Queue.register(member, { event_types: ['drafts'], fetch_event_types: [] });
    const strange = await Queue.register(other, { event_types: ['drafts'], fetch_event_types: [] });
    const sent = [
      { ...forStream, timestamp: 1_595_479_019 },
      { type: 'private', to: [other.id], topic: 'gone', content: 'psst', timestamp: 1_595_479_021.9 },
      { type: '', to: [shore], topic: 'gone', content: 'nobody yet', timestamp: 7 },
    ];
    const { ids } = await member.api.ok<{ ids: number[] }>('POST /drafts', { drafts: sent });
    const expected = [
      { id: ids[0], ...sent[0] },
      { id: ids[1], ...sent[1], topic: '', timestamp: 1_595_479_021 },
      { id: ids[2], ...sent[2], topic: '', to: [] },
    ];
    t.same(await list(), [expected[2], expected[0], expected[1]], 'oldest edit first');
    const { drafts } = await member.api.ok('POST /register', { fetch_event_types: ['drafts'] });
    t.same(drafts, [expected[1], expected[0], expected[2]], 'registrations list the newest edit first');
    const [event] = await queue.take(1);
    t.match(event, { type: 'drafts', op: 'add', drafts: expected }, 'one event with all of them');
    t.same(await list(other), []);
    t.same(await strange.now(), []);
    for (const id of ids) await member.api.ok('DELETE /drafts/{draft_id}', { draft_id: id });
    const removed = await queue.take(3);
    t.same(
      removed.map(({ op, draft_id }) => [op, draft_id]),
      ids.map((id) => ['remove', id]),
    );
  });

  await t.test('creating an empty list of drafts is a success, and is published as such', async (t) => {
    const queue = await Queue.register(member, { event_types: ['drafts'], fetch_event_types: [] });
    t.same((await member.api.ok('POST /drafts', { drafts: [] })).ids, []);
    t.match(await queue.take(1), [{ op: 'add', drafts: [] }]);
  });

  await t.test('a private draft names its recipients', async (t) => {
    const to = async (people: readonly number[]) => {
      const draft = await find(await made({ type: 'private', to: people, topic: '', content: 'x' }));
      return [draft!.type, draft!.to];
    };
    const group = [other.id, guest.id].sort((a, b) => a - b);
    t.same(await to([member.id, guest.id, other.id, guest.id]), ['private', group], 'the others, each once');
    t.same(await to([member.id]), ['private', [member.id]], 'alone: oneself');
    t.same(await to([]), ['', []], 'nobody: not addressed');
  });

  await t.test('draft texts are cut to their limits', async (t) => {
    const draft = await find(
      await made({ ...forStream, topic: 'd'.repeat(80), content: `\n${'é'.repeat(10_100)} \n` }),
    );
    t.equal(draft!.topic, `${'d'.repeat(57)}...`);
    t.equal([...draft!.content].length, 10_000);
    t.ok(draft!.content.endsWith('\n[message truncated]'));
    const blank = await find(await made({ ...forStream, topic: '' }));
    t.equal(blank!.topic, '', 'a topic may be blank');
  });

  await t.test('an edit replaces the whole draft', async (t) => {
    const queue = await Queue.register(member, { event_types: ['drafts'], fetch_event_types: [] });
    const id = await made({ ...forStream, timestamp: 5 });
    const draft = { type: 'private', to: [other.id], topic: 'x', content: 'other words', timestamp: 9 };
    await member.api.ok('PATCH /drafts/{draft_id}', { draft_id: id, draft });
    const expected = { id, ...draft, topic: '' };
    t.same(await find(id), expected);
    t.match((await queue.take(2))[1], { op: 'update', draft: expected });
    const before = Math.floor(Date.now() / 1000);
    await member.api.ok('PATCH /drafts/{draft_id}', { draft_id: id, draft: forStream });
    t.ok((await find(id))!.timestamp >= before, 'the time of the edit, unless the client says another');
  });

  await t.test('each field of a draft is checked', async (t) => {
    const { content: _, ...withoutContent } = forStream;
    const cases: readonly (readonly [unknown, string])[] = [
      [5, 'drafts[0] is not a dict'],
      [{}, 'type key is missing from drafts[0]'],
      [withoutContent, 'content key is missing from drafts[0]'],
      [{ ...forStream, id: 3 }, 'Unexpected arguments: id'],
      [{ ...forStream, foo: 1, bar: 2 }, 'Unexpected arguments: foo, bar'],
      [{ ...forStream, type: 'direct' }, 'Invalid drafts[0]["type"]'],
      [{ ...forStream, type: 5 }, 'drafts[0]["type"] is not a string'],
      [{ ...forStream, to: shore }, 'drafts[0]["to"] is not a list'],
      [{ ...forStream, to: ['x'] }, 'drafts[0]["to"][0] is not an integer'],
      [{ ...forStream, to: [2 ** 60] }, 'drafts[0]["to"][0] is too large'],
      [{ ...forStream, topic: 7 }, 'drafts[0]["topic"] is not a string'],
      [{ ...forStream, content: ' \n' }, 'drafts[0]["content"] cannot be blank.'],
      [{ ...forStream, timestamp: 'now' }, 'drafts[0]["timestamp"] is not an allowed_type'],
      [{ ...forStream, timestamp: 1e300 }, 'drafts[0]["timestamp"] is not an allowed_type'],
      [{ ...forStream, timestamp: -10 }, 'Timestamp must not be negative.'],
      [{ ...forStream, timestamp: -0.5 }, 'Timestamp must not be negative.'],
      [{ ...forStream, content: 'c\0' }, 'Message must not contain null bytes'],
      [{ ...forStream, topic: 'd\0' }, 'Topic must not contain null bytes'],
      [{ type: 'private', to: [other.id], topic: 'd\0', content: 'c' }, 'Topic must not contain null bytes'],
      [{ ...forStream, to: [] }, 'Must specify exactly 1 stream ID for stream messages'],
      [{ ...forStream, to: [shore, vault] }, 'Must specify exactly 1 stream ID for stream messages'],
      [{ ...forStream, to: [999_999] }, 'Invalid stream ID'],
      [{ ...forStream, to: [-1] }, 'Invalid stream ID'],
      [{ ...forStream, to: [vault] }, 'Invalid stream ID'],
      [{ ...forStream, to: [abroad] }, 'Invalid stream ID'],
      [{ ...forStream, type: 'private', to: [other.id, 999_999] }, 'Invalid user ID 999999'],
    ];
    const before = await list();
    const id = await made(forStream);
    for (const [draft, msg] of cases) {
      await refused(t, create([draft]), bad(msg));
      const inEdit = msg.replaceAll('drafts[0]', 'draft');
      await refused(
        t,
        member.api.call('PATCH /drafts/{draft_id}', { draft_id: id, draft }),
        bad(inEdit),
        `edit: ${inEdit}`,
      );
    }
    await refused(t, create([forStream, { ...forStream, to: [vault] }]), bad('Invalid stream ID'), 'all or none');
    await refused(t, create({}), bad('drafts is not a list'));
    await refused(t, create('x'), bad('Argument "drafts" is not valid JSON.'));
    await refused(t, member.api.call('POST /drafts'), missing('drafts'));
    await refused(t, member.api.call('PATCH /drafts/{draft_id}', { draft_id: id }), missing('draft'));
    t.equal((await list()).length, before.length + 1, 'nothing was kept');
  });

  await t.test('unknown drafts, and those of other users, do not exist for the caller', async (t) => {
    const id = await made(forStream);
    const edit = (draft_id: unknown, by: Person, draft: Params = forStream) =>
      by.api.call('PATCH /drafts/{draft_id}', { draft_id, draft });
    for (const by of [other, guest, owner, elsewhere.owner]) {
      await made({ type: '', to: [], topic: '', content: 'my own' }, by);
      await refused(t, edit(id, by), NO_DRAFT, `edit by ${by.role}`);
      await refused(t, by.api.call('DELETE /drafts/{draft_id}', { draft_id: id }), NO_DRAFT, `delete by ${by.role}`);
    }
    await refused(t, edit(id + 1_000, member), NO_DRAFT);
    await refused(t, edit(id + 1_000, member, { ...forStream, to: [] }), NO_DRAFT, 'before what the draft says');
    await refused(t, edit(id + 1_000, member, {}), bad('type key is missing from draft'), 'after its form');
    await member.api.ok('DELETE /drafts/{draft_id}', { draft_id: id });
    await refused(t, member.api.call('DELETE /drafts/{draft_id}', { draft_id: id }), NO_DRAFT, 'deleted before');
    t.equal((await member.api.call('DELETE /drafts/{draft_id}', { draft_id: 'x' })).status, 404);
    await refused(t, org.nobody.call('GET /drafts'), {
      status: 401,
      msg: 'Not logged in: API authentication or user session required',
    });
    const wrong = member.api.with({ authorization: `Basic ${Buffer.from(`${member.email}:x`).toString('base64')}` });
    await refused(t, wrong.call('POST /drafts'), unauthorized('Malformed API key'));
  });

  await t.test('turning synchronization off deletes all drafts', async (t) => {
    await made(forStream, admin);
    const id = await made(forStream, admin);
    const off = bad('User has disabled synchronizing drafts.');
    const all = () => [
      admin.api.call('GET /drafts'),
      admin.api.call('POST /drafts', { drafts: 'nonsense' }),
      admin.api.call('PATCH /drafts/{draft_id}', { draft_id: id }),
      admin.api.call('DELETE /drafts/{draft_id}', { draft_id: id }),
    ];
    await verifyAction(t, 'it is turned off', [admin, member], () =>
      admin.api.ok('PATCH /settings', { enable_drafts_synchronization: false }),
    );
    for (const call of all()) await refused(t, call, off, 'before anything else');
    t.ok((await list()).length > 0, 'nobody else is concerned');
    await admin.api.ok('PATCH /settings', { enable_drafts_synchronization: true });
    t.same(await list(admin), []);
    t.ok((await made(forStream, admin)) > id);
  });

  await t.test('many drafts, and drafts with strange texts, are stored', async (t) => {
    const people = Array.from({ length: 10_000 }, (_, i) => (i % 2 === 0 ? other.id : guest.id));
    const id = await made({ type: 'private', to: people, topic: '', content: '\ud800 lone' }, owner);
    t.equal(Array.isArray((await find(id, owner))!.to), true);
    const queue = await Queue.register(owner, { event_types: ['drafts'], fetch_event_types: [] });
    const long = { type: '', to: [], topic: '', content: 'w'.repeat(9_000) };
    const { ids } = await owner.api.ok<{ ids: number[] }>('POST /drafts', { drafts: Array(60).fill(long) });
    t.equal(new Set(ids).size, 60);
    const added = await queue.until((events) => events.flatMap((event) => event.drafts ?? []).length >= 60);
    t.same(
      added.flatMap((event) => (event.drafts as ApiDraft[]).map((draft) => draft.id)),
      ids,
      'too much for one event comes in several',
    );
  });

  await t.test('snapshot + events = state', async (t) => {
    let id = 0;
    await verifyAction(t, 'drafts are made', [member, other], () =>
      create([forStream, { ...forStream, timestamp: 3 }]),
    );
    await verifyAction(t, 'a draft is made', [guest], async () => {
      id = await made(forStream, guest);
    });
    await verifyAction(t, 'a draft is edited', [guest], () =>
      guest.api.ok('PATCH /drafts/{draft_id}', { draft_id: id, draft: { ...forStream, timestamp: 1 } }),
    );
    await verifyAction(t, 'a draft is deleted', [guest], () =>
      guest.api.ok('DELETE /drafts/{draft_id}', { draft_id: id }),
    );
    await create([forStream, forStream], guest);
    await verifyAction(t, 'all drafts are dropped', [guest, member], () =>
      server.actors.sendForValueOrThrow(userActorKey(org.realm, toUserId(guest.id)), userActorCommands.dropDrafts, {}),
    );
    t.same(await list(guest), []);
  });

  await t.test('drafts survive a restart', async (t) => {
    const before = await list();
    t.ok(before.length > 0);
    await server.restart();
    t.same(await list(), before);
    t.ok((await made(forStream)) > Math.max(...before.map((draft) => draft.id)), 'ids are not given twice');
  });
};
