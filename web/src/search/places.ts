/** Places for the quick switcher: views, streams, topics, people. From the state, without the DOM. */
import {
  type ClientState,
  type Conversation,
  isTopicResolved,
  makeConversationKey,
  makeConversationNarrow,
  makeStreamNarrow,
  type Route,
} from '../core/index.js';
import { type RankedItem, rankByQuery } from './ranking.js';

export type SwitcherPlaceKind = 'view' | 'stream' | 'topic' | 'direct';

export interface SwitcherPlace {
  readonly kind: SwitcherPlaceKind;
  readonly key: string;
  /** Name to match. That of a topic begins with its stream. */
  readonly name: string;
  readonly route: Route;
  /** Stream of a stream or topic, users of direct messages. */
  readonly stream?: number;
  readonly users?: readonly number[];
  /** A topic that is marked as resolved. */
  readonly isResolved?: boolean;
  /** Unread messages. */
  readonly count: number;
  /** Bonus for the rank, 0 to 1, since readers look more often for unread and recent places. */
  readonly boost: number;
}

/** Names of views in the reader's language, with their routes. */
export type NamedViewRoutes = readonly { readonly name: string; readonly route: Route }[];

const MAX_FOUND_PLACES = 30;
/** Places that the switcher offers before anything is typed. */
const MAX_PLACES_BEFORE_TYPING = 12;
export const STREAM_TOPIC_SEPARATOR = ' › ';

const makeConversationRoute = (of: Conversation): Route => ({ view: 'narrow', narrow: makeConversationNarrow(of) });

/** All places that the state knows, in no order. */
export function listSwitcherPlaces(state: ClientState, views: NamedViewRoutes): readonly SwitcherPlace[] {
  const { streams, people, conversations, unread, me } = state;
  const counts = new Map(unread.unreadConversations.value.map(({ key, count, muted }) => [key, muted ? 0 : count]));
  const newest = state.realm.newestMessageId.value || 1;
  const boostOf = (count: number, id: number): number => (count > 0 ? 0.6 : 0) + 0.4 * Math.min(id / newest, 1) ** 4;
  const places: SwitcherPlace[] = views.map(({ name, route }) => ({
    kind: 'view',
    key: `view ${route.view} ${name}`,
    name,
    route,
    count: 0,
    boost: 0.2,
  }));
  for (const { stream_id: stream, name, membership } of streams.allSortedByName.value) {
    if (membership === 'former') continue;
    const count = unread.getStreamUnmutedCountSignal(stream).value;
    const boost = (membership === 'subscribed' ? 0.5 : 0) + (count > 0 ? 0.3 : 0);
    const route: Route = { view: 'narrow', narrow: makeStreamNarrow(stream) };
    places.push({ kind: 'stream', key: `stream ${stream}`, name, route, stream, count, boost });
    const topics = new Map(
      conversations.getTopicsSignal(stream).value.map((topic) => [topic.name.toLowerCase(), topic]),
    );
    for (const { conversation, newestMessageId: id } of unread.unreadConversations.value) {
      if ('stream' in conversation && conversation.stream === stream && !topics.has(conversation.topic.toLowerCase())) {
        topics.set(conversation.topic.toLowerCase(), { name: conversation.topic, max_id: id });
      }
    }
    for (const topic of topics.values()) {
      const of = { stream, topic: topic.name };
      const own = counts.get(makeConversationKey(of)) ?? 0;
      const facts = { stream, count: own, boost: boostOf(own, topic.max_id) * 0.8 };
      const text = `${name}${STREAM_TOPIC_SEPARATOR}${topic.name}`;
      places.push({
        kind: 'topic',
        key: makeConversationKey(of),
        name: text,
        isResolved: isTopicResolved(topic.name),
        route: makeConversationRoute(of),
        ...facts,
      });
    }
  }
  const directs = new Map(
    conversations.directNewestFirst.value.map(({ users, newestMessageId: id }) => [users.join(), { users, id }]),
  );
  for (const { user_id: id } of people.activeUsersAndBots.value)
    if (!directs.has(`${id}`)) directs.set(`${id}`, { users: [id], id: 0 });
  for (const { users, id } of directs.values()) {
    const key = makeConversationKey({ users });
    const name = users.map((user) => people.getFullName(user)).join(', ');
    const count = counts.get(key) ?? 0;
    const boost = users[0] === me.id ? 0 : boostOf(count, id);
    places.push({ kind: 'direct', key, name, route: makeConversationRoute({ users }), users, count, boost });
  }
  return places;
}

/** Before anything is typed: unread places, then recent ones, then views. */
const isOfferedBeforeTyping = ({ kind, count, boost }: SwitcherPlace): boolean =>
  kind === 'view' || count > 0 || boost > 0.3;

/** @returns the best places for what was typed, best first */
export function rankPlacesForQuery(
  places: readonly SwitcherPlace[],
  query: string,
): readonly RankedItem<SwitcherPlace>[] {
  const textOf = ({ name }: SwitcherPlace): string => name;
  const boostOf = ({ boost }: SwitcherPlace): number => boost;
  if (query.trim() === '') {
    const offered = places.filter((place) => place.kind !== 'stream' && isOfferedBeforeTyping(place));
    return rankByQuery(offered, '', { getText: textOf, getBoost: boostOf, limit: MAX_PLACES_BEFORE_TYPING });
  }
  // "stream > topic" finds topics only; a space works as well.
  const [left = '', right] = query.split(/[>›]/, 2);
  if (right === undefined)
    return rankByQuery(places, query, { getText: textOf, getBoost: boostOf, limit: MAX_FOUND_PLACES });
  const inStream = places.filter((place) => place.kind === 'topic');
  return rankByQuery(inStream, `${left.trim()} ${right.trim()}`, {
    getText: textOf,
    getBoost: boostOf,
    limit: MAX_FOUND_PLACES,
  });
}

/** The stream before the separator in "stream > …". */
export function findStreamIdBeforeSeparator(places: readonly SwitcherPlace[], query: string): number | undefined {
  const [left = '', right] = query.split(/[>›]/, 2);
  if (right === undefined || left.trim() === '') return undefined;
  const streams = places.filter(({ kind }) => kind === 'stream');
  return rankByQuery(streams, left, { getText: ({ name }) => name, getBoost: ({ boost }) => boost, limit: 1 })[0]?.item
    .stream;
}
