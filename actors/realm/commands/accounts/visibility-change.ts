/**
 * What somebody gains and loses sight of when his role changes: streams that he is not in, their subscribers, the default
 * streams, and addresses of others. Only his own clients hear of it; everybody else sees what he saw before.
 */

import { value } from '#actors/shared';
import type { JsonObject } from '#base';
import { isGuest, seesAddress } from '#domain/people';
import { audienceRole, presentStream, type Subscription } from '#domain/streams';
import type { LogItem } from '#model';
import { realmKey, streamKey, userId } from '#model';
import type { OutboxCommand } from '#model/commands';
import { type ArgsOf, outboxCommand, realmCommands, streamCommands } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { eventToUser } from '../../log-items.js';
import { type Parts, streamsOf, userOf, usersOf } from '../../state.js';
import type { RealmCommand } from '../command.js';
import { defaultStreams, shownStreamGroups } from '../streams/stream-events.js';
import type { AccountChange, Effect } from './effect.js';

/** Streams in one event weigh about as much as this many characters of JSON. */
const MAX_EVENT_CHARS = 200_000;
/** Addresses shown or hidden in one commit. */
const MAX_ADDRESSES = 2_000;

/**
 * @param subscriptions present ones, whose streams are seen in every role, and former ones, which clients go on having in
 * `unsubscribed`: of these only the subscribers are told
 */
export function visibilityEffect(
  { before, after }: AccountChange,
  subscriptions: readonly Subscription[],
  parts: Parts,
  { realm, version }: Pick<CommandContext, 'realm' | 'version'>,
): Effect {
  const subscribed = new Set(subscriptions.filter((own) => own.active).map((own) => own.stream));
  const known = new Set(subscriptions.map((own) => own.stream));
  const unknown = ({ id }: DirectoryStream): boolean => !known.has(id);
  const others = [...streamsOf(parts)].filter((stream) => !stream.archived && !subscribed.has(stream.id));
  const sees = ({ role }: DirectoryUser, stream: DirectoryStream): boolean => role <= audienceRole(stream);
  const gained = others.filter((stream) => sees(after, stream) && !sees(before, stream));
  const lost = others.filter((stream) => sees(before, stream) && !sees(after, stream));
  const shown = gained.map(({ id }): OutboxCommand => {
    return outboxCommand({
      to: streamKey(realm, id),
      name: streamCommands.showSubscribers,
      args: { user: after.id },
      caller: 0,
      after: version,
    });
  });
  return {
    events: [
      ...streamEvents(after.id, 'delete', lost.filter(unknown)),
      ...streamEvents(after.id, 'create', gained.filter(unknown)),
      ...defaultStreamEvents(before, after, parts),
    ],
    commands: [...shown, ...addressBatches(before, after, parts).map((args) => toSelf(realm, args))],
  };
}

const toSelf = (realm: CommandContext['realm'], args: AddressBatch): OutboxCommand =>
  outboxCommand({ to: realmKey(realm), name: realmCommands.showAddresses, args, caller: 0 });

function streamEvents(user: number, op: 'create' | 'delete', streams: readonly DirectoryStream[]): LogItem[] {
  const events: LogItem[] = [];
  let some: JsonObject[] = [];
  let size = 0;
  const tell = (): void => {
    if (some.length > 0) events.push(eventToUser(user, { type: 'stream', op, streams: some }));
    some = [];
    size = 0;
  };
  for (const stream of streams.map(presentStream)) {
    size += JSON.stringify(stream).length;
    some.push(stream);
    if (size > MAX_EVENT_CHARS) tell();
  }
  tell();
  return events;
}

/** Guests have no default streams, and no groups of them. */
function defaultStreamEvents(before: DirectoryUser, after: DirectoryUser, parts: Parts): LogItem[] {
  if (isGuest(before) === isGuest(after)) return [];
  const streams = defaultStreams(parts).map(presentStream);
  const groups = shownStreamGroups(parts);
  const lists: JsonObject[] = [
    { type: 'default_streams', default_streams: isGuest(after) ? [] : streams },
    { type: 'default_stream_groups', default_stream_groups: isGuest(after) ? [] : groups },
  ];
  return lists.filter((_, i) => [streams, groups][i]!.length > 0).map((event) => eventToUser(after.id, event));
}

type AddressBatch = ArgsOf<typeof realmCommands.showAddresses>;

/** Whose addresses he sees from now on, or no longer. */
function addressBatches(before: DirectoryUser, after: DirectoryUser, parts: Parts): AddressBatch[] {
  const ids: number[] = [];
  for (const user of usersOf(parts)) if (seesAddress(before, user) !== seesAddress(after, user)) ids.push(user.id);
  const slices: AddressBatch[] = [];
  for (let i = 0; i < ids.length; i += MAX_ADDRESSES) {
    slices.push({ viewer: after.id, of: ids.slice(i, i + MAX_ADDRESSES) });
  }
  return slices;
}

/** From the realm actor itself: as many events as there are addresses are more than one commit should hold. */
export const showAddresses: RealmCommand<typeof realmCommands.showAddresses> = {
  lane: 'addresses',
  handle({ parts }, { viewer: id, of }) {
    const viewer = userOf(parts, id);
    const events = of.flatMap((other): LogItem[] => {
      const user = userOf(parts, userId(other));
      if (!user || !viewer) return [];
      const delivery_email = seesAddress(viewer, user) ? user.deliveryEmail : null;
      const person = { user_id: user.id, delivery_email };
      return [eventToUser(id, { type: 'realm_user', op: 'update', person })];
    });
    return { reply: value(null), events };
  },
};
