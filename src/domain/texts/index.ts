/**
 * Texts that the server itself shows to people, in their language: mails, and the pages that work without scripts.
 *
 * `english-mails.ts` and `english-pages.ts` are the source of the keys; the German files have the same type, so that a
 * missing text does not compile. A mail is written in the language of its receiver's account (`default_language`), or
 * of the organization if there is no account yet; a page in the language of the browser (`languages.ts`).
 *
 * Texts have no markup: mails and pages (`#domain/notifications`, `#domain/pages`) escape and arrange them. Texts of
 * the API and of bots are English. Nothing here has side effects.
 */
import { englishMailTexts, type MailTexts } from './english-mails.js';
import { englishPageTexts, type PageTexts } from './english-pages.js';
import { germanMailTexts } from './german-mails.js';
import { germanPageTexts } from './german-pages.js';
import type { ServerLanguage } from './languages.js';

export type { MailedAccount, MailTexts, PlainMailTexts } from './english-mails.js';
export type { PageTexts } from './english-pages.js';
export {
  interfaceLanguageOfBrowser,
  type ServerLanguage,
  serverLanguageOfBrowser,
  serverLanguageOfSetting,
} from './languages.js';
export { translatePageRefusal } from './refusals.js';

const MAIL_TEXTS: Readonly<Record<ServerLanguage, MailTexts>> = { en: englishMailTexts, de: germanMailTexts };
const PAGE_TEXTS: Readonly<Record<ServerLanguage, PageTexts>> = { en: englishPageTexts, de: germanPageTexts };

export const mailTextsIn = (language: ServerLanguage): MailTexts => MAIL_TEXTS[language];
export const pageTextsIn = (language: ServerLanguage): PageTexts => PAGE_TEXTS[language];
