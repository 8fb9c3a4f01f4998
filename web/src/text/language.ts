import { signal } from '@preact/signals-core';
import type { InitialTexts, LaterChunk, TextCatalog } from './catalogue.js';
import { englishTexts } from './en/index.js';
import { formatNumber, setFormatLocale } from './formats.js';
import { addLaterTexts, replaceTextsAndLocale, setNumberFormatter } from './lookup.js';

/** Languages with a catalogue, by their own names. */
export const LANGUAGE_NAME_BY_CODE = { en: 'English', de: 'Deutsch' } as const;

export type LanguageCode = keyof typeof LANGUAGE_NAME_BY_CODE;

const TEXT_LOADERS_BY_LANGUAGE: {
  readonly [L in LanguageCode]: {
    readonly texts: () => Promise<TextCatalog<InitialTexts>>;
    readonly later: () => Promise<LaterChunk>;
  };
} = {
  en: {
    texts: () => Promise.resolve(englishTexts),
    later: () => import('./en/later.js'),
  },
  de: {
    texts: async () => (await import('./de/index.js')).germanTexts,
    later: () => import('./de/later.js'),
  },
};

/** Language in use. The App is rendered again when it changes. */
export const currentLanguage = signal<LanguageCode>('en');

let areLaterTextsAdded = false;
/** Number of the last choice. If the chunk of an earlier one arrives late, it is ignored. */
let latestLanguageChoiceNumber = 0;
setNumberFormatter(formatNumber);

export const isSupportedLanguage = (tag: string): tag is LanguageCode => Object.hasOwn(LANGUAGE_NAME_BY_CODE, tag);

/**
 * Uses the first of the wanted languages that has a catalogue, else English. The region of a tag (`de-AT`) chooses the
 * formats of dates and numbers.
 */
export async function loadAndUseFirstKnownLanguage(wanted: readonly string[]): Promise<void> {
  const tag = wanted.find((one) => isSupportedLanguage(one.split('-')[0]!.toLowerCase())) ?? 'en';
  const code = tag.split('-')[0]!.toLowerCase();
  const chosen: LanguageCode = isSupportedLanguage(code) ? code : 'en';
  const chunk = TEXT_LOADERS_BY_LANGUAGE[chosen];
  const choice = ++latestLanguageChoiceNumber;
  const texts = await chunk.texts();
  const more = areLaterTextsAdded ? await chunk.later() : undefined;
  if (choice !== latestLanguageChoiceNumber) return;
  replaceTextsAndLocale(chosen, texts);
  addLaterTexts(more);
  setFormatLocale(tag);
  currentLanguage.value = chosen;
}

/** Loads the texts of lazy chunks in the language in use. */
export async function loadLaterTexts(): Promise<void> {
  if (areLaterTextsAdded) return;
  const { value: language } = currentLanguage;
  const more = await TEXT_LOADERS_BY_LANGUAGE[language].later();
  // Another language may have been chosen meanwhile.
  if (language !== currentLanguage.value) return loadLaterTexts();
  addLaterTexts(more);
  areLaterTextsAdded = true;
}
