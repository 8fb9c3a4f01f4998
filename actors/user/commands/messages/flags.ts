/**
 * POST /messages/flags and POST /messages/flags/narrow (messages.md § Flags) change flags of messages. Other commands
 * here record copies that other actors give the user.
 */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import {
  encodeOriginReadStatePart,
  fetchMessageWindow,
  type MessageFlagUpdate,
  type MessageWindow,
  makeNarrowQueryPlan,
  makePersonalCopyParts,
  type PersonalCopyMarkName,
  planMarkingMessagesRead,
  planMarkingMessagesUnread,
  planSettingMessageMark,
  planUnsettingMessageMark,
  type ReadableMessage,
  toMessageWindowRequest,
  toStoredMessage,
  UserMessageFlagsView,
} from '#domain/messages';
import { type ActorKey, type LogItem, streamActorKey, toStreamId } from '#model';
import {
  type MessageFlagChange,
  makeOutboxCommand,
  streamActorCommands,
  type userActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { ActorView, CommandContext, CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import {
  computeReadStateCompaction,
  makeCompactedReadState,
  type ReadStateCompaction,
} from '../../reading/compaction.js';
import { makeFlagEvents, makeUnreadMessageDetails } from '../../reading/flag-event.js';
import { awaitRecentMessageEventsPublished } from '../../reading/newest.js';
import {
  isSubscribedToStream,
  type UserActorState,
  type UserCommandHandler,
  userIdOfUserActorKey,
} from '../../state.js';
import { loadNarrowTerms } from './narrow.js';
import { loadMessageReadingRights } from './on-message.js';

interface FlagChangeInputs {
  /** The requested messages that the user may access. */
  readonly accessibleMessages: readonly ReadableMessage[];
  /** True if the user may not access at least one of the requested messages. */
  readonly hasInaccessibleMessages: boolean;
  readonly readStateCompactions: readonly ReadStateCompaction[];
}

/**
 * Computes, for the origin stream of each message, the higher read mark that replaces many single ids (compaction.ts).
 * Origins that need none are left out.
 */
async function computeCompactionsOfOrigins(
  own: readonly ReadableMessage[],
  { realm, caller, view }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<ReadStateCompaction[]> {
  const flags = new UserMessageFlagsView(caller, view.parts);
  const origins = [...new Set(own.map(({ message }) => message.originStream))];
  const compactions = await Promise.all(
    origins.map((origin) => computeReadStateCompaction(realm, flags, origin, sources)),
  );
  return compactions.filter((compaction) => compaction !== undefined);
}

/** Changed parts of the read state, with the higher marks of the compactions. */
function applyCompactionsToParts(
  view: ActorView<UserActorState>,
  user: number,
  parts: CommandOutcome<UserActorState>['parts'],
  compactions: readonly ReadStateCompaction[],
) {
  if (compactions.length === 0) return parts;
  const flags = new UserMessageFlagsView(user, new Map([...view.parts, ...Object.entries(parts ?? {})]));
  return Object.assign(
    {},
    parts,
    ...compactions.map((compaction) =>
      encodeOriginReadStatePart(
        compaction.originStreamId,
        makeCompactedReadState(flags.readStateOf(compaction.originStreamId), compaction),
      ),
    ),
  );
}

async function loadFlagChangeInputs(
  ids: readonly number[],
  context: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<FlagChangeInputs> {
  const { reader } = await loadMessageReadingRights(context, sources);
  const asked = [...new Set(ids)];
  const possible = asked.filter((id) => Number.isSafeInteger(id) && id > 0);
  const records = await sources.store.getMessages(context.realm, possible);
  const stored = records.filter((record) => record !== null).map(toStoredMessage);
  const own: ReadableMessage[] = [];
  for (const message of stored) {
    const one = await reader.findReadableInAnyView(message);
    if (one) own.push(one);
  }
  await awaitRecentMessageEventsPublished(
    context.realm,
    own.map(({ message }) => message),
    sources,
  );
  return {
    accessibleMessages: own,
    hasInaccessibleMessages: own.length < asked.length,
    readStateCompactions: await computeCompactionsOfOrigins(own, context, sources),
  };
}

function computeFlagUpdate(
  { flag, op }: MessageFlagChange,
  flags: UserMessageFlagsView,
  own: readonly ReadableMessage[],
  subscribed: (s: number) => boolean,
): MessageFlagUpdate {
  if (flag === 'read')
    return op === 'add' ? planMarkingMessagesRead(flags, own) : planMarkingMessagesUnread(flags, own, subscribed);
  return op === 'add' ? planSettingMessageMark(flags, own, flag) : planUnsettingMessageMark(flags, own, flag);
}

function makeFlagChangeOutcome(
  view: ActorView<UserActorState>,
  change: MessageFlagChange,
  own: readonly ReadableMessage[],
  context: CommandContext,
): MessageFlagUpdate & { readonly events: readonly LogItem[] } & Pick<CommandOutcome<UserActorState>, 'commands'> {
  const { parts } = view;
  const subscribed = (stream: number): boolean => isSubscribedToStream(parts, stream);
  const done = computeFlagUpdate(change, new UserMessageFlagsView(context.caller, parts), own, subscribed);
  const byId = new Map(own.map((one) => [one.message.id, one]));
  const details =
    change.flag === 'read' && change.op === 'remove'
      ? makeUnreadMessageDetails(
          done.changed.map((id) => byId.get(id)!),
          context.caller,
          parts,
        )
      : undefined;
  return {
    ...done,
    events: makeFlagEvents(context.caller, change, done.changed, details),
    ...makeCopyMadeCommands(done.newCopies ?? [], context),
  };
}

/**
 * Commands that tell the actors of messages about the user's new copies, so that the user gets events of later changes.
 */
function makeCopyMadeCommands(
  copied: readonly ReadableMessage[],
  { realm, caller }: CommandContext,
): Pick<CommandOutcome<UserActorState>, 'commands'> {
  if (copied.length === 0) return {};
  const owners = new Map<ActorKey<'stream'>, number[]>();
  for (const { message } of copied) {
    // Commands go to streams only: participants of direct messages always have a copy.
    const owner = streamActorKey(realm, toStreamId(message.body.stream));
    const ids = owners.get(owner);
    if (ids) ids.push(message.id);
    else owners.set(owner, [message.id]);
  }
  const told = [...owners].map(([to, ids]) =>
    makeOutboxCommand({ to, name: streamActorCommands.copyMade, args: { ids, user: caller }, caller: 0 }),
  );
  return { commands: [told] };
}

/** POST /messages/flags: changes a flag of the named messages. */
export const changeFlagOfMessagesHandler: UserCommandHandler<typeof userActorCommands.setFlags, FlagChangeInputs> = {
  inputs: ({ messages }, context, sources) => loadFlagChangeInputs(messages, context, sources),
  handle(
    view,
    args,
    { accessibleMessages, hasInaccessibleMessages, readStateCompactions },
    context,
  ): CommandOutcome<UserActorState> {
    // Operations that make copies need access to all messages; the others skip messages without access.
    const makesCopies = args.op === (args.flag === 'read' ? 'remove' : 'add');
    if (makesCopies && hasInaccessibleMessages) throw apiError('INVALID_MESSAGES');
    const { parts, events, commands = [] } = makeFlagChangeOutcome(view, args, accessibleMessages, context);
    return {
      reply: makeSuccessReply({ messages: args.messages }),
      parts: applyCompactionsToParts(view, context.caller, parts, readStateCompactions),
      events,
      commands,
    };
  },
};

/** POST /messages/flags/narrow: changes a flag of messages in a narrow. */
export const changeFlagOfMessagesInNarrowHandler: UserCommandHandler<
  typeof userActorCommands.setFlagsInNarrow,
  { readonly fetched: MessageWindow; readonly compactions: readonly ReadStateCompaction[] }
> = {
  async inputs(args, context, sources) {
    const rights = await loadMessageReadingRights(context, sources);
    const { reader, viewer } = rights;
    const terms = await loadNarrowTerms(args, rights, context, sources);
    const fetched = await fetchMessageWindow(reader, makeNarrowQueryPlan(terms, viewer), toMessageWindowRequest(args));
    await awaitRecentMessageEventsPublished(
      context.realm,
      fetched.rows.map(({ message }) => message),
      sources,
    );
    return { fetched, compactions: await computeCompactionsOfOrigins(fetched.rows, context, sources) };
  },
  handle(view, args, { fetched, compactions }, context): CommandOutcome<UserActorState> {
    const { rows, foundOldest, foundNewest } = fetched;
    const { parts, events, commands = [], changed } = makeFlagChangeOutcome(view, args, rows, context);
    return {
      reply: makeSuccessReply({
        processed_count: rows.length,
        updated_count: changed.length,
        first_processed_id: rows[0]?.message.id ?? null,
        last_processed_id: rows.at(-1)?.message.id ?? null,
        found_oldest: foundOldest,
        found_newest: foundNewest,
      }),
      parts: applyCompactionsToParts(view, context.caller, parts, compactions),
      events,
      commands,
    };
  },
};

/**
 * Makes the handler that adds messages to one of the user's lists of copies. The command is never refused, and a repeat
 * changes nothing.
 */
const makeAddCopiesHandler = (
  mark: PersonalCopyMarkName,
): UserCommandHandler<typeof userActorCommands.giveCopy | typeof userActorCommands.makeCopy> => ({
  handle({ parts }, { ids, moves = 0 }, _inputs, { key }) {
    const flags = new UserMessageFlagsView(userIdOfUserActorKey(key), parts);
    const copies = ids.map((id) => ({ id, moves }));
    return { reply: makeValueReply(null), parts: makePersonalCopyParts(flags, mark, copies) };
  },
});

/**
 * Gives the user read copies of old messages to which the user has reacted without having a copy. The message's actor
 * sends this command.
 */
export const addReadMessageCopiesHandler = makeAddCopiesHandler('historical');

/**
 * Gives a bot copies of messages that mention it in a stream to which it is not subscribed, as subscribers have them.
 */
export const addBotMessageCopiesHandler = makeAddCopiesHandler('copied');
