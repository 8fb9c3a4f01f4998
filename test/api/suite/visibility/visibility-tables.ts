/** Visibility as tables: streams.md § Who may see a stream, messages.md § Access to a message, narrow.md § Base set. */
import type { Test } from 'tap';
import type { Params } from '../../support/client.js';
import { attachmentsOf, look, upload } from '../../support/files.js';
import { type Person, say, tell } from '../../support/organization.js';
import type { ApiMessage, ApiStream, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';
import {
  isServed,
  type MessageName,
  makeWorld,
  rows,
  STREAMS,
  type StreamName,
  VIEWERS,
  type Viewer,
  type World,
} from './visibility-people.js';

/** C: the user has a copy. R: the user may read the message in the stream's history. Empty: neither. */
const MESSAGES = `
               | start | joined | guest | left | never | admin | outside | foreign
open before    |   C   |   R    |   R   |  C   |   R   |   R   |         |
open after     |   C   |   C    |   C   |  R   |   R   |   R   |         |
shared before  |   C   |   R    |   R   |  C   |       |       |         |
shared after   |   C   |   C    |   C   |      |       |       |         |
closed before  |   C   |        |       |  C   |       |       |         |
closed after   |   C   |   C    |   C   |      |       |       |         |
pair           |   C   |   C    |       |      |       |       |         |
self           |   C   |        |       |      |       |       |         |
group          |   C   |   C    |   C   |      |       |       |         |
`;

/** x: the user finds the stream. m: administrators see its metadata without being subscribed. */
const FOUND = `
        | start | joined | guest | left | never | admin | outside | foreign
open    |   x   |   x    |   x   |  x   |   x   |   x   |         |
shared  |   x   |   x    |   x   |      |   m   |   m   |         |
closed  |   x   |   x    |   x   |      |   m   |   m   |         |
`;

/** Topics that each user sees in a stream: those of readable messages. */
const TOPICS = `
        | start        | joined       | guest        | left         | never        | admin        | outside | foreign
open    | after before | after before | after before | after before | after before | after before | no      | no
shared  | after before | after before | after before | no           | no           | no           | no      | no
closed  | after before | after        | after        | no           | no           | no           | no      | no
`;

/** x: the user may open a file that such a message links. Only the uploader sees its record. */
const FILES = `
        | start | joined | guest | left | never | admin | outside | foreign
open    |   x   |   x    |   x   |  x   |   x   |   x   |         |
shared  |   x   |   x    |   x   |      |       |       |         |
closed  |   x   |   x    |   x   |      |       |       |         |
pair    |   x   |   x    |       |      |       |       |         |
group   |   x   |   x    |   x   |      |       |       |         |
nowhere |   x   |        |       |      |       |       |         |
`;

const ALL: Params = { anchor: 'oldest', num_before: 0, num_after: 100 };

async function fetched(person: Person, narrow: unknown, id: number, content: string): Promise<boolean> {
  const { messages } = await person.api.ok<{ messages: ApiMessage[] }>('GET /messages', {
    ...ALL,
    narrow,
    apply_markdown: false,
  });
  return messages.some((message) => message.id === id && message.content === content);
}

/** Success, or the one refusal that reveals nothing. */
async function succeeds(person: Person, operation: string, params: Params): Promise<boolean> {
  const { status, body } = await person.api.call(operation, params);
  if (status !== 200 && body.msg !== 'Invalid message(s)') throw new Error(`${operation}: ${JSON.stringify(body)}`);
  return status === 200;
}

interface Way {
  readonly operation: string;
  /** C: own copies only; R: the history of streams, too. */
  readonly shows: 'C' | 'R';
  sees(person: Person, id: number, name: MessageName, world: World): Promise<boolean>;
}

const byId = (operation: string, params: Params = {}): Way['sees'] => {
  return (person, id) => succeeds(person, operation, { message_id: id, ...params });
};

const WAYS: Readonly<Record<string, Way>> = {
  'by id': { operation: 'get-message', shows: 'R', sees: byId('GET /messages/{message_id}') },
  'its history': { operation: 'get-message-history', shows: 'R', sees: byId('GET /messages/{message_id}/history') },
  'its readers': { operation: 'get-read-receipts', shows: 'R', sees: byId('GET /messages/{message_id}/read_receipts') },
  'own messages': { operation: 'get-messages', shows: 'C', sees: (person, id, name) => fetched(person, [], id, name) },
  'a narrow to its id': {
    operation: 'get-messages',
    shows: 'C',
    sees: (person, id, name) => fetched(person, [['id', String(id)]], id, name),
  },
  'a narrow to its sender': {
    operation: 'get-messages',
    shows: 'C',
    sees: (person, id, name, { org }) => {
      const known = person.api.role !== 'foreign';
      return known ? fetched(person, [['sender', org.member.email]], id, name) : Promise.resolve(false);
    },
  },
  'a narrow to its stream': {
    operation: 'get-messages',
    shows: 'R',
    sees: (person, id, name, world) => inStream(person, id, name, world),
  },
  'a narrow to its stream and topic': {
    operation: 'get-messages',
    shows: 'R',
    sees: (person, id, name, world) =>
      inStream(person, id, name, world, [{ operator: 'topic', operand: name.split(' ')[1] }]),
  },
  'a search in its stream': {
    operation: 'check-messages-match-narrow',
    shows: 'R',
    sees: (person, id, name, world) => inStream(person, id, name, world, [{ operator: 'search', operand: name }]),
  },
  'a question whether it is in a narrow': {
    operation: 'check-messages-match-narrow',
    shows: 'C',
    sees: async (person, id) => {
      const params = { msg_ids: [id], narrow: [] };
      const { messages } = await person.api.ok<{ messages: Fields }>('GET /messages/matches_narrow', params);
      return String(id) in messages;
    },
  },
  // This entry is last, because a user who flags a message of the history gets a copy of it.
  'flags that can be set': {
    operation: 'update-message-flags',
    shows: 'R',
    sees: (person, id) => succeeds(person, 'POST /messages/flags', { messages: [id], op: 'add', flag: 'starred' }),
  },
};

/** Direct messages are in no stream: there all messages are looked through. */
function inStream(person: Person, id: number, name: MessageName, world: World, more: Fields[] = []): Promise<boolean> {
  const stream = name.split(' ')[0] as StreamName;
  if (!STREAMS.includes(stream)) return fetched(person, [['is', 'dm']], id, name);
  if (person.api.role === 'foreign') return Promise.resolve(false);
  return fetched(person, [{ operator: 'stream', operand: world.streams[stream] }, ...more], id, name);
}

async function messages(t: Test, world: World): Promise<void> {
  const [[, columns], ...lines] = rows(MESSAGES) as [[string, string[]], ...[string, string[]][]];
  for (const [title, { operation, shows, sees }] of Object.entries(WAYS)) {
    if (!isServed(operation)) continue;
    for (const [name, cells] of lines) {
      const may = columns.filter((_, i) => cells[i] === 'C' || (cells[i] === 'R' && shows === 'R'));
      const id = world.messages[name as MessageName];
      const does = await Promise.all(
        VIEWERS.map(async (viewer) =>
          (await sees(world.people[viewer], id, name as MessageName, world)) ? viewer : '',
        ),
      );
      t.same(does.filter(Boolean), may, `${name}, ${title}`);
    }
  }
}

type Finder = (person: Person, stream: StreamName, id: number) => Promise<boolean>;

const names = (section: unknown): string[] => (section as ApiStream[]).map((one) => one.name);

async function finds(person: Person, operation: string, params: Params): Promise<boolean> {
  const { status, body } = await person.api.call(operation, params);
  if (status !== 200 && !/^Invalid stream (ID|name)/.test(String(body.msg))) throw new Error(JSON.stringify(body));
  return status === 200;
}

/** Ways to find a stream; `metadata` means that administrators find private streams, too. */
const FINDERS: Readonly<Record<string, readonly [operation: string, metadata: boolean, find: Finder]>> = {
  'its id by its name': ['get-stream-id', false, (person, stream) => finds(person, 'GET /get_stream_id', { stream })],
  'it by its id': [
    'get-stream-by-id',
    true,
    (person, _, id) => finds(person, 'GET /streams/{stream_id}', { stream_id: id }),
  ],
  'its subscribers': [
    'get-subscribers',
    true,
    (person, _, id) => finds(person, 'GET /streams/{stream_id}/members', { stream_id: id }),
  ],
  'who is in it': [
    'get-subscription-status',
    true,
    (person, _, id) =>
      finds(person, 'GET /users/{user_id}/subscriptions/{stream_id}', { user_id: person.id, stream_id: id }),
  ],
  'it among all streams': [
    'get-streams',
    false,
    async (person, stream) => names((await person.api.ok('GET /streams')).streams).includes(stream),
  ],
  'it in the state': [
    'register-queue',
    true,
    async (person, stream) => {
      const state: Fields = await person.api.ok('POST /register', { fetch_event_types: ['stream', 'subscription'] });
      const sections = ['subscriptions', 'unsubscribed', 'never_subscribed', 'streams'];
      return sections.some((section) => names(state[section]).includes(stream));
    },
  ],
};

async function streams(t: Test, { people, streams: ids }: World): Promise<void> {
  const [[, columns], ...lines] = rows(FOUND) as [[string, string[]], ...[string, string[]][]];
  for (const [title, [operation, metadata, find]] of Object.entries(FINDERS)) {
    if (!isServed(operation)) continue;
    for (const [name, cells] of lines) {
      const may = columns.filter((_, i) => cells[i] === 'x' || (metadata && cells[i] === 'm'));
      const does = await Promise.all(
        VIEWERS.map(async (viewer) =>
          (await find(people[viewer], name as StreamName, ids[name as StreamName])) ? viewer : '',
        ),
      );
      t.same(
        does.filter((viewer) => viewer !== ''),
        may,
        `${name}: who finds ${title}`,
      );
    }
  }
}

/** Leaves out the topic of notices about the stream, which reveal no message. */
const topicNames = (list: unknown): string =>
  (list as { name: string }[])
    .map((topic) => topic.name)
    .filter((name) => name !== 'stream events')
    .join(' ');

async function topics(t: Test, { people, streams: ids }: World): Promise<void> {
  if (!isServed('get-stream-topics')) return;
  const [[, columns], ...lines] = rows(TOPICS) as [[string, string[]], ...[string, string[]][]];
  for (const [name, cells] of lines) {
    const seen = async (viewer: string): Promise<string> => {
      const params = { stream_id: ids[name as StreamName] };
      const { status, body } = await people[viewer as Viewer].api.call('GET /users/me/{stream_id}/topics', params);
      return status === 200 ? topicNames(body.topics) : 'no';
    };
    t.same(await Promise.all(columns.map(seen)), cells, `topics of ${name}`);
  }
}

async function files(t: Test, { people }: World): Promise<void> {
  const { start, joined, guest } = people;
  const link: Readonly<Record<string, (uri: string) => Promise<unknown>>> = {
    ...Object.fromEntries(STREAMS.map((name) => [name, (uri: string) => say(start, name, 'files', `[x](${uri})`)])),
    pair: (uri) => tell(start, [joined], `[x](${uri})`),
    group: (uri) => tell(start, [joined, guest], `[x](${uri})`),
    nowhere: async () => undefined,
  };
  const [[, columns], ...lines] = rows(FILES) as [[string, string[]], ...[string, string[]][]];
  for (const [name, cells] of lines) {
    const uri = await upload(start);
    await link[name]!(uri);
    const opens = await Promise.all(
      VIEWERS.map(async (viewer) => ((await look(people[viewer], uri)).status === 200 ? viewer : '')),
    );
    t.same(
      opens.filter(Boolean),
      columns.filter((_, i) => cells[i] === 'x'),
      `file in ${name}`,
    );
    const lists = await Promise.all(
      VIEWERS.map(async (viewer) => {
        const { attachments } = await attachmentsOf(people[viewer]);
        return attachments.some(({ path_id }) => uri.endsWith(path_id)) ? viewer : '';
      }),
    );
    t.same(lists.filter(Boolean), ['start'], `record of a file in ${name}`);
  }
}

export const visibilityTables: Facts = async (t, server) => {
  const world = await makeWorld(server);
  await t.test('messages are visible to the same users by every way to read', (t) => messages(t, world));
  await t.test('streams are visible to the same users by every way to find', (t) => streams(t, world));
  await t.test('topics are visible to the users of this table', (t) => topics(t, world));
  // This runs last, because it sends a message to each stream.
  await t.test('files are opened by the users of this table, and the same users get their events', (t) =>
    files(t, world),
  );
};
