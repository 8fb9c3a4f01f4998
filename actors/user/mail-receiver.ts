/** Facts about the receiver of a mail, and messages in the form in which mails show them. */
import type { ReadableMessage } from '#domain/messages';
import type { MailContentWithheldReason, MailReceiverLocale, MessageInMissedMail } from '#domain/notifications';
import { readUserSettingByUserId } from '#domain/people';
import { serverLanguageOfSetting } from '#domain/texts';
import { toUserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';

export const makeMailReceiver = (
  { id, fullName, timezone }: DirectoryUser,
  directory: DirectoryView,
): MailReceiverLocale => ({
  fullName,
  timezone,
  twentyFourHour: readUserSettingByUserId(directory, id, 'twenty_four_hour_time'),
  language: serverLanguageOfSetting(readUserSettingByUserId(directory, id, 'default_language')),
});

/** Returns the setting that withholds contents from mails to the user; null if mails show them. */
export function findContentWithheldReason(user: DirectoryUser, directory: DirectoryView): MailContentWithheldReason {
  if (!directory.settings.message_content_allowed_in_email_notifications) return 'organization';
  return readUserSettingByUserId(directory, user.id, 'message_content_in_email_notifications') ? null : 'user';
}

export const fullNameOfUserId = (id: number, directory: DirectoryView): string =>
  directory.user(toUserId(id))?.fullName ?? '';

export const toMailedMessage = (
  { message: { id, sender, body } }: ReadableMessage,
  directory: DirectoryView,
): MessageInMissedMail => ({
  id,
  sender: fullNameOfUserId(sender, directory),
  sent: body.sent,
  html: body.html,
});
