/** Archives streams (streams.md): by DELETE /streams/{stream_id}, and private streams that the last user has left. */
import { createHash } from 'node:crypto';
import { askStreamForSubscribers, makeSuccessReply, makeValueReply } from '#actors/shared';
import { USER_ROLE } from '#domain/people';
import { MAX_STREAM_NAME_CHARACTERS } from '#domain/streams';
import {
  type LogItem,
  makeRealmSettingEvent,
  type RealmId,
  STREAM_VALUED_REALM_SETTING_NAMES,
  type StreamId,
  streamActorKey,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import {
  makeOutboxCommand,
  type OutboxCommand,
  type realmActorCommands,
  type StreamSubscribersReply,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream } from '#model/records';
import { makeBotChangesOfArchivedStreams } from '../../bots.js';
import { makeDirectoryLogItem } from '../../log-items.js';
import { encodeDirectoryRecord, findStreamRecord, type RealmActorState, STREAM_PART_PREFIX } from '../../state.js';
import { getAdministeredStreamOrThrow } from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import { loadSubscribersOfArgsStream } from '../stream-memberships.js';
import {
  isInDefaultStreamGroup,
  makeDefaultStreamGroupsEvent,
  makeDefaultStreamsEvent,
  makeStreamCreateOrDeleteEvent,
  makeStreamEventAudience,
} from './stream-events.js';

/** Name of a stream once it is archived. The name is unique, and the old one becomes free. */
function makeNameOfArchivedStream({ id, name }: Pick<DirectoryStream, 'id' | 'name'>): string {
  const hash = createHash('sha512').update(String(id)).digest('hex').slice(0, 7);
  return [...`${hash}!DEACTIVATED:${name}`].slice(0, MAX_STREAM_NAME_CHARACTERS).join('');
}

interface StreamArchivalCommit {
  readonly state: RealmActorState;
  readonly part: Record<string, ReturnType<typeof encodeDirectoryRecord>>;
  readonly events: readonly LogItem[];
  /** Stages of commands: the users leave first, then the stream actor archives the stream. */
  readonly commands: readonly (readonly OutboxCommand[])[];
}

/** Effect of archiving a stream. @param members subscribers, who leave the stream without a notice */
function makeStreamArchivalCommit(
  { state, parts, volatile }: RealmActorView,
  stream: DirectoryStream,
  { members, mv }: Pick<StreamSubscribersReply, 'members' | 'mv'>,
  { realm, version }: { readonly realm: RealmId; readonly version: number },
): StreamArchivalCommit {
  const after: DirectoryStream = {
    ...stream,
    name: makeNameOfArchivedStream(stream),
    inviteOnly: true,
    webPublic: false,
    archived: true,
    isDefault: false,
  };
  volatile.freeStreamName(stream.id, stream.name);
  const events: LogItem[] = [makeDirectoryLogItem({ stream: after })];
  if (stream.isDefault) events.push(makeDefaultStreamsEvent(parts, after, version));
  if (!stream.inviteOnly && isInDefaultStreamGroup(parts, stream))
    events.push(makeDefaultStreamGroupsEvent(parts, after, version));
  events.push(makeStreamCreateOrDeleteEvent(makeStreamEventAudience(stream, mv, version), 'delete', stream));
  const named = STREAM_VALUED_REALM_SETTING_NAMES.filter((setting) => state.settings[setting] === stream.id);
  const settings = Object.fromEntries(named.map((setting) => [setting, -1]));
  if (named.length > 0) events.push(makeDirectoryLogItem({ settings }));
  for (const property of named) {
    events.push({ t: 'event', to: { role: USER_ROLE.guest, rv: version }, event: makeRealmSettingEvent(property, -1) });
  }
  const streams = [{ id: stream.id, name: stream.name }];
  const toUsers = members.map((user): OutboxCommand => {
    const args = { streams, silent: true };
    return makeOutboxCommand({
      to: userActorKey(realm, toUserId(user)),
      name: userActorCommands.unsubscribed,
      args,
      caller: 0,
      after: version,
    });
  });
  const toStream = makeOutboxCommand({
    to: streamActorKey(realm, stream.id),
    name: streamActorCommands.archive,
    args: {},
    caller: 0,
    after: version,
  });
  return {
    state: named.length > 0 ? { ...state, settings: { ...state.settings, ...settings } } : state,
    part: { [`${STREAM_PART_PREFIX}${stream.id}`]: encodeDirectoryRecord(after) },
    events,
    commands: [toUsers, [toStream]],
  };
}

export const archiveStreamHandler: RealmCommandHandler<
  typeof realmActorCommands.archiveStream,
  StreamSubscribersReply | undefined
> = {
  lane: 'directory',
  exclusive: true,

  inputs: loadSubscribersOfArgsStream,

  handle(view, { stream_id }, membership, { caller, realm, version }) {
    const { parts } = view;
    const { stream } = getAdministeredStreamOrThrow(parts, caller, stream_id, membership);
    if (stream.archived) throw apiError('STREAM_ALREADY_DEACTIVATED');
    const { state, part, events, commands } = makeStreamArchivalCommit(view, stream, membership!, { realm, version });
    const bots = makeBotChangesOfArchivedStreams(parts, [stream.id]);
    return {
      reply: makeSuccessReply({}, version),
      state,
      parts: { ...part, ...bots.parts },
      events: [...events, ...bots.events],
      commands,
      replyAfterCommands: true,
    };
  },
};

/**
 * Archives private streams without active subscribers. The realm actor sends this command to itself in a lane of its
 * own, because the lane of the command that found these streams waits until they are archived.
 */
export const archiveVacatedStreamsHandler: RealmCommandHandler<
  typeof realmActorCommands.vacated,
  ReadonlyMap<number, number>
> = {
  lane: 'vacated',
  async inputs({ streams }, { realm }, sources) {
    const ids = streams.map(({ stream }) => stream);
    const read = await Promise.all(ids.map((id) => askStreamForSubscribers(realm, id, sources)));
    return new Map(ids.map((id, i) => [id, read[i]!.mv]));
  },
  handle(view, args, versions, { realm, version }) {
    const made: StreamArchivalCommit[] = [];
    const archived: StreamId[] = [];
    let { state } = view;
    for (const { stream: id, members } of args.streams) {
      const stream = findStreamRecord(view.parts, toStreamId(id));
      if (!stream || stream.archived) continue;
      const one = makeStreamArchivalCommit(
        { ...view, state },
        stream,
        { members, mv: versions.get(id) ?? 0 },
        { realm, version },
      );
      state = one.state;
      made.push(one);
      archived.push(stream.id);
    }
    if (made.length === 0) return { reply: makeValueReply(null) };
    const bots = makeBotChangesOfArchivedStreams(view.parts, archived);
    return {
      reply: makeValueReply(null),
      state,
      parts: Object.assign({}, ...made.map((one) => one.part), bots.parts),
      events: [...made.flatMap((one) => one.events), ...bots.events],
      commands: [made.flatMap((one) => one.commands[0] ?? []), made.flatMap((one) => one.commands[1] ?? [])],
      replyAfterCommands: true,
    };
  },
};
