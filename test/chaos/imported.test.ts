/**
 * kill -9 of an embedded server while users of an imported organization send to imported streams and conversations;
 * then changes of imported objects, checked by snapshot + events = state.
 */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Client } from '../api/support/client.js';
import type { Person as ApiPerson } from '../api/support/organization.js';
import { verifyAction } from '../api/support/verify-action.js';
import { remove, temporary } from '../clients/support/folders.js';
import { Random } from '../cluster/scheduler.js';
import { basic } from '../support/credentials.js';
import { type GeneratedOrganization, makeExportedOrganization } from '../support/exported-organization.js';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { ChaosEmbedded } from './embedded.js';
import type { Conversation, Person } from './people.js';
import { injectFaults } from './plan.js';
import { formatReport } from './report.js';
import { Cleanup, judge } from './run.js';
import { Traffic } from './traffic.js';

const KILLS = rounds(1, 10);
const SECONDS_BETWEEN_KILLS = 2.5;
const CLIENTS = rounds(6, 8);
const MESSAGES = rounds(1_200, 50_000);
/** Ids that an import gives to the first user and the first stream. */
const FIRST = { user: 8, stream: 1 };
const ROLES_BY_NUMBER: Readonly<Record<number, string>> = {
  100: 'owner',
  200: 'admin',
  300: 'moderator',
  400: 'member',
};

const idHere = (of: readonly { readonly id: number }[], id: number, firstId: number): number =>
  firstId + of.findIndex((one) => one.id === id);

/** Imported account with its role and API key; `old` is the user id in the export. */
interface ImportedPerson extends Person {
  readonly old: number;
  readonly role: string;
  readonly key: string;
}

async function peopleOf(made: GeneratedOrganization, cluster: ChaosEmbedded): Promise<ImportedPerson[]> {
  const chosen = made.users
    .filter(({ active, role }) => active && ROLES_BY_NUMBER[role] !== undefined)
    .slice(0, CLIENTS);
  const people: ImportedPerson[] = [];
  for (const { id: old, email, role } of chosen) {
    const key = await cluster.keyOf(email);
    const id = idHere(made.users, old, FIRST.user);
    people.push({ id, old, email, authorization: basic(email, key), role: ROLES_BY_NUMBER[role]!, key });
  }
  return people;
}

/** Imported streams with at least two of the clients as subscribers. */
function streamsOf(made: GeneratedOrganization, people: readonly ImportedPerson[]): Conversation[] {
  return made.streams.flatMap(({ id: old, members: subscribers }) => {
    const id = idHere(made.streams, old, FIRST.stream);
    const members = people.filter((person) => subscribers.has(person.old));
    if (members.length < 2) return [];
    const to = { type: 'stream', to: String(id), topic: 'Topic 1' };
    return [{ name: `s${id}`, to, narrow: [{ operator: 'stream', operand: id }], members }];
  });
}

t.test('an imported organization survives kill -9', async (test) => {
  const cleanup = new Cleanup();
  test.teardown(() => cleanup.run());
  const log = (words: string): void => test.comment(words);
  const seed = Number(process.env.SEED ?? Date.now() % 1e6);
  log(`seed ${seed}`);
  const random = new Random(seed);
  const base = temporary('chaos-import');
  cleanup.add(async () => remove(base));
  const folder = join(base, 'export');
  const made = makeExportedOrganization(folder, { people: 30, streams: 9, messages: MESSAGES, seed });
  const cluster = await ChaosEmbedded.start(folder);
  cleanup.add(() => cluster.stop());
  const people = await peopleOf(made, cluster);
  const streams = streamsOf(made, people);
  test.ok(streams.length > 1, `${streams.length} imported streams`);
  const traffic = await Traffic.withPopulation(cluster.frontends, rounds(12, 50), random, async () => ({
    people,
    streams,
  }));
  cleanup.add(() => traffic.close());
  traffic.load.start();
  await injectFaults(cluster, [], {
    ...{ seconds: undefined, kills: KILLS, every: SECONDS_BETWEEN_KILLS },
    ...{ random, log, interruptions: traffic.interruptions },
  });
  const report = await judge(traffic, seed, log);
  for (const line of formatReport(report).split('\n')) log(line);
  test.strictSame(faultsIn(report), [], 'nothing acknowledged is lost or repeated, no queue ends');
  test.equal(report.each.length, KILLS);
  test.ok(report.acknowledged > KILLS, `sends went on: ${report.acknowledged}`);
  await checkChanges(test, made, people, cluster.frontends[0]!.port);
});

/** Changes imported messages, subscriptions and accounts, and checks snapshots and events of three users. */
async function checkChanges(
  test: Test,
  made: GeneratedOrganization,
  people: readonly ImportedPerson[],
  port: number,
): Promise<void> {
  const watching = people.slice(0, 3).map((person): ApiPerson => {
    const { role, id, email, key, authorization } = person;
    const api = new Client({ kind: undefined, nextPort: () => port }, role, { authorization });
    return { role, id, email, key, name: email, api };
  });
  const [owner] = watching as [ApiPerson, ...ApiPerson[]];
  const stream = made.streams[0]!;
  const stream_id = idHere(made.streams, stream.id, FIRST.stream);
  const old = made.messages.filter((one) => one.stream === stream.id && one.rows.has(people[0]!.old)).at(-1)!;
  const message_id = old.rank;
  const direct = made.messages.filter(({ participants }) => participants.includes(people[0]!.old)).at(-1);
  const actions: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['POST /messages', { type: 'stream', to: stream_id, topic: old.topic, content: '@**all** the first one' }],
    ['POST /messages/flags', { messages: [message_id], op: 'remove', flag: 'read' }],
    ['POST /messages/flags', { messages: [message_id], op: 'add', flag: 'starred' }],
    ...(direct ? ([['POST /messages/flags', { messages: [direct.rank], op: 'remove', flag: 'read' }]] as const) : []),
    ['PATCH /messages/{message_id}', { message_id, topic: 'Moved here', propagate_mode: 'change_one' }],
    ['POST /messages/{message_id}/reactions', { message_id, emoji_name: 'tada' }],
    ['POST /mark_topic_as_read', { stream_id, topic_name: 'Topic 2' }],
    ['POST /mark_stream_as_read', { stream_id }],
    ['DELETE /messages/{message_id}', { message_id }],
    ['PATCH /streams/{stream_id}', { stream_id, description: 'Changed after the import' }],
    ['PATCH /settings', { twenty_four_hour_time: true }],
    ['DELETE /users/me/subscriptions', { subscriptions: [stream.name] }],
    ['DELETE /users/{user_id}', { user_id: watching[2]!.id + 1 }],
  ];
  for (const [operation, params] of actions) {
    await test.test(`snapshot + events = state: ${operation}`, (t) =>
      verifyAction(t, operation, watching, () => owner.api.ok(operation, params)),
    );
  }
}
