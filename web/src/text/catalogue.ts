/** Types of catalogues. English gives the keys and the placeholders; other languages fill the same type. */
import type { englishTexts } from './en/index.js';
import type { laterTexts } from './en/later.js';

/** Forms of one text by the plural category of `n` (Intl.PluralRules). */
export type PluralForms = { readonly other: string } & { readonly [C in Intl.LDMLPluralRule]?: string };

export type CatalogText = string | PluralForms;

/** Texts of the first view, and those that come with lazy chunks. */
export type InitialTexts = typeof englishTexts;
export type LaterTexts = typeof laterTexts;
export type AllTexts = InitialTexts & LaterTexts;
export type TextKey = keyof AllTexts & string;

/** A language has each key; a text with plural forms has them in that language, too. */
export type TextCatalog<T> = { readonly [K in keyof T]: T[K] extends string ? string : PluralForms };

/** Texts of lazy chunks, and translations of the server's refusals, by their English text or their code. */
export interface LaterChunk {
  readonly laterTexts: TextCatalog<LaterTexts>;
  readonly refusalTexts?: Readonly<Record<string, string>>;
}

type PlaceholderNamesIn<S> = S extends `${string}{${infer N}}${infer Rest}` ? N | PlaceholderNamesIn<Rest> : never;
type TextOfAnyPluralForm<T> = T extends string ? T : T extends PluralForms ? T[keyof T] : never;

/** Names of the placeholders of a text: `'n'` for "{n} files". */
export type PlaceholderNames<K extends TextKey> = PlaceholderNamesIn<TextOfAnyPluralForm<AllTexts[K]>>;

/** Arguments behind the key: none for a text without placeholders. */
export type PlaceholderArguments<K extends TextKey, V> = [PlaceholderNames<K>] extends [never]
  ? []
  : [values: { readonly [N in PlaceholderNames<K>]: V }];
