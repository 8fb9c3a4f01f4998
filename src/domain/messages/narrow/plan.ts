/**
 * The plan of a query: conditions for the Store, the exact test per message, and whether history counts. The functions
 * have no side effects.
 */
import { isGuest } from '#domain/people';
import { mayReadStreamHistory } from '#domain/streams';
import type { ReadableMessage } from '../access/message-access.js';
import type { MessageViewerContext } from '../access/viewer.js';
import { deriveNarrowStoreConditions, type NarrowStoreConditions } from './conditions.js';
import { isMessageUnmuted, makeNarrowPredicate } from './predicate.js';
import type { ResolvedNarrowTerm } from './terms.js';

export interface NarrowQueryPlan {
  readonly conditions: NarrowStoreConditions;
  /** Exact test whether a message that the viewer may read is in the narrow. */
  matches(own: ReadableMessage): boolean;
  /** Like `matches`, but for a message found in the ranges of the conditions: skips tests that those ranges imply. */
  matchesFound(own: ReadableMessage): boolean;
  /** True if `matchesFound` decodes messages, or is slow for a long text. */
  readonly needsDecodedMessages: boolean;
  /** Streams whose history counts: their messages match even if the viewer has no copy. */
  readonly history: 'none' | 'public' | { readonly stream: number };
  readonly terms: readonly ResolvedNarrowTerm[];
}

const COPIES_ONLY_TERMS = new Set<ResolvedNarrowTerm['is']>([
  'direct',
  'starred',
  'unread',
  'mentioned',
  'alerted',
  'resolved',
  'followed',
]);

/** Streams whose history belongs to the narrow (narrow.md § Base set). */
function includedHistoryOfNarrow(
  terms: readonly ResolvedNarrowTerm[],
  { user, directory, subscribed }: MessageViewerContext,
): NarrowQueryPlan['history'] {
  // Each `is:` term restricts the narrow to messages that the user has a copy of.
  if (terms.some((term) => COPIES_ONLY_TERMS.has(term.is))) return 'none';
  const positive = terms.filter((term) => !term.negated);
  const stream = positive.findLast((term) => term.is === 'stream');
  if (stream) {
    const of = directory.stream(stream.stream);
    return of && mayReadStreamHistory(user, of, subscribed(of.id)) ? { stream: of.id } : 'none';
  }
  return !isGuest(user) && positive.some((term) => term.is === 'public-streams') ? 'public' : 'none';
}

/** True for terms whose test decodes the message, or computes the stems of its text. */
const needsDecodedMessage = (term: ResolvedNarrowTerm, { stemsLookedUp }: NarrowStoreConditions): boolean =>
  term.is === 'has' ||
  (term.is === 'search' && (term.negated || term.search.stems.some((stem) => !stemsLookedUp.has(stem))));

/**
 * True for terms that must be tested on each message found, because the ranges don't imply them. With a conversation in
 * the conditions, each range lies in that conversation or in one topic of it.
 */
const needsPredicateWithinConversation = ({ is, negated }: ResolvedNarrowTerm): boolean =>
  negated || (is !== 'stream' && is !== 'topic' && is !== 'conversation');

/** Makes the plan of a narrow. @param copies true: only messages that the viewer has a copy of, no history */
export function makeNarrowQueryPlan(
  terms: readonly ResolvedNarrowTerm[],
  viewer: MessageViewerContext,
  { copies = false } = {},
): NarrowQueryPlan {
  const conditions = deriveNarrowStoreConditions(terms, viewer);
  return {
    conditions,
    matches: makeNarrowPredicate(terms, viewer),
    matchesFound: makeNarrowPredicate(
      conditions.conversation === undefined ? terms : terms.filter(needsPredicateWithinConversation),
      viewer,
      conditions.stemsLookedUp,
    ),
    needsDecodedMessages: terms.some((term) => needsDecodedMessage(term, conditions)),
    history: copies ? 'none' : includedHistoryOfNarrow(terms, viewer),
    terms,
  };
}

const NO_MUTED_STREAMS: ReadonlySet<number> = new Set();

/** Unread messages of a narrow: none of muted topics, and none of muted streams unless the narrow names a stream. */
export function makeUnreadNarrowQueryPlan({ terms }: NarrowQueryPlan, viewer: MessageViewerContext): NarrowQueryPlan {
  const muted = terms.some((term) => term.is === 'stream') ? NO_MUTED_STREAMS : viewer.mutedStreams;
  const plan = makeNarrowQueryPlan([...terms, { is: 'unread', negated: false }], viewer, { copies: true });
  const { conditions } = plan;
  return {
    ...plan,
    conditions: { ...conditions, inStream: (stream) => !muted.has(stream) && conditions.inStream(stream) },
    matches: (own) => isMessageUnmuted(own.message, viewer, muted) && plan.matches(own),
    matchesFound: (own) => isMessageUnmuted(own.message, viewer, muted) && plan.matchesFound(own),
  };
}
