/** The user as the receiver of a mail. */
import type { MailReceiver } from '#domain/notifications';
import { readPreference } from '#domain/people';
import type { DirectoryUser, DirectoryView } from '#model/records';

export const mailReceiverOf = ({ id, fullName, timezone }: DirectoryUser, directory: DirectoryView): MailReceiver => ({
  fullName,
  timezone,
  twentyFourHour: readPreference(directory, id, 'twenty_four_hour_time'),
});
