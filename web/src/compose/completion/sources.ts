import { computed } from '@preact/signals';
import { core } from '../../client/index.js';
import type { Conversation, Person, Stream } from '../../core/index.js';
import { t } from '../../text/index.js';
import { emojiTable, loadEmoji } from '../emoji/table.js';
import {
  formatEmojiShortcode,
  formatGroupMention,
  formatMention,
  formatStreamLink,
  formatTopicLink,
  WILDCARD_NAMES,
} from './insertion.js';
import { CODE_BLOCK_LANGUAGES } from './languages.js';
import type { Suggestion } from './suggestion.js';
import type { CompletionTrigger } from './trigger.js';
import { foldCaseAndAccents, WordIndex } from './word-index.js';

const MAX_SUGGESTIONS = 8;

const peopleIndex = computed(
  () =>
    new WordIndex(core.state.people.activePeople.value, ({ full_name, delivery_email }) => [
      full_name,
      delivery_email ?? '',
    ]),
);
/** Makes the index of people before the first name is typed: it takes 20 ms for 2,000 people. */
export const warmPeople = (): void => void peopleIndex.value;

const peopleCountByName = computed(() => {
  const counts = new Map<string, number>();
  for (const { full_name } of core.state.people.activePeople.value)
    counts.set(full_name, (counts.get(full_name) ?? 0) + 1);
  return counts;
});
const streamIndex = computed(
  () => new WordIndex(core.state.streams.all.value, ({ name, description }) => [name, description]),
);
const groupIndex = computed(
  () =>
    new WordIndex(
      [...core.state.people.groups.value.values()].filter(({ is_system_group }) => !is_system_group),
      ({ name, description }) => [name, description],
    ),
);

/** People whom the user is likely to mean, by place: those of the conversation, senders on screen, direct messages. */
function rankLikelyPeople(): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  const add = (id: number) => places.has(id) || places.set(id, places.size);
  const { windows, state } = core;
  for (const id of windows.active?.ids.peek().slice(-60).reverse() ?? []) {
    const sender = windows.store.peek(id)?.sender_id;
    if (sender !== undefined && sender !== state.me.id) add(sender);
  }
  for (const { users } of state.conversations.directNewestFirst.value.slice(0, 40)) for (const id of users) add(id);
  return places;
}

/** @param to the conversation that is written to, whose people come first */
export function findPeople(query: string, to: Conversation | undefined, count = MAX_SUGGESTIONS): Person[] {
  const { byId } = core.state.people;
  const places = rankLikelyPeople();
  const inside = to && 'users' in to ? to.users : [];
  const placeOf = ({ user_id, is_bot }: Person): number =>
    inside.includes(user_id) ? -1 : (places.get(user_id) ?? (is_bot ? Number.MAX_SAFE_INTEGER : 1000));
  const likely = [...inside, ...places.keys()].map((id) => byId.value.get(id)).filter((one) => one !== undefined);
  return peopleIndex.value.find(query, count, placeOf, likely);
}

const RANK_BY_MEMBERSHIP = { subscribed: 0, former: 2, never: 2 } as const;

export function findStreams(query: string, count = MAX_SUGGESTIONS): Stream[] {
  return streamIndex.value.find(
    query,
    count,
    ({ membership, is_muted }) => RANK_BY_MEMBERSHIP[membership] + (is_muted ? 1 : 0),
  );
}

export function findTopics(stream: number, query: string, count = MAX_SUGGESTIONS): string[] {
  void core.loadTopics(stream).catch(() => {});
  const folded = foldCaseAndAccents(query).trim();
  const all = core.state.conversations.topicsOf(stream).value;
  const [first, rest]: [string[], string[]] = [[], []];
  for (const { name } of all) {
    const at = foldCaseAndAccents(name).indexOf(folded);
    if (at === 0) first.push(name);
    else if (at > 0) rest.push(name);
    if (first.length >= count) break;
  }
  return [...first, ...rest].slice(0, count);
}

export const personSuggestion = (person: Person, insert = ''): Suggestion => ({
  key: `p${person.user_id}`,
  text: person.full_name,
  detail:
    (peopleCountByName.value.get(person.full_name) ?? 0) > 1
      ? (person.delivery_email ?? `#${person.user_id}`)
      : undefined,
  personId: person.user_id,
  streamOrPersonId: person.user_id,
  insertedText: insert,
});

export function streamSuggestion({ stream_id: id, name, description }: Stream, insert = ''): Suggestion {
  const kind = core.state.streams.getPrivacy(id);
  const icon = kind === 'private' ? 'lock' : kind === 'web-public' ? 'globe' : 'hash';
  return { key: `s${id}`, text: name, detail: description, icon, streamOrPersonId: id, insertedText: insert };
}

export const topicSuggestion = (name: string, insert = name): Suggestion => ({
  key: `t${name}`,
  text: name,
  insertedText: insert,
});

function suggestPeopleAndGroups(query: string, silent: boolean, to: Conversation | undefined): Suggestion[] {
  const bare = query.replace(/\*+$/, '');
  const people = findPeople(bare, to).map((person) => {
    const isAmbiguous = (peopleCountByName.value.get(person.full_name) ?? 0) > 1;
    return personSuggestion(person, `${formatMention(person.full_name, person.user_id, { silent, isAmbiguous })} `);
  });
  const groups = groupIndex.value.find(bare, 3).map(
    ({ id, name, description }): Suggestion => ({
      key: `g${id}`,
      text: name,
      detail: description,
      icon: 'people',
      insertedText: `${formatGroupMention(name, silent)} `,
    }),
  );
  const wildcards =
    silent || bare === '' ? [] : WILDCARD_NAMES.filter((name) => name.startsWith(foldCaseAndAccents(bare)));
  const everyone = wildcards.map(
    (name): Suggestion => ({
      key: name,
      text: name,
      detail: t('compose.wildcard-hint'),
      icon: 'bell',
      insertedText: `@**${name}** `,
    }),
  );
  return [...people.slice(0, MAX_SUGGESTIONS - groups.length - everyone.length), ...groups, ...everyone];
}

function suggestEmoji(query: string): Suggestion[] {
  void loadEmoji();
  const table = emojiTable.value;
  return (table?.find(query, MAX_SUGGESTIONS) ?? []).map(({ name, character, pictureUrl }) => ({
    key: `e${name}`,
    text: `:${name}:`,
    emojiCharacter: character,
    pictureUrl,
    insertedText: `${formatEmojiShortcode(name)} `,
  }));
}

const SLASH_COMMANDS = [
  { name: 'me', text: 'compose.command-me' },
  { name: 'poll', text: 'compose.command-poll' },
  { name: 'todo', text: 'compose.command-todo' },
] as const;

/** Reads signals: a list that comes later shows by itself. */
export function suggestForTrigger(trigger: CompletionTrigger, to: Conversation | undefined): Suggestion[] {
  const { query } = trigger;
  switch (trigger.kind) {
    case 'person':
      return suggestPeopleAndGroups(query, trigger.silent, to);
    case 'stream':
      return findStreams(query).map((stream) => streamSuggestion(stream, `${formatStreamLink(stream.name)} `));
    case 'topic': {
      const id = core.state.streams.findIdByName(trigger.stream);
      if (id === undefined) return [];
      const { streams } = core.state;
      return findTopics(id, query).map((name) =>
        topicSuggestion(name, `${formatTopicLink(streams.nameOf(id), name)} `),
      );
    }
    case 'emoji':
      return suggestEmoji(query);
    case 'language':
      return CODE_BLOCK_LANGUAGES.filter(
        (name) => query !== '' && name.startsWith(query.toLowerCase()) && name !== query,
      )
        .slice(0, MAX_SUGGESTIONS)
        .map((name) => ({ key: name, text: name, icon: 'code', insertedText: `${name}\n` }));
    case 'command':
      return SLASH_COMMANDS.filter(({ name }) => name.startsWith(query)).map(({ name, text }) => ({
        key: name,
        text: `/${name}`,
        detail: t(text),
        insertedText: `/${name} `,
      }));
  }
}
