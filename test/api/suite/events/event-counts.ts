/** The events of one change do not grow with the organization: counted in the log itself (embedded face only). */
import type { Test } from 'tap';
import type { LogEntry } from '#model';
import type { EventLog } from '#ports/log';
import { startEmbedded } from '../../support/faces.js';
import { interceptMethods } from '../../support/intercept.js';
import { addPerson, crowd, makeBot, makeOrganization, PASSWORD } from '../../support/organization.js';

type Counts = Map<string, number>;

/** The log; while `on`, it counts appended items by kind. */
const counting = (log: EventLog, counts: Counts, state: { on: boolean }): EventLog =>
  interceptMethods(log, ['append', 'prepareAppend'], (call, [, entry]) => {
    const { groups } = entry as LogEntry;
    for (const item of state.on ? groups.flatMap((group) => group.items) : []) {
      const kind = item.t === 'event' ? `${item.event.type}/${item.event.op ?? ''}` : item.t;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return call();
  });

/** The same changes in an organization with `people` more users and `streams` more streams. */
async function told(people: number, streams: number): Promise<Counts> {
  const counts: Counts = new Map();
  const state = { on: false };
  const server = await startEmbedded({
    adjust: (ports) => ({ ...ports, log: counting(ports.log, counts, state) }),
  });
  try {
    server.secrets.hashPassword = async () => 'none';
    const org = await makeOrganization(server, ['admin', 'member']);
    const { owner, admin } = org;
    const ids = await crowd(org, people);
    const person = await addPerson(org, 'Changing');
    const bot = await makeBot(owner);
    const join = (name: string, principals: readonly number[]) =>
      owner.api.ok('POST /users/me/subscriptions', { subscriptions: [{ name }], principals });
    await join('default', [owner.id, admin.id, person.id, ...ids]);
    const { stream_id } = await owner.api.ok<{ stream_id: number }>('GET /get_stream_id', { stream: 'default' });
    await owner.api.ok('POST /default_streams', { stream_id });
    for (let n = 0; n < streams; n++) await join(`stream ${n}`, [owner.id, ...ids]);

    state.on = true;
    const of = { user_id: person.id };
    for (const role of [300, 200, 100, 400, 600, 400]) await owner.api.ok('PATCH /users/{user_id}', { ...of, role });
    await owner.api.ok('PATCH /users/{user_id}', { ...of, full_name: 'Changed' });
    await person.api.ok('PATCH /settings', { timezone: 'Europe/Paris', email_address_visibility: 3 });
    await person.api.ok('POST /users/me/status', { status_text: 'x' });
    await owner.api.ok('DELETE /users/{user_id}', of);
    await owner.api.ok('POST /users/{user_id}/reactivate', of);
    await owner.api.ok('POST /users', { email: 'new@example.com', full_name: 'New', password: PASSWORD });
    await owner.api.ok('PATCH /bots/{bot_id}', { bot_id: bot.id, full_name: 'Other bot', bot_owner_id: admin.id });
    await owner.api.ok('PATCH /realm', { name: 'Other', waiting_period_threshold: 3 });
    const { id } = await owner.api.ok<{ id: number }>('POST /realm/profile_fields', { name: 'Field', field_type: 1 });
    await person.api.ok('PATCH /users/me/profile_data', { data: [{ id, value: 'x' }] });
    await owner.api.ok('DELETE /realm/profile_fields/{field_id}', { field_id: id });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, description: 'Other' });
    await owner.api.ok('DELETE /default_streams', { stream_id });
    await owner.api.ok('PATCH /streams/{stream_id}', { stream_id, is_private: true });
    await owner.api.ok('DELETE /streams/{stream_id}', { stream_id });
  } finally {
    // Closing the server lets work in flight finish first.
    await server.close();
  }
  return counts;
}

/** A former guest gets the streams; archiving marks the messages of each subscriber as read. */
const GROWING: Readonly<Record<string, 'people' | 'streams'>> = {
  'subscription/peer_add': 'streams',
  'update_message_flags/add': 'people',
};

export async function eventCounts(t: Test): Promise<void> {
  const small = await told(3, 1);
  const more = { people: await told(60, 1), streams: await told(3, 12), both: await told(60, 12) };
  const kinds = [...new Set([...small.keys(), ...more.both.keys()])].sort();
  t.ok(kinds.length > 12, 'they were counted');
  for (const kind of kinds) {
    const of = (counts: Counts): number => counts.get(kind) ?? 0;
    const growing = GROWING[kind];
    for (const by of ['people', 'streams'] as const) {
      if (growing !== by) t.equal(of(more[by]), of(small), `${kind} does not grow with ${by}`);
    }
    t.equal(of(more.both), growing ? of(more[growing]) : of(small), `${kind} does not grow with both`);
  }
}
