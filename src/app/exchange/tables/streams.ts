/**
 * Streams and their subscribers: zerver_stream, zerver_defaultstream, zerver_recipient, zerver_subscription,
 * zerver_huddle (direct messages between more than two), conclave_defaultstreamgroup.
 */
import type { JsonObject } from '#base';
import { renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import { SYSTEM_GROUP_IDS } from '#domain/people';
import {
  MAX_DEFAULT_STREAM_GROUP_NAME_CHARACTERS,
  MAX_DEFAULT_STREAM_GROUPS,
  MAX_STREAM_DESCRIPTION_CHARACTERS,
  MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS,
  makeDefaultSubscription,
  pickSubscriptionColor,
  type Subscription,
  streamPrivacyKindOf,
  toCheckedStreamName,
  toOneLineDescription,
} from '#domain/streams';
import { directMessageActorKey, parseActorKey, toStreamId, toUserId } from '#model';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { CheckedExportRow } from '../format/row.js';
import type { ExportedRecipientTarget, ImportedOrganizationDraft } from '../import/draft.js';
import { findSystemGroupIdInColumn } from './groups.js';
import { countUnknownPermissionsOfStream, postPolicyOfStreamRow } from './policies.js';

/** Matches the beginning of the names of deactivated streams in an export. */
const DEACTIVATED_STREAM_NAME_PREFIX_PATTERN = /^[0-9a-f]{7}!DEACTIVATED:/;
const RECIPIENT_KIND_BY_TYPE_NUMBER: Readonly<Record<number, ExportedRecipientTarget['kind']>> = {
  1: 'user',
  2: 'stream',
  3: 'group',
};
const HEX_COLOR_PATTERN = /^#[0-9a-f]{6}$/i;

export function importAllStreams(
  rows: readonly CheckedExportRow[],
  creator: number,
  draft: ImportedOrganizationDraft,
): void {
  const names = new Set<string>();
  [...rows]
    .sort((a, b) => a.requiredId - b.requiredId)
    .forEach((row, i) => {
      draft.streamIdMap.addNewId(row.requiredId, i + 1);
      importStreamRow(row, i + 1, creator, names, draft);
    });
}

function importStreamRow(
  row: CheckedExportRow,
  id: number,
  creator: number,
  names: Set<string>,
  draft: ImportedOrganizationDraft,
): void {
  const archived = row.booleanOrDefault('deactivated');
  const name = acceptableStreamNameOf(row, archived);
  if (!archived && names.has(name.toLowerCase())) throw row.makeRowError(`another stream is named ${name}, too`);
  if (!archived) names.add(name.toLowerCase());
  const description = toOneLineDescription(row.textOrDefault('description'));
  const privacy = {
    inviteOnly: row.booleanOrDefault('invite_only'),
    historyPublic: row.booleanOrDefault('history_public_to_subscribers', !row.booleanOrDefault('invite_only')),
    webPublic: row.booleanOrDefault('is_web_public'),
  };
  // No server makes a stream whose combination of flags has no name, so the strictest privacy is the safe choice.
  const kind = streamPrivacyKindOf(privacy) ? privacy : { inviteOnly: true, historyPublic: false, webPublic: false };
  countUnknownPermissionsOfStream(row, draft);
  const { administrators } = SYSTEM_GROUP_IDS;
  const stream: DirectoryStream = {
    id: toStreamId(id),
    recipient: draft.nextRecipientId++,
    name,
    description,
    renderedDescription: renderContextFreeMarkdownOrEmpty(description),
    created: Math.floor(row.timeSecondsOrDefault('date_created', draft.createdMs / 1000)),
    creator: toUserId(creator),
    ...kind,
    postPolicy: postPolicyOfStreamRow(row, draft),
    retentionDays: retentionDaysOfStreamRow(row),
    canRemoveGroup:
      findSystemGroupIdInColumn(row, 'can_remove_subscribers_group', administrators, draft) ?? administrators,
    firstMessage: null,
    archived,
    isDefault: false,
  };
  draft.directoryRecords.streams.push(stream);
  draft.addImportedCount('streams');
}

function acceptableStreamNameOf(row: CheckedExportRow, archived: boolean): string {
  const given = row.textOrDefault('name');
  const name = archived ? given.replace(DEACTIVATED_STREAM_NAME_PREFIX_PATTERN, '') : given;
  try {
    return toCheckedStreamName(name);
  } catch {
    const plain = [...name.replace(/\p{C}/gu, '').trim()].slice(0, 60).join('');
    return plain === '' ? `stream ${row.requiredId}` : plain;
  }
}

function retentionDaysOfStreamRow(row: CheckedExportRow): number | null {
  if (row.uncheckedValue('message_retention_days') === -1) return -1;
  return row.nonNegativeIntegerOr('message_retention_days', null);
}

export function markImportedStreamAsDefault(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const id = draft.streamIdMap.requireNewId(row, 'stream');
  updateStreamInDraft(draft, id, { isDefault: true });
}

/** Imports conclave_defaultstreamgroup. */
export function addImportedDefaultStreamGroup(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const { streamGroups } = draft.directorySingletons;
  const name = row.textOrDefault('name');
  const description = row.textOrDefault('description');
  const ids = row.numberListOrEmpty('streams').map((id) => draft.streamIdMap.requireNewId(row, 'streams', id));
  const streams = [...new Set(ids)].map(toStreamId);
  const streamCount = streamGroups.reduce((sum, group) => sum + group.streams.length, streams.length);
  const isTaken =
    name.trim() !== '' &&
    !name.includes('\0') &&
    [...name].length <= MAX_DEFAULT_STREAM_GROUP_NAME_CHARACTERS &&
    description.length <= MAX_STREAM_DESCRIPTION_CHARACTERS &&
    streamGroups.length < MAX_DEFAULT_STREAM_GROUPS &&
    streamCount <= MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS &&
    !streamGroups.some((group) => group.name === name);
  if (!isTaken) {
    draft.adjustedRowCounts.addCount('group of default streams beyond the limits');
    return;
  }
  const group = { id: streamGroups.length + 1, name, description, streams };
  draft.directorySingletons.streamGroups = [...streamGroups, group];
  draft.addImportedCount('groups of default streams');
}

export function updateStreamInDraft(
  draft: ImportedOrganizationDraft,
  id: number,
  change: Partial<DirectoryStream>,
): void {
  const at = id - 1;
  draft.directoryRecords.streams[at] = { ...draft.directoryRecords.streams[at]!, ...change };
}

export function addExportedRecipient(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const kind = RECIPIENT_KIND_BY_TYPE_NUMBER[row.requireNonNegativeInteger('type')];
  if (!kind) throw row.makeRowError(`${row.requireNonNegativeInteger('type')} is no type of a recipient`);
  draft.recipientByExportedId.set(row.requiredId, { kind, of: row.requireNonNegativeInteger('type_id') });
}

/**
 * Adds subscriptions to streams. Members of group conversations are added to `members` (by the group's id in the
 * export).
 */
export function importSubscriptionOrGroupMember(
  row: CheckedExportRow,
  draft: ImportedOrganizationDraft,
  members: Map<number, Set<number>>,
): void {
  const exportedRecipient = row.requireNonNegativeInteger('recipient');
  const recipient = draft.recipientByExportedId.get(exportedRecipient);
  if (!recipient) throw row.makeRowError(`recipient: there is no recipient with id ${exportedRecipient}`);
  const user = draft.userIdMap.requireNewId(row, 'user_profile');
  if (recipient.kind === 'group') {
    const known = members.get(recipient.of);
    if (known) known.add(user);
    else members.set(recipient.of, new Set([user]));
  }
  if (recipient.kind !== 'stream') return;
  const stream = draft.streamIdMap.requireNewId(row, 'recipient', recipient.of);
  const active = row.booleanOrDefault('active', true) && !draft.directoryRecords.streams[stream - 1]!.archived;
  const color = row.textOrDefault('color');
  const own: Subscription = {
    stream,
    active,
    color: HEX_COLOR_PATTERN.test(color) ? color : pickSubscriptionColor(new Set(), stream),
    muted: row.booleanOrDefault('is_muted'),
    pinned: row.booleanOrDefault('pin_to_top'),
    desktop: row.booleanOrNull('desktop_notifications'),
    audible: row.booleanOrNull('audible_notifications'),
    push: row.booleanOrNull('push_notifications'),
    email: row.booleanOrNull('email_notifications'),
    wildcard: row.booleanOrNull('wildcard_mentions_notify'),
  };
  draft.subscriptions.addSubscription(user, own);
  draft.addImportedCount('subscriptions');
  if (own.push || own.email) draft.addUserNotifiedOfAllMessages(stream, user);
  if (!active) return;
  const subscribers = draft.currentSubscriberIdsByStreamId.get(stream);
  if (subscribers) subscribers.add(user);
  else draft.currentSubscriberIdsByStreamId.set(stream, new Set([user]));
}

/** Adds the ended subscription of a user who received messages of a stream: access to them needs a subscription. */
export function addEndedSubscriptionIfNone(user: number, stream: number, draft: ImportedOrganizationDraft): void {
  if (draft.subscriptions.hasSubscription(user, stream)) return;
  const former = { ...makeDefaultSubscription(stream, pickSubscriptionColor(new Set(), stream)), active: false };
  draft.subscriptions.addSubscription(user, former);
}

/**
 * Assigns recipient ids to group conversations, after all subscriptions were read, which name the members of a group.
 */
export function addDirectGroupsWithRecipientIds(
  rows: readonly CheckedExportRow[],
  members: ReadonlyMap<number, ReadonlySet<number>>,
  draft: ImportedOrganizationDraft,
): void {
  const bySet = new Map<string, number>();
  for (const row of [...rows].sort((a, b) => a.requiredId - b.requiredId)) {
    const participants = [...(members.get(row.requiredId) ?? [])].sort((a, b) => a - b);
    if (participants.length === 0) {
      draft.adjustedRowCounts.addCount('group conversation without members');
      continue;
    }
    const group = parseActorKey(directMessageActorKey(draft.facts.realm, participants.map(toUserId))).idWithinRealm;
    // Two groups in the export with the same members become one conversation.
    let recipient = bySet.get(group) ?? 0;
    if (recipient === 0 && participants.length > 2) {
      recipient = draft.nextRecipientId++;
      bySet.set(group, recipient);
      draft.realmParts[`group/${group}`] = recipient;
    }
    draft.directGroupByExportedId.set(row.requiredId, { participants, recipient });
    draft.addImportedCount('group conversations');
  }
}

export const makeStreamRow = (stream: DirectoryStream): JsonObject => ({
  id: stream.id,
  realm: 1,
  name: stream.name,
  description: stream.description,
  rendered_description: stream.renderedDescription,
  date_created: stream.created,
  deactivated: stream.archived,
  invite_only: stream.inviteOnly,
  history_public_to_subscribers: stream.historyPublic,
  is_web_public: stream.webPublic,
  is_in_zephyr_realm: false,
  stream_post_policy: stream.postPolicy,
  message_retention_days: stream.retentionDays,
  can_remove_subscribers_group: stream.canRemoveGroup,
  first_message_id: stream.firstMessage,
  recipient: stream.recipient,
});

export const makeDefaultStreamRows = (directory: DirectoryView): JsonObject[] =>
  [...directory.streams()]
    .filter((stream) => stream.isDefault && !stream.archived)
    .map((stream, i) => ({ id: i + 1, realm: 1, stream: stream.id }));

export const makeDefaultStreamGroupRows = (directory: DirectoryView): JsonObject[] =>
  [...directory.streamGroups]
    .sort((a, b) => a.id - b.id)
    .map(({ id, name, description, streams }) => ({
      id,
      realm: 1,
      name,
      description,
      streams: streams.filter((stream) => directory.stream(stream) !== undefined),
    }));

export const makeSubscriptionRow = (
  id: number,
  user: number,
  recipient: number,
  active: boolean,
  own?: Subscription,
): JsonObject => ({
  id,
  user_profile: user,
  recipient,
  active: own?.active ?? true,
  is_user_active: active,
  is_muted: own?.muted ?? false,
  color: own?.color ?? '#c2c2c2',
  pin_to_top: own?.pinned ?? false,
  desktop_notifications: own?.desktop ?? null,
  audible_notifications: own?.audible ?? null,
  push_notifications: own?.push ?? null,
  email_notifications: own?.email ?? null,
  wildcard_mentions_notify: own?.wildcard ?? null,
});
