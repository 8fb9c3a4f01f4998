import type { AllTexts, Key, Text, Values } from './catalogue.js';
import { en } from './en/index.js';

export type { Key };

/** Texts of the current language. A text that is not loaded shows its key. */
let texts: { [K in keyof AllTexts]?: Text } = en;
let pluralOf = new Intl.PluralRules('en');

/** Takes the texts of a language in use. */
export function replaceTexts(locale: string, replacement: { [K in keyof AllTexts]?: Text }): void {
  texts = replacement;
  pluralOf = new Intl.PluralRules(locale);
}

/** Adds texts that came with a lazy chunk. */
export function addTexts(more: { [K in keyof AllTexts]?: Text }): void {
  texts = { ...texts, ...more };
}

/** A text without values, by the plural form of `n`. */
function formOf(key: Key, values: Readonly<Record<string, unknown>> | undefined): string {
  const text = texts[key];
  if (text === undefined) return key;
  if (typeof text === 'string') return text;
  return text[pluralOf.select(Number(values?.n))] ?? text.other;
}

/** @returns the text of a key in the current language; the values replace the placeholders of the same names. */
export function t<K extends Key>(key: K, ...[values]: Values<K, string | number>): string {
  const form = formOf(key, values);
  if (values === undefined) return form;
  const given: Readonly<Record<string, string | number>> = values;
  return form.replace(/\{([\w-]+)\}/g, (whole, name: string) => shown(given[name]) ?? whole);
}

/** @returns the pieces of a text in order: strings, and the values in the places of the placeholders. */
export function parts<K extends Key, V>(key: K, ...[values]: Values<K, V | string | number>): (V | string)[] {
  const given: Readonly<Record<string, V | string | number>> = values ?? {};
  return formOf(key, given)
    .split(/\{([\w-]+)\}/)
    .map((piece, index) => {
      if (index % 2 === 0) return piece;
      const value = given[piece];
      return typeof value === 'number' ? numbers(value) : (value ?? '');
    })
    .filter((piece) => piece !== '');
}

const shown = (value: string | number | undefined): string | undefined =>
  typeof value === 'number' ? numbers(value) : value;

let numbers: (n: number) => string = String;

/** Sets how numbers in texts are written. */
export function writeNumbersBy(write: (n: number) => string): void {
  numbers = write;
}
