/**
 * Mails of the realm's actor, in the language of the account that gets them, or else of the organization; the language
 * of an account.
 */

import { makeSendMailCommand } from '#actors/shared';
import { computeUserSetting } from '#domain/people';
import {
  type MailedAccount,
  type MailTexts,
  mailTextsIn,
  type NoticeTexts,
  noticeTextsIn,
  type PlainMailTexts,
  type ServerLanguage,
  serverLanguageOfSetting,
} from '#domain/texts';
import type { RealmId, RealmSettings } from '#model';
import type { MailToSend, OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import { type ActorParts, readPreferencesRecord } from '../state.js';
import type { RealmActorView } from './command.js';

type MailOptions = Omit<MailToSend, 'to' | 'subject' | 'text' | 'html'>;

/** Puts a name into one line: names of organizations may have line breaks, which would look like paragraphs. */
const toSingleLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const makePlainMailCommand = (
  realm: RealmId,
  to: string,
  { subject, paragraphs }: PlainMailTexts,
  options: MailOptions,
): OutboxCommand => makeSendMailCommand(realm, { to, subject, text: `${paragraphs.join('\n\n')}\n`, ...options });

/** Makes a mail to an address that has no account, for example an invitation. */
export const makeMailToStranger = (
  realm: RealmId,
  to: string,
  settings: RealmSettings,
  compose: (texts: MailTexts, organization: string) => PlainMailTexts,
  options: MailOptions = {},
): OutboxCommand => {
  const texts = mailTextsIn(serverLanguageOfSetting(settings.default_language));
  return makePlainMailCommand(realm, to, compose(texts, toSingleLine(settings.name)), options);
};

function languageOfAccount(parts: ActorParts, user: DirectoryUser): ServerLanguage {
  const chosen = readPreferencesRecord(parts, user.id).settings;
  return serverLanguageOfSetting(computeUserSetting(user, chosen, 'default_language'));
}

/** Texts of notices to an account, in its language. */
export const noticeTextsOfAccount = (parts: ActorParts, user: DirectoryUser): NoticeTexts =>
  noticeTextsIn(languageOfAccount(parts, user));

/** Makes a mail to an account. @param language of an account whose preferences are not stored yet */
export const makeMailToAccount = (
  realm: RealmId,
  user: DirectoryUser,
  { state, parts }: Pick<RealmActorView, 'state' | 'parts'>,
  compose: (texts: MailTexts, account: MailedAccount) => PlainMailTexts,
  { to = user.deliveryEmail, language, ...options }: MailOptions & { to?: string; language?: ServerLanguage } = {},
): OutboxCommand => {
  const texts = mailTextsIn(language ?? languageOfAccount(parts, user));
  const organization = toSingleLine(state.settings.name);
  const account = { fullName: user.fullName, email: user.deliveryEmail, organization };
  return makePlainMailCommand(realm, to, compose(texts, account), options);
};
