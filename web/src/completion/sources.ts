import { computed } from '@preact/signals';
import { core } from '../client/index.js';
import { type Conversation, extractPlainText, type Person, type Stream } from '../core/index.js';
import { getStreamIconName, runInTurns } from '../kit/index.js';
import { t } from '../text/index.js';
import { emojiTable, loadUnicodeEmoji } from './emoji-table.js';
import {
  formatEmojiShortcode,
  formatGroupMention,
  formatMention,
  formatStreamLink,
  formatTopicLink,
  WILDCARD_MENTION_NAMES,
} from './insertion.js';
import { SUGGESTED_CODE_BLOCK_LANGUAGES } from './languages.js';
import type { Suggestion } from './suggestion.js';
import type { CompletionTrigger } from './trigger.js';
import { foldCaseAndAccents, WordPrefixIndex } from './word-index.js';

const DEFAULT_MAX_SUGGESTIONS = 8;

const activePeopleIndex = computed(
  () =>
    new WordPrefixIndex(core.state.people.activeUsersAndBots.value, ({ full_name, delivery_email }) => [
      full_name,
      delivery_email ?? '',
    ]),
);
/** Sorts people and makes their index before a name is typed; each takes 10 ms for 2,000 people. */
export const warmPeopleIndex = (): Promise<void> =>
  runInTurns([() => core.state.people.activeUsersAndBots.peek(), () => activePeopleIndex.peek()]);

const activePeopleCountByName = computed(() => {
  const counts = new Map<string, number>();
  for (const { full_name } of core.state.people.activeUsersAndBots.value)
    counts.set(full_name, (counts.get(full_name) ?? 0) + 1);
  return counts;
});
const visibleStreamIndex = computed(
  () => new WordPrefixIndex(core.state.streams.allSortedByName.value, ({ name, description }) => [name, description]),
);
const nonSystemGroupIndex = computed(
  () =>
    new WordPrefixIndex(
      [...core.state.people.groupById.value.values()].filter(({ is_system_group }) => !is_system_group),
      ({ name, description }) => [name, description],
    ),
);

/** Rank of people whom the user is likely to mean: those of the conversation, senders on screen, direct messages. */
function rankLikelyPeopleByUserId(): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  const add = (id: number) => places.has(id) || places.set(id, places.size);
  const { windows, state } = core;
  for (const id of windows.lastOpenedWindow?.messageIds.peek().slice(-60).reverse() ?? []) {
    const sender = windows.messageStore.peek(id)?.sender_id;
    if (sender !== undefined && sender !== state.me.id) add(sender);
  }
  for (const { users } of state.conversations.directNewestFirst.value.slice(0, 40)) for (const id of users) add(id);
  return places;
}

/** @param to the conversation that is written to, whose people come first */
export function findMatchingPeople(
  query: string,
  to: Conversation | undefined,
  count = DEFAULT_MAX_SUGGESTIONS,
): Person[] {
  const { byId } = core.state.people;
  const places = rankLikelyPeopleByUserId();
  const inside = to && 'users' in to ? to.users : [];
  const placeOf = ({ user_id, is_bot }: Person): number =>
    inside.includes(user_id) ? -1 : (places.get(user_id) ?? (is_bot ? Number.MAX_SAFE_INTEGER : 1000));
  const likely = [...inside, ...places.keys()].map((id) => byId.value.get(id)).filter((one) => one !== undefined);
  return activePeopleIndex.value.findBestMatches(query, count, placeOf, likely);
}

const STREAM_RANK_BY_MEMBERSHIP = { subscribed: 0, former: 2, never: 2 } as const;

export function findMatchingStreams(query: string, count = DEFAULT_MAX_SUGGESTIONS): Stream[] {
  return visibleStreamIndex.value.findBestMatches(
    query,
    count,
    ({ membership, is_muted }) => STREAM_RANK_BY_MEMBERSHIP[membership] + (is_muted ? 1 : 0),
  );
}

export function findKnownTopicsAndLoadAll(stream: number, query: string, count = DEFAULT_MAX_SUGGESTIONS): string[] {
  void core.loadAllTopicsOnce(stream).catch(() => {});
  const folded = foldCaseAndAccents(query).trim();
  const all = core.state.conversations.getTopicsSignal(stream).value;
  const [first, rest]: [string[], string[]] = [[], []];
  for (const { name } of all) {
    const at = foldCaseAndAccents(name).indexOf(folded);
    if (at === 0) first.push(name);
    else if (at > 0) rest.push(name);
    if (first.length >= count) break;
  }
  return [...first, ...rest].slice(0, count);
}

export const makePersonSuggestion = (person: Person, insert = ''): Suggestion => ({
  key: `p${person.user_id}`,
  text: person.full_name,
  detail:
    (activePeopleCountByName.value.get(person.full_name) ?? 0) > 1
      ? (person.delivery_email ?? `#${person.user_id}`)
      : undefined,
  personId: person.user_id,
  streamOrPersonId: person.user_id,
  insertedText: insert,
});

export function makeStreamSuggestion({ stream_id: id, name, rendered_description }: Stream, insert = ''): Suggestion {
  const icon = getStreamIconName(core.state.streams.getPrivacy(id));
  const detail = extractPlainText(rendered_description);
  return { key: `s${id}`, text: name, detail, icon, streamOrPersonId: id, insertedText: insert };
}

export const makeTopicSuggestion = (name: string, insert = name): Suggestion => ({
  key: `t${name}`,
  text: name,
  isTopic: true,
  insertedText: insert,
});

function suggestPeopleAndGroups(query: string, silent: boolean, to: Conversation | undefined): Suggestion[] {
  const bare = query.replace(/\*+$/, '');
  const people = findMatchingPeople(bare, to).map((person) => {
    const isAmbiguous = (activePeopleCountByName.value.get(person.full_name) ?? 0) > 1;
    return makePersonSuggestion(person, `${formatMention(person.full_name, person.user_id, { silent, isAmbiguous })} `);
  });
  const groups = nonSystemGroupIndex.value.findBestMatches(bare, 3).map(
    ({ id, name, description }): Suggestion => ({
      key: `g${id}`,
      text: name,
      detail: description,
      icon: 'people',
      insertedText: `${formatGroupMention(name, silent)} `,
    }),
  );
  const wildcards =
    silent || bare === '' ? [] : WILDCARD_MENTION_NAMES.filter((name) => name.startsWith(foldCaseAndAccents(bare)));
  const everyone = wildcards.map(
    (name): Suggestion => ({
      key: name,
      text: name,
      detail: t('compose.wildcard-hint'),
      icon: 'bell',
      insertedText: `@**${name}** `,
    }),
  );
  return [...people.slice(0, DEFAULT_MAX_SUGGESTIONS - groups.length - everyone.length), ...groups, ...everyone];
}

function suggestEmoji(query: string): Suggestion[] {
  void loadUnicodeEmoji();
  const table = emojiTable.value;
  return (table?.findByName(query, DEFAULT_MAX_SUGGESTIONS) ?? []).map(({ name, character, pictureUrl }) => ({
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

/** Reads signals, so that names which are loaded later appear by themselves. */
export function suggestForTrigger(trigger: CompletionTrigger, to: Conversation | undefined): Suggestion[] {
  const { query } = trigger;
  switch (trigger.kind) {
    case 'person':
      return suggestPeopleAndGroups(query, trigger.silent, to);
    case 'stream':
      return findMatchingStreams(query).map((stream) =>
        makeStreamSuggestion(stream, `${formatStreamLink(stream.name)} `),
      );
    case 'topic': {
      const id = core.state.streams.findIdByName(trigger.stream);
      if (id === undefined) return [];
      const { streams } = core.state;
      return findKnownTopicsAndLoadAll(id, query).map((name) =>
        makeTopicSuggestion(name, `${formatTopicLink(streams.getStreamName(id), name)} `),
      );
    }
    case 'emoji':
      return suggestEmoji(query);
    case 'language':
      return SUGGESTED_CODE_BLOCK_LANGUAGES.filter(
        (name) => query !== '' && name.startsWith(query.toLowerCase()) && name !== query,
      )
        .slice(0, DEFAULT_MAX_SUGGESTIONS)
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
