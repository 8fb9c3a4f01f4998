/**
 * Objects that a user can or can no longer see after a change of role: streams without a subscription, their
 * subscribers and muted topics, the default streams, and addresses of others. Only the user's own clients get these
 * events.
 */

import { makeValueReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { isGuest, maySeeRealEmail } from '#domain/people';
import { formatStreamForApi, type Subscription, weakestRoleSeeingUnsubscribed } from '#domain/streams';
import { type LogItem, realmActorKey, streamActorKey, toUserId, userActorKey } from '#model';
import {
  type ArgsOfCommand,
  makeOutboxCommand,
  type OutboxCommand,
  realmActorCommands,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { makeUserEventLogItem } from '../../log-items.js';
import { type ActorParts, findUserRecord, listStreamRecords, listUserRecords } from '../../state.js';
import type { RealmCommandHandler } from '../command.js';
import { formatStoredDefaultStreamGroupsForApi, listDefaultStreams } from '../streams/stream-events.js';
import type { AccountChange, PartialCommit } from './effect.js';

/** Approximate maximum size of the streams in one event, characters of JSON. */
const APPROX_MAX_STREAMS_EVENT_CHARS = 200_000;
/** Maximum number of addresses that one commit shows or hides. */
const MAX_ADDRESSES_PER_COMMIT = 2_000;

/**
 * Effect of a changed role on what the user can see.
 * @param subscriptions present and ended ones. Streams with a present subscription are visible in every role.
 */
export function makeVisibilityChangeCommit(
  { before, after }: AccountChange,
  subscriptions: readonly Subscription[],
  parts: ActorParts,
  { realm, version }: Pick<CommandContext, 'realm' | 'version'>,
): PartialCommit {
  const subscribed = new Set(subscriptions.filter((own) => own.active).map((own) => own.stream));
  const others = [...listStreamRecords(parts)].filter((stream) => !stream.archived && !subscribed.has(stream.id));
  const sees = ({ role }: DirectoryUser, stream: DirectoryStream): boolean =>
    role <= weakestRoleSeeingUnsubscribed(stream);
  const gained = others.filter((stream) => sees(after, stream) && !sees(before, stream));
  const lost = others.filter((stream) => sees(before, stream) && !sees(after, stream));
  const showSubscribers = gained.map(({ id }): OutboxCommand => {
    return makeOutboxCommand({
      to: streamActorKey(realm, id),
      name: streamActorCommands.showSubscribers,
      args: { user: after.id },
      caller: 0,
      after: version,
    });
  });
  return {
    events: [
      ...makeStreamEventsForUser(after.id, 'delete', lost),
      ...makeStreamEventsForUser(after.id, 'create', gained),
      ...makeDefaultStreamEventsForUser(before, after, parts),
    ],
    commands: [
      ...showSubscribers,
      makeOutboxCommand({
        to: userActorKey(realm, after.id),
        name: userActorCommands.streamShownOrHidden,
        args: { stream: null },
        caller: 0,
        after: version,
      }),
      ...batchAddressesOfChangedVisibility(before, after, parts).map((args) => makeShowAddressesCommand(realm, args)),
    ],
  };
}

const makeShowAddressesCommand = (realm: CommandContext['realm'], args: ShowAddressesArgs): OutboxCommand =>
  makeOutboxCommand({ to: realmActorKey(realm), name: realmActorCommands.showAddresses, args, caller: 0 });

/** Events of streams that become visible to a user, or stop being visible. */
function makeStreamEventsForUser(
  user: number,
  op: 'create' | 'delete',
  streams: readonly DirectoryStream[],
): LogItem[] {
  const events: LogItem[] = [];
  let batch: JsonObject[] = [];
  let size = 0;
  const flush = (): void => {
    if (batch.length > 0) events.push(makeUserEventLogItem(user, { type: 'stream', op, streams: batch }));
    batch = [];
    size = 0;
  };
  for (const stream of streams.map(formatStreamForApi)) {
    size += JSON.stringify(stream).length;
    batch.push(stream);
    if (size > APPROX_MAX_STREAMS_EVENT_CHARS) flush();
  }
  flush();
  return events;
}

/** Events of the default streams and their groups, which guests don't see. */
function makeDefaultStreamEventsForUser(before: DirectoryUser, after: DirectoryUser, parts: ActorParts): LogItem[] {
  if (isGuest(before) === isGuest(after)) return [];
  const streams = listDefaultStreams(parts).map(formatStreamForApi);
  const groups = formatStoredDefaultStreamGroupsForApi(parts);
  const lists: JsonObject[] = [
    { type: 'default_streams', default_streams: isGuest(after) ? [] : streams },
    { type: 'default_stream_groups', default_stream_groups: isGuest(after) ? [] : groups },
  ];
  return lists.filter((_, i) => [streams, groups][i]!.length > 0).map((event) => makeUserEventLogItem(after.id, event));
}

type ShowAddressesArgs = ArgsOfCommand<typeof realmActorCommands.showAddresses>;

/** Users whose address becomes visible to the user or hidden, in batches. */
function batchAddressesOfChangedVisibility(
  before: DirectoryUser,
  after: DirectoryUser,
  parts: ActorParts,
): ShowAddressesArgs[] {
  const ids: number[] = [];
  for (const user of listUserRecords(parts))
    if (maySeeRealEmail(before, user) !== maySeeRealEmail(after, user)) ids.push(user.id);
  const slices: ShowAddressesArgs[] = [];
  for (let i = 0; i < ids.length; i += MAX_ADDRESSES_PER_COMMIT) {
    slices.push({ viewer: after.id, of: ids.slice(i, i + MAX_ADDRESSES_PER_COMMIT) });
  }
  return slices;
}

/**
 * Publishes addresses that became visible to a user. The realm actor sends this command to itself for each batch,
 * because the events of all addresses would be too much for one commit.
 */
export const publishEmailVisibilityHandler: RealmCommandHandler<typeof realmActorCommands.showAddresses> = {
  lane: 'addresses',
  handle({ parts }, { viewer: id, of }) {
    const viewer = findUserRecord(parts, id);
    const events = of.flatMap((other): LogItem[] => {
      const user = findUserRecord(parts, toUserId(other));
      if (!user || !viewer) return [];
      const delivery_email = maySeeRealEmail(viewer, user) ? user.deliveryEmail : null;
      const person = { user_id: user.id, delivery_email };
      return [makeUserEventLogItem(id, { type: 'realm_user', op: 'update', person })];
    });
    return { reply: makeValueReply(null), events };
  },
};
