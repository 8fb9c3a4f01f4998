/** The exact meaning of each term of a narrow, for one message. The functions have no side effects. */

import type { ReadableMessage } from '../access/message-access.js';
import type { MessageViewerContext } from '../access/viewer.js';
import { hasPhrasesAndStems, isMessageMatchingSearch } from '../search/query.js';
import { MESSAGE_CREATION_FLAG_BITS } from '../stored/digest.js';
import type { StoredMessage } from '../stored/message.js';
import {
  creationFlagBitsOfUser,
  currentStreamIdOfMessage,
  hasWildcardMention,
  makeInTopicPredicate,
  topicOfMessage,
} from '../stored/packed-view.js';
import { RESOLVED_TOPIC_PREFIX } from '../stored/record.js';
import type { ResolvedNarrowTerm } from './terms.js';

const MENTION_FLAG_BITS = MESSAGE_CREATION_FLAG_BITS.mentioned | MESSAGE_CREATION_FLAG_BITS.wildcard_mentioned;

/** True if the stream is public. Archived streams count as private. */
export function isActivePublicStream({ directory }: MessageViewerContext, stream: number): boolean {
  const of = stream === 0 ? undefined : directory.stream(stream as never);
  return of !== undefined && !of.inviteOnly && !of.archived;
}

export function isActiveWebPublicStream({ directory }: MessageViewerContext, stream: number): boolean {
  const of = stream === 0 ? undefined : directory.stream(stream as never);
  return of?.webPublic === true && !of.archived;
}

export function isMessageUnmuted(
  message: StoredMessage,
  viewer: MessageViewerContext,
  mutedStreams = viewer.mutedStreams,
): boolean {
  const stream = currentStreamIdOfMessage(message);
  return stream === 0 || (!mutedStreams.has(stream) && !viewer.mutesTopic(stream, topicOfMessage(message)));
}

function makeTermPredicate(
  term: ResolvedNarrowTerm,
  viewer: MessageViewerContext,
  knownStems: ReadonlySet<string>,
): (own: ReadableMessage) => boolean {
  const { flags, user } = viewer;
  switch (term.is) {
    case 'stream':
      return ({ message }) => currentStreamIdOfMessage(message) === term.stream;
    case 'public-streams':
      return ({ message }) => isActivePublicStream(viewer, currentStreamIdOfMessage(message));
    case 'web-public-streams':
      return ({ message }) => isActiveWebPublicStream(viewer, currentStreamIdOfMessage(message));
    case 'topic': {
      const isOfTopic = makeInTopicPredicate(term.topic);
      return ({ message }) => isOfTopic(message);
    }
    case 'sender':
      return ({ message }) => message.sender === term.user;
    case 'conversation':
      return ({ message }) =>
        currentStreamIdOfMessage(message) === 0 &&
        message.participants.length === term.participants.length &&
        message.participants.every((id, i) => id === term.participants[i]);
    case 'direct-with':
      return ({ message }) =>
        currentStreamIdOfMessage(message) === 0 &&
        message.participants.includes(term.user) &&
        (!term.groupsOnly || message.participants.length > 2);
    case 'direct':
      return ({ message }) => currentStreamIdOfMessage(message) === 0;
    case 'starred':
      return ({ message }) => flags.markedIds('starred').has(message.id);
    case 'unread':
      return (own) => !flags.isRead(own);
    case 'mentioned':
      return ({ message }) =>
        hasWildcardMention(message) || (creationFlagBitsOfUser(message, user.id) & MENTION_FLAG_BITS) !== 0;
    case 'alerted':
      return ({ message }) =>
        (creationFlagBitsOfUser(message, user.id) & MESSAGE_CREATION_FLAG_BITS.has_alert_word) !== 0;
    case 'resolved':
      return ({ message }) =>
        currentStreamIdOfMessage(message) !== 0 && topicOfMessage(message).startsWith(RESOLVED_TOPIC_PREFIX);
    case 'followed':
      return ({ message }) => {
        const stream = currentStreamIdOfMessage(message);
        return stream !== 0 && viewer.followsTopic(stream, topicOfMessage(message));
      };
    case 'has': {
      const { what } = term;
      if (what === 'attachment') return ({ message }) => (message.body.files?.length ?? 0) > 0;
      if (what === 'reaction') return ({ message }) => (message.body.reactions?.length ?? 0) > 0;
      return ({ message }) => message.body.has[what];
    }
    case 'home':
      return ({ message }) => isMessageUnmuted(message, viewer);
    case 'search': {
      const { search } = term;
      if (term.negated || knownStems.size === 0) return ({ message }) => isMessageMatchingSearch(search, message);
      const untested = { ...search, stems: search.stems.filter((stem) => !knownStems.has(stem)) };
      return ({ message }) => hasPhrasesAndStems(untested, message);
    }
    case 'id':
      return ({ message }) => message.id === term.id;
    case 'anything':
      return () => true;
  }
}

const NO_STEMS: ReadonlySet<string> = new Set();

/**
 * Makes the exact test whether a message that the user may read is in the narrow.
 * @param knownStems stems that all tested messages have
 */
export function makeNarrowPredicate(
  terms: readonly ResolvedNarrowTerm[],
  viewer: MessageViewerContext,
  knownStems = NO_STEMS,
): (own: ReadableMessage) => boolean {
  // A search reads the whole text, so it comes last.
  const ordered = [...terms].sort((a, b) => Number(a.is === 'search') - Number(b.is === 'search'));
  const tests = ordered.map((term) => ({ of: makeTermPredicate(term, viewer, knownStems), negated: term.negated }));
  return (own) => tests.every(({ of, negated }) => of(own) !== negated);
}
