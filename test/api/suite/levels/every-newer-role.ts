/**
 * Forms of newer levels as every role: in a stream that the caller may read and in one that stays hidden, from another
 * organization and without credentials. They are those of docs/api/levels.md § Changes in what clients send;
 * the rights are those of the base level.
 */
import { createHash } from 'node:crypto';
import type { Params } from '../../support/client.js';
import { atLevel } from '../../support/levels.js';
import { makeBot, makeOrganization, type Person, say, streamIdOf, subscribe } from '../../support/organization.js';
import type { Facts } from '../facts.js';

/** A stream with a message of its owner. */
interface Place {
  readonly stream: number;
  readonly name: string;
  readonly message: number;
}

interface Row {
  readonly operation: string;
  /** The form that is new. */
  readonly form: string;
  params(place: Place, by: Person): Params | Promise<Params>;
  /** Refusals by role in the stream of everybody; the other roles succeed. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Refusal of those who may not read the stream, if there is one; else their answer has nothing of the message. */
  readonly hidden?: string;
  /** Refusals by role that come before those of the stream. */
  readonly refusedFirst?: Readonly<Record<string, string>>;
  /** Refusal in another organization; absent: as for those who may not read the stream. */
  readonly foreign?: (place: Place) => string;
  /** True if the answer has the text of the message. */
  readonly shows?: boolean;
}

const TOPIC = 'roles';
const textIn = (name: string): string => `said in ${name}`;
const LATE = 4_000_000_000;
const NO_STREAM = 'Invalid stream ID';
const NO_MESSAGE = 'Invalid message(s)';
const NO_WITH = "Invalid narrow operator: Invalid 'with' operator";
const NOT_AUTHORIZED = "Not authorized to send to stream 'vault'";
const NOT_OWN = "You don't have permission to edit this message";
const MISMATCH = "'prev_content_sha256' value does not match the expected value.";
const OTHERS = ['admin', 'moderator', 'member', 'other', 'guest', 'bot'];
const everybodyBut = (roles: readonly string[], msg: string) =>
  Object.fromEntries(OTHERS.filter((role) => !roles.includes(role)).map((role) => [role, msg]));
const ADMINS = 'Must be an organization administrator';
const toNoStream = {
  hidden: NOT_AUTHORIZED,
  foreign: ({ stream }: Place) => `Stream with ID '${stream}' does not exist`,
};
const unknownStream = (name: unknown): string => `Invalid narrow operator: unknown stream ${name}`;

const narrowed = (
  form: string,
  of: Pick<Row, 'hidden' | 'foreign' | 'shows'>,
  terms: (place: Place) => unknown,
): Row => ({
  operation: 'GET /messages',
  form,
  params: (place) => ({ anchor: 'newest', num_before: 20, num_after: 0, narrow: [terms(place)] }),
  ...of,
});

const ROWS: readonly Row[] = [
  {
    operation: 'POST /messages',
    form: 'type channel by id, read_by_sender',
    params: ({ stream }) => ({ type: 'channel', to: stream, topic: TOPIC, content: 'x', read_by_sender: true }),
    ...toNoStream,
  },
  {
    operation: 'POST /messages',
    form: 'type channel by name',
    params: ({ name }) => ({ type: 'channel', to: name, topic: TOPIC, content: 'x' }),
    hidden: NOT_AUTHORIZED,
    foreign: ({ name }) => `Stream '${name}' does not exist`,
  },
  {
    operation: 'POST /messages',
    form: 'the empty topic',
    params: ({ stream }) => ({ type: 'channel', to: stream, topic: '', content: 'x' }),
    ...toNoStream,
  },
  {
    operation: 'POST /messages',
    form: '@**channel** and @**topic**',
    params: ({ stream }) => ({ type: 'channel', to: stream, topic: TOPIC, content: '@**channel** @**topic**' }),
    ...toNoStream,
  },
  {
    operation: 'POST /scheduled_messages',
    form: 'type channel',
    params: ({ stream }) => ({
      ...{ type: 'channel', to: stream, topic: TOPIC, content: 'x', scheduled_delivery_timestamp: LATE },
    }),
    ...toNoStream,
  },
  {
    operation: 'PATCH /scheduled_messages/{scheduled_message_id}',
    form: 'type channel',
    params: async ({ stream }, by) => {
      const later = { type: 'direct', to: [by.id], content: 'later', scheduled_delivery_timestamp: LATE };
      const { scheduled_message_id } = await by.api.ok('POST /scheduled_messages', later);
      return { scheduled_message_id, type: 'channel', to: stream, topic: TOPIC };
    },
    ...toNoStream,
  },
  {
    operation: 'POST /typing',
    form: 'type channel, stream_id',
    params: ({ stream }) => ({ type: 'channel', op: 'start', stream_id: stream, topic: TOPIC }),
    hidden: NO_STREAM,
  },
  {
    operation: 'PATCH /messages/{message_id}',
    form: 'prev_content_sha256 of the text',
    params: ({ message, name }) => ({
      ...{ message_id: message, content: 'changed' },
      prev_content_sha256: createHash('sha256').update(textIn(name)).digest('hex'),
    }),
    refused: everybodyBut([], NOT_OWN),
    hidden: NO_MESSAGE,
  },
  {
    operation: 'PATCH /messages/{message_id}',
    form: 'prev_content_sha256 of another text',
    params: ({ message }) => ({ message_id: message, content: 'changed', prev_content_sha256: 'x' }),
    refused: { ...everybodyBut([], NOT_OWN), owner: MISMATCH },
    hidden: NO_MESSAGE,
  },
  {
    operation: 'GET /messages/{message_id}',
    form: 'allow_empty_topic_name',
    params: ({ message }) => ({ message_id: message, apply_markdown: false, allow_empty_topic_name: true }),
    hidden: NO_MESSAGE,
    shows: true,
  },
  {
    operation: 'GET /messages/{message_id}/history',
    form: 'allow_empty_topic_name',
    params: ({ message }) => ({ message_id: message, allow_empty_topic_name: true }),
    hidden: NO_MESSAGE,
    shows: true,
  },
  {
    operation: 'GET /users/me/{stream_id}/topics',
    form: 'allow_empty_topic_name',
    params: ({ stream }) => ({ stream_id: stream, allow_empty_topic_name: true }),
    hidden: NO_STREAM,
  },
  {
    operation: 'POST /user_topics',
    form: 'the empty topic',
    params: ({ stream }) => ({ stream_id: stream, topic: '', visibility_policy: 3 }),
    hidden: NO_STREAM,
  },
  {
    operation: 'POST /mark_topic_as_read',
    form: 'the empty topic',
    params: ({ stream }) => ({ stream_id: stream, topic_name: '' }),
    hidden: NO_STREAM,
  },
  {
    operation: 'POST /streams/{stream_id}/delete_topic',
    form: 'the empty topic',
    params: ({ stream }) => ({ stream_id: stream, topic_name: '' }),
    refused: everybodyBut(['admin'], ADMINS),
    refusedFirst: everybodyBut(['admin'], ADMINS),
    hidden: NO_STREAM,
    foreign: () => ADMINS,
  },
  {
    operation: 'POST /drafts',
    form: 'the empty topic',
    params: ({ stream }) => ({ drafts: [{ type: 'stream', to: [stream], topic: '', content: 'x' }] }),
    hidden: NO_STREAM,
  },
  narrowed('channel by id', { shows: true, foreign: ({ stream }) => unknownStream(stream) }, ({ stream }) => ({
    operator: 'channel',
    operand: stream,
  })),
  narrowed('channel by name', { shows: true, foreign: ({ name }) => unknownStream(name) }, ({ name }) => ({
    operator: 'channel',
    operand: name,
  })),
  narrowed('channels', {}, () => ({ operator: 'channels', operand: 'web-public' })),
  narrowed('with', { shows: true, hidden: NO_WITH }, ({ message }) => ({ operator: 'with', operand: message })),
  narrowed('id', { shows: true }, ({ message }) => ({ operator: 'id', operand: message })),
  narrowed('is:followed', {}, () => ({ operator: 'is', operand: 'followed' })),
  narrowed('has:reaction', { shows: true }, () => ({ operator: 'has', operand: 'reaction' })),
  {
    operation: 'POST /messages/flags/narrow',
    form: 'channel and with',
    params: ({ stream, message }) => ({
      ...{ anchor: 'newest', num_before: 5, num_after: 0, op: 'add', flag: 'starred' },
      narrow: [
        { operator: 'channel', operand: stream },
        { operator: 'with', operand: message },
      ],
    }),
    hidden: NO_WITH,
  },
  {
    operation: 'GET /messages/matches_narrow',
    form: 'channel',
    params: ({ stream, message }) => ({ msg_ids: [message], narrow: [{ operator: 'channel', operand: stream }] }),
    foreign: ({ stream }) => unknownStream(stream),
    shows: true,
  },
  {
    operation: 'POST /register',
    form: 'idle_queue_timeout, narrow channel',
    params: ({ name }) => ({ idle_queue_timeout: '"mobile"', event_types: ['message'], narrow: [['channel', name]] }),
  },
  {
    operation: 'GET /events',
    form: 'idle_queue_timeout',
    params: () => ({ idle_queue_timeout: 900, event_types: ['message'], dont_block: true }),
  },
];

export const everyNewerRole: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, ['member']);
  const bot = await makeBot(org.member);
  const everybody = [...org.people, bot];
  await subscribe(org.owner, 'plaza', { principals: everybody });
  await subscribe(org.owner, 'vault', { invite_only: true });
  const { owner, nobody } = org;
  const foreigner = elsewhere.member;
  // The owner is last: an edit of the owner changes the text.
  const callers = [...everybody.filter((by) => by !== owner), foreigner, owner];
  const streams = { plaza: await streamIdOf(owner, 'plaza'), vault: await streamIdOf(owner, 'vault') };
  const placeOf = async (name: keyof typeof streams): Promise<Place> => {
    const message = await say(owner, name, TOPIC, textIn(name));
    await owner.api.ok('POST /messages/{message_id}/reactions', { message_id: message, emoji_name: 'tada' });
    return { name, stream: streams[name], message };
  };
  for (const row of ROWS) {
    await t.test(`${row.operation}: ${row.form}`, async (t) => {
      for (const name of ['plaza', 'vault'] as const) {
        const place = await placeOf(name);
        for (const by of callers) {
          const caller = atLevel(by);
          const { status, body } = await caller.api.call(row.operation, await row.params(place, caller));
          const isHidden = by === foreigner || (name === 'vault' && by !== owner);
          const refusal = isHidden
            ? ((by === foreigner ? row.foreign?.(place) : row.refusedFirst?.[by.role]) ?? row.hidden)
            : row.refused?.[by.role];
          const who = `${by === foreigner ? 'a foreigner' : by.role} in ${name}`;
          t.same([status, body.msg], refusal === undefined ? [200, ''] : [400, refusal], who);
          const shows = JSON.stringify(body).includes(textIn(name));
          t.equal(shows, row.shows === true && refusal === undefined && !isHidden, `the text: ${who}`);
        }
      }
      const params = { scheduled_message_id: 1, ...(await row.params(await placeOf('plaza'), owner)) };
      const anonymous = await atLevel({ ...owner, api: nobody }).api.call(row.operation, params);
      t.equal(anonymous.status, 401, 'without credentials');
    });
  }
};
