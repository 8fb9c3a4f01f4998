/** Notices and mail about a new account: to the organization and to the newcomer (users.md § POST /users). */

import {
  formatSilentMention,
  makeDirectNoticeCommand,
  makeStreamNoticeCommand,
  noticeTextsOfRealm,
} from '#actors/shared';
import { WELCOME_BOT_ID } from '#domain/people';
import { type MailedAccount, type MailTexts, noticeTextsIn, serverLanguageOfSetting } from '#domain/texts';
import type { RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { RealmActorView } from '../command.js';
import { makeMailToAccount } from '../mails.js';

const SIGNUPS_TOPIC_NAME = 'signups';

interface Newcomer {
  readonly user: DirectoryUser;
  /** True if the newcomer can sign in with a password. */
  readonly hasPassword: boolean;
  /** The setting `default_language` of the new account. */
  readonly language: string;
}

/**
 * Commands that send the notices and the mail. @param origin base URL of the organization @param after realm version
 * that knows the newcomer
 */
export function makeWelcomeCommands(
  view: RealmActorView,
  { user, hasPassword, language }: Newcomer,
  origin: string,
  realm: RealmId,
  after: number,
): OutboxCommand[] {
  const { state, volatile } = view;
  const { settings } = state;
  const serverLanguage = serverLanguageOfSetting(language);
  const mention = formatSilentMention(user);
  const greeting = { content: noticeTextsIn(serverLanguage).welcome(mention), origin, after, quiet: true };
  const commands = [makeDirectNoticeCommand(realm, user.id, greeting, WELCOME_BOT_ID)];
  const stream = settings.signup_notifications_stream_id;
  if (stream > 0) {
    // `volatile.activeHumanCount` does not count the newcomer before the commit.
    const content = noticeTextsOfRealm(settings).signedUp(mention, volatile.activeHumanCount + 1);
    commands.push(makeStreamNoticeCommand(realm, stream, SIGNUPS_TOPIC_NAME, { content, origin, after }));
  }
  if (settings.send_welcome_emails) {
    const mail = (texts: MailTexts, account: MailedAccount) => texts.welcome(account, { url: origin, hasPassword });
    commands.push(makeMailToAccount(realm, user, view, mail, { language: serverLanguage }));
  }
  return commands;
}
