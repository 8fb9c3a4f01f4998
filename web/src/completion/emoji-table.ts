import { computed, signal } from '@preact/signals';
import { core } from '../client/index.js';
import { WordPrefixIndex } from './word-index.js';

/** An emoji as reactions and messages name it. */
export interface Emoji {
  readonly name: string;
  readonly code: string;
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji';
  /** Character; undefined for emoji with a picture. */
  readonly character?: string | undefined;
  readonly pictureUrl?: string | undefined;
}

interface NamedEmoji extends Emoji {
  /** All names, the usual one first. */
  readonly names: readonly string[];
}

/** Most used emoji, in the order of suggestions. */
const POPULAR_EMOJI_NAMES = [
  '+1',
  'tada',
  'smile',
  'heart',
  'working_on_it',
  'octopus',
  'joy',
  'check',
  'eyes',
  'pray',
  'cry',
];

const EMOJI_PRESENTATION_PATTERN = /\p{Emoji_Presentation}/u;

/** The character of a code; one that is a letter by default gets the selector of its coloured form. */
export function makeEmojiCharacter(code: string): string {
  const text = String.fromCodePoint(...code.split('-').map((part) => Number.parseInt(part, 16)));
  return EMOJI_PRESENTATION_PATTERN.test(text) || text.includes('\ufe0f') ? text : `${text}\ufe0f`;
}

const unicodeEmoji = signal<readonly NamedEmoji[] | undefined>(undefined);
let unicodeEmojiLoad: Promise<void> | undefined;

/** Fetches the names of Unicode emoji once. */
export function loadUnicodeEmoji(): Promise<void> {
  unicodeEmojiLoad ??= fetchAndStoreUnicodeEmoji().catch(() => {
    unicodeEmojiLoad = undefined;
  });
  return unicodeEmojiLoad;
}

async function fetchAndStoreUnicodeEmoji(): Promise<void> {
  const address = core.state.realm.value.server_emoji_data_url ?? '/static/emoji/emoji_api.json';
  const { pathname } = new URL(address, location.href);
  const { status, text } = await core.platform.fetch({ method: 'GET', path: pathname, headers: {}, body: undefined });
  if (status !== 200) throw new Error(`status ${status}`);
  const { code_to_names: names } = JSON.parse(text) as { code_to_names: Record<string, readonly string[]> };
  unicodeEmoji.value = Object.entries(names).map(
    ([code, all]): NamedEmoji => ({
      name: all[0] ?? code,
      names: all,
      code,
      type: 'unicode_emoji',
      character: makeEmojiCharacter(code),
    }),
  );
}

/** All emoji that can be used now, with a search. */
export class EmojiTable {
  readonly #nameIndex: WordPrefixIndex<Emoji>;
  readonly #unicodeEmojiByCode: ReadonlyMap<string, Emoji>;
  readonly #popularityRankByName: ReadonlyMap<string, number>;

  constructor(
    readonly custom: readonly Emoji[],
    plain: readonly NamedEmoji[],
  ) {
    // A custom emoji hides the one of the same name.
    const hidden = new Set(custom.map(({ name }) => name));
    const shown = plain.filter(({ name }) => !hidden.has(name));
    const names = new Map<Emoji, readonly string[]>(shown.map((one) => [one, one.names]));
    this.#nameIndex = new WordPrefixIndex<Emoji>([...custom, ...shown], (one) => names.get(one) ?? [one.name]);
    this.#unicodeEmojiByCode = new Map(shown.map((one) => [one.code.replaceAll('-fe0f', ''), one]));
    this.#popularityRankByName = new Map(POPULAR_EMOJI_NAMES.map((name, place) => [name, place]));
  }

  /** @param query a part of a name; spaces and underlines are the same */
  findByName(query: string, count: number): Emoji[] {
    return this.#nameIndex.findBestMatches(query, count, ({ name, type }) =>
      type === 'unicode_emoji'
        ? (this.#popularityRankByName.get(name) ?? POPULAR_EMOJI_NAMES.length + 1)
        : POPULAR_EMOJI_NAMES.length,
    );
  }

  /** @param code code points in hex, joined by hyphens, with or without variation selectors */
  findUnicodeEmojiByCode(code: string): Emoji | undefined {
    return this.#unicodeEmojiByCode.get(code.replaceAll('-fe0f', ''));
  }
}

/** undefined until the names are here; `loadUnicodeEmoji()` fetches them. */
export const emojiTable = computed(() => {
  const plain = unicodeEmoji.value;
  if (!plain) return undefined;
  const custom = core.state.emoji.activeCustomEmoji.value.map(
    ({ id, name, source_url }): Emoji => ({ name, code: id, type: 'realm_emoji', pictureUrl: source_url }),
  );
  return new EmojiTable(custom, plain);
});
