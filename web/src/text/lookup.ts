import type { AllTexts, CatalogText, LaterChunk, PlaceholderArguments, TextKey } from './catalogue.js';
import { englishTexts } from './en/index.js';

export type { TextKey };

/** Texts of the current language. A text that is not loaded shows its key. */
let currentTexts: { [K in keyof AllTexts]?: CatalogText } = englishTexts;
/** Those of lazy chunks. One object for all would take 25 ms to make in a slow browser. */
let laterTexts: { [K in keyof AllTexts]?: CatalogText } = {};
let refusalTexts: LaterChunk['refusalTexts'];
let currentLocale = 'en';
let pluralRules: Intl.PluralRules | undefined;

/** Takes the texts of a language in use. */
export function replaceTextsAndLocale(locale: string, replacement: { [K in keyof AllTexts]?: CatalogText }): void {
  currentTexts = replacement;
  currentLocale = locale;
  pluralRules = undefined;
}

/** Adds the texts of a lazy chunk; undefined: removes those of the previous language. */
export function addLaterTexts(more: LaterChunk | undefined): void {
  laterTexts = more?.laterTexts ?? {};
  refusalTexts = more?.refusalTexts;
}

const REFUSAL_VALUE = /\{\w+\}/g;

/** @returns a refusal in the current language; in the server's English if the language has no text for it */
export function translateRefusal(text: string, code = ''): string {
  if (!refusalTexts) return text;
  const same = refusalTexts[text] ?? refusalTexts[code];
  if (same !== undefined) return same;
  for (const [pattern, translation] of Object.entries(refusalTexts)) {
    const names = pattern.match(REFUSAL_VALUE);
    if (!names) continue;
    const source = pattern.replace(/[$()*+.?[\\\]^|]/g, '\\$&').replace(REFUSAL_VALUE, '([^]+)');
    const [, ...values] = new RegExp(`^${source}$`).exec(text) ?? [];
    if (values.length > 0) return translation.replace(REFUSAL_VALUE, (name) => values[names.indexOf(name)] ?? name);
  }
  return text;
}

/** A text without values, by the plural form of `n`. */
function selectPluralForm(key: TextKey, values: Readonly<Record<string, unknown>> | undefined): string {
  const text = currentTexts[key] ?? laterTexts[key];
  if (text === undefined) return key;
  if (typeof text === 'string') return text;
  pluralRules ??= new Intl.PluralRules(currentLocale);
  return text[pluralRules.select(Number(values?.n))] ?? text.other;
}

/** @returns the text of a key in the current language; the values replace the placeholders of the same names. */
export function t<K extends TextKey>(key: K, ...[values]: PlaceholderArguments<K, string | number>): string {
  const form = selectPluralForm(key, values);
  if (values === undefined) return form;
  const given: Readonly<Record<string, string | number>> = values;
  return form.replace(/\{([\w-]+)\}/g, (whole, name: string) => formatPlaceholderValue(given[name]) ?? whole);
}

/** @returns the pieces of a text in order: strings, and the values in the places of the placeholders. */
export function translateToPieces<K extends TextKey, V>(
  key: K,
  ...[values]: PlaceholderArguments<K, V | string | number>
): (V | string)[] {
  const given: Readonly<Record<string, V | string | number>> = values ?? {};
  return selectPluralForm(key, given)
    .split(/\{([\w-]+)\}/)
    .map((piece, index) => {
      if (index % 2 === 0) return piece;
      const value = given[piece];
      return typeof value === 'number' ? numberFormatter(value) : (value ?? '');
    })
    .filter((piece) => piece !== '');
}

const formatPlaceholderValue = (value: string | number | undefined): string | undefined =>
  typeof value === 'number' ? numberFormatter(value) : value;

let numberFormatter: (n: number) => string = String;

/** Sets how numbers in texts are written. */
export function setNumberFormatter(write: (n: number) => string): void {
  numberFormatter = write;
}
