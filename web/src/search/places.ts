/** Where the quick switcher leads: views, streams, topics, people. From the state, without the DOM. */
import {
  type Conversation,
  conversationKey,
  conversationNarrow,
  type Route,
  type State,
  streamNarrow,
} from '../core/index.js';
import { type Ranked, rank } from './ranking.js';

export type PlaceKind = 'view' | 'stream' | 'topic' | 'direct';

export interface Place {
  readonly kind: PlaceKind;
  readonly key: string;
  /** The name that is matched; a topic's begins with its stream. */
  readonly name: string;
  readonly route: Route;
  /** Stream of a stream or topic, users of direct messages. */
  readonly stream?: number;
  readonly users?: readonly number[];
  /** Unread messages. */
  readonly count: number;
  /** Addition to the rank, 0 to 1: readers more often look for unread and recent places. */
  readonly boost: number;
}

/** Names of views in the reader's language, with their routes. */
export type ViewNames = readonly { readonly name: string; readonly route: Route }[];

const LIMIT = 30;
/** Places that the switcher offers before anything is typed. */
const FIRST = 12;
export const BETWEEN = ' › ';

const narrowRoute = (of: Conversation): Route => ({ view: 'narrow', narrow: conversationNarrow(of) });

/** All places that the state knows, in no order. */
export function allPlaces(state: State, views: ViewNames): readonly Place[] {
  const { streams, people, conversations, unread, me } = state;
  const counts = new Map(unread.conversations.value.map(({ key, count, muted }) => [key, muted ? 0 : count]));
  const newest = state.realm.value.max_message_id || 1;
  const boostOf = (count: number, id: number): number => (count > 0 ? 0.6 : 0) + 0.4 * Math.min(id / newest, 1) ** 4;
  const places: Place[] = views.map(({ name, route }) => ({
    kind: 'view',
    key: `view ${route.view} ${name}`,
    name,
    route,
    count: 0,
    boost: 0.2,
  }));
  for (const { stream_id: stream, name, membership } of streams.all.value) {
    if (membership === 'former') continue;
    const count = unread.streamCount(stream).value;
    const boost = (membership === 'subscribed' ? 0.5 : 0) + (count > 0 ? 0.3 : 0);
    const route: Route = { view: 'narrow', narrow: streamNarrow(stream) };
    places.push({ kind: 'stream', key: `stream ${stream}`, name, route, stream, count, boost });
    const topics = new Map(conversations.topicsOf(stream).value.map((topic) => [topic.name.toLowerCase(), topic]));
    for (const { of, newest: id } of unread.conversations.value) {
      if ('stream' in of && of.stream === stream && !topics.has(of.topic.toLowerCase())) {
        topics.set(of.topic.toLowerCase(), { name: of.topic, max_id: id });
      }
    }
    for (const topic of topics.values()) {
      const of = { stream, topic: topic.name };
      const own = counts.get(conversationKey(of)) ?? 0;
      const facts = { stream, count: own, boost: boostOf(own, topic.max_id) * 0.8 };
      const text = `${name}${BETWEEN}${topic.name}`;
      places.push({ kind: 'topic', key: conversationKey(of), name: text, route: narrowRoute(of), ...facts });
    }
  }
  const directs = new Map(conversations.direct.value.map(({ users, newest: id }) => [users.join(), { users, id }]));
  for (const { user_id: id } of people.active.value)
    if (!directs.has(`${id}`)) directs.set(`${id}`, { users: [id], id: 0 });
  for (const { users, id } of directs.values()) {
    const key = conversationKey({ users });
    const name = users.map((user) => people.nameOf(user)).join(', ');
    const count = counts.get(key) ?? 0;
    const boost = users[0] === me.id ? 0 : boostOf(count, id);
    places.push({ kind: 'direct', key, name, route: narrowRoute({ users }), users, count, boost });
  }
  return places;
}

/** Before anything is typed: unread places, then recent ones, then views. */
const isOffered = ({ kind, count, boost }: Place): boolean => kind === 'view' || count > 0 || boost > 0.3;

/** @returns the best places for what was typed, best first */
export function findPlaces(places: readonly Place[], query: string): readonly Ranked<Place>[] {
  const textOf = ({ name }: Place): string => name;
  const boostOf = ({ boost }: Place): number => boost;
  if (query.trim() === '') {
    const offered = places.filter((place) => place.kind !== 'stream' && isOffered(place));
    return rank(offered, '', { textOf, boostOf, limit: FIRST });
  }
  // "stream > topic" finds topics only; a space works as well.
  const [left = '', right] = query.split(/[>›]/, 2);
  if (right === undefined) return rank(places, query, { textOf, boostOf, limit: LIMIT });
  const inStream = places.filter((place) => place.kind === 'topic');
  return rank(inStream, `${left.trim()} ${right.trim()}`, { textOf, boostOf, limit: LIMIT });
}

/** The stream whose topics "stream > …" asks for. */
export function streamMeant(places: readonly Place[], query: string): number | undefined {
  const [left = '', right] = query.split(/[>›]/, 2);
  if (right === undefined || left.trim() === '') return undefined;
  const streams = places.filter(({ kind }) => kind === 'stream');
  return rank(streams, left, { textOf: ({ name }) => name, boostOf: ({ boost }) => boost, limit: 1 })[0]?.item.stream;
}
