/** Events of the realm actor about streams: who hears of which, fixed by roles and memberships at the commit. */
import type { JsonObject } from '#base';
import { ROLE } from '#domain/people';
import { audienceRole, byName, presentStream, presentStreamGroups } from '#domain/streams';
import type { Audience, LogItem } from '#model';
import type { Membership } from '#model/commands';
import type { DirectoryStream, DirectoryStreamGroup } from '#model/records';
import { directoryItem } from '../../log-items.js';
import { type Parts, streamGroupsOf, streamOf, streamsOf } from '../../state.js';

/** Everybody who can see the stream, and its former subscribers: registrations show it to them among `unsubscribed`. */
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
 * A public stream is announced to everybody but guests, a private one to administrators. Others hear of a private stream
 * from their own actor when they join it, so that their snapshots show both or neither.
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
 * Users who never subscribed gain or lose sight of a stream whose privacy changed. Subscribers see it before and after,
 * former ones keep it in `unsubscribed`: these hear of its privacy, and of its subscribers once they may see them.
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
  const strangers: Audience = { ...to, neverIn: { stream: before.id, mv } };
  if (is < was) return [streamEvent(strangers, 'delete', before)];
  const created = streamEvent(strangers, 'create', after);
  if (members.length === 0) return [created];
  const event = { type: 'subscription', op: 'peer_add', stream_ids: [after.id], user_ids: members };
  return [created, { t: 'event', to, event }];
}

export const defaultStreams = (parts: Parts): DirectoryStream[] =>
  [...streamsOf(parts)].filter((stream) => stream.isDefault && !stream.archived).sort(byName);

/** @param changed is, or is no longer, one of them */
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
 * The list of default stream groups, for all who are no guests. @param changed a stream that is different from the
 * stored one @param groups as they will be; absent: as they are
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

/** For changes after which a stream is shown in the groups that it is in, or no longer. */
export const inStreamGroups = (parts: Parts, stream: DirectoryStream): boolean =>
  streamGroupsOf(parts).some(({ streams }) => streams.includes(stream.id));
