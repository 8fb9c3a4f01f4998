/**
 * Where to look for the messages of a narrow: ranges of the Store that together hold all of them, and little else. What
 * is found is tested exactly afterwards. Pure.
 */
import { IdSet } from '#base';
import type { Member, Stay } from '#domain/streams';
import type { MessageIndex, MessageRange } from '#ports/store';
import { DIRECT_ORIGIN, type UserFlags } from '../flags/read-state.js';
import { streamConversation } from '../stored/message.js';
import { tagOf } from '../stored/record.js';
import type { Conditions } from './conditions.js';

/** Somebody who comes and goes often has so many stays that one range over them all is cheaper. */
const MAX_STAYS = 4;
const NO_MESSAGES: readonly MessageRange[] = [{ index: { by: 'ids', ids: [] } }];

/** A part of what a user has, before the narrow's conditions. */
interface Region {
  readonly index: MessageIndex;
  /** Conversation in which all of it is. */
  readonly conversation?: string;
  readonly direct?: boolean;
  readonly above?: number;
  readonly upTo?: number;
}

export interface CopyOwner {
  readonly user: number;
  readonly flags: UserFlags;
  /** Streams to which the user is or was subscribed. */
  readonly streams: readonly number[];
  membership(stream: number): Member | undefined;
}

/** All messages of these streams. */
export function historyRanges(streams: readonly number[], conditions: Conditions): readonly MessageRange[] {
  const parts = streams.filter(conditions.inStream).map(
    (stream): Region => ({
      index: { by: 'conversation', conversation: streamConversation(stream) },
      conversation: streamConversation(stream),
      direct: false,
    }),
  );
  return rangesOf(parts, conditions);
}

/** All messages that the user has a copy of. */
export function copyRanges(own: CopyOwner, conditions: Conditions): readonly MessageRange[] {
  const { personal, conversation, direct, unread, mentioned } = conditions;
  // What is unread is little, too, and its places are known best.
  if (unread) return rangesOf(copyRegions(own, conditions), personal ? also(conditions, personal) : conditions);
  if (personal) return rangesOf([{ index: personal }], conditions);
  if (direct && conversation !== undefined) {
    return rangesOf([{ index: { by: 'conversation', conversation }, conversation, direct: true }], conditions);
  }
  return rangesOf(mentioned ? mentionRegions(own, conditions) : copyRegions(own, conditions), conditions);
}

const also = (conditions: Conditions, index: MessageIndex): Conditions => ({
  ...conditions,
  also: [...conditions.also, index],
});

function copyRegions(own: CopyOwner, { unread, inStream }: Conditions): Region[] {
  const { flags, user } = own;
  const parts: Region[] = own.streams.flatMap((stream) => {
    const conversation = streamConversation(stream);
    const here: Region = { index: { by: 'conversation', conversation }, conversation, direct: false };
    return [
      ...(inStream(stream) ? regionsDuringStays(own, stream, here, unread) : []),
      ...regionsDuringStays(own, stream, { index: { by: 'moved', from: conversation }, direct: false }, unread),
    ];
  });
  const mark = unread ? { above: flags.reading(DIRECT_ORIGIN).mark } : {};
  parts.push({ index: { by: 'participant', user }, direct: true, ...mark });
  // Copies that came with a move, and those that the user made, are read, until the user marks them.
  const copied = flags.marked('copied').ids;
  if (unread) return [...parts, { index: { by: 'ids', ids: IdSet.of([...flags.unreadExceptions(), ...copied]).ids } }];
  const made = IdSet.of([...flags.marked('historical').ids, ...copied]).ids;
  return [...parts, ...gainedRegions(own), { index: { by: 'ids', ids: made }, direct: false }];
}

function mentionRegions(own: CopyOwner, { inStream }: Conditions): Region[] {
  const everybody = own.streams.flatMap((stream): Region[] => {
    const conversation = streamConversation(stream);
    const here: Region = { index: { by: 'tag', tag: tagOf.wildcard(conversation) }, conversation, direct: false };
    return [
      ...(inStream(stream) ? regionsDuringStays(own, stream, here) : []),
      ...regionsDuringStays(own, stream, { index: { by: 'moved', from: conversation }, direct: false }),
    ];
  });
  return [{ index: { by: 'tag', tag: tagOf.mentioned(own.user) } }, ...everybody, ...gainedRegions(own)];
}

/** Messages that came from other streams: whoever was here then may have got a copy. */
const gainedRegions = ({ streams }: CopyOwner): Region[] =>
  streams.map((stream) => ({ index: { by: 'tag', tag: tagOf.cameTo(streamConversation(stream)) }, direct: false }));

/** The part as far as it was sent to the stream while the user was there; when unread, only what can be. */
function regionsDuringStays(own: CopyOwner, stream: number, part: Region, unread = false): Region[] {
  const stays = own.membership(stream)?.stays ?? [];
  const mark = unread ? own.flags.reading(stream).mark : -1;
  return mergedIfMany(stays)
    .filter((stay) => stay.to === 0 || stay.until > Math.max(stay.after, mark))
    .map((stay) => ({
      ...part,
      above: Math.max(stay.after, mark),
      ...(stay.to === 0 ? {} : { upTo: stay.until }),
    }));
}

function mergedIfMany(stays: readonly Stay[]): readonly Stay[] {
  const [first, last] = [stays[0], stays.at(-1)];
  if (!first || !last || stays.length <= MAX_STAYS) return stays;
  return [{ ...last, from: first.from, after: first.after }];
}

function rangesOf(parts: readonly Region[], conditions: Conditions): readonly MessageRange[] {
  if (conditions.impossible) return NO_MESSAGES;
  const ranges = parts.flatMap((part) => rangeOf(part, conditions) ?? []);
  return ranges.length === 0 ? NO_MESSAGES : ranges;
}

function rangeOf(part: Region, { conversation, topicKey, direct, also }: Conditions): MessageRange | undefined {
  if (direct !== undefined && part.direct !== undefined && direct !== part.direct) return undefined;
  if (conversation !== undefined && part.conversation !== undefined && conversation !== part.conversation) {
    return undefined;
  }
  const place = conversation ?? part.conversation;
  const indexes: MessageIndex[] = part.index.by === 'conversation' ? [] : [part.index];
  if (place !== undefined) {
    if (topicKey !== undefined) indexes.push({ by: 'topic', conversation: place, topicKey });
    // A tag of the conversation says where it is.
    else if (part.conversation === undefined || part.index.by === 'conversation') {
      indexes.push({ by: 'conversation', conversation: place });
    }
  }
  const [index, ...others] = [...indexes, ...also] as [MessageIndex, ...MessageIndex[]];
  return {
    index,
    also: others,
    ...(part.above === undefined || part.above < 0 ? {} : { above: part.above }),
    ...(part.upTo === undefined ? {} : { upTo: part.upTo }),
  };
}
