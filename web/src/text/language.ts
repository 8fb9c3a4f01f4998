import { signal } from '@preact/signals-core';
import type { Catalogue, SettingsTexts, Texts } from './catalogue.js';
import { en } from './en/index.js';
import { formatFor, formatNumber } from './formats.js';
import { addTexts, replaceTexts, writeNumbersBy } from './lookup.js';

/** Languages with a catalogue, by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const CHUNKS: {
  readonly [L in Language]: {
    readonly texts: () => Promise<Catalogue<Texts>>;
    readonly settings: () => Promise<Catalogue<SettingsTexts>>;
  };
} = {
  en: {
    texts: () => Promise.resolve(en),
    settings: async () => (await import('./en/settings.js')).settings,
  },
  de: {
    texts: async () => (await import('./de/index.js')).de,
    settings: async () => (await import('./de/settings.js')).settings,
  },
};

/** Language in use. The App is rendered again when it changes. */
export const language = signal<Language>('en');

let settingsWanted = false;
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
  const texts = await chunk.texts();
  const more = settingsWanted ? await chunk.settings() : {};
  replaceTexts(chosen, { ...texts, ...more });
  formatFor(tag);
  language.value = chosen;
}

/** Loads the texts of the settings in the language in use. */
export async function addSettingsTexts(): Promise<void> {
  if (settingsWanted) return;
  addTexts(await CHUNKS[language.value].settings());
  settingsWanted = true;
}
