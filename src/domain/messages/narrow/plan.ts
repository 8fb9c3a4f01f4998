/**
 * The plan of a query: conditions for the Store, the exact test per message, and whether history counts. The functions
 * have no side effects.
 */
import { isGuest } from '#domain/people';
import { canReadStreamHistory } from '#domain/streams';
import type { ReadableMessage } from '../access/message-access.js';
import type { MessageViewerContext } from '../access/viewer.js';
import { conditionsOfNarrow, type NarrowConditions } from './conditions.js';
import { isMessageInHomeView, makeNarrowPredicate } from './predicate.js';
import type { NarrowTerm } from './terms.js';

export interface NarrowQueryPlan {
  readonly conditions: NarrowConditions;
  /** Exact test whether a message that the viewer may read is in the narrow. */
  matches(own: ReadableMessage): boolean;
  /** Like `matches`, but for a message found in the ranges of the conditions: skips tests that those ranges imply. */
  matchesFound(own: ReadableMessage): boolean;
  /** True if the test reads more of a message than its digest holds. */
  readonly readsTexts: boolean;
  /** Streams whose history counts: their messages match even if the viewer has no copy. */
  readonly history: 'none' | 'public' | { readonly stream: number };
  readonly terms: readonly NarrowTerm[];
}

const PERSONAL_TERMS = new Set<NarrowTerm['is']>(['direct', 'starred', 'unread', 'mentioned', 'alerted', 'resolved']);

/** Streams whose history belongs to the narrow (narrow.md § Base set). */
function historyStreamsOf(
  terms: readonly NarrowTerm[],
  { user, directory, subscribed }: MessageViewerContext,
): NarrowQueryPlan['history'] {
  // Each `is:` term restricts the narrow to messages that the user has a copy of.
  if (terms.some((term) => PERSONAL_TERMS.has(term.is))) return 'none';
  const positive = terms.filter((term) => !term.negated);
  const stream = positive.findLast((term) => term.is === 'stream');
  if (stream) {
    const of = directory.stream(stream.stream);
    return of && canReadStreamHistory(user, of, subscribed(of.id)) ? { stream: of.id } : 'none';
  }
  return !isGuest(user) && positive.some((term) => term.is === 'public-streams') ? 'public' : 'none';
}

const TERMS_THAT_READ_TEXT = new Set<NarrowTerm['is']>(['search', 'resolved', 'has', 'home']);

/**
 * True for terms that must be tested on each message found, because the ranges don't imply them. With a conversation in
 * the conditions, each range lies in that conversation or in one topic of it.
 */
const needsPredicate = ({ is, negated }: NarrowTerm): boolean =>
  negated || (is !== 'stream' && is !== 'topic' && is !== 'conversation');

/** Makes the plan of a narrow. @param copies true: only messages that the viewer has a copy of, no history */
export function makeNarrowQueryPlan(
  terms: readonly NarrowTerm[],
  viewer: MessageViewerContext,
  { copies = false } = {},
): NarrowQueryPlan {
  const conditions = conditionsOfNarrow(terms, viewer);
  return {
    conditions,
    matches: makeNarrowPredicate(terms, viewer),
    matchesFound: makeNarrowPredicate(
      conditions.conversation === undefined ? terms : terms.filter(needsPredicate),
      viewer,
    ),
    readsTexts: terms.some((term) => TERMS_THAT_READ_TEXT.has(term.is)),
    history: copies ? 'none' : historyStreamsOf(terms, viewer),
    terms,
  };
}

const NO_STREAMS: ReadonlySet<number> = new Set();

/** Unread messages of a narrow: none of muted topics, and none of muted streams unless the narrow names a stream. */
export function limitNarrowToUnread({ terms }: NarrowQueryPlan, viewer: MessageViewerContext): NarrowQueryPlan {
  const muted = terms.some((term) => term.is === 'stream') ? NO_STREAMS : viewer.mutedStreams;
  const plan = makeNarrowQueryPlan([...terms, { is: 'unread', negated: false }], viewer, { copies: true });
  const { conditions } = plan;
  return {
    ...plan,
    conditions: { ...conditions, inStream: (stream) => !muted.has(stream) && conditions.inStream(stream) },
    matches: (own) => isMessageInHomeView(own.message, viewer, muted) && plan.matches(own),
    matchesFound: (own) => isMessageInHomeView(own.message, viewer, muted) && plan.matchesFound(own),
    readsTexts: true,
  };
}
