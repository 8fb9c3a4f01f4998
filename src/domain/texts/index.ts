/**
 * Texts that the server itself shows to people, in their language: mails, the pages that work without scripts, and
 * notices, which are the messages of the server's own bots.
 *
 * `english-mails.ts`, `english-pages.ts` and `english-notices.ts` are the source of the keys; the German files have the
 * same type, so that a missing text does not compile. A mail or a direct notice is written in the language of its
 * receiver's account (`default_language`), or of the organization if there is no account yet; a notice in a stream in
 * that of the organization; a page in the language of the browser (`languages.ts`).
 *
 * Texts of mails and pages have no markup: `#domain/notifications` and `#domain/pages` escape and arrange them. Notices
 * are Markdown. Texts of the API are English. Nothing here has side effects.
 */
import { englishMailTexts, type MailTexts } from './english-mails.js';
import { englishNoticeTexts, type NoticeTexts } from './english-notices.js';
import { englishPageTexts, type PageTexts } from './english-pages.js';
import { germanMailTexts } from './german-mails.js';
import { germanNoticeTexts } from './german-notices.js';
import { germanPageTexts } from './german-pages.js';
import type { ServerLanguage } from './languages.js';

export type { MailedAccount, MailTexts, PlainMailTexts } from './english-mails.js';
export type { NoticeTexts, WebhookFault } from './english-notices.js';
export type { PageTexts } from './english-pages.js';
export {
  interfaceLanguageOfBrowser,
  type ServerLanguage,
  serverLanguageOfBrowser,
  serverLanguageOfSetting,
} from './languages.js';
export { translatePageRefusal } from './refusals.js';

const MAIL_TEXTS: Readonly<Record<ServerLanguage, MailTexts>> = { en: englishMailTexts, de: germanMailTexts };
const NOTICE_TEXTS: Readonly<Record<ServerLanguage, NoticeTexts>> = { en: englishNoticeTexts, de: germanNoticeTexts };
const PAGE_TEXTS: Readonly<Record<ServerLanguage, PageTexts>> = { en: englishPageTexts, de: germanPageTexts };

export const mailTextsIn = (language: ServerLanguage): MailTexts => MAIL_TEXTS[language];
export const noticeTextsIn = (language: ServerLanguage): NoticeTexts => NOTICE_TEXTS[language];
export const pageTextsIn = (language: ServerLanguage): PageTexts => PAGE_TEXTS[language];
