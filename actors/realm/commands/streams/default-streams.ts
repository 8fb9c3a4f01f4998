/** Default streams (streams.md), and groups of them (streams.md § Default stream groups); set by administrators. */

import { makeSuccessReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { isAdminOrOwner } from '#domain/people';
import {
  MAX_DEFAULT_STREAM_GROUP_NAME_CHARACTERS,
  MAX_DEFAULT_STREAM_GROUPS,
  MAX_STREAM_DESCRIPTION_CHARACTERS,
  MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS,
  mayAccessStream,
  maySeeStreamMetadata,
} from '#domain/streams';
import type { realmActorCommands, StreamSubscribersReply } from '#model/commands';
import { apiError, checkParameterItemCount, checkParameterTextLength } from '#model/errors';
import type { DirectoryDefaultStreamGroup, DirectoryStream } from '#model/records';
import type { CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { makeDirectoryLogItem } from '../../log-items.js';
import {
  type ActorParts,
  DEFAULT_STREAM_GROUPS_PART_NAME,
  encodeDirectoryRecord,
  findStreamRecord,
  findUserRecord,
  type RealmActorState,
  readDefaultStreamGroupRecords,
  STREAM_PART_PREFIX,
} from '../../state.js';
import type { RealmMemoryState } from '../../volatile.js';
import { getActingUserOrThrow } from '../callers.js';
import type { RealmCommandHandler } from '../command.js';
import {
  loadOwnPrivateStreamIdsByNames,
  loadSubscribersOfArgsStream,
  type OwnPrivateStreamIds,
} from '../stream-memberships.js';
import { makeDefaultStreamGroupsEvent, makeDefaultStreamsEvent } from './stream-events.js';

/** Exclusive lane of these commands: names and memberships of streams must not change between inputs and handler. */
const EXCLUSIVE_DIRECTORY_LANE_OPTIONS = { lane: 'directory', exclusive: true } as const;

function checkCallerIsAdmin(parts: ActorParts, caller: number): void {
  if (!isAdminOrOwner(getActingUserOrThrow(parts, caller))) throw apiError('ADMIN_REQUIRED');
}

function getDefaultStreamGroupOrThrow(parts: ActorParts, id: number): DirectoryDefaultStreamGroup {
  const group = readDefaultStreamGroupRecords(parts).find((one) => one.id === id);
  if (!group) throw apiError('NO_STREAM_GROUP', { id });
  return group;
}

function checkDefaultStreamGroupName(name: string): void {
  if (name.trim() === '') throw apiError('STREAM_GROUP_NAME_BLANK', { name });
  if ([...name].length > MAX_DEFAULT_STREAM_GROUP_NAME_CHARACTERS) throw apiError('STREAM_GROUP_NAME_TOO_LONG');
  if (name.includes('\0')) throw apiError('STREAM_GROUP_NAME_NULL', { name });
}

function checkDefaultStreamGroupNameIsFree(parts: ActorParts, name: string): void {
  if (readDefaultStreamGroupRecords(parts).some((one) => one.name === name))
    throw apiError('STREAM_GROUP_EXISTS', { group: name });
}

const checkDefaultStreamGroupDescription = (description: string): void =>
  checkParameterTextLength('description', description.length, MAX_STREAM_DESCRIPTION_CHARACTERS);

/** Checks that a list of groups with one more group or more streams is not too large for an event. @throws ApiError */
function checkDefaultStreamGroupCounts(groups: readonly DirectoryDefaultStreamGroup[]): void {
  checkParameterItemCount('realm_default_stream_groups', groups.length, MAX_DEFAULT_STREAM_GROUPS);
  const streams = groups.reduce((sum, group) => sum + group.streams.length, 0);
  checkParameterItemCount('stream_names of all groups', streams, MAX_STREAMS_IN_DEFAULT_STREAM_GROUPS);
}

/** Outcome that stores a new list of default stream groups. */
function makeStoreDefaultStreamGroupsOutcome(
  parts: ActorParts,
  groups: readonly DirectoryDefaultStreamGroup[],
  version: number,
) {
  return {
    reply: makeSuccessReply(undefined, version),
    parts: { [DEFAULT_STREAM_GROUPS_PART_NAME]: encodeDirectoryRecord(groups) },
    events: [
      makeDirectoryLogItem({ streamGroups: groups }),
      makeDefaultStreamGroupsEvent(parts, undefined, version, groups),
    ],
  } satisfies CommandOutcome<RealmActorState>;
}

const listDefaultStreamGroupsWith = (
  parts: ActorParts,
  group: DirectoryDefaultStreamGroup,
): DirectoryDefaultStreamGroup[] =>
  readDefaultStreamGroupRecords(parts).map((one) => (one.id === group.id ? group : one));

interface StreamNamesRequestArgs extends JsonObject {
  readonly stream_names: readonly string[];
}

const loadOwnPrivateIdsOfNamedStreams = (
  { stream_names }: StreamNamesRequestArgs,
  context: CommandInputContext<RealmActorState, RealmMemoryState>,
  sources: ActorInputSources,
): Promise<OwnPrivateStreamIds> => loadOwnPrivateStreamIdsByNames(stream_names, context, sources);

/** The named streams, each once, in order. @throws ApiError for the first that the caller can't access */
function getAccessibleNamedStreamsOrThrow(
  { stream_names }: StreamNamesRequestArgs,
  { parts, volatile }: { readonly parts: ActorParts; readonly volatile: RealmMemoryState },
  own: OwnPrivateStreamIds,
  caller: number,
): DirectoryStream[] {
  const acting = getActingUserOrThrow(parts, caller);
  const streams = new Map<number, DirectoryStream>();
  for (const name of stream_names) {
    const stream = findStreamRecord(parts, volatile.findStreamIdByName(name) ?? 0);
    if (!stream || !mayAccessStream(acting, stream, own.has(stream.id)))
      throw apiError('INVALID_STREAM_NAME', { name });
    streams.set(stream.id, stream);
  }
  return [...streams.values()];
}

function checkIsNotDefaultStream(stream: DirectoryStream, group: string): void {
  if (stream.isDefault) throw apiError('STREAM_GROUP_DEFAULT_STREAM', { stream: stream.name, group });
}

export const createDefaultStreamGroupHandler: RealmCommandHandler<
  typeof realmActorCommands.createStreamGroup,
  OwnPrivateStreamIds
> = {
  ...EXCLUSIVE_DIRECTORY_LANE_OPTIONS,
  inputs: loadOwnPrivateIdsOfNamedStreams,
  handle(view, args, own, { caller, version }) {
    const { state, parts } = view;
    const { name, description } = args;
    checkCallerIsAdmin(parts, caller);
    const streams = getAccessibleNamedStreamsOrThrow(args, view, own, caller);
    for (const stream of streams) checkIsNotDefaultStream(stream, name);
    checkDefaultStreamGroupName(name);
    checkDefaultStreamGroupDescription(description);
    checkDefaultStreamGroupNameIsFree(parts, name);
    const id = state.nextStreamGroup;
    const group = { id, name, description, streams: streams.map((stream) => stream.id) };
    const groups = [...readDefaultStreamGroupRecords(parts), group];
    checkDefaultStreamGroupCounts(groups);
    return {
      ...makeStoreDefaultStreamGroupsOutcome(parts, groups, version),
      state: { ...state, nextStreamGroup: id + 1 },
    };
  },
};

export const updateDefaultStreamGroupHandler: RealmCommandHandler<typeof realmActorCommands.updateStreamGroup> = {
  ...EXCLUSIVE_DIRECTORY_LANE_OPTIONS,
  handle({ parts }, { group_id, name, description }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const group = getDefaultStreamGroupOrThrow(parts, group_id);
    if (name !== null) {
      if (name === group.name) throw apiError('STREAM_GROUP_NAME_SAME', { name });
      checkDefaultStreamGroupName(name);
      checkDefaultStreamGroupNameIsFree(parts, name);
    }
    if (description !== null) checkDefaultStreamGroupDescription(description);
    const after = { ...group, name: name ?? group.name, description: description ?? group.description };
    return makeStoreDefaultStreamGroupsOutcome(parts, listDefaultStreamGroupsWith(parts, after), version);
  },
};

/** Adds streams to a default stream group or removes them, all or none. */
export const editStreamsOfDefaultStreamGroupHandler: RealmCommandHandler<
  typeof realmActorCommands.editStreamGroup,
  OwnPrivateStreamIds
> = {
  ...EXCLUSIVE_DIRECTORY_LANE_OPTIONS,
  inputs: loadOwnPrivateIdsOfNamedStreams,
  handle(view, args, own, { caller, version }) {
    const { parts } = view;
    checkCallerIsAdmin(parts, caller);
    const group = getDefaultStreamGroupOrThrow(parts, args.group_id);
    const streams = getAccessibleNamedStreamsOrThrow(args, view, own, caller);
    if (args.op !== 'add' && args.op !== 'remove') throw apiError('STREAM_GROUP_OP');
    for (const stream of streams) {
      const names = { stream: stream.name, group: group.name };
      const isIn = group.streams.includes(stream.id);
      if (args.op === 'remove') {
        if (!isIn) throw apiError('STREAM_GROUP_ABSENT', names);
        continue;
      }
      checkIsNotDefaultStream(stream, group.name);
      if (isIn) throw apiError('STREAM_GROUP_PRESENT', names);
    }
    const ids = streams.map((stream) => stream.id);
    const after = args.op === 'add' ? [...group.streams, ...ids] : group.streams.filter((id) => !ids.includes(id));
    const groups = listDefaultStreamGroupsWith(parts, { ...group, streams: after });
    if (args.op === 'add') checkDefaultStreamGroupCounts(groups);
    return makeStoreDefaultStreamGroupsOutcome(parts, groups, version);
  },
};

export const removeDefaultStreamGroupHandler: RealmCommandHandler<typeof realmActorCommands.removeStreamGroup> = {
  ...EXCLUSIVE_DIRECTORY_LANE_OPTIONS,
  handle({ parts }, { group_id }, _inputs, { caller, version }) {
    checkCallerIsAdmin(parts, caller);
    const { id } = getDefaultStreamGroupOrThrow(parts, group_id);
    return makeStoreDefaultStreamGroupsOutcome(
      parts,
      readDefaultStreamGroupRecords(parts).filter((one) => one.id !== id),
      version,
    );
  },
};

/** POST and DELETE /default_streams: makes a stream a default stream, or no longer one. */
export const addOrRemoveDefaultStreamHandler: RealmCommandHandler<
  typeof realmActorCommands.setDefaultStream,
  StreamSubscribersReply | undefined
> = {
  lane: 'directory',
  exclusive: true,

  inputs: loadSubscribersOfArgsStream,

  handle({ parts }, { stream_id, isDefault }, membership, { caller, version }) {
    const acting = findUserRecord(parts, caller);
    const stream = findStreamRecord(parts, stream_id);
    if (!acting || !isAdminOrOwner(acting)) throw apiError('ADMIN_REQUIRED');
    const subscribed = membership?.members.includes(caller) ?? false;
    const mayKnow = isDefault ? mayAccessStream : maySeeStreamMetadata;
    if (!stream || !mayKnow(acting, stream, subscribed)) throw apiError('INVALID_STREAM_ID');
    if (isDefault && stream.inviteOnly) throw apiError('DEFAULT_STREAM_PRIVATE_ADD');
    // Adding a default stream again sends nothing; removing a stream that is none still sends the list.
    if (isDefault && stream.isDefault) return { reply: makeSuccessReply() };
    const after = { ...stream, isDefault };
    const changed = makeDefaultStreamsEvent(parts, after, version);
    if (stream.isDefault === isDefault) return { reply: makeSuccessReply(), events: [changed] };
    return {
      reply: makeSuccessReply({}, version),
      parts: { [`${STREAM_PART_PREFIX}${stream_id}`]: encodeDirectoryRecord(after) },
      events: [makeDirectoryLogItem({ stream: after }), changed],
    };
  },
};
