import { core } from '../client/index.js';
import type { SearchNameContext } from './terms.js';

/** Names for searches, from the state of now. People of recent direct messages come first. */
export function readSearchNameContext(): SearchNameContext {
  const { state } = core;
  const recent = new Map<number, number>();
  for (const [index, { users }] of state.conversations.directNewestFirst.value.entries()) {
    for (const id of users) if (!recent.has(id)) recent.set(id, index);
  }
  const order = (id: number): number => recent.get(id) ?? recent.size;
  const people = state.people.activeUsersAndBots.value
    .map(({ user_id: id, full_name: name, email }) => ({ id, name, email }))
    .sort((a, b) => order(a.id) - order(b.id));
  const subscribed = state.streams.subscribedStreams.value;
  const others = state.streams.allSortedByName.value.filter(({ membership }) => membership === 'never');
  return {
    myUserId: state.me.id,
    people,
    streams: [...subscribed, ...others].map(({ stream_id: id, name }) => ({ id, name })),
    listTopics: (stream) => state.conversations.getTopicsSignal(stream).value.map(({ name }) => name),
  };
}
