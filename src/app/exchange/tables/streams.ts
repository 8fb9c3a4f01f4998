/**
 * Streams and their subscribers: zerver_stream, zerver_defaultstream, zerver_recipient, zerver_subscription,
 * zerver_huddle (direct messages between more than two).
 */
import type { JsonObject } from '#base';
import { renderMarkdownOrEmpty } from '#domain/markdown';
import { SYSTEM_GROUP_IDS } from '#domain/people';
import {
  checkStreamName,
  makeDefaultSubscription,
  pickSubscriptionColor,
  type Subscription,
  streamPrivacyNameOf,
  toOneLineDescription,
} from '#domain/streams';
import { directMessageActorKey, parseActorKey, toStreamId, toUserId } from '#model';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { ExportTableRow } from '../format/row.js';
import { asImportedJson, type ExportedRecipient, type ImportedOrganizationDraft } from '../import/draft.js';

/** Matches the beginning of the names of deactivated streams in an export. */
const DEACTIVATED_STREAM_NAME_PATTERN = /^[0-9a-f]{7}!DEACTIVATED:/;
const RECIPIENT_KINDS: Readonly<Record<number, ExportedRecipient['kind']>> = { 1: 'user', 2: 'stream', 3: 'group' };
const COLOR_PATTERN = /^#[0-9a-f]{6}$/i;

export function importStreams(
  rows: readonly ExportTableRow[],
  creator: number,
  draft: ImportedOrganizationDraft,
): void {
  const names = new Set<string>();
  [...rows]
    .sort((a, b) => a.id - b.id)
    .forEach((row, i) => {
      draft.streamIds.set(row.id, i + 1);
      importStream(row, i + 1, creator, names, draft);
    });
}

function importStream(
  row: ExportTableRow,
  id: number,
  creator: number,
  names: Set<string>,
  draft: ImportedOrganizationDraft,
): void {
  const archived = row.flag('deactivated');
  const name = streamNameOf(row, archived);
  if (!archived && names.has(name.toLowerCase())) throw row.makeRowError(`another stream is named ${name}, too`);
  if (!archived) names.add(name.toLowerCase());
  const description = toOneLineDescription(row.text('description'));
  const privacy = {
    inviteOnly: row.flag('invite_only'),
    historyPublic: row.flag('history_public_to_subscribers', !row.flag('invite_only')),
    webPublic: row.flag('is_web_public'),
  };
  // Every other combination is a stream that no server makes, so the strictest privacy is the safe choice.
  const kind = streamPrivacyNameOf(privacy) ? privacy : { inviteOnly: true, historyPublic: false, webPublic: false };
  const policy = row.numberOr('stream_post_policy', 1);
  const group = row.has('can_remove_subscribers_group')
    ? draft.groupIds.find(row.number('can_remove_subscribers_group'))
    : undefined;
  const stream: DirectoryStream = {
    id: toStreamId(id),
    recipient: draft.nextRecipient++,
    name,
    description,
    renderedDescription: renderMarkdownOrEmpty(description),
    created: Math.floor(row.timeSeconds('date_created', draft.createdMs / 1000)),
    creator: toUserId(creator),
    ...kind,
    postPolicy: policy >= 1 && policy <= 4 ? policy : 1,
    retentionDays: retentionDaysOf(row),
    canRemoveGroup: group ?? SYSTEM_GROUP_IDS.administrators,
    firstMessage: null,
    archived,
    isDefault: false,
  };
  draft.records.streams.push(stream);
  draft.countImportedRows('streams');
}

function streamNameOf(row: ExportTableRow, archived: boolean): string {
  const given = row.text('name');
  const name = archived ? given.replace(DEACTIVATED_STREAM_NAME_PATTERN, '') : given;
  try {
    return checkStreamName(name);
  } catch {
    const plain = [...name.replace(/\p{C}/gu, '').trim()].slice(0, 60).join('');
    return plain === '' ? `stream ${row.id}` : plain;
  }
}

function retentionDaysOf(row: ExportTableRow): number | null {
  if (row.rawValue('message_retention_days') === -1) return -1;
  return row.numberOr('message_retention_days', null);
}

export function importDefaultStream(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const id = draft.streamIds.getOrThrow(row.number('stream'), row.table);
  updateImportedStream(draft, id, { isDefault: true });
}

export function updateImportedStream(
  draft: ImportedOrganizationDraft,
  id: number,
  change: Partial<DirectoryStream>,
): void {
  const at = id - 1;
  draft.records.streams[at] = { ...draft.records.streams[at]!, ...change };
}

export function importRecipient(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
  const kind = RECIPIENT_KINDS[row.number('type')];
  if (!kind) throw row.makeRowError(`${row.number('type')} is no type of a recipient`);
  draft.recipients.set(row.id, { kind, of: row.number('type_id') });
}

/**
 * Adds subscriptions to streams. Members of group conversations are added to `members` (by the group's id in the
 * export).
 */
export function importSubscription(
  row: ExportTableRow,
  draft: ImportedOrganizationDraft,
  members: Map<number, Set<number>>,
): void {
  const recipient = draft.recipients.get(row.number('recipient'));
  if (!recipient) throw row.makeRowError('there is no recipient with this id');
  const user = draft.userIds.find(row.number('user_profile'));
  if (user === undefined) throw row.makeRowError('there is no user with this id');
  if (recipient.kind === 'group') {
    const known = members.get(recipient.of);
    if (known) known.add(user);
    else members.set(recipient.of, new Set([user]));
  }
  if (recipient.kind !== 'stream') return;
  const stream = draft.streamIds.getOrThrow(recipient.of, row.table);
  const active = row.flag('active', true) && !draft.records.streams[stream - 1]!.archived;
  const color = row.text('color');
  const own: Subscription = {
    stream,
    active,
    color: COLOR_PATTERN.test(color) ? color : pickSubscriptionColor(new Set(), stream),
    muted: row.flag('is_muted'),
    pinned: row.flag('pin_to_top'),
    desktop: row.booleanOrNull('desktop_notifications'),
    audible: row.booleanOrNull('audible_notifications'),
    push: row.booleanOrNull('push_notifications'),
    email: row.booleanOrNull('email_notifications'),
    wildcard: row.booleanOrNull('wildcard_mentions_notify'),
  };
  draft.addUserParts(user, { [`sub/${stream}`]: asImportedJson(own) });
  draft.countImportedRows('subscriptions');
  if (own.push || own.email) draft.addNotified(stream, user);
  if (!active) return;
  const subscribers = draft.subscribedStreamsByUser.get(stream);
  if (subscribers) subscribers.add(user);
  else draft.subscribedStreamsByUser.set(stream, new Set([user]));
}

/** Adds the ended subscription of a user who received messages of a stream: access to them needs a subscription. */
export function addFormerSubscription(user: number, stream: number, draft: ImportedOrganizationDraft): void {
  const part = `sub/${stream}`;
  if (draft.userParts(user)[part] !== undefined) return;
  const former = { ...makeDefaultSubscription(stream, pickSubscriptionColor(new Set(), stream)), active: false };
  draft.addUserParts(user, { [part]: asImportedJson(former) });
}

/**
 * Assigns recipient ids to group conversations, after all subscriptions were read, which name the members of a group.
 */
export function importDirectGroups(
  rows: readonly ExportTableRow[],
  members: ReadonlyMap<number, ReadonlySet<number>>,
  draft: ImportedOrganizationDraft,
): void {
  const bySet = new Map<string, number>();
  for (const row of [...rows].sort((a, b) => a.id - b.id)) {
    const participants = [...(members.get(row.id) ?? [])].sort((a, b) => a - b);
    if (participants.length === 0) {
      draft.leftOut.add('group conversation without members');
      continue;
    }
    const group = parseActorKey(directMessageActorKey(draft.facts.realm, participants.map(toUserId))).idWithinRealm;
    // Two groups in the export with the same members become one conversation.
    let recipient = bySet.get(group) ?? 0;
    if (recipient === 0 && participants.length > 2) {
      recipient = draft.nextRecipient++;
      bySet.set(group, recipient);
      draft.realmParts[`group/${group}`] = recipient;
    }
    draft.directGroups.set(row.id, { participants, recipient });
    draft.countImportedRows('group conversations');
  }
}

export const exportStream = (stream: DirectoryStream): JsonObject => ({
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

export const exportDefaultStreams = (directory: DirectoryView): JsonObject[] =>
  [...directory.streams()]
    .filter((stream) => stream.isDefault && !stream.archived)
    .map((stream, i) => ({ id: i + 1, realm: 1, stream: stream.id }));

export const exportSubscription = (
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
