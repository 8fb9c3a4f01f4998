/** The user's side of subscriptions: joining, leaving, colours and switches, and lists of streams. */

import {
  filterActiveAccountIds,
  makeSuccessReply,
  makeValueReply,
  readSubscribersOfStreams,
  readUserOwnState,
  type SubscribersByStream,
} from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { FIRST_LEVEL_CREATING_CHANNELS_OF_GUESTS } from '#domain/levels';
import { isAdminOrOwner, isGuest, readStreamNotificationSettings } from '#domain/people';
import {
  compareByName,
  estimateWeeklyStreamTraffic,
  formatStreamForApi,
  formatSubscriptionForApi,
  makeDefaultSubscription,
  mayAccessStream,
  maySeeStreamMetadata,
  pickSubscriptionColor,
  type Subscription,
} from '#domain/streams';
import { type LogItem, toStreamId, toUserId } from '#model';
import type { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream } from '#model/records';
import { splitListForEvents } from '#runtime';
import {
  findPresentOrFormerSubscription,
  isSubscribedToStream,
  listPresentAndFormerSubscriptions,
  SUBSCRIPTION_PART_PREFIX,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';
import { makeMutedTopicsEventsOfSubscriptions } from './topics.js';

/**
 * Subscribes the user. The realm actor has decided and sends this command, so it is never refused. A repeat changes
 * nothing.
 */
export const addSubscriptionsHandler: UserCommandHandler<typeof userActorCommands.subscribed> = {
  handle({ parts }, { streams }, _inputs, { key, now, directory }) {
    const known = listPresentAndFormerSubscriptions(parts);
    const used = new Set(known.map((own) => own.color));
    const changed: Record<string, Json> = {};
    const added: Subscription[] = [];
    const shown: JsonObject[] = [];
    const self = userIdOfUserActorKey(key);
    const account = directory.user(self);
    const events: LogItem[] = [];
    const addEvent = (event: JsonObject, extra?: { readonly aux?: JsonObject; readonly sinceLevel?: number }): void => {
      events.push({ t: 'event', to: { users: [self] }, event, ...extra });
    };
    for (const { stream: given, subscribers, color } of streams) {
      const stream = given as unknown as DirectoryStream;
      const before = findPresentOrFormerSubscription(parts, stream.id);
      if (before?.active) continue;
      const own: Subscription = {
        ...(before ?? makeDefaultSubscription(stream.id, color ?? pickSubscriptionColor(used, stream.recipient))),
        ...(color === null ? {} : { color }),
        active: true,
      };
      used.add(own.color);
      added.push(own);
      changed[`${SUBSCRIPTION_PART_PREFIX}${stream.id}`] = own as unknown as Json;
      shown.push(
        formatSubscriptionForApi(stream, own, {
          traffic: estimateWeeklyStreamTraffic(directory.recentMessageCountOf(stream.id), stream.created, now),
          subscribers: filterActiveAccountIds(subscribers, directory),
        }),
      );
      // Administrators know a private stream since its creation; other users get the stream with their subscription.
      const isNewPrivateStream = stream.inviteOnly && !(account && isAdminOrOwner(account));
      const isNewToGuest = !stream.inviteOnly && !stream.webPublic && account && isGuest(account);
      if (isNewPrivateStream || isNewToGuest) {
        addEvent(
          { type: 'stream', op: 'create', streams: [formatStreamForApi(stream)] },
          isNewPrivateStream ? {} : { sinceLevel: FIRST_LEVEL_CREATING_CHANNELS_OF_GUESTS },
        );
      }
    }
    if (shown.length === 0) return { reply: makeValueReply(null) };
    const extra = account && { aux: { ...readStreamNotificationSettings(directory, account) } };
    for (const batch of splitListForEvents(shown))
      addEvent({ type: 'subscription', op: 'add', subscriptions: batch }, extra);
    events.push(...makeMutedTopicsEventsOfSubscriptions(parts, [...known, ...added], self, directory));
    return { reply: makeValueReply(null), parts: changed, events };
  },
};

/** GET /users/me/subscriptions: lists the user's subscriptions. */
export const listSubscriptionsHandler: UserCommandHandler<typeof userActorCommands.subscriptions, SubscribersByStream> =
  {
    lane: 'read',
    read: true,
    inputs: ({ include_subscribers }, { realm, view }, sources) => {
      if (!include_subscribers) return new Map();
      const active = listPresentAndFormerSubscriptions(view.parts).filter((own) => own.active);
      return readSubscribersOfStreams(
        realm,
        active.map((own) => own.stream),
        sources,
      );
    },
    handle({ parts }, { include_subscribers }, subscribers, { now, directory }) {
      const shown = listPresentAndFormerSubscriptions(parts)
        .filter((own) => own.active)
        .map((own) => ({ own, stream: directory.stream(toStreamId(own.stream)) }))
        .filter((of): of is { own: Subscription; stream: DirectoryStream } => of.stream?.archived === false)
        .sort((a, b) => compareByName(a.stream, b.stream))
        .map(({ own, stream }) =>
          formatSubscriptionForApi(stream, own, {
            traffic: estimateWeeklyStreamTraffic(directory.recentMessageCountOf(stream.id), stream.created, now),
            ...(include_subscribers
              ? { subscribers: filterActiveAccountIds(subscribers.get(stream.id) ?? [], directory) }
              : {}),
          }),
        );
      return { reply: makeSuccessReply({ subscriptions: shown }) };
    },
  };

/** GET /streams (streams.md): the streams that the user may see. */
export const listVisibleStreamsHandler: UserCommandHandler<typeof userActorCommands.streams, ReadonlySet<number>> = {
  lane: 'read',
  read: true,
  async inputs({ include_owner_subscribed }, { realm, caller }, sources) {
    if (!include_owner_subscribed) return new Set();
    const owner = (await sources.loadDirectory(realm)).user(toUserId(caller))?.botOwner;
    if (!owner) return new Set();
    const { subscriptions } = await readUserOwnState(realm, owner, ['subscriptions'], sources);
    return new Set(subscriptions.filter((own) => own.active).map((own) => own.stream));
  },
  handle({ parts }, args, ownersStreams, { directory, caller }) {
    const user = directory.user(toUserId(caller));
    if (!user) throw apiError('ACCOUNT_DEACTIVATED');
    if (args.include_all_active && !isAdminOrOwner(user)) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    const chosen = (stream: DirectoryStream): boolean =>
      args.include_all_active ||
      (args.include_subscribed && isSubscribedToStream(parts, stream.id)) ||
      (args.include_public && !stream.inviteOnly && !isGuest(user)) ||
      (args.include_web_public && stream.webPublic) ||
      ownersStreams.has(stream.id);
    const shown = [...directory.streams()]
      .filter((stream) => !stream.archived && chosen(stream))
      .sort(compareByName)
      .map((stream) => ({
        ...formatStreamForApi(stream),
        ...(args.include_default ? { is_default: stream.isDefault } : {}),
      }));
    return { reply: makeSuccessReply({ streams: shown }) };
  },
};

/** GET /get_stream_id: the id of a stream by its name. A stream without access is reported as missing. */
export const findStreamIdByNameHandler: UserCommandHandler<typeof userActorCommands.streamIdByName> = {
  lane: 'read',
  read: true,
  handle({ parts }, { stream: name }, _inputs, { directory, caller }) {
    const user = directory.user(toUserId(caller));
    const stream = directory.streamByName(name);
    if (!user || !stream || !mayAccessStream(user, stream, isSubscribedToStream(parts, stream.id))) {
      throw apiError('INVALID_STREAM_NAME', { name });
    }
    return { reply: makeSuccessReply({ stream_id: stream.id }) };
  },
};

/**
 * Ends subscriptions of the user. The realm actor has decided and sends this command, so it is never refused. A repeat
 * changes nothing. Colors and switches are kept for a later subscription. With `silent` there is no event: the stream
 * was archived, which has an event of its own. Clients get `stream/delete` of a stream that the user may no longer see.
 */
export const endSubscriptionsHandler: UserCommandHandler<typeof userActorCommands.unsubscribed> = {
  handle({ parts }, { streams, silent }, _inputs, { key, directory }) {
    const left = streams.filter(({ id }) => findPresentOrFormerSubscription(parts, id)?.active);
    if (left.length === 0) return { reply: makeValueReply(null) };
    const changed = left.map(({ id }) => {
      const own = { ...findPresentOrFormerSubscription(parts, id)!, active: false };
      return [`${SUBSCRIPTION_PART_PREFIX}${id}`, own as unknown as Json] as const;
    });
    const self = userIdOfUserActorKey(key);
    const subscriptions = left.map(({ id, name }) => ({ name, stream_id: id }));
    const reply = makeValueReply(null);
    const changedParts = Object.fromEntries(changed);
    if (silent) return { reply, parts: changedParts };
    const account = directory.user(self);
    const lost = left
      .map(({ id }) => directory.stream(toStreamId(id)))
      .filter((stream) => stream !== undefined)
      .filter((stream) => account && !maySeeStreamMetadata(account, stream, false));
    const to = { users: [self] };
    const ends = splitListForEvents(subscriptions).map((batch): LogItem => {
      return { t: 'event', to, event: { type: 'subscription', op: 'remove', subscriptions: batch } };
    });
    const losses = splitListForEvents(lost.map(formatStreamForApi)).map((batch): LogItem => {
      const event = { type: 'stream', op: 'delete', streams: batch };
      return { t: 'event', to, event };
    });
    const kept = listPresentAndFormerSubscriptions(parts).filter((own) => !left.some(({ id }) => id === own.stream));
    const mutes = makeMutedTopicsEventsOfSubscriptions(parts, kept, self, directory);
    return { reply, parts: changedParts, events: [...ends, ...losses, ...mutes] };
  },
};
