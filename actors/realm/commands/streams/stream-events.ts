/** Events about streams. Their audiences are fixed at the commit, by roles and memberships. */
import type { JsonObject } from '#base';
import { USER_ROLE } from '#domain/people';
import {
  compareByName,
  formatStreamForApi,
  formatVisibleDefaultStreamGroups,
  weakestRoleSeeingUnsubscribed,
} from '#domain/streams';
import type { EventAudience, EventLogItem, LogItem } from '#model';
import type { StreamSubscribersReply } from '#model/commands';
import type { DirectoryDefaultStreamGroup, DirectoryStream } from '#model/records';
import { makeDirectoryLogItem } from '../../log-items.js';
import { type ActorParts, findStreamRecord, listStreamRecords, readDefaultStreamGroupRecords } from '../../state.js';

/** Audience of a stream: all users who see it. */
export const makeStreamEventAudience = (stream: DirectoryStream, mv: number, rv: number): EventAudience => ({
  stream: stream.id,
  mv,
  role: weakestRoleSeeingUnsubscribed(stream),
  rv,
});

export const makeStreamCreateOrDeleteEvent = (
  to: EventAudience,
  op: 'create' | 'delete',
  stream: DirectoryStream,
): LogItem => ({
  t: 'event',
  to,
  event: { type: 'stream', op, streams: [formatStreamForApi(stream)] },
});

/**
 * A public stream is announced to all users except guests, a private one to administrators. Other users get a private
 * stream from their user actor when they join, so that a snapshot has both the stream and the subscription or neither.
 */
export const makeStreamCreatedLogItems = (stream: DirectoryStream, version: number): LogItem[] => [
  makeDirectoryLogItem({ stream }),
  makeStreamCreateOrDeleteEvent({ role: weakestRoleSeeingUnsubscribed(stream), rv: version }, 'create', stream),
];

export const makeStreamUpdatedEvent = (
  before: DirectoryStream,
  to: EventAudience,
  property: string,
  value: boolean | number | string | null,
  more: JsonObject = {},
): EventLogItem => ({
  t: 'event',
  to,
  event: { type: 'stream', op: 'update', property, value, stream_id: before.id, name: before.name, ...more },
});

/** Events of a changed privacy for users who gain or lose the stream: those who see it only after or only before it. */
export function makeStreamVisibilityEvents(
  before: DirectoryStream,
  after: DirectoryStream,
  { members }: Pick<StreamSubscribersReply, 'members'>,
  version: number,
): LogItem[] {
  const [was, is] = [weakestRoleSeeingUnsubscribed(before), weakestRoleSeeingUnsubscribed(after)];
  if (was === is) return [];
  const to: EventAudience = { role: Math.max(was, is), weakerThan: Math.min(was, is), rv: version, except: members };
  if (is < was) return [makeStreamCreateOrDeleteEvent(to, 'delete', before)];
  const created = makeStreamCreateOrDeleteEvent(to, 'create', after);
  if (members.length === 0) return [created];
  const event = { type: 'subscription', op: 'peer_add', stream_ids: [after.id], user_ids: members };
  return [created, { t: 'event', to, event }];
}

export const listDefaultStreams = (parts: ActorParts): DirectoryStream[] =>
  [...listStreamRecords(parts)].filter((stream) => stream.isDefault && !stream.archived).sort(compareByName);

/** Event with the new list of default streams. @param changed a stream that is added to the list or removed from it */
export function makeDefaultStreamsEvent(parts: ActorParts, changed: DirectoryStream, version: number): LogItem {
  const others = listDefaultStreams(parts).filter((stream) => stream.id !== changed.id);
  const list = changed.isDefault ? [...others, changed].sort(compareByName) : others;
  return {
    t: 'event',
    to: { role: USER_ROLE.member, rv: version },
    event: { type: 'default_streams', default_streams: list.map(formatStreamForApi) },
  };
}

/**
 * Event with the list of default stream groups, for all users except guests.
 * @param changed a stream that replaces the stored one
 * @param groups absent: the stored ones
 */
export const makeDefaultStreamGroupsEvent = (
  parts: ActorParts,
  changed: DirectoryStream | undefined,
  version: number,
  groups: readonly DirectoryDefaultStreamGroup[] = readDefaultStreamGroupRecords(parts),
): LogItem => ({
  t: 'event',
  to: { role: USER_ROLE.member, rv: version },
  event: {
    type: 'default_stream_groups',
    default_stream_groups: formatStoredDefaultStreamGroupsForApi(parts, groups, changed),
  },
});

export const formatStoredDefaultStreamGroupsForApi = (
  parts: ActorParts,
  groups: readonly DirectoryDefaultStreamGroup[] = readDefaultStreamGroupRecords(parts),
  changed?: DirectoryStream,
): JsonObject[] =>
  formatVisibleDefaultStreamGroups(groups, (id) => (id === changed?.id ? changed : findStreamRecord(parts, id)));

/** True if a default stream group has the stream, so that a change of its privacy changes the shown groups. */
export const isInDefaultStreamGroup = (parts: ActorParts, stream: DirectoryStream): boolean =>
  readDefaultStreamGroupRecords(parts).some(({ streams }) => streams.includes(stream.id));
