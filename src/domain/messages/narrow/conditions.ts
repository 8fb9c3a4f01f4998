/**
 * Conditions that every message of a narrow meets and that the Store has indexes for. The functions have no side
 * effects.
 */
import { directMessageActorKey, parseActorKey, type RealmId } from '#model';
import type { MessageIndexCondition } from '#ports/store';
import type { MessageViewerContext } from '../access/viewer.js';
import { storeNameOfStreamConversation } from '../stored/message.js';
import { messageIndexTags } from '../stored/record.js';
import { isActivePublicStream, isActiveWebPublicStream } from './predicate.js';
import type { ResolvedNarrowTerm } from './terms.js';

/**
 * Maximum number of words of one search that the Store looks up. The longest words are looked up, as they are mostly
 * the rarest. The others are only tested on the messages found.
 */
export const MAX_STEMS_LOOKED_UP_PER_SEARCH = 8;

export interface NarrowStoreConditions {
  /** True if the terms exclude each other: no message matches. */
  readonly impossible: boolean;
  readonly conversation?: string;
  readonly topicKey?: string;
  /** Kind of messages: direct (true), stream (false) or both (undefined). */
  readonly direct?: boolean;
  /** Index that is made for this user and has few messages: starred ones, messages with alerts, or one message id. */
  readonly personal?: MessageIndexCondition;
  readonly also: readonly MessageIndexCondition[];
  /** Stems of search terms that the conditions in `also` look up. */
  readonly stemsLookedUp: ReadonlySet<string>;
  /** True if messages in this stream can match the narrow. */
  inStream(stream: number): boolean;
  readonly mentioned: boolean;
  readonly unread: boolean;
}

export const storeNameOfDirectConversation = (realm: RealmId, participants: readonly number[]): string =>
  `d${parseActorKey(directMessageActorKey(realm, participants as never)).idWithinRealm}`;

export function deriveNarrowStoreConditions(
  terms: readonly ResolvedNarrowTerm[],
  viewer: MessageViewerContext,
): NarrowStoreConditions {
  const { realm, user, flags } = viewer;
  let impossible = false;
  const agreed = <T>(known: T | undefined, value: T): T => {
    if (known !== undefined && known !== value) impossible = true;
    return value;
  };
  let conversation: string | undefined;
  let topic: string | undefined;
  let direct: boolean | undefined;
  let personal: MessageIndexCondition | undefined;
  const also = new Map<string, MessageIndexCondition>();
  const words = new Set<string>();
  let sender: number | undefined;
  const streams: ((stream: number) => boolean)[] = [];
  const addIndex = (index: Exclude<MessageIndexCondition, { by: 'ids' }>): void => {
    also.set(JSON.stringify(index), index);
  };
  const lists: MessageIndexCondition[] = [];
  const startFrom = (index: MessageIndexCondition): void => {
    if (personal) lists.push(index);
    else personal = index;
  };
  for (const term of terms) {
    if (term.negated) {
      if (term.is === 'direct') direct = agreed(direct, false);
      if (term.is === 'stream') streams.push((stream) => stream !== term.stream);
      continue;
    }
    switch (term.is) {
      case 'stream':
        direct = agreed(direct, false);
        conversation = agreed(conversation, storeNameOfStreamConversation(term.stream));
        streams.push((stream) => stream === term.stream);
        break;
      case 'public-streams':
      case 'web-public-streams': {
        const among = term.is === 'public-streams' ? isActivePublicStream : isActiveWebPublicStream;
        direct = agreed(direct, false);
        streams.push((stream) => among(viewer, stream));
        break;
      }
      case 'topic':
        direct = agreed(direct, false);
        topic = agreed(topic, term.topic);
        break;
      case 'sender':
        sender = agreed(sender, term.user);
        addIndex({ by: 'sender', sender: term.user });
        break;
      case 'conversation':
        direct = agreed(direct, true);
        conversation = agreed(conversation, storeNameOfDirectConversation(realm, term.participants));
        break;
      case 'direct-with':
        direct = agreed(direct, true);
        if (term.user !== user.id) addIndex({ by: 'participant', user: term.user });
        break;
      case 'direct':
        direct = agreed(direct, true);
        break;
      case 'starred':
        startFrom({ by: 'ids', ids: flags.markedIds('starred').ids });
        break;
      case 'id':
        startFrom({ by: 'ids', ids: term.id < 0 ? [] : [term.id] });
        break;
      case 'alerted':
        startFrom({ by: 'tag', tag: messageIndexTags.alerted(user.id) });
        break;
      case 'resolved':
        direct = agreed(direct, false);
        addIndex({ by: 'tag', tag: messageIndexTags.resolved });
        break;
      case 'followed':
        direct = agreed(direct, false);
        break;
      case 'has':
        addIndex({ by: 'tag', tag: messageIndexTags.has(term.what) });
        break;
      case 'search':
        if (term.search.stems.length === 0) impossible = true;
        for (const stem of term.search.stems) words.add(stem);
        break;
      case 'home':
        streams.push((stream) => !viewer.mutedStreams.has(stream));
        break;
      case 'mentioned':
      case 'unread':
      case 'anything':
        break;
    }
  }
  const rare = [...words].sort((a, b) => b.length - a.length).slice(0, MAX_STEMS_LOOKED_UP_PER_SEARCH);
  for (const stem of rare) addIndex({ by: 'tag', tag: messageIndexTags.word(stem) });
  const wants = (is: ResolvedNarrowTerm['is']): boolean => terms.some((term) => term.is === is && !term.negated);
  return {
    impossible,
    ...(conversation === undefined ? {} : { conversation }),
    ...(topic === undefined ? {} : { topicKey: topic }),
    ...(direct === undefined ? {} : { direct }),
    ...(personal === undefined ? {} : { personal }),
    also: [...lists, ...also.values()],
    stemsLookedUp: new Set(rare),
    inStream: (stream) => streams.every((among) => among(stream)),
    mentioned: wants('mentioned'),
    unread: wants('unread'),
  };
}

/** The conditions for data in which messages with reactions may lack their tag: the exact test finds them. */
export const withoutReactionTagCondition = (conditions: NarrowStoreConditions): NarrowStoreConditions => ({
  ...conditions,
  also: conditions.also.filter((index) => index.by !== 'tag' || index.tag !== messageIndexTags.has('reaction')),
});
