/**
 * DELETE and PATCH /users/me/subscriptions (streams.md), coordinated like subscribing: users first (subscription/remove),
 * then streams (membership, peer_remove, and reading for those who left).
 */
import { apiError } from '../../../../src/api/errors.js';
import { type JsonObject, realmKey } from '../../../../src/core/index.js';
import type { DirectoryStream } from '../../../../src/directory/index.js';
import { inSystemGroup } from '../../../../src/people/index.js';
import type { CommandContext, OutboxCommand } from '../../../../src/runtime/index.js';
import { canSeeMetadata, checkStreamName } from '../../../../src/streams/index.js';
import { success } from '../../../shared/replies.js';
import type { Subscribers } from '../../../shared/subscribers.js';
import { streamOf, userOf } from '../../state.js';
import type { RealmCommand } from '../command.js';
import {
  decideJoining,
  type Joining,
  joined,
  noticesOf,
  type RealmView,
  type SubscribeArgs,
  subscribersByName,
} from './subscribe.js';
import { activePrincipals, findPrincipal } from './subscribe-checks.js';
import { LeavingPlan } from './subscription-plan.js';

interface UnsubscribeArgs extends JsonObject {
  readonly subscriptions: readonly string[];
  /** Ids or API e-mails; empty = the caller. */
  readonly principals: readonly (string | number)[];
}

/** Streams by their names, each once. @throws ApiError */
function namedStreams({ parts, volatile }: RealmView, names: readonly string[], made: readonly DirectoryStream[]) {
  const streams = new Map<string, DirectoryStream>();
  for (const given of names) {
    const name = checkStreamName(given);
    const key = name.toLowerCase();
    const stream =
      made.find((one) => one.name.toLowerCase() === key) ?? streamOf(parts, volatile.streamByName(name) ?? -1);
    if (!stream) throw apiError('STREAM_NAME_DOES_NOT_EXIST', { stream: name });
    streams.set(key, stream);
  }
  return [...streams.values()];
}

interface Leaving {
  readonly plan: LeavingPlan;
  /** Private streams without an active subscriber, and who of the deactivated is left. */
  readonly vacated: readonly { readonly stream: number; readonly members: readonly number[] }[];
}

/** @param joining what the same call does before. @throws ApiError; changes nothing */
function decideLeaving(
  view: RealmView,
  { subscriptions, principals }: UnsubscribeArgs,
  members: Subscribers,
  { caller, now, realm }: CommandContext,
  joining?: Joining,
): Leaving {
  const { state, parts, volatile } = view;
  const acting = userOf(parts, caller);
  if (!acting) throw apiError('INSUFFICIENT_PERMISSION');
  const users = principals.length === 0 ? [acting] : activePrincipals(principals, findPrincipal(parts, volatile));
  const streams = namedStreams(view, subscriptions, joining?.created ?? []);
  const membersOf = ({ id }: DirectoryStream): readonly number[] => [
    ...(members.get(id) ?? []),
    ...(joining?.plan.joining(id) ?? []),
  ];
  if (users.some((user) => user.id !== acting.id && user.botOwner !== acting.id)) {
    for (const stream of streams) {
      const known = canSeeMetadata(acting, stream, membersOf(stream).includes(acting.id));
      if (!known || !inSystemGroup(stream.canRemoveGroup, acting, state.settings, now)) {
        throw apiError('INSUFFICIENT_PERMISSION');
      }
    }
  }
  const plan = new LeavingPlan(realm, caller);
  for (const user of users) {
    for (const stream of streams) plan.remove(user, stream, membersOf(stream).includes(user.id));
  }
  const isActive = (id: number): boolean => userOf(parts, id)?.isActive ?? false;
  const vacated = streams
    .filter((stream) => stream.inviteOnly && plan.leaving(stream.id).length > 0)
    .map((stream) => {
      const left = plan.leaving(stream.id);
      return { stream: stream.id, members: membersOf(stream).filter((id) => !left.includes(id)) };
    })
    .filter((of) => !of.members.some(isActive));
  return { plan, vacated };
}

/** A private stream that everybody has left is archived, after they have heard that they left. */
function vacating(vacated: Leaving['vacated'], { realm }: CommandContext): OutboxCommand[] {
  if (vacated.length === 0) return [];
  return [{ to: realmKey(realm), name: 'vacated', args: { streams: vacated as never }, caller: 0 }];
}

export const unsubscribe: RealmCommand<UnsubscribeArgs, Subscribers> = {
  lane: 'directory',
  exclusive: true,

  needs: ({ subscriptions }, { realm, view }, suppliers) =>
    subscribersByName(subscriptions, realm, view.volatile, suppliers),

  handle(view, args, members, context) {
    const { plan, vacated } = decideLeaving(view, args, members, context);
    return {
      reply: success({ removed: plan.removed, not_removed: plan.notRemoved }),
      commands: [...plan.stages(view.state.directoryVersion), vacating(vacated, context)],
      replyAfterCommands: true,
    };
  },
};

interface UpdateArgs extends JsonObject {
  readonly add: SubscribeArgs;
  /** Names. */
  readonly delete: readonly string[];
}

/** Both or neither; what is added is there before anything is removed. */
export const updateSubscriptions: RealmCommand<UpdateArgs, Subscribers> = {
  lane: 'directory',
  exclusive: true,

  needs: (args, { realm, view }, suppliers) =>
    subscribersByName(
      [...args.add.subscriptions.map(({ name }) => name), ...args.delete],
      realm,
      view.volatile,
      suppliers,
    ),

  handle(view, args, members, context) {
    const joining = decideJoining(view, args.add, members, context);
    const removing = { subscriptions: args.delete, principals: [] };
    const leaving = decideLeaving(view, removing, members, context, joining);
    const after = joining.next.directoryVersion;
    const fields = {
      subscribed: joining.plan.subscribed,
      already_subscribed: joining.plan.already,
      removed: leaving.plan.removed,
      not_removed: leaving.plan.notRemoved,
    };
    return {
      reply: success(fields, joining.created.length > 0 ? context.version : undefined),
      ...joined(view, joining, context.version),
      commands: [
        ...joining.plan.stages(after),
        noticesOf(joining, args.add, context),
        ...leaving.plan.stages(after),
        vacating(leaving.vacated, context),
      ],
      replyAfterCommands: true,
    };
  },
};
