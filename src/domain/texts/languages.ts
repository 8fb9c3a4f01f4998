/** Languages of the texts that the server shows to people, and how one of them is chosen. */
import Negotiator from 'negotiator';
import { INTERFACE_LANGUAGE_CODES } from '#model';

const SERVER_LANGUAGES = ['en', 'de'] as const;

export type ServerLanguage = (typeof SERVER_LANGUAGES)[number];

/**
 * Returns the language for a value of the settings `default_language` of users and organizations. A regional variant
 * (`en-gb`) has the texts of its language. English is used if there are no texts in the language.
 */
export function serverLanguageOfSetting(code: string): ServerLanguage {
  const base = code.toLowerCase().split(/[-_]/, 1)[0];
  return SERVER_LANGUAGES.find((one) => one === base) ?? 'en';
}

/**
 * Returns the language for a browser. @param acceptLanguage value of the header Accept-Language; may be empty
 * @param fallback for browsers that accept any language or only others
 */
export function serverLanguageOfBrowser(acceptLanguage: string, fallback: ServerLanguage): ServerLanguage {
  const accepted = new Negotiator({ headers: { 'accept-language': acceptLanguage || '*' } });
  return (accepted.language([fallback, ...SERVER_LANGUAGES]) as ServerLanguage | undefined) ?? fallback;
}

const INTERFACE_LANGUAGES = [...INTERFACE_LANGUAGE_CODES];

/**
 * Returns the code of the language that a browser wants most, among those of the setting `default_language`; undefined
 * if it names none of them. @param acceptLanguage value of the header Accept-Language; may be empty
 */
export function interfaceLanguageOfBrowser(acceptLanguage: string): string | undefined {
  const named = acceptLanguage.split(',').filter((range) => range.trim() !== '' && !range.trim().startsWith('*'));
  if (named.length === 0) return undefined;
  return new Negotiator({ headers: { 'accept-language': named.join(',') } }).language(INTERFACE_LANGUAGES);
}
