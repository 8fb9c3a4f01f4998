/**
 * Permissions as other versions of the format write them: newer ones name a group where this server has a policy, and
 * older ones have flags. Where no policy fits, a stricter one is taken, and the strictest one if even that is too wide:
 * only administrators and owners can get a right that they did not have.
 */
import { Check } from 'typebox/value';
import type { Json } from '#base';
import { SYSTEM_GROUP_IDS, systemGroupIdOfPostPolicy } from '#domain/people';
import { REALM_SETTING_DECLARATIONS, REALM_SETTING_NAMES, type RealmSettingName } from '#model';
import type { CheckedExportRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import { findSystemGroupIdInColumn } from './groups.js';

type PolicySettingName = Extract<RealmSettingName, `${string}_policy`>;
/** Policies with the system groups whose members they allow. */
type PoliciesWithGroups = readonly (readonly [policy: number, group: number])[];

const ADMINS_POLICY = 2;
const { owners, administrators, moderators, fullmembers, members, everyone, nobody } = SYSTEM_GROUP_IDS;
const COMMON_POLICIES: PoliciesWithGroups = [
  [1, members],
  [2, administrators],
  [3, fullmembers],
  [4, moderators],
  [5, everyone],
  [6, nobody],
  [7, owners],
];
/** Policies of settings whose numbers have other meanings. */
const UNCOMMON_POLICIES: Partial<Record<PolicySettingName, PoliciesWithGroups>> = {
  bot_creation_policy: [
    [1, members],
    [3, administrators],
  ],
  private_message_policy: [
    [1, everyone],
    [2, nobody],
  ],
  wildcard_mention_policy: [
    [1, everyone],
    [2, members],
    [3, fullmembers],
    [5, administrators],
    [6, nobody],
    [7, moderators],
  ],
};
const POST_POLICIES: PoliciesWithGroups = [1, 2, 3, 4].map((policy) => [policy, systemGroupIdOfPostPolicy(policy)]);

/** Columns of newer versions that replace a policy: it allows what all of them allow. */
const GROUP_COLUMNS_BY_SETTING: Partial<Record<PolicySettingName, readonly string[]>> = {
  invite_to_realm_policy: ['can_invite_users_group'],
  add_custom_emoji_policy: ['can_add_custom_emoji_group'],
  delete_own_message_policy: ['can_delete_own_message_group'],
  edit_topic_policy: ['can_move_messages_between_topics_group'],
  bot_creation_policy: ['can_create_bots_group'],
  create_public_stream_policy: ['can_create_public_channel_group'],
  create_private_stream_policy: ['can_create_private_channel_group'],
  create_web_public_stream_policy: ['can_create_web_public_channel_group'],
  invite_to_stream_policy: ['can_add_subscribers_group'],
  move_messages_between_streams_policy: ['can_move_messages_between_channels_group'],
  user_group_edit_policy: ['can_manage_all_groups', 'can_create_groups'],
  private_message_policy: ['direct_message_permission_group', 'direct_message_initiator_group'],
  wildcard_mention_policy: ['can_mention_many_users_group'],
};
/** Flags of older versions, with the value that leaves the permission to administrators. */
const ADMINS_ONLY_FLAGS: readonly (readonly [column: string, value: boolean, setting: PolicySettingName])[] = [
  ['invite_by_admins_only', true, 'invite_to_realm_policy'],
  ['add_emoji_by_admins_only', true, 'add_custom_emoji_policy'],
  ['create_stream_by_admins_only', true, 'create_public_stream_policy'],
  ['create_stream_by_admins_only', true, 'create_private_stream_policy'],
  // In this setting, `ADMINS_POLICY` restricts only generic bots: members make other bots as before.
  ['create_generic_bot_by_admins_only', true, 'bot_creation_policy'],
  ['allow_community_topic_editing', false, 'edit_topic_policy'],
];
interface FlagOfNewerPolicy {
  readonly column: string;
  readonly setting: RealmSettingName;
  /** Value of the setting by the policy's number in the column. */
  readonly flagByPolicy: ReadonlyMap<Json | undefined, boolean>;
  /** Value of the setting for unknown policies. */
  readonly strictest: boolean;
}

/** Columns in which newer versions have a policy and this server has a flag. */
const FLAGS_OF_NEWER_POLICIES: readonly FlagOfNewerPolicy[] = [
  {
    column: 'message_edit_history_visibility_policy',
    setting: 'allow_edit_history',
    flagByPolicy: new Map([
      [1, true],
      [3, false],
    ]),
    strictest: false,
  },
  {
    column: 'topics_policy',
    setting: 'mandatory_topics',
    flagByPolicy: new Map([
      [2, false],
      [3, true],
    ]),
    strictest: true,
  },
];
/** Policy of older versions for both kinds of streams. */
export const CREATE_STREAM_POLICY_COLUMN = 'create_stream_policy';

const KNOWN_REALM_PERMISSION_COLUMNS: ReadonlySet<string> = new Set([
  ...REALM_SETTING_NAMES,
  ...Object.values(GROUP_COLUMNS_BY_SETTING).flat(),
  ...FLAGS_OF_NEWER_POLICIES.map(({ column }) => column),
  CREATE_STREAM_POLICY_COLUMN,
]);
/** Columns of a stream whose permissions are imported. Other permissions exist here for the whole organization only. */
const KNOWN_STREAM_PERMISSION_COLUMNS: ReadonlySet<string> = new Set([
  'can_remove_subscribers_group',
  'can_send_message_group',
  'stream_post_policy',
]);
/** Columns of a group that have the name of a permission, but are none. */
const KNOWN_GROUP_COLUMNS: ReadonlySet<string> = new Set(['is_system_group']);
const PERMISSION_COLUMN_PATTERN = /_groups?$|_policy$/;

const isPolicySetting = (name: RealmSettingName): name is PolicySettingName => name.endsWith('_policy');

/** Orders system groups: each contains those before it. */
const breadthOf = (group: number): number => (group === nobody ? 0 : group);

/** Returns the widest policy whose accounts are all in the group. If there is none, the strictest policy counts. */
function widestPolicyWithinGroup(
  group: number,
  policies: PoliciesWithGroups,
): readonly [policy: number, group: number] {
  const byBreadth = [...policies].sort(([, a], [, b]) => breadthOf(b) - breadthOf(a));
  return byBreadth.find(([, allowed]) => breadthOf(allowed) <= breadthOf(group)) ?? byBreadth.at(-1)!;
}

const policiesOfSetting = (name: PolicySettingName): PoliciesWithGroups =>
  (UNCOMMON_POLICIES[name] ?? COMMON_POLICIES).filter(([policy]) =>
    Check(REALM_SETTING_DECLARATIONS[name].schema, policy),
  );

/** Returns the value that a policy gets in place of an unknown one; undefined for a setting that is no policy. */
export const findStrictestPolicy = (name: RealmSettingName): number | undefined =>
  isPolicySetting(name) ? widestPolicyWithinGroup(nobody, policiesOfSetting(name))[0] : undefined;

/** Sets the policies of the organization that a newer or an older version wrote in another form. */
export function importRealmPoliciesOfOtherVersions(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  for (const [column, value, name] of ADMINS_ONLY_FLAGS)
    if (row.uncheckedValue(column) === value && !row.hasNonNullField(name))
      draft.settings = { ...draft.settings, [name]: ADMINS_POLICY };
  for (const { column, setting, flagByPolicy, strictest } of FLAGS_OF_NEWER_POLICIES) {
    if (!row.hasNonNullField(column)) continue;
    const flag = flagByPolicy.get(row.uncheckedValue(column));
    draft.settings = { ...draft.settings, [setting]: flag ?? strictest };
    if (flag === undefined) draft.adjustedRowCounts.addCount(`policy that has no equal here: ${setting}`);
  }
  for (const name of REALM_SETTING_NAMES.filter(isPolicySetting)) {
    const groups = (GROUP_COLUMNS_BY_SETTING[name] ?? []).flatMap(
      (column) => findSystemGroupIdInColumn(row, column, nobody, draft) ?? [],
    );
    if (groups.length === 0) continue;
    const [strictest] = groups.sort((a, b) => breadthOf(a) - breadthOf(b));
    const [policy, group] = widestPolicyWithinGroup(strictest!, policiesOfSetting(name));
    draft.settings = { ...draft.settings, [name]: policy };
    if (group !== strictest) draft.adjustedRowCounts.addCount(`policy that has no equal here: ${name}`);
  }
  countUnknownPermissions(row, KNOWN_REALM_PERMISSION_COLUMNS, 'unknown permission', draft);
}

/** Returns who may send to a stream. */
export function postPolicyOfStreamRow(row: CheckedExportRow, draft: ImportedOrganizationDraft): number {
  const given = findSystemGroupIdInColumn(row, 'can_send_message_group', nobody, draft);
  if (given !== undefined) {
    const [policy, group] = widestPolicyWithinGroup(given, POST_POLICIES);
    if (group !== given) draft.adjustedRowCounts.addCount('policy that has no equal here: stream_post_policy');
    return policy;
  }
  const ofOlderVersion = row.booleanOrDefault('is_announcement_only') ? ADMINS_POLICY : 1;
  const policy = row.nonNegativeIntegerOr('stream_post_policy', ofOlderVersion);
  if (POST_POLICIES.some(([known]) => known === policy)) return policy;
  draft.adjustedRowCounts.addCount('unknown value of stream_post_policy');
  return ADMINS_POLICY;
}

/** Counts the permissions of a stream that are not imported. */
export const countUnknownPermissionsOfStream = (row: CheckedExportRow, draft: ImportedOrganizationDraft): void =>
  countUnknownPermissions(row, KNOWN_STREAM_PERMISSION_COLUMNS, 'unknown permission of a stream', draft);

/** Counts the permissions of a user group: none of them is imported. */
export const countPermissionsOfGroup = (row: CheckedExportRow, draft: ImportedOrganizationDraft): void =>
  countUnknownPermissions(row, KNOWN_GROUP_COLUMNS, 'unknown permission of a group', draft);

function countUnknownPermissions(
  row: CheckedExportRow,
  known: ReadonlySet<string>,
  reason: string,
  draft: ImportedOrganizationDraft,
): void {
  for (const column of Object.keys(row.fields))
    if (PERMISSION_COLUMN_PATTERN.test(column) && !known.has(column) && row.hasNonNullField(column))
      draft.adjustedRowCounts.addCount(`${reason}: ${column}`);
}
