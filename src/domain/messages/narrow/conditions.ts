/** What all messages of a narrow have in common, as far as indexes know it: where to look for them. Pure. */
import { dmKey, parseKey, type RealmId } from '#model';
import type { MessageIndex } from '#ports/store';
import type { Viewer } from '../access/viewer.js';
import { streamConversation } from '../stored/message.js';
import { tagOf } from '../stored/record.js';
import { isPublicStream, isWebPublicStream } from './predicate.js';
import type { Term } from './terms.js';

/**
 * Words of a search whose indexes are asked for each place where messages may be; the others are only tested of what is
 * found. The longest are taken, as the rarest ones mostly are.
 */
export const MAX_INDEXED_WORDS = 8;

export interface Conditions {
  /** Terms that exclude each other. */
  readonly impossible: boolean;
  readonly conversation?: string;
  readonly topicKey?: string;
  /** Direct messages only (true), stream messages only (false). */
  readonly direct?: boolean;
  /** Few messages, all of them this user's. */
  readonly personal?: MessageIndex;
  readonly also: readonly MessageIndex[];
  /** Whether messages of this stream can be among them. */
  inStream(stream: number): boolean;
  readonly mentioned: boolean;
  readonly unread: boolean;
}

export const directConversation = (realm: RealmId, participants: readonly number[]): string =>
  `d${parseKey(dmKey(realm, participants as never)).rest}`;

export function conditionsOf(terms: readonly Term[], viewer: Viewer): Conditions {
  const { realm, user, flags } = viewer;
  let impossible = false;
  const once = <T>(known: T | undefined, value: T): T => {
    if (known !== undefined && known !== value) impossible = true;
    return value;
  };
  let conversation: string | undefined;
  let topic: string | undefined;
  let direct: boolean | undefined;
  let personal: MessageIndex | undefined;
  const also = new Map<string, MessageIndex>();
  const words = new Set<string>();
  let sender: number | undefined;
  const streams: ((stream: number) => boolean)[] = [];
  const besides = (index: Exclude<MessageIndex, { by: 'ids' }>): void => {
    also.set(JSON.stringify(index), index);
  };
  const lists: MessageIndex[] = [];
  const few = (index: MessageIndex): void => {
    if (personal) lists.push(index);
    else personal = index;
  };
  for (const term of terms) {
    if (term.negated) {
      if (term.is === 'direct') direct = once(direct, false);
      if (term.is === 'stream') streams.push((stream) => stream !== term.stream);
      continue;
    }
    switch (term.is) {
      case 'stream':
        direct = once(direct, false);
        conversation = once(conversation, streamConversation(term.stream));
        streams.push((stream) => stream === term.stream);
        break;
      case 'public-streams':
      case 'web-public-streams': {
        const among = term.is === 'public-streams' ? isPublicStream : isWebPublicStream;
        direct = once(direct, false);
        streams.push((stream) => among(viewer, stream));
        break;
      }
      case 'topic':
        direct = once(direct, false);
        topic = once(topic, term.topic);
        break;
      case 'sender':
        sender = once(sender, term.user);
        besides({ by: 'sender', sender: term.user });
        break;
      case 'conversation':
        direct = once(direct, true);
        conversation = once(conversation, directConversation(realm, term.participants));
        break;
      case 'direct-with':
        direct = once(direct, true);
        if (term.user !== user.id) besides({ by: 'participant', user: term.user });
        break;
      case 'direct':
        direct = once(direct, true);
        break;
      case 'starred':
        few({ by: 'ids', ids: flags.marked('starred').ids });
        break;
      case 'id':
        few({ by: 'ids', ids: term.id < 0 ? [] : [term.id] });
        break;
      case 'alerted':
        few({ by: 'tag', tag: tagOf.alerted(user.id) });
        break;
      case 'resolved':
        direct = once(direct, false);
        besides({ by: 'tag', tag: tagOf.resolved });
        break;
      case 'has':
        besides({ by: 'tag', tag: tagOf.has(term.what) });
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
  const rare = [...words].sort((a, b) => b.length - a.length).slice(0, MAX_INDEXED_WORDS);
  for (const stem of rare) besides({ by: 'tag', tag: tagOf.word(stem) });
  const asked = (is: Term['is']): boolean => terms.some((term) => term.is === is && !term.negated);
  return {
    impossible,
    ...(conversation === undefined ? {} : { conversation }),
    ...(topic === undefined ? {} : { topicKey: topic }),
    ...(direct === undefined ? {} : { direct }),
    ...(personal === undefined ? {} : { personal }),
    also: [...lists, ...also.values()],
    inStream: (stream) => streams.every((among) => among(stream)),
    mentioned: asked('mentioned'),
    unread: asked('unread'),
  };
}
