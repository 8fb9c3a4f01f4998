/** Archives streams (streams.md): by DELETE /streams/{stream_id}, and private streams that the last user has left. */
import { createHash } from 'node:crypto';
import { readMembership, successReply, valueReply } from '#actors/shared';
import { ROLE } from '#domain/people';
import { MAX_STREAM_NAME_CHARACTERS } from '#domain/streams';
import {
  type LogItem,
  type RealmId,
  realmSettingEvent,
  STREAM_SETTING_NAMES,
  streamId,
  streamKey,
  userId,
  userKey,
} from '#model';
import {
  type OutboxCommand,
  outboxCommand,
  type realmCommands,
  type StreamMembershipReply,
  streamCommands,
  userCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream } from '#model/records';
import { directoryLogItem } from '../../log-items.js';
import { encodeRecord, type RealmState, STREAM_PART_PREFIX, streamRecord } from '../../state.js';
import { requireAdministeredStream } from '../callers.js';
import type { RealmCommand, RealmView } from '../command.js';
import {
  defaultStreamsEvent,
  isInStreamGroup,
  streamAudience,
  streamEvent,
  streamGroupsEvent,
} from './stream-events.js';

/** Name of a stream once it is archived. The name is unique, and the old one becomes free. */
function nameOfArchivedStream({ id, name }: Pick<DirectoryStream, 'id' | 'name'>): string {
  const hash = createHash('sha512').update(String(id)).digest('hex').slice(0, 7);
  return [...`${hash}!DEACTIVATED:${name}`].slice(0, MAX_STREAM_NAME_CHARACTERS).join('');
}

interface ArchiveEffect {
  readonly state: RealmState;
  readonly part: Record<string, ReturnType<typeof encodeRecord>>;
  readonly events: readonly LogItem[];
  /** Stages of commands: the users leave first, then the stream actor archives the stream. */
  readonly commands: readonly (readonly OutboxCommand[])[];
}

/** Effect of archiving a stream. @param members subscribers, who leave the stream without a notice */
function archiveEffect(
  { state, parts, volatile }: RealmView,
  stream: DirectoryStream,
  { members, mv }: Pick<StreamMembershipReply, 'members' | 'mv'>,
  { realm, version }: { readonly realm: RealmId; readonly version: number },
): ArchiveEffect {
  const after: DirectoryStream = {
    ...stream,
    name: nameOfArchivedStream(stream),
    inviteOnly: true,
    webPublic: false,
    archived: true,
    isDefault: false,
  };
  volatile.freeStreamName(stream.id, stream.name);
  const events: LogItem[] = [directoryLogItem({ stream: after })];
  if (stream.isDefault) events.push(defaultStreamsEvent(parts, after, version));
  if (!stream.inviteOnly && isInStreamGroup(parts, stream)) events.push(streamGroupsEvent(parts, after, version));
  events.push(streamEvent(streamAudience(stream, mv, version), 'delete', stream));
  const named = STREAM_SETTING_NAMES.filter((setting) => state.settings[setting] === stream.id);
  const settings = Object.fromEntries(named.map((setting) => [setting, -1]));
  if (named.length > 0) events.push(directoryLogItem({ settings }));
  for (const property of named) {
    events.push({ t: 'event', to: { role: ROLE.guest, rv: version }, event: realmSettingEvent(property, -1) });
  }
  const streams = [{ id: stream.id, name: stream.name }];
  const toUsers = members.map((user): OutboxCommand => {
    const args = { streams, silent: true };
    return outboxCommand({
      to: userKey(realm, userId(user)),
      name: userCommands.unsubscribed,
      args,
      caller: 0,
      after: version,
    });
  });
  const toStream = outboxCommand({
    to: streamKey(realm, stream.id),
    name: streamCommands.archive,
    args: {},
    caller: 0,
    after: version,
  });
  return {
    state: named.length > 0 ? { ...state, settings: { ...state.settings, ...settings } } : state,
    part: { [`${STREAM_PART_PREFIX}${stream.id}`]: encodeRecord(after) },
    events,
    commands: [toUsers, [toStream]],
  };
}

export const archiveStreamHandler: RealmCommand<typeof realmCommands.archiveStream, StreamMembershipReply | undefined> =
  {
    lane: 'directory',
    exclusive: true,

    inputs: async ({ stream_id }, { realm, view }, sources) =>
      streamRecord(view.parts, stream_id) && readMembership(realm, stream_id, sources),

    handle(view, { stream_id }, membership, { caller, realm, version }) {
      const { parts } = view;
      const { stream } = requireAdministeredStream(parts, caller, stream_id, membership);
      if (stream.archived) throw apiError('STREAM_ALREADY_DEACTIVATED');
      const { state, part, events, commands } = archiveEffect(view, stream, membership!, { realm, version });
      return { reply: successReply({}, version), state, parts: part, events, commands, replyAfterCommands: true };
    },
  };

/**
 * Archives private streams without active subscribers. The realm actor sends this command to itself in a lane of its
 * own, because the lane of the command that found these streams waits until they are archived.
 */
export const archiveVacatedStreamsHandler: RealmCommand<typeof realmCommands.vacated, ReadonlyMap<number, number>> = {
  lane: 'vacated',
  async inputs({ streams }, { realm }, sources) {
    const ids = streams.map(({ stream }) => stream);
    const read = await Promise.all(ids.map((id) => readMembership(realm, id, sources)));
    return new Map(ids.map((id, i) => [id, read[i]!.mv]));
  },
  handle(view, args, versions, { realm, version }) {
    const made: ArchiveEffect[] = [];
    let { state } = view;
    for (const { stream: id, members } of args.streams) {
      const stream = streamRecord(view.parts, streamId(id));
      if (!stream || stream.archived) continue;
      const one = archiveEffect({ ...view, state }, stream, { members, mv: versions.get(id) ?? 0 }, { realm, version });
      state = one.state;
      made.push(one);
    }
    if (made.length === 0) return { reply: valueReply(null) };
    return {
      reply: valueReply(null),
      state,
      parts: Object.assign({}, ...made.map((one) => one.part)),
      events: made.flatMap((one) => one.events),
      commands: [made.flatMap((one) => one.commands[0] ?? []), made.flatMap((one) => one.commands[1] ?? [])],
      replyAfterCommands: true,
    };
  },
};
