/** Settings of the organization as tables; a row's label is `settings.realm.<name>`. */
import type { Requests } from '../../contract/index.js';
import { t } from '../../text/index.js';
import type { Control, Option } from '../parts/rows.js';

type Parameter = keyof Requests['PATCH /realm'];

interface Row {
  readonly control: Control;
  /** True if only owners may change it, as in the server's table of settings. */
  readonly ownerOnly?: true;
}

const flag: Row = { control: { kind: 'flag' } };
const ownerFlag: Row = { control: { kind: 'flag' }, ownerOnly: true };

/** Values of policies, in the order from many people to few. */
const BY = {
  5: 'settings.by.everyone',
  1: 'settings.by.members',
  3: 'settings.by.full-members',
  4: 'settings.by.moderators',
  2: 'settings.by.admins',
  7: 'settings.by.owners',
  6: 'settings.by.nobody',
} as const;

type Policy = keyof typeof BY;

const by = (...values: readonly Policy[]): Row => ({
  control: { kind: 'choice', options: values.map((value) => ({ value, label: () => t(BY[value]) })) },
});

const choice = (...options: readonly Option[]): Row => ({ control: { kind: 'choice', options } });

const members = by(1, 3, 4, 2);

const SECONDS = [60, 300, 600, 3_600, 86_400, 604_800, 2_592_000] as const;
const seconds: Row = { control: { kind: 'limit', unit: 'seconds', spans: SECONDS, none: null } };

const ORGANIZATION_TYPES = {
  0: 'settings.type.unspecified',
  10: 'settings.type.business',
  20: 'settings.type.open-source',
  30: 'settings.type.school-nonprofit',
  35: 'settings.type.school',
  40: 'settings.type.research',
  50: 'settings.type.event',
  60: 'settings.type.nonprofit',
  70: 'settings.type.government',
  80: 'settings.type.political',
  90: 'settings.type.community',
  100: 'settings.type.personal',
  1000: 'settings.type.other',
} as const;

const organizationTypes: readonly Option[] = Object.entries(ORGANIZATION_TYPES).map(([value, key]) => ({
  value: Number(value),
  label: () => t(key),
}));

const WEEK = [0, 1, 2, 3, 4, 5, 6].map((value) => ({
  value,
  // 1 January 2024 was a Monday.
  label: () =>
    new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'long' }).format(new Date(2024, 0, 1 + value)),
}));

const PROFILE = {
  name: { control: { kind: 'text', max: 40 } },
  description: { control: { kind: 'area', max: 1_000 } },
  org_type: choice(...organizationTypes),
  default_language: { control: { kind: 'language' } },
  want_advertise_in_communities_directory: flag,
} as const satisfies Partial<Record<Parameter, Row>>;

const JOINING = {
  invite_required: ownerFlag,
  invite_to_realm_policy: { ...by(1, 3, 4, 2, 6), ownerOnly: true },
  emails_restricted_to_domains: ownerFlag,
  disallow_disposable_email_addresses: ownerFlag,
  waiting_period_threshold: { control: { kind: 'number', min: 0 }, ownerOnly: true },
  send_welcome_emails: flag,
} as const satisfies Partial<Record<Parameter, Row>>;

const STREAMS = {
  create_public_stream_policy: members,
  create_private_stream_policy: members,
  create_web_public_stream_policy: by(4, 2, 7, 6),
  enable_spectator_access: flag,
  invite_to_stream_policy: members,
  notifications_stream_id: { control: { kind: 'stream' } },
  signup_notifications_stream_id: { control: { kind: 'stream' } },
} as const satisfies Partial<Record<Parameter, Row>>;

const PEOPLE = {
  name_changes_disabled: flag,
  email_changes_disabled: flag,
  avatar_changes_disabled: flag,
  user_group_edit_policy: members,
  add_custom_emoji_policy: members,
  bot_creation_policy: choice(
    { value: 1, label: () => t('settings.by.members') },
    { value: 2, label: () => t('settings.bots-generic') },
    { value: 3, label: () => t('settings.by.admins') },
  ),
} as const satisfies Partial<Record<Parameter, Row>>;

const MESSAGES = {
  private_message_policy: choice(
    { value: 1, label: () => t('settings.on') },
    { value: 2, label: () => t('settings.off') },
  ),
  // Its numbers differ from those of the other policies.
  wildcard_mention_policy: choice(
    { value: 1, label: () => t('settings.by.everyone') },
    { value: 2, label: () => t('settings.by.members') },
    { value: 3, label: () => t('settings.by.full-members') },
    { value: 7, label: () => t('settings.by.moderators') },
    { value: 5, label: () => t('settings.by.admins') },
    { value: 6, label: () => t('settings.by.nobody') },
  ),
  mandatory_topics: flag,
  enable_read_receipts: flag,
  inline_image_preview: flag,
  inline_url_embed_preview: flag,
  default_code_block_language: { control: { kind: 'text', max: 40 } },
  video_chat_provider: choice({ value: 0, label: () => t('settings.none') }, { value: 1, label: () => 'Jitsi Meet' }),
} as const satisfies Partial<Record<Parameter, Row>>;

const EDITING = {
  allow_message_editing: flag,
  message_content_edit_limit_seconds: seconds,
  allow_edit_history: flag,
  edit_topic_policy: by(5, 1, 3, 4, 2, 6),
  move_messages_within_stream_limit_seconds: seconds,
  move_messages_between_streams_policy: by(1, 3, 4, 2, 6),
  move_messages_between_streams_limit_seconds: seconds,
  delete_own_message_policy: by(5, 1, 3, 4, 2),
  message_content_delete_limit_seconds: seconds,
  message_retention_days: {
    control: { kind: 'limit', unit: 'days', spans: [7, 30, 90, 180, 365, 730], none: -1 },
    ownerOnly: true,
  },
} as const satisfies Partial<Record<Parameter, Row>>;

const MAIL = {
  message_content_allowed_in_email_notifications: flag,
  digest_emails_enabled: flag,
  digest_weekday: choice(...WEEK),
} as const satisfies Partial<Record<Parameter, Row>>;

const ALL = { ...PROFILE, ...JOINING, ...STREAMS, ...PEOPLE, ...MESSAGES, ...EDITING, ...MAIL };

export type RealmSetting = keyof typeof ALL;

export interface RealmRow extends Row {
  readonly name: RealmSetting;
}

const rowsOf = (table: Partial<Record<RealmSetting, Row>>): readonly RealmRow[] =>
  Object.entries(table).map(([name, row]) => ({ name: name as RealmSetting, ...row }));

export const PROFILE_GROUPS = [{ title: 'settings.group.profile', rows: rowsOf(PROFILE) }] as const;

export const PERMISSION_GROUPS = [
  { title: 'settings.group.joining', rows: rowsOf(JOINING) },
  { title: 'settings.group.streams', rows: rowsOf(STREAMS) },
  { title: 'settings.group.people', rows: rowsOf(PEOPLE) },
] as const;

export const MESSAGE_GROUPS = [
  { title: 'settings.group.messages', rows: rowsOf(MESSAGES) },
  { title: 'settings.group.editing', rows: rowsOf(EDITING) },
  { title: 'settings.group.email', rows: rowsOf(MAIL) },
] as const;
