/**
 * The settings of an organization, one row each (realm.md § Settings). The parameter of PATCH /realm, the value in a
 * new organization, the role that may change a setting, the event, and the field of POST /register all follow from its
 * row; organizations that exist get the default when they are loaded. docs/how-to/add-a-setting.md lists what else a
 * new setting needs.
 */
import { type TSchema, Type } from 'typebox';
import type { JsonObject } from '#base';
import { apiError } from '#model/errors';
import { INTERFACE_LANGUAGE_CODES } from './languages.js';

export type RealmSettingValue = boolean | number | string | null;

/** Value of a setting in the form that clients read. */
type ClientSettingValue = RealmSettingValue | { readonly [method: string]: boolean };

/** Declaration of a value that PATCH /realm accepts. The fields are those of an API parameter. */
interface RealmParameterDeclaration {
  readonly encoding: 'json' | 'string' | 'uint';
  readonly schema: TSchema;
  readonly description: string;
  /** True if only owners may change the setting; administrators may change all others. */
  readonly ownerOnly?: true;
  /** Refuses a value that satisfies the schema. @throws ApiError */
  check?(value: unknown): void;
}

/** A setting of an organization that is stored. */
interface RealmSettingDeclaration<V extends RealmSettingValue = RealmSettingValue> extends RealmParameterDeclaration {
  /** Value of the setting in a new organization, and in one that was made before the setting existed. */
  readonly default: V;
  /** Value of the setting in a new school or university, where it differs. */
  readonly educationDefault?: V;
  /** Event that reports a change: 'plain' is `realm`/`update`, 'dict' is `realm`/`update_dict`. */
  readonly event: 'plain' | 'dict';
  /** True if the response of PATCH /realm says `updated` instead of the value. */
  readonly hiddenInReply?: true;
  /** True if the response and an event report the setting even if the request repeats its present value. */
  readonly alwaysReported?: true;
  /** True if the value is the id of a live stream, or negative. */
  readonly isStreamValued?: true;
  /** Converts a value of the request into its stored form. @throws ApiError */
  convert?(value: unknown, name: string): V;
  /** Converts the stored value into the form that clients read, where the two differ. */
  formatForClients?(value: RealmSettingValue, hasSingleSignOn: boolean): ClientSettingValue;
}

/** A parameter of PATCH /realm that is checked but not stored: this server has one choice only. */
type CheckedOnlyRealmParameter = RealmParameterDeclaration & { readonly default?: never };

type RealmSettingOverrides<V extends RealmSettingValue> = Partial<
  Omit<RealmSettingDeclaration<V>, 'default' | 'description'>
>;

const declareFlag = (
  value: boolean,
  description: string,
  more: RealmSettingOverrides<boolean> = {},
): RealmSettingDeclaration<boolean> => ({
  encoding: 'json',
  schema: Type.Boolean(),
  event: 'plain',
  default: value,
  description,
  ...more,
});

const declareText = (
  value: string,
  description: string,
  more: RealmSettingOverrides<string> = {},
): RealmSettingDeclaration<string> => ({
  encoding: 'string',
  schema: Type.String(),
  event: 'plain',
  hiddenInReply: true,
  default: value,
  description,
  ...more,
});

const declareInteger = (
  value: number,
  description: string,
  more: RealmSettingOverrides<number> = {},
): RealmSettingDeclaration<number> => ({
  encoding: 'json',
  schema: Type.Integer(),
  event: 'plain',
  default: value,
  description,
  ...more,
});

const declareIntegerChoice = (
  value: number,
  values: readonly number[],
  description: string,
  more: RealmSettingOverrides<number> = {},
) => declareInteger(value, description, { schema: Type.Enum([...values]), ...more });

const POLICY_VALUES_DESCRIPTION =
  '1 members, 2 administrators, 3 full members, 4 moderators, 5 everybody, 6 nobody, 7 owners';
const COMMON_POLICY_VALUES = [1, 2, 3, 4] as const;

/** Makes the row of a setting that is a policy: its values are those that `isAllowedByPolicy` understands. */
const declarePolicy = (
  value: number,
  values: readonly number[],
  what: string,
  more: RealmSettingOverrides<number> = {},
) => declareIntegerChoice(value, values, `Who may ${what}: ${POLICY_VALUES_DESCRIPTION}.`, more);

/** Largest integer that clients and the database of the API's original server hold. */
const MAX_SETTING_INTEGER = 2_147_483_647;

/** Makes the row of a setting that limits a time in days or seconds. @param unlimited the stored form of 'unlimited' */
const declareTimeLimit = <N extends null | -1>(
  value: number,
  unlimited: N,
  unit: string,
  more: RealmSettingOverrides<number | N> = {},
) =>
  ({
    encoding: 'json',
    schema: Type.Union([Type.String(), Type.Integer()]),
    event: 'plain',
    default: value,
    description: `${unit}, or 'unlimited'.`,
    convert(given, name) {
      if (given === 'unlimited') return unlimited;
      if (typeof given === 'number' && given > 0 && given <= MAX_SETTING_INTEGER) return given;
      throw apiError('REQUEST_VARIABLE_INVALID', { var_name: name, bad_value: given as string | number });
    },
    ...more,
  }) satisfies RealmSettingDeclaration<number | N> as RealmSettingDeclaration<number | N>;

/** Makes the row of a setting whose value is the id of a stream; -1: none. */
const declareStreamId = (description: string): RealmSettingDeclaration<number> =>
  declareInteger(-1, description, { isStreamValued: true, convert: (given) => Math.max(-1, Number(given)) });

const STRING_UP_TO_40_SCHEMA = Type.String({ maxLength: 40 });

/** Name of the sign-in method by password, and below that of single sign-on; clients know both names. */
export const PASSWORD_LOGIN_METHOD = 'Email';
export const SINGLE_SIGN_ON_LOGIN_METHOD = 'OpenID Connect';
const LOGIN_METHODS: readonly string[] = [PASSWORD_LOGIN_METHOD, SINGLE_SIGN_ON_LOGIN_METHOD];
const LOGIN_METHODS_WITHOUT_PROVIDER: readonly string[] = [PASSWORD_LOGIN_METHOD];

/**
 * True if the sign-in method is on. @param stored value of `authentication_methods`: the methods that are off,
 * separated by commas
 */
export const isLoginMethodOn = (stored: string, method: string): boolean => !stored.split(',').includes(method);

/**
 * Returns each sign-in method that the organization has, with true if it is on.
 * @param stored value of `authentication_methods`
 * @param hasSingleSignOn true if the server is configured with an identity provider of the organization
 */
export const formatLoginMethodsForClients = (
  stored: string,
  hasSingleSignOn: boolean,
): { readonly [method: string]: boolean } => {
  const methods = hasSingleSignOn ? LOGIN_METHODS : LOGIN_METHODS_WITHOUT_PROVIDER;
  return Object.fromEntries(methods.map((method) => [method, isLoginMethodOn(stored, method)]));
};

/** Checks the setting for ways to log in. @throws ApiError */
function checkLoginMethods(value: unknown): void {
  const methods = value as Readonly<Record<string, boolean>>;
  if (!Object.values(methods).includes(true)) throw apiError('NO_LOGIN_METHOD');
  if (Object.keys(methods).every((name) => LOGIN_METHODS.includes(name))) return;
  throw apiError('VALIDATION_FAILED', { message: 'Invalid authentication_methods' });
}

/**
 * Video providers that a setting may choose: 0 none, 1 Jitsi; others need credentials, for which the configuration has
 * no option.
 */
const ALLOWED_VIDEO_PROVIDERS: readonly unknown[] = [0, 1];
const ALLOWED_GIPHY_RATINGS: readonly unknown[] = [0, 1, 2, 3, 4, 5];

/** Kinds of organization: words for the command line, numbers for the API. */
export const ORGANIZATION_TYPE_NUMBER_BY_NAME: Readonly<Record<string, number>> = {
  unspecified: 0,
  business: 10,
  opensource: 20,
  'school-nonprofit': 30,
  school: 35,
  research: 40,
  event: 50,
  nonprofit: 60,
  government: 70,
  'political-group': 80,
  community: 90,
  personal: 100,
  other: 1000,
};

/** True for schools and universities, in which teachers decide what pupils may do. */
export const isEducationOrganizationType = (orgType: number): boolean =>
  orgType === ORGANIZATION_TYPE_NUMBER_BY_NAME.school ||
  orgType === ORGANIZATION_TYPE_NUMBER_BY_NAME['school-nonprofit'];

/** The settings, one row each, in the order in which a request's values are checked. */
export const REALM_SETTING_DECLARATIONS = {
  name: declareText('', 'Name of the organization.', { schema: Type.String({ maxLength: 40, check: 'nonBlank' }) }),
  description: declareText('', 'Markdown.', { schema: Type.String({ maxLength: 1000 }) }),
  emails_restricted_to_domains: declareFlag(false, 'Accounts need an address of an allowed domain.', {
    ownerOnly: true,
  }),
  disallow_disposable_email_addresses: declareFlag(true, 'No throw-away addresses.', { ownerOnly: true }),
  invite_required: declareFlag(true, 'Joining needs an invitation.', { ownerOnly: true }),
  invite_to_realm_policy: declarePolicy(1, [1, 2, 3, 4, 6], 'invite', { ownerOnly: true, educationDefault: 2 }),
  name_changes_disabled: declareFlag(false, 'People may not change their names.'),
  email_changes_disabled: declareFlag(false, 'People may not change their addresses.'),
  avatar_changes_disabled: declareFlag(false, 'People may not change their avatars.'),
  inline_image_preview: declareFlag(true, 'Images that messages link to are shown.'),
  inline_url_embed_preview: declareFlag(false, 'Pages that messages link to are shown in short.'),
  add_custom_emoji_policy: declarePolicy(1, COMMON_POLICY_VALUES, 'add emoji'),
  delete_own_message_policy: declarePolicy(2, [1, 2, 3, 4, 5], 'delete own messages'),
  message_content_delete_limit_seconds: declareTimeLimit(600, null, 'Seconds'),
  allow_message_editing: declareFlag(true, 'Messages may be edited.', { event: 'dict' }),
  edit_topic_policy: declarePolicy(5, [1, 2, 3, 4, 5, 6], 'change topics', { event: 'dict' }),
  mandatory_topics: declareFlag(false, 'Stream messages need a topic.'),
  message_content_edit_limit_seconds: declareTimeLimit(600, null, 'Seconds', { event: 'dict' }),
  allow_edit_history: declareFlag(true, 'Former versions of messages are shown.'),
  default_language: declareText('en', 'Code of a language.', {
    check(value) {
      if (!INTERFACE_LANGUAGE_CODES.has(String(value))) throw apiError('INVALID_LANGUAGE', { language: String(value) });
    },
  }),
  waiting_period_threshold: declareInteger(0, 'Days until a member is a full member.', {
    encoding: 'uint',
    schema: Type.Integer({ minimum: 0 }),
    ownerOnly: true,
  }),
  authentication_methods: {
    encoding: 'json',
    schema: Type.Record(Type.String(), Type.Boolean()),
    description: 'Ways to log in, on or off; those that are not named stay on.',
    ownerOnly: true,
    event: 'dict',
    default: '',
    check: checkLoginMethods,
    convert: (given) => LOGIN_METHODS.filter((name) => (given as Record<string, boolean>)[name] === false).join(','),
    formatForClients: (stored, hasSingleSignOn) => formatLoginMethodsForClients(String(stored), hasSingleSignOn),
  } as RealmSettingDeclaration<string>,
  notifications_stream_id: declareStreamId('Stream for announcements; negative: none.'),
  signup_notifications_stream_id: declareStreamId('Stream for notices of new accounts; negative: none.'),
  message_retention_days: declareTimeLimit(-1, -1, 'Days', { ownerOnly: true }),
  send_welcome_emails: declareFlag(true, 'New accounts get a letter.'),
  digest_emails_enabled: declareFlag(false, 'Those who were away get a summary.'),
  message_content_allowed_in_email_notifications: declareFlag(true, 'Letters may quote messages.'),
  bot_creation_policy: declareIntegerChoice(
    1,
    [1, 2, 3],
    '1 everybody, 2 generic bots by administrators, 3 administrators.',
  ),
  create_public_stream_policy: declarePolicy(1, COMMON_POLICY_VALUES, 'create public streams', { educationDefault: 2 }),
  create_private_stream_policy: declarePolicy(1, COMMON_POLICY_VALUES, 'create private streams'),
  create_web_public_stream_policy: declarePolicy(7, [2, 4, 6, 7], 'create web-public streams'),
  invite_to_stream_policy: declarePolicy(1, COMMON_POLICY_VALUES, 'subscribe others', { educationDefault: 4 }),
  move_messages_between_streams_policy: declarePolicy(2, [1, 2, 3, 4, 6], 'move messages', { educationDefault: 4 }),
  user_group_edit_policy: declarePolicy(1, COMMON_POLICY_VALUES, 'edit user groups', { educationDefault: 4 }),
  private_message_policy: declareIntegerChoice(1, [1, 2], 'Direct messages: 1 on, 2 off.'),
  // The numbers of this policy differ from those of the other policies: see `isWildcardMentionAllowed`.
  wildcard_mention_policy: declareIntegerChoice(
    5,
    [1, 2, 3, 5, 6, 7],
    'Who may mention everybody: 1 everyone, 2 members, 3 full members, 5 administrators, 6 nobody, 7 moderators.',
  ),
  video_chat_provider: declareInteger(1, '0 none, 1 Jitsi Meet.', {
    check(value) {
      if (!ALLOWED_VIDEO_PROVIDERS.includes(value)) throw apiError('INVALID_VIDEO_PROVIDER', { id: value as number });
    },
  }),
  giphy_rating: declareInteger(2, '0 off, 1 Y, 2 G, 3 PG, 4 PG-13, 5 R.', {
    check(value) {
      if (!ALLOWED_GIPHY_RATINGS.includes(value)) throw apiError('INVALID_GIPHY_RATING', { id: value as number });
    },
  }),
  default_code_block_language: {
    encoding: 'string',
    schema: Type.String(),
    event: 'plain',
    default: null,
    description: "Language of code blocks that name none; '' = none.",
    convert: (value) => (value === '' ? null : String(value)),
  } as RealmSettingDeclaration<string | null>,
  digest_weekday: declareIntegerChoice(1, [0, 1, 2, 3, 4, 5, 6], '0 Monday … 6 Sunday.'),
  string_id: {
    encoding: 'string',
    schema: STRING_UP_TO_40_SCHEMA,
    description: 'New subdomain; demo organizations only.',
    ownerOnly: true,
    check() {
      // No organization of this server is a demo.
      throw apiError('DEMO_ONLY');
    },
  } as CheckedOnlyRealmParameter,
  org_type: declareIntegerChoice(
    0,
    Object.values(ORGANIZATION_TYPE_NUMBER_BY_NAME),
    'What kind of organization this is.',
    {
      alwaysReported: true,
    },
  ),
  enable_spectator_access: declareFlag(false, 'Web-public streams are open to everybody on the web.'),
  want_advertise_in_communities_directory: declareFlag(false, 'May be listed in public.'),
  // The default is true, because a new organization requires invitations, and such organizations start with read
  // receipts.
  enable_read_receipts: declareFlag(true, 'Senders see who has read.'),
  move_messages_within_stream_limit_seconds: declareTimeLimit(604_800, null, 'Seconds'),
  move_messages_between_streams_limit_seconds: declareTimeLimit(604_800, null, 'Seconds'),
};

type RealmSettingDeclarations = typeof REALM_SETTING_DECLARATIONS;

/** Names of the settings that are stored. */
export type RealmSettingName = {
  [N in keyof RealmSettingDeclarations]: RealmSettingDeclarations[N] extends RealmSettingDeclaration<infer _>
    ? N
    : never;
}[keyof RealmSettingDeclarations];

export type RealmSettings = { readonly [N in RealmSettingName]: RealmSettingDeclarations[N]['default'] };

/** Names of the settings whose value is a policy, as `isAllowedByPolicy` evaluates it. */
export type RealmPolicyName = Exclude<
  Extract<RealmSettingName, `${string}_policy`>,
  'bot_creation_policy' | 'private_message_policy' | 'wildcard_mention_policy'
>;

const isStoredRealmSettingName = (name: string): name is RealmSettingName =>
  Object.hasOwn(REALM_SETTING_DECLARATIONS, name) && 'default' in REALM_SETTING_DECLARATIONS[name as RealmSettingName];

/** Names of the stored settings, in the order of their rows. */
export const REALM_SETTING_NAMES: readonly RealmSettingName[] =
  Object.keys(REALM_SETTING_DECLARATIONS).filter(isStoredRealmSettingName);

const makeRealmSettingsFromDeclarations = (pick: (row: RealmSettingDeclaration) => RealmSettingValue): RealmSettings =>
  Object.fromEntries(
    REALM_SETTING_NAMES.map((name) => [name, pick(REALM_SETTING_DECLARATIONS[name])]),
  ) as RealmSettings;

export const DEFAULT_REALM_SETTINGS = makeRealmSettingsFromDeclarations((row) => row.default);

/** Settings of a new organization. */
export const makeInitialRealmSettings = (orgType: number): RealmSettings => ({
  ...(isEducationOrganizationType(orgType)
    ? makeRealmSettingsFromDeclarations((row) => row.educationDefault ?? row.default)
    : DEFAULT_REALM_SETTINGS),
  org_type: orgType,
});

/** Adds the defaults of missing settings. Returns the same object if none is missing. */
export const addMissingRealmSettings = (stored: Partial<RealmSettings>): RealmSettings =>
  REALM_SETTING_NAMES.every((name) => stored[name] !== undefined)
    ? (stored as RealmSettings)
    : { ...DEFAULT_REALM_SETTINGS, ...stored };

/** Checks the values of a request and returns them in their stored form. @throws ApiError */
export function checkAndConvertRealmSettings(
  given: Readonly<Record<string, unknown>>,
  isOwner: boolean,
): Partial<RealmSettings> {
  const rows = Object.entries(REALM_SETTING_DECLARATIONS).filter(([name]) => given[name] !== undefined);
  if (!isOwner && rows.some(([, row]) => row.ownerOnly)) throw apiError('OWNER_REQUIRED');
  for (const [name, row] of rows) row.check?.(given[name]);
  return Object.fromEntries(
    rows
      .filter(([name]) => isStoredRealmSettingName(name))
      .map(([name, row]) => [name, 'convert' in row && row.convert ? row.convert(given[name], name) : given[name]]),
  );
}

/** Lists the known settings among these values. A host of a newer version may send others, which are left out. */
export const listKnownRealmSettings = (values: Partial<RealmSettings>): [RealmSettingName, RealmSettingValue][] =>
  Object.entries(values).filter((of): of is [RealmSettingName, RealmSettingValue] => isStoredRealmSettingName(of[0]));

export const isOwnerOnlyRealmSetting = (name: RealmSettingName): boolean =>
  REALM_SETTING_DECLARATIONS[name].ownerOnly === true;

/** Names of the settings whose value is a stream. */
export const STREAM_VALUED_REALM_SETTING_NAMES = REALM_SETTING_NAMES.filter(
  (name) => REALM_SETTING_DECLARATIONS[name].isStreamValued,
);

/** Names of the settings that responses and events report even if they keep their value. */
export const REALM_SETTINGS_REPORTED_EVEN_IF_UNCHANGED = REALM_SETTING_NAMES.filter(
  (name) => REALM_SETTING_DECLARATIONS[name].alwaysReported,
);

/** Returns the value of a setting in the form that clients read. */
const formatRealmSettingForClients = (
  name: RealmSettingName,
  value: RealmSettingValue,
  hasSingleSignOn: boolean,
): ClientSettingValue => REALM_SETTING_DECLARATIONS[name].formatForClients?.(value, hasSingleSignOn) ?? value;

/** Returns the value of a setting in the form in which the response to a change shows it. */
export const formatRealmSettingForReply = (
  name: RealmSettingName,
  value: RealmSettingValue,
  hasSingleSignOn: boolean,
): ClientSettingValue =>
  REALM_SETTING_DECLARATIONS[name].hiddenInReply
    ? 'updated'
    : formatRealmSettingForClients(name, value, hasSingleSignOn);

/**
 * Makes the event that reports a change of a setting to all users.
 * @param hasSingleSignOn needed for `authentication_methods` only
 */
export const makeRealmSettingEvent = (
  name: RealmSettingName,
  value: RealmSettingValue,
  hasSingleSignOn = false,
): JsonObject =>
  REALM_SETTING_DECLARATIONS[name].event === 'dict'
    ? {
        type: 'realm',
        op: 'update_dict',
        property: 'default',
        data: { [name]: formatRealmSettingForClients(name, value, hasSingleSignOn) },
      }
    : {
        type: 'realm',
        op: 'update',
        property: name,
        value: formatRealmSettingForClients(name, value, hasSingleSignOn),
      };
