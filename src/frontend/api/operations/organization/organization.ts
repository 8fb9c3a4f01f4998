/** The organization: its settings (realm.md § Settings), and its end. */
import { Type } from 'typebox';
import {
  GIPHY_RATINGS,
  isOwner,
  LANGUAGES,
  LOGIN_METHODS,
  ORG_TYPES,
  OWNER_SETTINGS,
  TIME_LIMITS,
  VIDEO_PROVIDERS,
} from '#domain/people';
import { realmKey } from '#model';
import { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { RealmSettings } from '#model/records';
import { forward, operation, type Parameters } from '../../operation.js';
import { maybeFlag, maybeJson, maybeText } from '../../parameters.js';

const on = (description: string) => maybeFlag('form', description);
const choice = <const T extends readonly number[]>(values: T, description: string) =>
  maybeJson('form', Type.Enum([...values] as number[]), description);
const number = (description: string) => maybeJson('form', Type.Integer(), description);
const limit = (description: string) => maybeJson('form', Type.Union([Type.String(), Type.Integer()]), description);
const capped = (maxLength: number, description: string) =>
  ({ in: 'form', encoding: 'string', schema: Type.String({ maxLength }), required: false, description }) as const;

const ROLES = '1 members, 2 administrators, 3 full members, 4 moderators, 5 everybody, 6 nobody, 7 owners';
const SECONDS = "Seconds, or 'unlimited'.";
const P4 = [1, 2, 3, 4] as const;

/** In the order in which they are checked. */
const parameters = {
  name: capped(40, 'Name of the organization.'),
  description: capped(1000, 'Markdown.'),
  emails_restricted_to_domains: on('Accounts need an address of an allowed domain.'),
  disallow_disposable_email_addresses: on('No throw-away addresses.'),
  invite_required: on('Joining needs an invitation.'),
  invite_to_realm_policy: choice([1, 2, 3, 4, 6], `Who may invite: ${ROLES}.`),
  name_changes_disabled: on('People may not change their names.'),
  email_changes_disabled: on('People may not change their addresses.'),
  avatar_changes_disabled: on('People may not change their avatars.'),
  inline_image_preview: on('Images that messages link to are shown.'),
  inline_url_embed_preview: on('Pages that messages link to are shown in short.'),
  add_custom_emoji_policy: choice(P4, `Who may add emoji: ${ROLES}.`),
  delete_own_message_policy: choice([1, 2, 3, 4, 5], `Who may delete own messages: ${ROLES}.`),
  message_content_delete_limit_seconds: limit(SECONDS),
  allow_message_editing: on('Messages may be edited.'),
  edit_topic_policy: choice([1, 2, 3, 4, 5, 6], `Who may change topics of others: ${ROLES}.`),
  mandatory_topics: on('Stream messages need a topic.'),
  message_content_edit_limit_seconds: limit(SECONDS),
  allow_edit_history: on('Former versions of messages are shown.'),
  default_language: maybeText('form', 'Code of a language.'),
  waiting_period_threshold: {
    in: 'form',
    encoding: 'uint',
    schema: Type.Integer({ minimum: 0 }),
    required: false,
    description: 'Days until a member is a full member.',
  },
  authentication_methods: maybeJson('form', Type.Record(Type.String(), Type.Boolean()), 'Ways to log in, on or off.'),
  notifications_stream_id: number('Stream for announcements; negative: none.'),
  signup_notifications_stream_id: number('Stream for notices of new accounts; negative: none.'),
  message_retention_days: limit("Days, or 'unlimited'."),
  send_welcome_emails: on('New accounts get a letter.'),
  digest_emails_enabled: on('Those who were away get a summary.'),
  message_content_allowed_in_email_notifications: on('Letters may quote messages.'),
  bot_creation_policy: choice([1, 2, 3], '1 everybody, 2 generic bots by administrators, 3 administrators.'),
  create_public_stream_policy: choice(P4, `Who may create public streams: ${ROLES}.`),
  create_private_stream_policy: choice(P4, `Who may create private streams: ${ROLES}.`),
  create_web_public_stream_policy: choice([2, 4, 6, 7], `Who may create web-public streams: ${ROLES}.`),
  invite_to_stream_policy: choice(P4, `Who may subscribe others: ${ROLES}.`),
  move_messages_between_streams_policy: choice([1, 2, 3, 4, 6], `Who may move messages: ${ROLES}.`),
  user_group_edit_policy: choice(P4, `Who may edit user groups: ${ROLES}.`),
  private_message_policy: choice([1, 2], 'Direct messages: 1 on, 2 off.'),
  wildcard_mention_policy: choice(
    [1, 2, 3, 5, 6, 7],
    'Who may mention everybody: 1 everyone, 2 members, 3 full members, 5 administrators, 6 nobody, 7 moderators.',
  ),
  video_chat_provider: number('0 none, 1 Jitsi Meet.'),
  giphy_rating: number('0 off, 1 Y, 2 G, 3 PG, 4 PG-13, 5 R.'),
  default_code_block_language: maybeText('form', "Language of code blocks that name none; '' = none."),
  digest_weekday: choice([0, 1, 2, 3, 4, 5, 6], '0 Monday … 6 Sunday.'),
  string_id: capped(40, 'New subdomain; demo organizations only.'),
  org_type: choice(Object.values(ORG_TYPES), 'What kind of organization this is.'),
  enable_spectator_access: on('Web-public streams are open to everybody on the web.'),
  want_advertise_in_communities_directory: on('May be listed in public.'),
  enable_read_receipts: on('Senders see who has read.'),
  move_messages_within_stream_limit_seconds: limit(SECONDS),
  move_messages_between_streams_limit_seconds: limit(SECONDS),
} as const satisfies Parameters;

type Given = Readonly<Record<string, unknown>>;

/** Neither the peer's columns nor clients hold more. */
const LARGEST = 2_147_483_647;

/** Days or seconds; `unlimited` as it is stored. @throws ApiError */
function limitOf(given: Given, name: string, unlimited: number | null): RealmSettings {
  const value = given[name];
  if (value === undefined) return {};
  if (value === 'unlimited') return { [name]: unlimited };
  if (typeof value === 'number' && value > 0 && value <= LARGEST) return { [name]: value };
  throw apiError('REQUEST_VARIABLE_INVALID', { var_name: name, bad_value: value as string | number });
}

function checkLogin(methods: unknown): void {
  if (methods === undefined) return;
  const given = methods as Readonly<Record<string, boolean>>;
  if (!Object.values(given).includes(true)) throw apiError('NO_LOGIN_METHOD');
  if (Object.keys(given).some((name) => LOGIN_METHODS[name] === undefined)) {
    throw apiError('VALIDATION_FAILED', { message: 'Invalid authentication_methods' });
  }
}

function check(given: Given, owner: boolean): void {
  const language = given.default_language;
  if (language !== undefined && !LANGUAGES.has(String(language))) {
    throw apiError('INVALID_LANGUAGE', { language: String(language) });
  }
  const needsOwner = Object.keys(given).some((name) => OWNER_SETTINGS.has(name));
  if (needsOwner && !owner) throw apiError('OWNER_REQUIRED');
  checkLogin(given.authentication_methods);
  const provider = given.video_chat_provider as number | undefined;
  if (provider !== undefined && !VIDEO_PROVIDERS.includes(provider)) {
    throw apiError('INVALID_VIDEO_PROVIDER', { id: provider });
  }
  const rating = given.giphy_rating as number | undefined;
  if (rating !== undefined && !GIPHY_RATINGS.includes(rating)) throw apiError('INVALID_GIPHY_RATING', { id: rating });
  // No organization here is a demo.
  if (given.string_id !== undefined) throw apiError('DEMO_ONLY');
}

/** As they are stored. */
function converted(given: Given): RealmSettings {
  const { authentication_methods: _, ...plain } = given as RealmSettings;
  const values: Record<string, RealmSettings[string]> = {
    ...plain,
    ...limitOf(given, 'message_retention_days', -1),
    ...Object.assign({}, ...TIME_LIMITS.map((name) => limitOf(given, name, null))),
  };
  if (values.default_code_block_language === '') values.default_code_block_language = null;
  for (const name of ['notifications_stream_id', 'signup_notifications_stream_id']) {
    if (Number(values[name]) < 0) values[name] = -1;
  }
  return values;
}

export const updateRealm = operation({
  id: 'update-realm',
  method: 'PATCH',
  path: '/realm',
  guard: 'admin',
  summary: 'Change settings of the organization.',
  parameters,
  run({ params, realm, caller, directory }) {
    const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
    const account = directory.user(caller);
    check(given, account !== undefined && isOwner(account));
    return forward({ to: realmKey(realm), command: realmCommands.changeRealm, args: { values: converted(given) } });
  },
});

export const deactivateRealm = operation({
  id: 'deactivate-realm',
  method: 'POST',
  path: '/realm/deactivate',
  guard: 'owner',
  summary: 'Deactivate the organization: nobody can call anything any more.',
  parameters: {},
  run: ({ realm }) => forward({ to: realmKey(realm), command: realmCommands.deactivate, args: {} }),
});
