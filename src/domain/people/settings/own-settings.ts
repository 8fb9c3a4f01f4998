/** Settings of a user that decide what others of the server's parts do. Absent ones have their default (users.md). */

import type { UserId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';

/** A switch whose default is on. */
export const isOn = (
  directory: DirectoryView,
  user: UserId,
  setting: 'enable_drafts_synchronization' | 'send_private_typing_notifications' | 'send_stream_typing_notifications',
): boolean => directory.personal(user).settings[setting] !== false;

/** @throws ApiError */
export function checkDraftsOn(directory: DirectoryView, user: UserId): void {
  if (!isOn(directory, user, 'enable_drafts_synchronization')) throw apiError('DRAFTS_OFF');
}
