/** Types of catalogues. English gives the keys and the placeholders; other languages fill the same type. */
import type { en } from './en/index.js';
import type { later } from './en/later.js';

/** Forms of one text by the plural category of `n` (Intl.PluralRules). */
export type Plural = { readonly other: string } & { readonly [C in Intl.LDMLPluralRule]?: string };

export type Text = string | Plural;

/** Texts of the first view, and those that come with lazy chunks. */
export type Texts = typeof en;
export type LaterTexts = typeof later;
export type AllTexts = Texts & LaterTexts;
export type Key = keyof AllTexts & string;

/** A language has each key; a text with plural forms has them in that language, too. */
export type Catalogue<T> = { readonly [K in keyof T]: T[K] extends string ? string : Plural };

type Names<S> = S extends `${string}{${infer N}}${infer Rest}` ? N | Names<Rest> : never;
type Forms<T> = T extends string ? T : T extends Plural ? T[keyof T] : never;

/** Names of the placeholders of a text: `'n'` for "{n} files". */
export type Placeholders<K extends Key> = Names<Forms<AllTexts[K]>>;

/** Arguments behind the key: none for a text without placeholders. */
export type Values<K extends Key, V> = [Placeholders<K>] extends [never]
  ? []
  : [values: { readonly [N in Placeholders<K>]: V }];
