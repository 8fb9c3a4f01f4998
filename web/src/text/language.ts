import { signal } from '@preact/signals-core';
import type { InitialTexts, LaterTexts, TextCatalog } from './catalogue.js';
import { englishTexts } from './en/index.js';
import { formatNumber, setFormatLocale } from './formats.js';
import { addTexts, replaceTexts, setNumberWriter } from './lookup.js';

/** Languages with a catalogue, by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const TEXT_LOADERS_BY_LANGUAGE: {
  readonly [L in Language]: {
    readonly texts: () => Promise<TextCatalog<InitialTexts>>;
    readonly later: () => Promise<TextCatalog<LaterTexts>>;
  };
} = {
  en: {
    texts: () => Promise.resolve(englishTexts),
    later: async () => (await import('./en/later.js')).laterTexts,
  },
  de: {
    texts: async () => (await import('./de/index.js')).germanTexts,
    later: async () => (await import('./de/later.js')).laterTexts,
  },
};

/** Language in use. The App is rendered again when it changes. */
export const language = signal<Language>('en');

let laterTextsAdded = false;
/** Number of the newest choice; an older one whose chunk arrives late changes nothing. */
let languageChoiceCount = 0;
setNumberWriter(formatNumber);

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/**
 * Takes the first of the wanted languages that has a catalogue, English otherwise. The region of a tag (`de-AT`)
 * decides on dates and numbers.
 */
export async function chooseLanguage(wanted: readonly string[]): Promise<void> {
  const tag = wanted.find((one) => isLanguage(one.split('-')[0]!.toLowerCase())) ?? 'en';
  const code = tag.split('-')[0]!.toLowerCase();
  const chosen: Language = isLanguage(code) ? code : 'en';
  const chunk = TEXT_LOADERS_BY_LANGUAGE[chosen];
  const choice = ++languageChoiceCount;
  const texts = await chunk.texts();
  const more = laterTextsAdded ? await chunk.later() : {};
  if (choice !== languageChoiceCount) return;
  replaceTexts(chosen, { ...texts, ...more });
  setFormatLocale(tag);
  language.value = chosen;
}

/** Loads the texts of lazy chunks in the language in use. */
export async function loadLaterTexts(): Promise<void> {
  if (laterTextsAdded) return;
  addTexts(await TEXT_LOADERS_BY_LANGUAGE[language.value].later());
  laterTextsAdded = true;
}
