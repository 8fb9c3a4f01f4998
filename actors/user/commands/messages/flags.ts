/** POST /messages/flags and POST /messages/flags/narrow: flags on messages that the user picks (messages.md § Flags). */

import { flagEvent, success, value } from '#actors/shared';
import type { JsonObject } from '#base';
import type { Fetched, Flagging, OwnMessage } from '#domain/messages';
import {
  asStored,
  fetchWindow,
  makePlan,
  markedOf,
  markedPart,
  markRead,
  markUnread,
  OwnFlags,
  parseNarrow,
  readingPart,
  resolveTerms,
  setMark,
  unsetMark,
  windowOf,
} from '#domain/messages';
import type { ActorKey, LogItem } from '#model';
import { READ_IDS_PER_EVENT, streamId, streamKey } from '#model';
import type { FlagChange, userCommands } from '#model/commands';
import { outboxCommand, streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandContext, InputContext, Outcome, View } from '#runtime';
import type { InputSources } from '../../../services.js';
import { messageDetails } from '../../reading/flag-event.js';
import type { Fold } from '../../reading/folding.js';
import { folded, foldOf } from '../../reading/folding.js';
import { untilPublished } from '../../reading/newest.js';
import type { UserCommand, UserState } from '../../state.js';
import { isSubscribed } from '../../state.js';
import { rightsOf } from './on-message.js';

interface PickedMessages {
  /** Messages that the user may access, in the order asked for. */
  readonly own: readonly OwnMessage[];
  /** At least one of those asked for is out of the user's reach. */
  readonly missing: boolean;
  readonly folds: readonly Fold[];
}

/** Of the homes that these messages belong to. */
async function foldsOf(
  own: readonly OwnMessage[],
  { realm, caller, view }: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<Fold[]> {
  const flags = new OwnFlags(caller, view.parts);
  const homes = [...new Set(own.map(({ message }) => message.home))];
  const folds = await Promise.all(homes.map((home) => foldOf(realm, flags, home, sources)));
  return folds.filter((fold) => fold !== undefined);
}

/** The parts with the marks raised, where that makes them smaller. */
function withFolds(view: View<UserState>, user: number, parts: Outcome<UserState>['parts'], folds: readonly Fold[]) {
  if (folds.length === 0) return parts;
  const flags = new OwnFlags(user, new Map([...view.parts, ...Object.entries(parts ?? {})]));
  return Object.assign(
    {},
    parts,
    ...folds.map((fold) => readingPart(fold.home, folded(flags.reading(fold.home), fold))),
  );
}

async function pick(
  ids: readonly number[],
  context: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<PickedMessages> {
  const { reader } = await rightsOf(context, sources);
  const asked = [...new Set(ids)];
  const possible = asked.filter((id) => Number.isSafeInteger(id) && id > 0);
  const records = await sources.store.getMessages(context.realm, possible);
  const stored = records.filter((record) => record !== null).map(asStored);
  const own: OwnMessage[] = [];
  for (const message of stored) {
    const one = await reader.access(message);
    if (one) own.push(one);
  }
  await untilPublished(
    context.realm,
    own.map(({ message }) => message),
    sources,
  );
  return { own, missing: own.length < asked.length, folds: await foldsOf(own, context, sources) };
}

function flagging(
  { flag, op }: FlagChange,
  flags: OwnFlags,
  own: readonly OwnMessage[],
  subscribed: (s: number) => boolean,
): Flagging {
  if (flag === 'read') return op === 'add' ? markRead(flags, own) : markUnread(flags, own, subscribed);
  return op === 'add' ? setMark(flags, own, flag) : unsetMark(flags, own, flag);
}

/** What is told of each message that becomes unread takes some 300 bytes. */
const DETAILS_PER_EVENT = 1_000;

/** Without a change one, as clients expect. */
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
  view: View<UserState>,
  change: FlagChange,
  own: readonly OwnMessage[],
  context: CommandContext,
): Flagging & { readonly events: readonly LogItem[] } & Pick<Outcome<UserState>, 'commands'> {
  const { parts } = view;
  const subscribed = (stream: number): boolean => isSubscribed(parts, stream);
  const done = flagging(change, new OwnFlags(context.caller, parts), own, subscribed);
  const byId = new Map(own.map((one) => [one.message.id, one]));
  const details =
    change.flag === 'read' && change.op === 'remove'
      ? messageDetails(
          done.changed.map((id) => byId.get(id)!),
          context.caller,
          parts,
        )
      : undefined;
  return {
    ...done,
    events: flagEvents(context.caller, change, done.changed, details),
    ...copyMadeCommands(done.copied ?? [], context),
  };
}

/** Those who own the messages hear of new copies: their holders hear of changes. */
function copyMadeCommands(
  copied: readonly OwnMessage[],
  { realm, caller }: CommandContext,
): Pick<Outcome<UserState>, 'commands'> {
  if (copied.length === 0) return {};
  const owners = new Map<ActorKey<'stream'>, number[]>();
  for (const { message } of copied) {
    // Direct messages need no copies.
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

/** POST /messages/flags. */
export const setFlags: UserCommand<typeof userCommands.setFlags, PickedMessages> = {
  inputs: ({ messages }, context, sources) => pick(messages, context, sources),
  handle(view, args, { own, missing, folds }, context): Outcome<UserState> {
    // Only what makes copies needs access to everything; the rest passes over what it can't change.
    const makesCopies = args.op === (args.flag === 'read' ? 'remove' : 'add');
    if (makesCopies && missing) throw apiError('INVALID_MESSAGES');
    const { parts, events, commands = [] } = flagged(view, args, own, context);
    return {
      reply: success({ messages: args.messages }),
      parts: withFolds(view, context.caller, parts, folds),
      events,
      commands,
    };
  },
};

export interface FlagNarrowArgs extends FlagChange {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
  readonly narrow: string;
}

/** POST /messages/flags/narrow. */
export const setFlagsInNarrow: UserCommand<
  typeof userCommands.setFlagsInNarrow,
  { readonly fetched: Fetched; readonly folds: readonly Fold[] }
> = {
  async inputs(args, context, sources) {
    const { reader, viewer, user, directory } = await rightsOf(context, sources);
    const terms = resolveTerms(parseNarrow(args.narrow), directory, user.id);
    const fetched = await fetchWindow(reader, makePlan(terms, viewer), windowOf(args));
    await untilPublished(
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
      reply: success({
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

/** Never refuses, and a repeat changes nothing. */
export const copying = (mark: 'historical' | 'copied'): UserCommand<typeof userCommands.giveCopy> => ({
  handle({ parts }, { ids }) {
    const before = markedOf(parts, mark);
    const after = before.with(ids);
    return { reply: value(null), ...(after === before ? {} : { parts: markedPart(mark, after) }) };
  },
});

/** The owner of messages tells the user who reacted to them without having copies: from now on he has, read ones. */
export const makeCopy = copying('historical');

/** The user is a bot that was mentioned where it is not: the copy is one as any other. */
export const giveCopy = copying('copied');
