/** Marking a stream as read (messages.md): on request, and when the user leaves it. */
import { apiError } from '../../../../src/api/errors.js';
import { IdSet, type Json, streamId, streamKey } from '../../../../src/core/index.js';
import { markedRead, OwnFlags, readingPart, UnreadScan, withRead } from '../../../../src/messages/index.js';
import type { LogItem, NeedsContext, Outcome, Suppliers } from '../../../../src/runtime/index.js';
import { canAccess } from '../../../../src/streams/index.js';
import { success, value } from '../../../shared/replies.js';
import type { UserCommand } from '../../command.js';
import { idEvents, rangeEvents, rangeOf } from '../../reading/flag-event.js';
import { isSubscribed, selfOf, type UserState } from '../../state.js';
import { rightsOf } from './on-message.js';

interface StreamMarking {
  /** Id of the newest message that was sent here, wherever it is now. */
  readonly newest: number;
  /** Something that was sent here is here, and unread. */
  readonly some: boolean;
  /** All of that, if it is not too much. */
  readonly all?: readonly number[];
  /** Unread messages that were sent here and are elsewhere now: they stay unread. */
  readonly left: readonly number[];
  /** Unread messages that were sent elsewhere and are here now: home → ids. */
  readonly came: ReadonlyMap<number, readonly number[]>;
}

/** Its cost is that of what was moved, not of what is unread. */
async function lookAt(
  stream: number,
  { realm, key, view }: NeedsContext<UserState, undefined>,
  suppliers: Suppliers,
): Promise<StreamMarking> {
  const user = selfOf(key);
  const flags = new OwnFlags(user, view.parts);
  const reading = flags.reading(stream);
  const scan = new UnreadScan(suppliers.store, realm, user);
  const newest = await scan.newestOf(stream);
  const excepted = await scan.excepted(reading);
  let some = excepted.some(({ body }) => body.stream === stream);
  if (!some) {
    for await (const batch of scan.above(stream, reading)) {
      some = batch.some(({ body }) => body.stream === stream);
      if (some) break;
    }
  }
  const left = excepted.filter(({ body }) => body.stream !== stream).map(({ id }) => id);
  for await (const batch of scan.movedFrom(stream, reading)) left.push(...batch.map(({ id }) => id));
  const came = new Map<number, number[]>();
  for await (const batch of scan.movedTo(stream)) {
    for (const message of batch) {
      if (flags.isRead({ message, copy: true, gained: false })) continue;
      came.set(message.home, [...(came.get(message.home) ?? []), message.id]);
    }
  }
  if (some) await suppliers.ask(streamKey(realm, streamId(stream)), 'told', {});
  return { newest, some, left, came };
}

function marked(
  parts: ReadonlyMap<string, Json>,
  user: number,
  stream: number,
  { newest, some, all, left, came }: StreamMarking,
): Pick<Outcome<UserState>, 'parts' | 'events'> {
  const flags = new OwnFlags(user, parts);
  const reading = flags.reading(stream);
  const written: Record<string, Json> = {};
  const events: LogItem[] = [];
  if (some) {
    const mark = Math.max(reading.mark, newest);
    // Whoever read one of them meanwhile did not want it back.
    const unread = IdSet.of(left.filter((id) => markedRead(reading, id) !== true));
    Object.assign(written, readingPart(stream, { mark, read: reading.read.above(mark), unread }));
    if (all) events.push(...idEvents(user, all));
    else events.push(...rangeEvents(user, rangeOf(stream, reading, newest, stream)));
  }
  for (const [home, ids] of came) {
    Object.assign(written, readingPart(home, withRead(flags.reading(home), ids)));
    events.push(...idEvents(user, ids));
  }
  return { parts: written, events };
}

/** POST /mark_stream_as_read. */
export const markStreamRead: UserCommand<{ readonly stream: number }, StreamMarking | undefined> = {
  lane: 'mark-stream',
  async needs({ stream: id }, context, suppliers) {
    const { directory, user } = await rightsOf(context, suppliers);
    const stream = directory.stream(streamId(id));
    if (!stream || !canAccess(user, stream, isSubscribed(context.view.parts, id))) return undefined;
    return lookAt(id, context, suppliers);
  },
  handle({ parts }, { stream }, marking, { caller }) {
    if (!marking) throw apiError('INVALID_STREAM_ID');
    return { reply: success(), ...marked(parts, caller, stream, marking) };
  },
};

/** More than so many become read as a range, which is worked out when the event is delivered. */
const MOST_NAMED = 500;

/** Undefined: they are too many. */
async function unreadIn(
  stream: number,
  { realm, key, view }: NeedsContext<UserState, undefined>,
  { store }: Suppliers,
): Promise<number[] | undefined> {
  const user = selfOf(key);
  const reading = new OwnFlags(user, view.parts).reading(stream);
  const scan = new UnreadScan(store, realm, user);
  if (reading.unread.size > MOST_NAMED) return undefined;
  const found = await scan.excepted(reading);
  for await (const batch of scan.above(stream, reading)) {
    found.push(...batch);
    if (found.length > MOST_NAMED) return undefined;
  }
  return [...new Set(found.filter(({ body }) => body.stream === stream).map(({ id }) => id))];
}

/**
 * The user left the stream, or it was archived: never refused. What becomes read is named here where possible: of what is deleted
 * before the event is delivered the user will not hear.
 */
export const readStream: UserCommand<{ readonly stream: number }, StreamMarking> = {
  async needs({ stream }, context, suppliers) {
    const marking = await lookAt(stream, context, suppliers);
    const all = marking.some ? await unreadIn(stream, context, suppliers) : undefined;
    return all ? { ...marking, all } : marking;
  },
  handle: ({ parts }, { stream }, marking, { key }) => ({
    reply: value(null),
    ...marked(parts, selfOf(key), stream, marking),
  }),
};
