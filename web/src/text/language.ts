import { signal } from '@preact/signals-core';
import type { Catalogue, LaterTexts, Texts } from './catalogue.js';
import { en } from './en/index.js';
import { formatFor, formatNumber } from './formats.js';
import { addTexts, replaceTexts, writeNumbersBy } from './lookup.js';

/** Languages with a catalogue, by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const CHUNKS: {
  readonly [L in Language]: {
    readonly texts: () => Promise<Catalogue<Texts>>;
    readonly later: () => Promise<Catalogue<LaterTexts>>;
  };
} = {
  en: {
    texts: () => Promise.resolve(en),
    later: async () => (await import('./en/later.js')).later,
  },
  de: {
    texts: async () => (await import('./de/index.js')).de,
    later: async () => (await import('./de/later.js')).later,
  },
};

/** Language in use. The App is rendered again when it changes. */
export const language = signal<Language>('en');

let laterWanted = false;
/** Number of the newest choice; an older one whose chunk arrives late changes nothing. */
let choices = 0;
writeNumbersBy(formatNumber);

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/**
 * Takes the first of the wanted languages that has a catalogue, English otherwise. The region of a tag (`de-AT`)
 * decides on dates and numbers.
 */
export async function chooseLanguage(wanted: readonly string[]): Promise<void> {
  const tag = wanted.find((one) => isLanguage(one.split('-')[0]!.toLowerCase())) ?? 'en';
  const code = tag.split('-')[0]!.toLowerCase();
  const chosen: Language = isLanguage(code) ? code : 'en';
  const chunk = CHUNKS[chosen];
  const choice = ++choices;
  const texts = await chunk.texts();
  const more = laterWanted ? await chunk.later() : {};
  if (choice !== choices) return;
  replaceTexts(chosen, { ...texts, ...more });
  formatFor(tag);
  language.value = chosen;
}

/** Loads the texts of lazy chunks in the language in use. */
export async function addLaterTexts(): Promise<void> {
  if (laterWanted) return;
  addTexts(await CHUNKS[language.value].later());
  laterWanted = true;
}
