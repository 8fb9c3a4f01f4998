/** The facts about a user that mails to that user need. */
import type { MailReceiver } from '#domain/notifications';
import { readUserSettingByUserId } from '#domain/people';
import type { DirectoryUser, DirectoryView } from '#model/records';

export const makeMailReceiver = (
  { id, fullName, timezone }: DirectoryUser,
  directory: DirectoryView,
): MailReceiver => ({
  fullName,
  timezone,
  twentyFourHour: readUserSettingByUserId(directory, id, 'twenty_four_hour_time'),
});
