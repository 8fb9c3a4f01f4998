/** Events about streams. Their audiences are fixed at the commit, by roles and memberships. */
import type { JsonObject } from '#base';
import { ROLE } from '#domain/people';
import { audienceRole, byName, presentStream, presentStreamGroups } from '#domain/streams';
import type { Audience, LogItem } from '#model';
import type { Membership } from '#model/commands';
import type { DirectoryStream, DirectoryStreamGroup } from '#model/records';
import { directoryItem } from '../../log-items.js';
import { type Parts, streamGroupsOf, streamOf, streamsOf } from '../../state.js';

/** All users who see the stream, and its former subscribers, whose registrations have it in `unsubscribed`. */
export const streamAudience = (stream: DirectoryStream, mv: number, rv: number): Audience => ({
  stream: stream.id,
  mv,
  former: true,
  role: audienceRole(stream),
  rv,
});

export const streamEvent = (to: Audience, op: 'create' | 'delete', stream: DirectoryStream): LogItem => ({
  t: 'event',
  to,
  event: { type: 'stream', op, streams: [presentStream(stream)] },
});

/**
 * A public stream is announced to all users except guests, a private one to administrators. Other users get a private
 * stream from their user actor when they join, so that a snapshot has both the stream and the subscription or neither.
 */
export const streamCreated = (stream: DirectoryStream, version: number): LogItem[] => [
  directoryItem({ stream }),
  streamEvent({ role: audienceRole(stream), rv: version }, 'create', stream),
];

export const streamUpdate = (
  before: DirectoryStream,
  to: Audience,
  property: string,
  value: boolean | number | string | null,
  more: JsonObject = {},
): LogItem => ({
  t: 'event',
  to,
  event: { type: 'stream', op: 'update', property, value, stream_id: before.id, name: before.name, ...more },
});

/**
 * Events of a changed privacy for users who can see the stream only before or only after it. Users who never subscribed
 * gain or lose the stream. Former subscribers keep it in `unsubscribed`, so they only get its subscribers once visible.
 */
export function streamVisibilityEvents(
  before: DirectoryStream,
  after: DirectoryStream,
  { members, mv }: Membership,
  version: number,
): LogItem[] {
  const [was, is] = [audienceRole(before), audienceRole(after)];
  if (was === is) return [];
  const to: Audience = { role: Math.max(was, is), weakerThan: Math.min(was, is), rv: version, except: members };
  const neverSubscribed: Audience = { ...to, neverIn: { stream: before.id, mv } };
  if (is < was) return [streamEvent(neverSubscribed, 'delete', before)];
  const created = streamEvent(neverSubscribed, 'create', after);
  if (members.length === 0) return [created];
  const event = { type: 'subscription', op: 'peer_add', stream_ids: [after.id], user_ids: members };
  return [created, { t: 'event', to, event }];
}

export const defaultStreams = (parts: Parts): DirectoryStream[] =>
  [...streamsOf(parts)].filter((stream) => stream.isDefault && !stream.archived).sort(byName);

/** The new list of default streams. @param changed a stream that is added to it or removed from it */
export function defaultStreamsChanged(parts: Parts, changed: DirectoryStream, version: number): LogItem {
  const others = defaultStreams(parts).filter((stream) => stream.id !== changed.id);
  const list = changed.isDefault ? [...others, changed].sort(byName) : others;
  return {
    t: 'event',
    to: { role: ROLE.member, rv: version },
    event: { type: 'default_streams', default_streams: list.map(presentStream) },
  };
}

/**
 * The list of default stream groups, for all users except guests.
 * @param changed a stream that replaces the stored one
 * @param groups absent: the stored ones
 */
export const streamGroupsChanged = (
  parts: Parts,
  changed: DirectoryStream | undefined,
  version: number,
  groups: readonly DirectoryStreamGroup[] = streamGroupsOf(parts),
): LogItem => ({
  t: 'event',
  to: { role: ROLE.member, rv: version },
  event: { type: 'default_stream_groups', default_stream_groups: shownStreamGroups(parts, groups, changed) },
});

export const shownStreamGroups = (
  parts: Parts,
  groups: readonly DirectoryStreamGroup[] = streamGroupsOf(parts),
  changed?: DirectoryStream,
): JsonObject[] => presentStreamGroups(groups, (id) => (id === changed?.id ? changed : streamOf(parts, id)));

/** Whether a change of the stream's privacy changes the shown groups. */
export const inStreamGroups = (parts: Parts, stream: DirectoryStream): boolean =>
  streamGroupsOf(parts).some(({ streams }) => streams.includes(stream.id));
