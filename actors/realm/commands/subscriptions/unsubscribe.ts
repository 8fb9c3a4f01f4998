/**
 * DELETE and PATCH /users/me/subscriptions (streams.md), coordinated like subscribing: commands to the users first
 * (subscription/remove), then to the streams (membership, peer_remove, and marking as read for users who left).
 */

import { makeSuccessReply, type SubscribersByStream } from '#actors/shared';
import { isInSystemGroup } from '#domain/people';
import { maySeeStreamMetadata, toCheckedStreamName } from '#domain/streams';
import { realmActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, realmActorCommands, type UnsubscribeArgs } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import type { DirectoryStream } from '#model/records';
import type { CommandContext } from '#runtime';
import { findStreamRecord, findUserRecord } from '../../state.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import {
  decideSubscribeRequest,
  loadSubscribeInputs,
  makeNoticeCommandsOfSubscribeDecision,
  readSubscribersOfNamedStreams,
  registerCreatedStreamsAndMakeOutcome,
  type SubscribeDecision,
  type SubscribeInputs,
} from './subscribe.js';
import {
  checkSubscribeRequestSize,
  getActivePrincipalsOrThrow,
  MAX_STREAMS_PER_SUBSCRIBE_REQUEST,
  makePrincipalFinder,
} from './subscribe-checks.js';
import { UnsubscribePlan } from './subscription-plan.js';

/** The named streams, each once. @param made streams that the same request creates @throws ApiError */
function getNamedStreamsOrThrow(
  { parts, volatile }: RealmActorView,
  names: readonly string[],
  made: readonly DirectoryStream[],
) {
  const streams = new Map<string, DirectoryStream>();
  const madeByName = new Map(made.map((one) => [one.name.toLowerCase(), one]));
  for (const given of names) {
    const name = toCheckedStreamName(given);
    const key = name.toLowerCase();
    const stream = madeByName.get(key) ?? findStreamRecord(parts, volatile.findStreamIdByName(name) ?? -1);
    if (!stream) throw apiError('STREAM_NAME_DOES_NOT_EXIST', { stream: name });
    streams.set(key, stream);
  }
  return [...streams.values()];
}

interface UnsubscribeDecision {
  readonly plan: UnsubscribePlan;
  /** Private streams that are left without an active subscriber, each with its deactivated subscribers. */
  readonly vacated: readonly { readonly stream: number; readonly members: readonly number[] }[];
}

/**
 * Decides on a request to unsubscribe, without changing anything.
 * @param joining decision of the same request on joining, carried out before
 * @throws ApiError
 */
function decideUnsubscribeRequest(
  view: RealmActorView,
  { subscriptions, principals }: UnsubscribeArgs,
  members: SubscribersByStream,
  { caller, now, realm }: CommandContext,
  joining?: SubscribeDecision,
): UnsubscribeDecision {
  const { state, parts, volatile } = view;
  const acting = findUserRecord(parts, caller);
  if (!acting) throw apiError('INSUFFICIENT_PERMISSION');
  const users =
    principals.length === 0 ? [acting] : getActivePrincipalsOrThrow(principals, makePrincipalFinder(parts, volatile));
  checkSubscribeRequestSize(subscriptions.length, users.length);
  const streams = getNamedStreamsOrThrow(view, subscriptions, joining?.createdStreams ?? []);
  const known = new Map(
    streams.map(({ id }) => [
      id,
      new Set([...(members.get(id) ?? []), ...(joining?.plan.getJoiningUserIds(id) ?? [])]),
    ]),
  );
  const membersOf = ({ id }: DirectoryStream): ReadonlySet<number> => known.get(id)!;
  const others = users.filter((user) => user.id !== acting.id);
  if (others.length > 0) {
    const areOwnBots = others.every((user) => user.botOwner === acting.id);
    for (const stream of streams) {
      const visible = maySeeStreamMetadata(acting, stream, membersOf(stream).has(acting.id));
      const mayRemove = areOwnBots || isInSystemGroup(stream.canRemoveGroup, acting, state.settings, now);
      if (!visible || !mayRemove) throw apiError('INSUFFICIENT_PERMISSION');
    }
  }
  const plan = new UnsubscribePlan(realm, caller);
  for (const user of users) {
    for (const stream of streams) plan.planUnsubscription(user, stream, membersOf(stream).has(user.id));
  }
  const isActive = (id: number): boolean => findUserRecord(parts, id)?.isActive ?? false;
  const vacated = streams
    .filter((stream) => stream.inviteOnly && plan.getLeavingUserIds(stream.id).length > 0)
    .map((stream) => {
      const left = new Set(plan.getLeavingUserIds(stream.id));
      return { stream: stream.id, members: [...membersOf(stream)].filter((id) => !left.has(id)) };
    })
    .filter((of) => !of.members.some(isActive));
  return { plan, vacated };
}

/** Command that archives private streams without active subscribers, sent after the users have left. */
function makeArchiveVacatedStreamsCommands(
  vacated: UnsubscribeDecision['vacated'],
  { realm }: CommandContext,
): OutboxCommand[] {
  if (vacated.length === 0) return [];
  return [
    makeOutboxCommand({
      to: realmActorKey(realm),
      name: realmActorCommands.vacated,
      args: { streams: vacated },
      caller: 0,
    }),
  ];
}

export const unsubscribeUsersHandler: RealmCommandHandler<typeof realmActorCommands.unsubscribe, SubscribersByStream> =
  {
    lane: 'directory',
    exclusive: true,

    inputs: async ({ subscriptions }, { realm, view }, sources) => {
      checkSubscribeRequestSize(subscriptions.length, 1);
      return readSubscribersOfNamedStreams(subscriptions, realm, view.volatile, sources);
    },

    handle(view, args, members, context) {
      const { plan, vacated } = decideUnsubscribeRequest(view, args, members, context);
      return {
        reply: makeSuccessReply({ removed: plan.removedStreamNames, not_removed: plan.notRemovedStreamNames }),
        commands: [
          ...plan.makeCommandStages(view.state.directoryVersion),
          makeArchiveVacatedStreamsCommands(vacated, context),
        ],
        replyAfterCommands: true,
      };
    },
  };

/**
 * PATCH /users/me/subscriptions: adds and removes subscriptions, both or neither. Added streams exist before any is
 * removed.
 */
export const subscribeAndUnsubscribeUsersHandler: RealmCommandHandler<
  typeof realmActorCommands.updateSubscriptions,
  SubscribeInputs
> = {
  lane: 'directory',
  exclusive: true,

  inputs: async (args, context, sources) => {
    checkParameterItemCount('add', args.add.subscriptions.length, MAX_STREAMS_PER_SUBSCRIBE_REQUEST);
    checkParameterItemCount('delete', args.delete.length, MAX_STREAMS_PER_SUBSCRIBE_REQUEST);
    return loadSubscribeInputs(args.add, args.delete, context, sources);
  },

  handle(view, args, needs, context) {
    const joining = decideSubscribeRequest(view, args.add, needs, context);
    const removing = { subscriptions: args.delete, principals: [] };
    const leaving = decideUnsubscribeRequest(view, removing, needs.subscribersByStream, context, joining);
    const after = joining.nextState.directoryVersion;
    const fields = {
      subscribed: joining.plan.subscribedStreamNamesByEmail,
      already_subscribed: joining.plan.alreadySubscribedStreamNamesByEmail,
      removed: leaving.plan.removedStreamNames,
      not_removed: leaving.plan.notRemovedStreamNames,
    };
    return {
      reply: makeSuccessReply(fields, joining.createdStreams.length > 0 ? context.version : undefined),
      ...registerCreatedStreamsAndMakeOutcome(view, joining, context.version),
      commands: [
        ...joining.plan.makeCommandStages(after, [
          makeNoticeCommandsOfSubscribeDecision(joining, args.add, view.parts, context),
          ...leaving.plan.makeCommandStages(after),
        ]),
        makeArchiveVacatedStreamsCommands(leaving.vacated, context),
      ],
      replyAfterCommands: true,
    };
  },
};
