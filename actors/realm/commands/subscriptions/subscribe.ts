/**
 * POST /users/me/subscriptions (streams.md). The realm actor coordinates: it reads the subscribers, decides, and
 * creates the missing streams. Its commands then go to the user actors (personal properties, subscription/add) and
 * after them to the stream actors (membership, peer_add), so that the log has the events in the order that clients
 * expect.
 */

import {
  askStreamForSubscribers,
  makeSuccessReply,
  makeValueReply,
  readSubscribersOfStreams,
  type SubscribersByStream,
} from '#actors/shared';
import { foldStreamNameCase } from '#directory';
import { USER_ROLE } from '#domain/people';
import { mayAccessStream } from '#domain/streams';
import { toStreamId } from '#model';
import type { OutboxCommand, realmActorCommands, SubscribeArgs } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import {
  type ActorParts,
  encodeDirectoryRecord,
  findStreamRecord,
  findUserRecord,
  type RealmActorState,
  STREAM_PART_PREFIX,
} from '../../state.js';
import type { RealmMemoryState } from '../../volatile.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import { makeStreamCreatedLogItems } from '../streams/stream-events.js';
import {
  checkMayCreateStreams,
  checkNewStreamNamesDiffer,
  checkSubscribeRequestSize,
  getCanRemoveSubscribersGroupIdOrThrow,
  getPrincipalsToSubscribeOrThrow,
  makePrincipalFinder,
  parseStreamRetentionDays,
  parseStreamsToSubscribe,
  renderStreamDescriptions,
} from './subscribe-checks.js';
import { makeSubscribeNoticeCommands } from './subscribe-notices.js';
import { SubscribePlan } from './subscription-plan.js';

/** The decision on a request to subscribe; nothing has changed yet. */
export interface SubscribeDecision {
  readonly acting: DirectoryUser;
  readonly plan: SubscribePlan;
  readonly createdStreams: readonly DirectoryStream[];
  /** Existing streams of the request that the caller can't access. */
  readonly inaccessibleStreams: readonly DirectoryStream[];
  readonly nextState: RealmActorState;
}

/** Decides on a request to subscribe, without changing anything. @throws ApiError */
export function decideSubscribeRequest(
  { state, parts, volatile }: RealmActorView,
  args: SubscribeArgs,
  { subscribersByStream, fullUserIdsByStream, htmlByDescription }: SubscribeInputs,
  { caller, now, realm, version }: CommandContext,
): SubscribeDecision {
  const acting = findUserRecord(parts, caller);
  if (!acting) throw apiError('INSUFFICIENT_PERMISSION');
  if (acting.role === USER_ROLE.guest) throw apiError('NO_GUESTS');
  const group = getCanRemoveSubscribersGroupIdOrThrow(args.can_remove_subscribers_group_id, parts);
  const retention = parseStreamRetentionDays(args.message_retention_days);
  const users = getPrincipalsToSubscribeOrThrow(
    args.principals,
    acting,
    state.settings,
    now,
    makePrincipalFinder(parts, volatile),
  );
  checkSubscribeRequestSize(args.subscriptions.length, users.length);
  const wanted = parseStreamsToSubscribe(args.subscriptions, htmlByDescription);
  const existing: DirectoryStream[] = [];
  const missing: typeof wanted = [];
  for (const entry of wanted) {
    const id = volatile.findStreamIdByName(entry.name);
    const stream = id === undefined ? undefined : findStreamRecord(parts, id);
    if (stream) existing.push(stream);
    else missing.push(entry);
  }
  if (missing.length > 0) checkMayCreateStreams(args, acting, state.settings, now, retention);
  checkNewStreamNamesDiffer(missing, volatile);
  const isMember = (stream: DirectoryStream, user: number): boolean =>
    subscribersByStream.get(stream.id)?.includes(user) ?? false;
  const isFull = ({ id }: DirectoryStream): boolean =>
    users.some((user) => fullUserIdsByStream.get(id)?.includes(user.id));
  const closed = new Set(existing.filter((stream) => !mayAccessStream(acting, stream, isMember(stream, caller))));
  const [firstClosed] = closed;
  if (firstClosed && args.authorization_errors_fatal) {
    throw apiError('STREAM_INACCESSIBLE', { stream_name: firstClosed.name });
  }
  if (existing.some((stream) => !closed.has(stream) && isFull(stream))) throw apiError('JOINED_TOO_OFTEN');
  let next: RealmActorState = state;
  const created = missing.map((entry): DirectoryStream => {
    const id = toStreamId(next.nextStream);
    const made: DirectoryStream = {
      id,
      recipient: next.nextRecipient,
      name: entry.name,
      description: entry.description,
      renderedDescription: entry.renderedDescription,
      created: Math.floor(now / 1000),
      creator: acting.id,
      inviteOnly: args.invite_only,
      historyPublic: args.invite_only ? (args.history_public_to_subscribers ?? false) : true,
      // If a request asks for a private and web-public stream, the stream is private: the API has no error for this
      // case.
      webPublic: args.is_web_public && !args.invite_only,
      postPolicy: args.stream_post_policy,
      retentionDays: retention,
      canRemoveGroup: group,
      firstMessage: null,
      archived: false,
      isDefault: false,
    };
    next = { ...next, nextStream: id + 1, nextRecipient: next.nextRecipient + 1, directoryVersion: version };
    return made;
  });
  const colors = new Map(wanted.map((w) => [foldStreamNameCase(w.name), w.color]));
  const plan = new SubscribePlan(realm, users, caller, subscribersByStream, colors);
  for (const stream of existing) if (!closed.has(stream)) plan.planJoinsToStream(stream, false);
  for (const stream of created) plan.planJoinsToStream(stream, true);
  return { acting, plan, createdStreams: created, inaccessibleStreams: [...closed], nextState: next };
}

/** Outcome of the decision for the realm actor's own state: state, parts and events of the created streams. */
export function registerCreatedStreamsAndMakeOutcome(
  { volatile }: RealmActorView,
  { createdStreams, nextState }: SubscribeDecision,
  version: number,
) {
  for (const stream of createdStreams) volatile.indexStreamName(stream.id, stream.name);
  return {
    ...(createdStreams.length > 0 ? { state: nextState } : {}),
    parts: Object.fromEntries(
      createdStreams.map((stream) => [`${STREAM_PART_PREFIX}${stream.id}`, encodeDirectoryRecord(stream)]),
    ),
    events: createdStreams.flatMap((stream) => makeStreamCreatedLogItems(stream, version)),
  };
}

export const makeNoticeCommandsOfSubscribeDecision = (
  { acting, createdStreams, plan, nextState }: SubscribeDecision,
  { announce, origin }: Pick<SubscribeArgs, 'announce' | 'origin'>,
  parts: ActorParts,
  { realm }: CommandContext,
): OutboxCommand[] =>
  makeSubscribeNoticeCommands({
    realm,
    acting,
    createdStreams: createdStreams,
    joinedStreamNamesByUser: plan.joinedExistingStreamNamesByUser,
    announce,
    settings: nextState.settings,
    parts,
    origin,
    after: nextState.directoryVersion,
  });

const findStreamIdsByNames = (names: readonly string[], volatile: RealmMemoryState): number[] => {
  const ids = names.map((name) => volatile.findStreamIdByName(name.trim()));
  return [...new Set(ids.filter((id) => id !== undefined))];
};

/** Subscribers of the streams with these names. */
export const readSubscribersOfNamedStreams = (
  names: readonly string[],
  realm: CommandContext['realm'],
  volatile: RealmMemoryState,
  sources: ActorInputSources,
): Promise<SubscribersByStream> => readSubscribersOfStreams(realm, findStreamIdsByNames(names, volatile), sources);

export interface SubscribeInputs {
  readonly subscribersByStream: SubscribersByStream;
  /** Former subscribers who have the maximum number of stays, by stream id. */
  readonly fullUserIdsByStream: SubscribersByStream;
  /** HTML of stream descriptions, by their text. */
  readonly htmlByDescription: ReadonlyMap<string, string>;
}

/** Loads the inputs of `decideSubscribeRequest`. @param leaving names of streams that the same request leaves */
export async function loadSubscribeInputs(
  { subscriptions }: Pick<SubscribeArgs, 'subscriptions'>,
  leaving: readonly string[],
  { realm, view }: { readonly realm: CommandContext['realm']; readonly view: RealmActorView },
  sources: ActorInputSources,
): Promise<SubscribeInputs> {
  const names = [...subscriptions.map(({ name }) => name), ...leaving];
  const ids = findStreamIdsByNames(names, view.volatile);
  const lists = await Promise.all(ids.map((id) => askStreamForSubscribers(realm, id, sources)));
  return {
    subscribersByStream: new Map(ids.map((id, i) => [id, lists[i]!.members])),
    fullUserIdsByStream: new Map(ids.map((id, i) => [id, lists[i]!.full ?? []])),
    htmlByDescription: await renderStreamDescriptions(subscriptions),
  };
}

export const subscribeUsersHandler: RealmCommandHandler<typeof realmActorCommands.subscribe, SubscribeInputs> = {
  lane: 'directory',
  exclusive: true,

  inputs: async (args, context, sources) => {
    checkSubscribeRequestSize(args.subscriptions.length, 1);
    return loadSubscribeInputs(args, [], context, sources);
  },

  handle(view, args, needs, context) {
    const joining = decideSubscribeRequest(view, args, needs, context);
    const { plan, createdStreams, inaccessibleStreams, nextState } = joining;
    const fields = {
      subscribed: plan.subscribedStreamNamesByEmail,
      already_subscribed: plan.alreadySubscribedStreamNamesByEmail,
      ...(args.authorization_errors_fatal ? {} : { unauthorized: inaccessibleStreams.map((stream) => stream.name) }),
    };
    return {
      reply: makeSuccessReply(fields, createdStreams.length > 0 ? context.version : undefined),
      ...registerCreatedStreamsAndMakeOutcome(view, joining, context.version),
      commands: plan.makeCommandStages(nextState.directoryVersion, [
        makeNoticeCommandsOfSubscribeDecision(joining, args, view.parts, context),
      ]),
      replyAfterCommands: true,
    };
  },
};

/**
 * Subscribes the users that the first commit left out. The realm actor sends this command to itself in a lane of its
 * own, because the lane of the first command waits until all users have joined. Users who are already subscribed are
 * skipped, so a repeat does no harm.
 */
export const subscribeRemainingUsersHandler: RealmCommandHandler<
  typeof realmActorCommands.carryOnJoining,
  SubscribersByStream
> = {
  lane: 'joining',

  inputs: ({ streams }, { realm }, sources) =>
    readSubscribersOfStreams(
      realm,
      streams.map(({ stream }) => stream),
      sources,
    ),

  handle({ state, parts }, { streams, afterwards = [] }, members, { realm, caller }) {
    const plan = new SubscribePlan(realm, [], caller, members, new Map());
    for (const one of streams) {
      const stream = findStreamRecord(parts, toStreamId(one.stream));
      if (stream && !stream.archived) plan.addJoinsLeftByEarlierCommit(stream, one);
    }
    return {
      reply: makeValueReply(null),
      commands: plan.makeCommandStages(state.directoryVersion, afterwards),
      replyAfterCommands: true,
    };
  },
};
