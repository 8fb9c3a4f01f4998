/** Rows of the left sidebar from the state, without the DOM. The sidebar renders them in a windowed list. */
import {
  type ClientState,
  type Conversation,
  makeConversationKey,
  type Stream,
  TOPIC_VISIBILITY_POLICY,
} from '../core/index.js';

export type SidebarSection = 'views' | 'directs' | 'pinned' | 'streams' | 'inactive' | 'muted';
export type SidebarViewId = 'inbox' | 'recent' | 'all' | 'mentions' | 'starred' | 'drafts' | 'scheduled';

export interface UnreadCounts {
  readonly count: number;
  readonly mentioned: boolean;
}

interface SidebarStream {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly kind: 'private' | 'public' | 'web-public';
  readonly muted: boolean;
}

export type SidebarRow =
  | {
      readonly kind: 'view';
      readonly key: string;
      readonly id: SidebarViewId;
      readonly count: number;
      readonly quiet: boolean;
    }
  | ({
      readonly kind: 'heading';
      readonly key: string;
      readonly section: SidebarSection;
      readonly open: boolean;
    } & UnreadCounts)
  | ({
      readonly kind: 'stream';
      readonly key: string;
      readonly stream: SidebarStream;
      readonly open: boolean;
      /** All of its unread messages are in muted topics: the number is shown faintly. */
      readonly faint: boolean;
    } & UnreadCounts)
  | ({
      readonly kind: 'topic';
      readonly key: string;
      readonly stream: number;
      readonly topic: string;
      readonly muted: boolean;
    } & UnreadCounts)
  | { readonly kind: 'more-topics'; readonly key: string; readonly stream: number }
  | ({ readonly kind: 'direct'; readonly key: string; readonly users: readonly number[] } & UnreadCounts)
  | { readonly kind: 'more-directs'; readonly key: string }
  | { readonly kind: 'note'; readonly key: string; readonly text: 'no-streams' | 'no-directs' | 'no-match' };

/** Choices of the reader, and the conversation or stream on screen. */
export interface SidebarChoices {
  readonly filter: string;
  readonly closedSections: ReadonlySet<SidebarSection>;
  /** Streams whose topics are shown, besides the one on screen. */
  readonly openedStreamIds: ReadonlySet<number>;
  readonly streamIdsWithAllTopics: ReadonlySet<number>;
  readonly showsAllDirects: boolean;
  readonly currentPlace: Conversation | { readonly stream: number } | undefined;
}

const MAX_COLLAPSED_TOPICS_PER_STREAM = 6;
const MAX_COLLAPSED_DIRECTS = 6;
const MAX_FOUND_PEOPLE = 10;
/** Fewer streams than this are never divided into active and inactive ones. */
const MIN_STREAMS_TO_DEMOTE = 30;
const DEMOTE_INACTIVE_POLICY = { automatic: 1, always: 2, never: 3 } as const;

const NO_UNREAD_COUNTS: UnreadCounts = { count: 0, mentioned: false };

/** @returns whether each word of the filter begins a word of the text */
export function matchesFilterWords(text: string, filter: string): boolean {
  const words = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.startsWith(part) || words.includes(` ${part}`) || (part.length > 2 && words.includes(part)));
}

/** Numbers of unread messages by stream and by conversation. */
function tallyUnread(state: ClientState) {
  const streams = new Map<number, UnreadCounts & { readonly faint: number }>();
  const conversations = new Map<string, UnreadCounts>();
  const topics = new Map<number, { readonly topic: string; readonly newest: number }[]>();
  for (const { conversation, key, count, mentionCount, muted, newestMessageId } of state.unread.unreadConversations
    .value) {
    conversations.set(key, { count, mentioned: mentionCount > 0 });
    if (!('stream' in conversation)) continue;
    const sum = streams.get(conversation.stream) ?? { ...NO_UNREAD_COUNTS, faint: 0 };
    streams.set(conversation.stream, {
      count: sum.count + (muted ? 0 : count),
      faint: sum.faint + (muted ? count : 0),
      mentioned: sum.mentioned || mentionCount > 0,
    });
    topics.set(conversation.stream, [
      ...(topics.get(conversation.stream) ?? []),
      { topic: conversation.topic, newest: newestMessageId },
    ]);
  }
  return { streams, conversations, topics };
}

type UnreadTally = ReturnType<typeof tallyUnread>;

const sumUnreadCounts = (all: readonly UnreadCounts[]): UnreadCounts => ({
  count: all.reduce((n, { count }) => n + count, 0),
  mentioned: all.some(({ mentioned }) => mentioned),
});

function makeViewRows(state: ClientState): SidebarRow[] {
  const { unread, ownLists } = state;
  const view = (id: SidebarViewId, count: number, quiet = false): SidebarRow => ({
    kind: 'view',
    key: id,
    id,
    count,
    quiet,
  });
  const open = [view('recent', 0), view('all', 0)];
  if (state.me.id === 0) return open;
  const rows = [
    view('inbox', unread.totalUnmutedCount.value),
    ...open,
    view('mentions', unread.unreadMentionIds.value.length),
    view('starred', state.me.settings.value.starred_message_counts ? ownLists.starredMessageIds.value.size : 0, true),
  ];
  const { length: drafts } = ownLists.listedDrafts.value;
  const { length: scheduled } = ownLists.scheduledNextFirst.value;
  rows.push(view('drafts', drafts, true));
  if (scheduled > 0) rows.push(view('scheduled', scheduled, true));
  return rows;
}

/** Names of the others in a conversation, as a title. */
export const formatDirectUserNames = (state: ClientState, users: readonly number[]): string =>
  users.map((id) => state.people.getFullName(id)).join(', ');

function makeDirectRows(state: ClientState, choices: SidebarChoices, unread: UnreadTally): SidebarRow[] {
  const { filter, showsAllDirects, currentPlace } = choices;
  const row = (users: readonly number[]): SidebarRow => {
    const key = makeConversationKey({ users });
    return { kind: 'direct', key, users, ...(unread.conversations.get(key) ?? NO_UNREAD_COUNTS) };
  };
  const known = state.conversations.directNewestFirst.value;
  if (filter) {
    const found = known
      .filter(({ users }) => matchesFilterWords(formatDirectUserNames(state, users), filter))
      .map(({ users }) => users);
    const seen = new Set(found.filter(({ length }) => length === 1).map(([id]) => id));
    const others = state.people.activeUsersAndBots.value
      .filter(({ user_id, full_name }) => !seen.has(user_id) && matchesFilterWords(full_name, filter))
      .slice(0, MAX_FOUND_PEOPLE)
      .map(({ user_id }) => [user_id]);
    return [...found, ...others].map(row);
  }
  const currentKey = currentPlace && 'users' in currentPlace ? makeConversationKey(currentPlace) : undefined;
  const shown = known.filter(
    ({ users }, index) =>
      showsAllDirects ||
      index < MAX_COLLAPSED_DIRECTS ||
      unread.conversations.has(makeConversationKey({ users })) ||
      makeConversationKey({ users }) === currentKey,
  );
  const rows = shown.map(({ users }) => row(users));
  if (
    currentPlace &&
    'users' in currentPlace &&
    !shown.some(({ users }) => makeConversationKey({ users }) === currentKey)
  ) {
    rows.unshift(row(currentPlace.users));
  }
  if (shown.length < known.length) rows.push({ kind: 'more-directs', key: 'more-directs' });
  if (rows.length === 0) rows.push({ kind: 'note', key: 'no-directs', text: 'no-directs' });
  return rows;
}

function makeTopicRows(state: ClientState, choices: SidebarChoices, unread: UnreadTally, stream: number): SidebarRow[] {
  const { filter, streamIdsWithAllTopics, currentPlace } = choices;
  const topics = new Map<string, { readonly name: string; readonly newest: number }>();
  const add = (name: string, newest: number) => {
    const before = topics.get(name.toLowerCase());
    if (!before || before.newest < newest) topics.set(name.toLowerCase(), { name: before?.name ?? name, newest });
  };
  for (const { name, max_id } of state.conversations.getTopicsSignal(stream).value) add(name, max_id);
  for (const { topic, newest } of unread.topics.get(stream) ?? []) add(topic, newest);
  const open =
    currentPlace && 'topic' in currentPlace && currentPlace.stream === stream ? currentPlace.topic : undefined;
  if (open !== undefined) add(open, 0);
  const sorted = [...topics.values()].sort((a, b) => b.newest - a.newest);
  const all = streamIdsWithAllTopics.has(stream) || filter !== '';
  let left = MAX_COLLAPSED_TOPICS_PER_STREAM;
  const rows: SidebarRow[] = [];
  for (const { name } of sorted) {
    const key = makeConversationKey({ stream, topic: name });
    const counts = unread.conversations.get(key) ?? NO_UNREAD_COUNTS;
    const muted = state.muting.getTopicPolicyValue(stream, name) === TOPIC_VISIBILITY_POLICY.muted;
    const isOpen = open?.toLowerCase() === name.toLowerCase();
    if (filter ? !matchesFilterWords(name, filter) : !all && !isOpen && (muted || (counts.count === 0 && left <= 0)))
      continue;
    left--;
    rows.push({ kind: 'topic', key, stream, topic: name, muted, ...counts });
  }
  const known = state.conversations.streamIdsWithAllTopicsKnown.value.has(stream);
  if (!all && (rows.length < sorted.length || !known)) {
    rows.push({ kind: 'more-topics', key: `more ${stream}`, stream });
  }
  return rows;
}

function makeSidebarStream(state: ClientState, stream: Stream): SidebarStream {
  const { stream_id: id, name, color = '', is_muted = false } = stream;
  return { id, name, color, kind: state.streams.getPrivacy(id) ?? 'public', muted: is_muted };
}

/** Whether a stream counts as inactive: without recent messages, if the reader wants such streams listed apart. */
function isDemotedAsInactive(state: ClientState, stream: Stream, count: number): boolean {
  const wish = state.me.settings.value.demote_inactive_streams;
  if (wish === DEMOTE_INACTIVE_POLICY.never || count > 0) return false;
  if (wish !== DEMOTE_INACTIVE_POLICY.always && state.streams.subscribedStreams.value.length < MIN_STREAMS_TO_DEMOTE)
    return false;
  return stream.stream_weekly_traffic === 0;
}

function makeStreamRows(state: ClientState, choices: SidebarChoices, unread: UnreadTally): SidebarRow[] {
  const { filter, closedSections, openedStreamIds, currentPlace } = choices;
  const visitor = state.me.id === 0;
  const sections: Record<'pinned' | 'streams' | 'inactive' | 'muted', Stream[]> = {
    pinned: [],
    streams: [],
    inactive: [],
    muted: [],
  };
  for (const stream of visitor ? state.streams.allSortedByName.value : state.streams.subscribedStreams.value) {
    const count = unread.streams.get(stream.stream_id)?.count ?? 0;
    if (stream.pin_to_top) sections.pinned.push(stream);
    else if (stream.is_muted) sections.muted.push(stream);
    else sections[isDemotedAsInactive(state, stream, count) ? 'inactive' : 'streams'].push(stream);
  }
  const rows: SidebarRow[] = [];
  for (const section of ['pinned', 'streams', 'inactive', 'muted'] as const) {
    const found: SidebarRow[] = [];
    const counted: UnreadCounts[] = [];
    for (const stream of sections[section]) {
      const id = stream.stream_id;
      const { faint = 0, ...counts } = unread.streams.get(id) ?? NO_UNREAD_COUNTS_IN_STREAM;
      counted.push(counts);
      const isCurrent = currentPlace !== undefined && 'stream' in currentPlace && currentPlace.stream === id;
      const topics = filter || openedStreamIds.has(id) || isCurrent ? makeTopicRows(state, choices, unread, id) : [];
      if (filter && topics.length === 0 && !matchesFilterWords(stream.name, filter)) continue;
      const isFaint = counts.count === 0 && faint > 0;
      const facts = makeSidebarStream(state, stream);
      const row = { kind: 'stream', key: `s${id}`, stream: facts, open: topics.length > 0, faint: isFaint } as const;
      found.push({ ...row, count: isFaint ? faint : counts.count, mentioned: counts.mentioned }, ...topics);
    }
    const open = filter !== '' || !closedSections.has(section);
    if (found.length === 0 && (section !== 'streams' || filter)) continue;
    rows.push({ kind: 'heading', key: `h-${section}`, section, open, ...sumUnreadCounts(counted) });
    if (!open) continue;
    if (found.length === 0) rows.push({ kind: 'note', key: 'no-streams', text: 'no-streams' });
    rows.push(...found);
  }
  return rows;
}

const isEqualValue = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return left.length === Object.keys(b).length && left.every(([name, value]) => isEqualValue(value, right[name]));
};

/**
 * @returns the new rows; `before` if all are equal. An equal earlier row is reused, so that only changed rows are
 * rendered.
 */
export function keepEqualRows(before: readonly SidebarRow[], rows: readonly SidebarRow[]): readonly SidebarRow[] {
  const known = new Map(before.map((row) => [row.key, row]));
  const kept = rows.map((row) => {
    const earlier = known.get(row.key);
    return earlier && isEqualValue(earlier, row) ? earlier : row;
  });
  return kept.length === before.length && kept.every((row, index) => row === before[index]) ? before : kept;
}

const NO_UNREAD_COUNTS_IN_STREAM = { ...NO_UNREAD_COUNTS, faint: 0 };

/** @returns the rows from top to bottom */
export function makeSidebarRows(state: ClientState, choices: SidebarChoices): readonly SidebarRow[] {
  const unread = tallyUnread(state);
  const streams = makeStreamRows(state, choices, unread);
  if (state.me.id === 0) return streams;
  const directs = makeDirectRows(state, choices, unread);
  if (choices.filter) {
    const heading = { kind: 'heading', key: 'h-directs', section: 'directs', open: true, ...NO_UNREAD_COUNTS } as const;
    const rows = [...streams, ...(directs.length > 0 ? [heading, ...directs] : [])];
    return rows.length > 0 ? rows : [{ kind: 'note', key: 'no-match', text: 'no-match' }];
  }
  const open = !choices.closedSections.has('directs');
  const counts = { count: state.unread.unreadDirectCount.value, mentioned: false };
  const heading = { kind: 'heading', key: 'h-directs', section: 'directs', open, ...counts } as const;
  return [...makeViewRows(state), heading, ...(open ? directs : []), ...streams];
}
