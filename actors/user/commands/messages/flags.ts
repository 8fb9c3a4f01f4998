/**
 * POST /messages/flags and POST /messages/flags/narrow (messages.md § Flags) change flags of messages. Other commands
 * here record copies that other actors give the user.
 */

import { flagEvent, successReply, valueReply } from '#actors/shared';
import type { JsonObject } from '#base';
import {
  encodeMarkedIds,
  encodeReadState,
  type FlagUpdate,
  fetchMessageWindow,
  type MessageWindow,
  makeNarrowPlan,
  markedIdsOf,
  markMessagesRead,
  markMessagesUnread,
  parseMessageWindow,
  parseNarrow,
  type ReadableMessage,
  resolveNarrowTerms,
  setMessageMark,
  toStoredMessage,
  UserFlags,
  unsetMessageMark,
} from '#domain/messages';
import { type ActorKey, type LogItem, READ_IDS_PER_EVENT, streamId, streamKey } from '#model';
import { type FlagChange, outboxCommand, streamCommands, type userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { ActorView, CommandContext, InputContext, Outcome } from '#runtime';
import type { InputSources } from '../../../services.js';
import { unreadMessageDetails } from '../../reading/flag-event.js';
import { applyFold, computeFold, type ReadStateFold } from '../../reading/folding.js';
import { awaitPublished } from '../../reading/newest.js';
import { isSubscribed, type UserCommand, type UserState } from '../../state.js';
import { loadReadingRights } from './on-message.js';

interface PickedMessages {
  /** The requested messages that the user may access. */
  readonly own: readonly ReadableMessage[];
  /** True if the user may not access at least one of the requested messages. */
  readonly missing: boolean;
  readonly folds: readonly ReadStateFold[];
}

/**
 * Computes, for the origin stream of each message, the higher read mark that replaces many single ids (folding.ts).
 * Origins that need none are left out.
 */
async function foldsOf(
  own: readonly ReadableMessage[],
  { realm, caller, view }: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<ReadStateFold[]> {
  const flags = new UserFlags(caller, view.parts);
  const homes = [...new Set(own.map(({ message }) => message.originStream))];
  const folds = await Promise.all(homes.map((home) => computeFold(realm, flags, home, sources)));
  return folds.filter((fold) => fold !== undefined);
}

/** Changed parts of the read state, with the higher marks of these folds. */
function withFolds(
  view: ActorView<UserState>,
  user: number,
  parts: Outcome<UserState>['parts'],
  folds: readonly ReadStateFold[],
) {
  if (folds.length === 0) return parts;
  const flags = new UserFlags(user, new Map([...view.parts, ...Object.entries(parts ?? {})]));
  return Object.assign(
    {},
    parts,
    ...folds.map((fold) => encodeReadState(fold.home, applyFold(flags.reading(fold.home), fold))),
  );
}

async function pick(
  ids: readonly number[],
  context: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<PickedMessages> {
  const { reader } = await loadReadingRights(context, sources);
  const asked = [...new Set(ids)];
  const possible = asked.filter((id) => Number.isSafeInteger(id) && id > 0);
  const records = await sources.store.getMessages(context.realm, possible);
  const stored = records.filter((record) => record !== null).map(toStoredMessage);
  const own: ReadableMessage[] = [];
  for (const message of stored) {
    const one = await reader.access(message);
    if (one) own.push(one);
  }
  await awaitPublished(
    context.realm,
    own.map(({ message }) => message),
    sources,
  );
  return { own, missing: own.length < asked.length, folds: await foldsOf(own, context, sources) };
}

function flagging(
  { flag, op }: FlagChange,
  flags: UserFlags,
  own: readonly ReadableMessage[],
  subscribed: (s: number) => boolean,
): FlagUpdate {
  if (flag === 'read') return op === 'add' ? markMessagesRead(flags, own) : markMessagesUnread(flags, own, subscribed);
  return op === 'add' ? setMessageMark(flags, own, flag) : unsetMessageMark(flags, own, flag);
}

/**
 * Maximum number of messages with details per event: the details of a message that becomes unread take some 300 bytes.
 */
const DETAILS_PER_EVENT = 1_000;

/** Events of changed flags: at least one, even without a change, as clients expect. */
function flagEvents(
  user: number,
  { op, flag }: FlagChange,
  changed: readonly number[],
  details: JsonObject | undefined,
): LogItem[] {
  const most = details ? DETAILS_PER_EVENT : READ_IDS_PER_EVENT;
  if (changed.length <= most) return [flagEvent(user, op, flag, changed, details)];
  const events: LogItem[] = [];
  for (let i = 0; i < changed.length; i += most) {
    const ids = changed.slice(i, i + most);
    const own = details && Object.fromEntries(ids.map((id) => [id, details[id]]));
    events.push(flagEvent(user, op, flag, ids, own));
  }
  return events;
}

function flagged(
  view: ActorView<UserState>,
  change: FlagChange,
  own: readonly ReadableMessage[],
  context: CommandContext,
): FlagUpdate & { readonly events: readonly LogItem[] } & Pick<Outcome<UserState>, 'commands'> {
  const { parts } = view;
  const subscribed = (stream: number): boolean => isSubscribed(parts, stream);
  const done = flagging(change, new UserFlags(context.caller, parts), own, subscribed);
  const byId = new Map(own.map((one) => [one.message.id, one]));
  const details =
    change.flag === 'read' && change.op === 'remove'
      ? unreadMessageDetails(
          done.changed.map((id) => byId.get(id)!),
          context.caller,
          parts,
        )
      : undefined;
  return {
    ...done,
    events: flagEvents(context.caller, change, done.changed, details),
    ...copyMadeCommands(done.newCopies ?? [], context),
  };
}

/**
 * Commands that tell the actors of messages about the user's new copies, so that the user gets events of later changes.
 */
function copyMadeCommands(
  copied: readonly ReadableMessage[],
  { realm, caller }: CommandContext,
): Pick<Outcome<UserState>, 'commands'> {
  if (copied.length === 0) return {};
  const owners = new Map<ActorKey<'stream'>, number[]>();
  for (const { message } of copied) {
    // Commands go to streams only: participants of direct messages always have a copy.
    const owner = streamKey(realm, streamId(message.body.stream));
    const ids = owners.get(owner);
    if (ids) ids.push(message.id);
    else owners.set(owner, [message.id]);
  }
  const told = [...owners].map(([to, ids]) =>
    outboxCommand({ to, name: streamCommands.copyMade, args: { ids, user: caller }, caller: 0 }),
  );
  return { commands: [told] };
}

/** POST /messages/flags: changes a flag of the named messages. */
export const setFlagsHandler: UserCommand<typeof userCommands.setFlags, PickedMessages> = {
  inputs: ({ messages }, context, sources) => pick(messages, context, sources),
  handle(view, args, { own, missing, folds }, context): Outcome<UserState> {
    // Operations that make copies need access to all messages; the others skip messages without access.
    const makesCopies = args.op === (args.flag === 'read' ? 'remove' : 'add');
    if (makesCopies && missing) throw apiError('INVALID_MESSAGES');
    const { parts, events, commands = [] } = flagged(view, args, own, context);
    return {
      reply: successReply({ messages: args.messages }),
      parts: withFolds(view, context.caller, parts, folds),
      events,
      commands,
    };
  },
};

/** POST /messages/flags/narrow: changes a flag of messages in a narrow. */
export const setFlagsInNarrowHandler: UserCommand<
  typeof userCommands.setFlagsInNarrow,
  { readonly fetched: MessageWindow; readonly folds: readonly ReadStateFold[] }
> = {
  async inputs(args, context, sources) {
    const { reader, viewer, user, directory } = await loadReadingRights(context, sources);
    const terms = resolveNarrowTerms(parseNarrow(args.narrow), directory, user.id);
    const fetched = await fetchMessageWindow(reader, makeNarrowPlan(terms, viewer), parseMessageWindow(args));
    await awaitPublished(
      context.realm,
      fetched.rows.map(({ message }) => message),
      sources,
    );
    return { fetched, folds: await foldsOf(fetched.rows, context, sources) };
  },
  handle(view, args, { fetched, folds }, context): Outcome<UserState> {
    const { rows, foundOldest, foundNewest } = fetched;
    const { parts, events, commands = [], changed } = flagged(view, args, rows, context);
    return {
      reply: successReply({
        processed_count: rows.length,
        updated_count: changed.length,
        first_processed_id: rows[0]?.message.id ?? null,
        last_processed_id: rows.at(-1)?.message.id ?? null,
        found_oldest: foundOldest,
        found_newest: foundNewest,
      }),
      parts: withFolds(view, context.caller, parts, folds),
      events,
      commands,
    };
  },
};

/**
 * Makes the handler that adds message ids to one of the user's lists of copies. The command is never refused, and a
 * repeat changes nothing.
 */
const addCopiesCommand = (mark: 'historical' | 'copied'): UserCommand<typeof userCommands.giveCopy> => ({
  handle({ parts }, { ids }) {
    const before = markedIdsOf(parts, mark);
    const after = before.with(ids);
    return { reply: valueReply(null), ...(after === before ? {} : { parts: encodeMarkedIds(mark, after) }) };
  },
});

/**
 * Gives the user read copies of old messages to which the user has reacted without having a copy. The message's actor
 * sends this command.
 */
export const makeReadCopies = addCopiesCommand('historical');

/**
 * Gives a bot copies of messages that mention it in a stream to which it is not subscribed, as subscribers have them.
 */
export const giveBotCopies = addCopiesCommand('copied');
