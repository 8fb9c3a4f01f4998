/** Changing, moving and deleting messages (messages.md). */
import { bad, type CatalogueEntry } from './entry.js';

export const changes = {
  EDITING_OFF: bad('Your organization has turned off message editing'),
  DIRECT_TO_STREAM: bad('Direct messages cannot be moved to streams.'),
  DIRECT_TOPIC: bad('Direct messages cannot have topics.'),
  PROPAGATE_NOTHING: bad('Invalid propagate_mode without topic edit'),
  CONTENT_AND_STREAM: bad('Cannot change message content while changing stream'),
  WIDGET_EDIT: bad('Widgets cannot be edited.'),
  EDIT_NOT_ALLOWED: bad("You don't have permission to edit this message"),
  EDIT_TOO_LATE: bad('The time limit for editing this message has passed'),
  TOPIC_TOO_LATE: bad("The time limit for editing this message's topic has passed."),
  MOVE_NOT_ALLOWED: bad("You don't have permission to move this message"),
  MOVE_WITHOUT_ACCESS: bad("You don't have permission to move this message due to missing access to its stream"),
  STREAM_TOO_LATE: bad("The time limit for editing this message's stream has passed"),
  MOVE_TIME_LIMIT: {
    code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    status: 400,
    msg: 'You only have permission to move the {total_messages_allowed_to_move}/{total_messages_in_topic} most recent messages in this topic.',
    data: ['first_message_id_allowed_to_move', 'total_messages_in_topic', 'total_messages_allowed_to_move'],
  },
  DELETE_NOT_ALLOWED: bad("You don't have permission to delete this message"),
  DELETE_TOO_LATE: bad('The time limit for deleting this message has passed'),
  ALREADY_DELETED: bad('Message already deleted'),
  EDIT_HISTORY_OFF: bad('Message edit history is disabled in this organization'),
} as const satisfies Record<string, CatalogueEntry>;
