/**
 * PATCH /streams/{stream_id} (streams.md): changes properties of a stream. Parameters are applied in a fixed order;
 * earlier changes stay if a later one is refused.
 */

import {
  makeRefusalReplyAfterChanges,
  makeStreamNoticeCommand,
  makeSuccessReply,
  STREAM_EVENTS_TOPIC_NAME,
} from '#actors/shared';
import { foldNameAsShown } from '#base';
import { isOwner } from '#domain/people';
import {
  checkNewStreamNameIsShown,
  mayAccessStream,
  type StreamPrivacyFlags,
  streamPrivacyKindOf,
  toCheckedStreamName,
  toOneLineDescription,
  weakestRoleSeeingUnsubscribed,
} from '#domain/streams';
import { streamActorKey } from '#model';
import {
  makeOutboxCommand,
  type realmActorCommands,
  type StreamSubscribersReply,
  streamActorCommands,
  type UpdateStreamArgs,
} from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import { makeBotEventsOfRenamedStream } from '../../bots.js';
import { makeDirectoryLogItem } from '../../log-items.js';
import { encodeDirectoryRecord, STREAM_PART_PREFIX } from '../../state.js';
import { getAdministeredStreamOrThrow, type StreamAdministrationContext } from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import { loadSubscribersOfArgsStream } from '../stream-memberships.js';
import {
  checkMayMakeStreamsWebPublic,
  getCanRemoveSubscribersGroupIdOrThrow,
  parseStreamRetentionDays,
} from '../subscriptions/subscribe-checks.js';
import {
  makeCanRemoveSubscribersGroupChange,
  makeStreamDescriptionChange,
  makeStreamNameChange,
  makeStreamPostPolicyChange,
  makeStreamPrivacyChange,
  makeStreamRetentionChange,
  type StreamChangeContext,
  type StreamChangeOutcome,
} from './stream-changes.js';
import { isInDefaultStreamGroup, makeDefaultStreamGroupsEvent } from './stream-events.js';

/** The stream's new privacy; undefined if the request changes none. @throws ApiError */
function getRequestedPrivacyOrThrow(
  { acting, stream, subscribed }: StreamAdministrationContext,
  args: UpdateStreamArgs,
  { state }: RealmActorView,
  now: number,
): StreamPrivacyFlags | undefined {
  const { is_private, is_web_public, history_public_to_subscribers: history } = args;
  const historyPublic = history ?? (is_private === null ? stream.historyPublic : !is_private);
  const privacy: StreamPrivacyFlags = {
    inviteOnly: is_private ?? stream.inviteOnly,
    webPublic: is_web_public ?? stream.webPublic,
    historyPublic,
  };
  const asked = is_private !== null || is_web_public !== null || history !== null;
  if (streamPrivacyKindOf(privacy) === undefined) throw apiError('INVALID_PARAMETERS');
  if (is_private && stream.isDefault) throw apiError('DEFAULT_STREAM_PRIVATE');
  if (is_private !== null && !mayAccessStream(acting, stream, subscribed)) throw apiError('INVALID_STREAM_ID');
  if (is_web_public) checkMayMakeStreamsWebPublic(args.server_web_public, acting, state.settings, now);
  return asked ? privacy : undefined;
}

function getNewStreamNameOrThrow(before: string, given: string, { volatile }: RealmActorView): string {
  const trimmed = given.trim();
  if (trimmed === before) throw apiError('STREAM_NAME_SAME');
  if (trimmed.toLowerCase() === before.toLowerCase()) return trimmed;
  const name = toCheckedStreamName(trimmed);
  checkNewStreamNameIsShown(name);
  const alike =
    foldNameAsShown(name) === foldNameAsShown(before) ? undefined : volatile.findStreamIdByNameAsShown(name);
  if ((alike ?? volatile.findStreamIdByName(name)) !== undefined) throw apiError('STREAM_NAME_TAKEN', { name });
  return name;
}

type StreamUpdateStep = (before: StreamChangeOutcome['stream']) => StreamChangeOutcome | undefined;

/** Steps of the request to change a stream, in order. A step throws ApiError to refuse its parameter. */
function makeStreamUpdateSteps(
  of: StreamAdministrationContext,
  args: UpdateStreamArgs,
  view: RealmActorView,
  context: StreamChangeContext,
): StreamUpdateStep[] {
  const { acting, subscribed } = of;
  const given = <T>(
    value: T | null,
    step: (value: T, before: StreamChangeOutcome['stream']) => StreamChangeOutcome,
  ): StreamUpdateStep => {
    return (before) => (value === null ? undefined : step(value, before));
  };
  const policy = args.is_announcement_only === null ? args.stream_post_policy : args.is_announcement_only ? 2 : 1;
  return [
    given(args.message_retention_days, (days, before) => {
      if (!isOwner(acting)) throw apiError('OWNER_REQUIRED');
      return makeStreamRetentionChange(before, parseStreamRetentionDays(days), context);
    }),
    given(args.description, (text, before) => makeStreamDescriptionChange(before, toOneLineDescription(text), context)),
    given(args.new_name, (name, before) =>
      makeStreamNameChange(before, getNewStreamNameOrThrow(before.name, name, view), context),
    ),
    given(policy, (value, before) => makeStreamPostPolicyChange(before, value, context)),
    given(args.can_remove_subscribers_group_id, (id, before) => {
      if (before.inviteOnly && !subscribed) throw apiError('INVALID_STREAM_ID');
      return makeCanRemoveSubscribersGroupChange(
        before,
        getCanRemoveSubscribersGroupIdOrThrow(id, view.parts),
        context,
      );
    }),
  ];
}

interface AppliedStreamChanges {
  readonly changes: readonly StreamChangeOutcome[];
  readonly refusal: ApiError | undefined;
}

function applyStreamUpdateSteps(
  first: StreamChangeOutcome | undefined,
  before: StreamChangeOutcome['stream'],
  rest: readonly StreamUpdateStep[],
): AppliedStreamChanges {
  const changes: StreamChangeOutcome[] = first ? [first] : [];
  try {
    for (const step of rest) {
      const change = step(changes.at(-1)?.stream ?? before);
      if (change) changes.push(change);
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { changes, refusal: error };
  }
  return { changes, refusal: undefined };
}

export const updateStreamHandler: RealmCommandHandler<
  typeof realmActorCommands.updateStream,
  StreamSubscribersReply | undefined
> = {
  lane: 'directory',
  exclusive: true,

  inputs: loadSubscribersOfArgsStream,

  handle(view, args, membership, { caller, now, realm, version }) {
    const of = getAdministeredStreamOrThrow(view.parts, caller, args.stream_id, membership);
    const before = of.stream;
    const privacy = getRequestedPrivacyOrThrow(of, args, view, now);
    const { settings } = view.state;
    const context: StreamChangeContext = { acting: of.acting, membership: membership!, version, settings };
    const first = privacy && makeStreamPrivacyChange(before, privacy, context);
    const { changes, refusal } = applyStreamUpdateSteps(first, before, makeStreamUpdateSteps(of, args, view, context));
    const last = changes.at(-1)?.stream;
    if (!last) {
      if (refusal) throw refusal;
      return { reply: makeSuccessReply() };
    }
    if (last.name !== before.name && !before.archived) {
      view.volatile.freeStreamName(before.id, before.name);
      view.volatile.indexStreamName(before.id, last.name);
    }
    const regrouped = last.inviteOnly !== before.inviteOnly && isInDefaultStreamGroup(view.parts, before);
    const notice = { origin: args.origin, after: version };
    const contents = changes.flatMap(({ notice: content }) => (content === undefined ? [] : [content]));
    const shownOrHidden = makeOutboxCommand({
      to: streamActorKey(realm, before.id),
      name: streamActorCommands.shownOrHidden,
      args: {},
      caller: 0,
      after: version,
    });
    return {
      reply: refusal ? makeRefusalReplyAfterChanges(refusal, version) : makeSuccessReply({}, version),
      parts: { [`${STREAM_PART_PREFIX}${before.id}`]: encodeDirectoryRecord(last) },
      // Clients do not have archived streams, so a change of one sends no events and no notices.
      events: [
        makeDirectoryLogItem({ stream: last }),
        ...(before.archived ? [] : changes.flatMap(({ events }) => events)),
        ...(last.name === before.name ? [] : makeBotEventsOfRenamedStream(view.parts, before.id, last.name)),
        ...(regrouped ? [makeDefaultStreamGroupsEvent(view.parts, last, version)] : []),
        ...(before.archived ? [] : changes.flatMap(({ newerEvents = [] }) => newerEvents)),
      ],
      commands: before.archived
        ? []
        : [
            ...(weakestRoleSeeingUnsubscribed(before) === weakestRoleSeeingUnsubscribed(last) ? [] : [[shownOrHidden]]),
            ...contents.map((content) => [
              makeStreamNoticeCommand(realm, before.id, STREAM_EVENTS_TOPIC_NAME, { ...notice, content }),
            ]),
          ],
      replyAfterCommands: true,
    };
  },
};
