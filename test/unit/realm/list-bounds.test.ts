/** Maximum sizes of the lists of an organization and of an account: each event about a list has all of it. */
import t from 'tap';
import type { Json } from '#base';
import { formatCustomEmojiForApi, MAX_CUSTOM_EMOJI } from '#domain/emoji';
import { MAX_LINKIFIERS, MAX_MUTED_USERS_PER_USER, MAX_PLAYGROUNDS, MAX_USER_GROUPS } from '#domain/people';
import {
  MAX_DEFAULT_STREAM_GROUPS,
  MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS,
  MAX_TOPIC_POLICIES_PER_USER,
  TOPIC_VISIBILITY_POLICY,
  userTopicPartName,
} from '#domain/streams';
import { DEFAULT_REALM_SETTINGS, toUserId } from '#model';
import type { DirectoryEmoji, DirectoryStream } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { addCustomEmojiHandler, deactivateCustomEmojiHandler } from '../../../actors/realm/commands/files/emoji.js';
import { createUserGroupHandler } from '../../../actors/realm/commands/groups/user-groups.js';
import { MAX_OPEN_INVITATIONS, sendInvitationsHandler } from '../../../actors/realm/commands/invitations/invite.js';
import { revokeInvitationHandler } from '../../../actors/realm/commands/invitations/manage-invitations.js';
import { addLinkifierHandler, removeLinkifierHandler } from '../../../actors/realm/commands/organization/linkifiers.js';
import {
  addPlaygroundHandler,
  removePlaygroundHandler,
} from '../../../actors/realm/commands/organization/playgrounds.js';
import {
  addProfileFieldHandler,
  removeProfileFieldHandler,
} from '../../../actors/realm/commands/organization/profile-fields.js';
import {
  recordUserMutedHandler,
  recordUserUnmutedHandler,
} from '../../../actors/realm/commands/preferences/mute-user.js';
import {
  createDefaultStreamGroupHandler,
  removeDefaultStreamGroupHandler,
} from '../../../actors/realm/commands/streams/default-streams.js';
import {
  changePolicyAfterParticipationHandler,
  setTopicVisibilityPolicyHandler,
} from '../../../actors/user/commands/streams/topics.js';
import { doItemsFitIntoLog } from '../../../src/runtime/pack-entries.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const OWNER = person(7, { role: 100 });
const STREAM = { id: 3, name: 'hall', historyPublic: true } as DirectoryStream;
const context = {
  key: 'user/1/7',
  realm: 999_999_999,
  caller: OWNER.id,
  now: 1_700_000_000_000,
  version: 9,
  directory: directoryWith({
    users: [OWNER],
    streams: [STREAM],
    personals: [
      {
        user: OWNER.id,
        settings: { automatically_follow_topics_policy: 1 },
        alertWords: [],
        muted: [],
      },
    ],
  }),
} as unknown as CommandContext;

/** A handler with the types of its arguments and inputs left out. */
interface Handler {
  readonly handle: unknown;
}
type Handle = (view: unknown, args: unknown, inputs: unknown, context: CommandContext) => CommandOutcome<never>;

/** An actor that keeps the state and the parts of each outcome, and whose events must fit into the log. */
function makeActor(stored: Record<string, unknown>) {
  const parts = new Map(Object.entries(stored)) as Map<string, Json>;
  let state: Record<string, unknown> = {
    settings: DEFAULT_REALM_SETTINGS,
    nextLinkifier: 999_999,
    nextPlayground: 999_999,
    nextProfileField: 999_999,
    nextStreamGroup: 999_999,
    nextGroup: 999_999,
    invitations: { nextSingle: 999_999, nextLink: 999_999 },
  };
  const streamIds = new Map([[STREAM.name, STREAM.id]]);
  const volatile = { findStreamIdByName: (name: string) => streamIds.get(name), findUserIdByEmail: () => undefined };
  const command = (handler: Handler, args: unknown, inputs?: unknown): number => {
    const outcome = (handler.handle as Handle)({ state, parts, volatile }, args, inputs, context);
    t.ok(doItemsFitIntoLog(outcome.events ?? []));
    state = outcome.state ?? state;
    for (const [name, value] of Object.entries(outcome.parts ?? {}))
      if (value === null) parts.delete(name);
      else parts.set(name, value as Json);
    return Object.keys(outcome.parts ?? {}).length;
  };
  return { parts, command };
}

const listOf = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const tooMany = (name: string, max: number) => ({ message: `${name} has too many items (limit: ${max})` });
const OWNER_PART = { 'user/7': OWNER };

const makeLargestEmoji = (i: number, deactivated = false): DirectoryEmoji => ({
  id: 9_000_000 + i,
  name: `${i}`.padEnd(100, 'x'),
  url: `/user_avatars/999999999/emoji/images/${9_000_000 + i}.png`,
  stillUrl: `/user_avatars/999999999/emoji/images/still/${9_000_000 + i}.png`,
  deactivated,
  author: toUserId(999_999_999),
});

t.test('custom emoji beyond the maximum are refused until some are deactivated', async (t) => {
  const emoji = listOf(MAX_CUSTOM_EMOJI - 1, (i) => makeLargestEmoji(i));
  const actor = makeActor({ ...OWNER_PART, ...Object.fromEntries(emoji.map((one) => [`emoji/${one.id}`, one])) });
  const add = (id: number) =>
    actor.command(addCustomEmojiHandler, { id, name: `new_${id}`, extension: '.gif', animated: true });
  add(1);
  t.throws(() => add(2), tooMany('realm_emoji', MAX_CUSTOM_EMOJI));
  actor.command(deactivateCustomEmojiHandler, { name: 'new_1' });
  add(2);
});

t.test('the list of custom emoji has all active ones and the newest deactivated ones', async (t) => {
  const active = listOf(MAX_CUSTOM_EMOJI - 2, (i) => makeLargestEmoji(i + 2));
  const gone = [0, 1, MAX_CUSTOM_EMOJI].map((i) => makeLargestEmoji(i, true));
  const listed = Object.keys(formatCustomEmojiForApi([...active, ...gone]));
  t.equal(listed.length, MAX_CUSTOM_EMOJI);
  t.same(
    [gone[0], gone[1], gone[2]].map((one) => listed.includes(String(one!.id))),
    [false, true, true],
  );
});

t.test('linkifiers beyond the maximum are refused', async (t) => {
  const of = (i: number) => ({ pattern: `${i}`.padEnd(1_000, 'ह'), urlTemplate: 'https://e'.padEnd(1_000, 'ह') });
  const actor = makeActor({ ...OWNER_PART, linkifiers: listOf(MAX_LINKIFIERS - 1, (i) => ({ id: i, ...of(i) })) });
  const add = (pattern: string) =>
    actor.command(addLinkifierHandler, { pattern, url_template: 'https://example.com/' });
  add('#a');
  t.throws(() => add('#b'), tooMany('realm_linkifiers', MAX_LINKIFIERS));
  actor.command(removeLinkifierHandler, { filter_id: 0 });
  add('#b');
});

t.test('code playgrounds beyond the maximum are refused', async (t) => {
  const language = 'x'.repeat(40);
  const urlPrefix = 'https://e'.padEnd(1_000, 'ह');
  const of = (i: number) => ({ id: i, name: `${i}`.padEnd(200, '\u{1f600}'), language, urlPrefix });
  const actor = makeActor({ ...OWNER_PART, playgrounds: listOf(MAX_PLAYGROUNDS - 1, of) });
  const add = (name: string) =>
    actor.command(addPlaygroundHandler, { name, language: 'python', url_prefix: 'https://example.com/' });
  add('a');
  t.throws(() => add('b'), tooMany('realm_playgrounds', MAX_PLAYGROUNDS));
  actor.command(removePlaygroundHandler, { playground_id: 0 });
  add('b');
});

t.test('custom profile fields beyond the maximum, or with too much data together, are refused', async (t) => {
  const field = { type: 1, hint: '\u{1f600}'.repeat(80), data: '', order: 1, inSummary: false, added: [] };
  const options = JSON.stringify(
    Object.fromEntries(listOf(10_300, (i) => [`${i}`, { text: `${i}`.padEnd(12, 'x'), order: `${i}` }])),
  );
  const select = { id: 99, name: 'List', ...field, type: 3, data: options, added: listOf(10_300, (i) => [`${i}`, 9]) };
  const fields = [...listOf(98, (i) => ({ id: i, name: `${i}`.padEnd(80, '\u{1f600}'), ...field })), select];
  const actor = makeActor({ ...OWNER_PART, 'profile-fields': fields });
  const add = (name: string, field_type = 1, field_data = '{}') =>
    actor.command(addProfileFieldHandler, {
      name,
      hint: '',
      field_type,
      field_data,
      display_in_profile_summary: false,
    });
  t.throws(() => add('a', 3, options), { message: 'field_data of all fields is too long (limit: 500000 characters)' });
  add('a');
  t.throws(() => add('b'), tooMany('custom_profile_fields', 100));
  actor.command(removeProfileFieldHandler, { field_id: 0 });
  add('b');
});

t.test('default stream groups beyond the maximum, and too many streams in them, are refused', async (t) => {
  const description = 'x'.repeat(1_024);
  const group = (i: number, streams: readonly number[] = []) => ({ id: i, name: `${i}`, description, streams });
  const actor = makeActor({
    ...OWNER_PART,
    'stream/3': STREAM,
    'stream-groups': listOf(MAX_DEFAULT_STREAM_GROUPS - 1, (i) => group(i)),
  });
  const add = (name: string, stream_names: string[] = [], text = '') =>
    actor.command(createDefaultStreamGroupHandler, { name, description: text, stream_names }, new Set());
  t.throws(() => add('a', [], 'x'.repeat(1_025)), { message: 'description is too long (limit: 1024 characters)' });
  add('a');
  t.throws(() => add('b'), tooMany('realm_default_stream_groups', MAX_DEFAULT_STREAM_GROUPS));
  actor.command(removeDefaultStreamGroupHandler, { group_id: 0 });
  actor.parts.set('stream-groups', [
    group(
      1,
      listOf(MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS, (i) => i),
    ),
  ] as never);
  t.throws(() => add('c', ['hall']), tooMany('stream_names of all groups', MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS));
  add('c');
});

t.test('user groups beyond the maximum are refused', async (t) => {
  const of = (i: number) => [`user-group/${i}`, { id: i, name: `${i}`, members: [], subgroups: [] }];
  const actor = makeActor({ ...OWNER_PART, ...Object.fromEntries(listOf(MAX_USER_GROUPS - 1, of)) });
  const add = (name: string) => actor.command(createUserGroupHandler, { name, description: '', members: [] });
  add('a');
  t.throws(() => add('b'), tooMany('realm_user_groups', MAX_USER_GROUPS));
});

t.test('open invitations beyond the maximum are refused', async (t) => {
  const of = (id: number, minutes: number | null = null) => [
    `invitation/${id}`,
    { id, email: `new${id}@example.com`, inviter: OWNER.id, invited: 1_600_000_000, minutes, role: 400, streams: [] },
  ];
  const expired = of(MAX_OPEN_INVITATIONS, 1);
  const actor = makeActor({
    ...OWNER_PART,
    ...Object.fromEntries([...listOf(MAX_OPEN_INVITATIONS - 1, (i) => of(i)), expired]),
  });
  const invite = (email: string) =>
    actor.command(
      sendInvitationsHandler,
      { emails: [email], minutes: null, role: 400, stream_ids: [], origin: 'https://example.com' },
      { nonce: '', makeSealedLink: () => '', isDisposableDomain: () => false, subscribersByStream: new Map() },
    );
  invite('a@example.com');
  t.throws(() => invite('b@example.com'), tooMany('invites', MAX_OPEN_INVITATIONS));
  actor.command(revokeInvitationHandler, { id: 0 });
  invite('b@example.com');
});

t.test('muted users beyond the maximum are refused', async (t) => {
  const muted = listOf(MAX_MUTED_USERS_PER_USER - 1, (i) => ({ id: 1_000 + i, timestamp: 1_700_000_000 }));
  const actor = makeActor({
    ...OWNER_PART,
    'user/8': person(8),
    'user/9': person(9),
    'personal/7': { user: OWNER.id, settings: {}, alertWords: [], muted },
  });
  const mute = (muted_user_id: number) => actor.command(recordUserMutedHandler, { muted_user_id });
  mute(8);
  t.throws(() => mute(9), tooMany('muted_users', MAX_MUTED_USERS_PER_USER));
  actor.command(recordUserUnmutedHandler, { muted_user_id: 8 });
  mute(9);
});

t.test('topic policies beyond the maximum are refused, and topics are no longer followed by themselves', async (t) => {
  const { muted, inherit, followed } = TOPIC_VISIBILITY_POLICY;
  const policies = listOf(MAX_TOPIC_POLICIES_PER_USER - 1, (i) => [
    userTopicPartName(STREAM.id, `${i}`),
    { stream: STREAM.id, name: `${i}`, policy: followed, updated: 1_700_000_000 },
  ]);
  const subscription = { stream: STREAM.id, active: true, muted: false };
  const actor = makeActor({ ...Object.fromEntries(policies), [`sub/${STREAM.id}`]: subscription });
  const set = (topic: string, policy: number) =>
    actor.command(setTopicVisibilityPolicyHandler, { stream: STREAM.id, topic, policy });
  const takePart = (topic: string) =>
    actor.command(changePolicyAfterParticipationHandler, { stream: STREAM.id, topic, participation: 'other' });
  set('a', muted);
  t.throws(() => set('b', muted), tooMany('user_topics', MAX_TOPIC_POLICIES_PER_USER));
  t.equal(takePart('b'), 0);
  set('0', muted);
  set('a', inherit);
  t.equal(takePart('b'), 1);
});
