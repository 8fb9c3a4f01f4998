/** Server under measurement, as a process started by main.ts: an organization with streams, messages and users. */

import { startEmbedded } from '../api/support/faces.js';
import {
  addPerson,
  crowd,
  makeOrganization,
  type Organization,
  type Person,
  streamIdOf,
  subscribe,
} from '../api/support/organization.js';
import { slowness } from './calibration.js';
import { EventLoopMonitor } from './held.js';
import type { Answer, Question, Subject } from './protocol.js';

const PEOPLE = 200;
const STREAMS = 60;
const MESSAGES = 3_000;
const AT_ONCE = 20;
/** Number of messages, each in a topic of its own, in the stream with protected history. */
const PROTECTED_MESSAGES = 2_000;
const PROTECTED_STREAM = 'protected';

const tell = (answer: Answer): void => void process.send?.(answer);

const streamName = (i: number): string => `stream ${i}`;

/** Sends messages, twenty at a time. @returns their ids */
async function sendMany({ owner }: Organization, count: number, of: (n: number) => object): Promise<number[]> {
  const ids: number[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const sent = Array.from({ length: AT_ONCE }, (_, k) =>
      owner.api.ok<{ id: number }>('POST /messages', { type: 'stream', ...of(from + k) }),
    );
    for (const { id } of await Promise.all(sent)) ids.push(id);
  }
  return ids;
}

interface Population {
  readonly people: readonly number[];
  /** Messages of streams with public history. */
  readonly messages: readonly number[];
}

async function populate(org: Organization): Promise<Population> {
  const { owner } = org;
  const ids = await crowd(org, PEOPLE);
  const subscriptions = Array.from({ length: STREAMS }, (_, i) => ({ name: streamName(i) }));
  await owner.api.ok('POST /users/me/subscriptions', { subscriptions, principals: [owner.id, ...ids.slice(0, 50)] });
  const messages = await sendMany(org, MESSAGES, (n) => ({
    to: streamName(n % STREAMS),
    topic: `topic ${n % 7}`,
    content: `Message ${n} about **things** and zq${n % 50} words, see https://example.com/${n}`,
  }));
  await subscribe(owner, PROTECTED_STREAM, { invite_only: true, history_public_to_subscribers: false });
  await sendMany(org, PROTECTED_MESSAGES, (n) => ({ to: PROTECTED_STREAM, topic: `topic ${n}`, content: 'text' }));
  for (let i = 0; i < 20; i++) {
    await owner.api.ok('POST /realm/filters', {
      pattern: `#${'x'.repeat(i)}(?P<id>[0-9]+)`,
      url_template: 'https://example.com/{id}',
    });
  }
  return { people: ids, messages };
}

let made = 0;

/**
 * Creates an account with every object that a call of any operation may need. Calls by an owner are refused only for
 * their input, never for missing rights.
 */
async function createSubject(
  org: Organization,
  { people: ids, messages }: Population,
  role: 'owner' | 'member',
  readsProtected: boolean,
): Promise<Subject> {
  const name = `subject ${++made}`;
  const person: Person = await addPerson(org, name, role);
  const stream = `square ${made}`;
  await subscribe(person, stream);
  if (readsProtected) {
    // A star on a message in a stream without a subscription makes a personal copy.
    await person.api.ok('POST /messages/flags', { messages, op: 'add', flag: 'starred' });
    await subscribe(org.owner, PROTECTED_STREAM, { principals: [person] });
  }
  const subscriptions = Array.from({ length: STREAMS }, (_, i) => ({ name: streamName(i) }));
  await person.api.ok('POST /users/me/subscriptions', { subscriptions });
  const { id: message } = await person.api.ok<{ id: number }>('POST /messages', {
    type: 'stream',
    to: stream,
    topic: 'usual',
    content: '/poll What?',
  });
  const { ids: drafts } = await person.api.ok<{ ids: number[] }>('POST /drafts', {
    drafts: [{ type: '', to: [], topic: '', content: 'draft' }],
  });
  const { queue_id } = await person.api.ok<{ queue_id: string }>('POST /register', { fetch_event_types: [] });
  const stream_id = await streamIdOf(person, readsProtected ? PROTECTED_STREAM : stream);
  const other = ids[made % ids.length];
  return {
    email: person.email,
    key: person.key,
    usual: {
      message_id: message,
      stream_id,
      user_id: other,
      user_id_or_email: other,
      email: person.email,
      draft_id: drafts[0],
      queue_id,
      dont_block: true,
      type: 'stream',
      to: stream,
      topic: 'usual',
      topic_name: 'usual',
      stream,
      content: '{"type":"vote","key":"1,1","vote":1}',
      msg_type: 'widget',
      emoji_name: 'smile',
      messages: [message],
      msg_ids: [message],
      flag: 'starred',
      op: 'add',
      anchor: 'newest',
      num_before: 1_000,
      num_after: 0,
      narrow: [['stream', streamName(1)]],
      subscriptions: [{ name: `another ${made}` }],
      streams_raw: [stream],
      principals: [other],
      drafts: [{ type: '', to: [], topic: '', content: 'more' }],
      draft: { type: '', to: [], topic: '', content: 'other' },
      alert_words: ['word'],
      muted_user_id: other,
      scheduled_delivery_timestamp: 4_000_000_000,
      stream_ids: [],
      members: [other],
      new_name: `new ${made}`,
      name: `name ${made}`,
      property: 'color',
      value: '#c2c2c2',
      pattern: `#y${made}(?P<id>[0-9]+)`,
      url_template: 'https://example.com/{id}',
    },
  };
}

async function main(): Promise<void> {
  const server = await startEmbedded({ maxBodyMib: 10, options: { 'http-adapter': process.argv[2] ?? 'auto' } });
  // With spectator access, every client without an account is admitted as a visitor.
  const org = await makeOrganization(server, []);
  const population = await populate(org);
  await org.owner.api.call('PATCH /realm', { enable_spectator_access: true });
  const speed = slowness();
  const held = new EventLoopMonitor();
  const answer = async (question: Question): Promise<void> => {
    if (question.ask === 'held') tell({ held: held.takeLongest() });
    else if (question.ask === 'subject') {
      const { role, readsProtected } = question;
      tell({ subject: await createSubject(org, population, role, readsProtected) });
    } else {
      await server.close();
      process.exit(0);
    }
  };
  process.on('message', (question: Question) => {
    answer(question).catch((error: unknown) => tell({ failed: String(error) }));
  });
  process.on('disconnect', () => process.exit(1));
  tell({ ready: { port: server.nextPort(), adapter: process.argv[2] ?? 'auto', slowness: speed } });
}

main().catch((error: unknown) => {
  tell({ failed: error instanceof Error ? String(error.stack) : String(error) });
  process.exitCode = 1;
});
