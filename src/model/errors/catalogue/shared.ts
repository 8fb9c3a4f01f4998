/** Shared by operations of several resources. */
import { bad, type CatalogueEntry } from './entry.js';

export const shared = {
  INVALID_MESSAGES: bad('Invalid message(s)'),
  INVALID_STREAM_ID: bad('Invalid stream ID'),
  INVALID_STREAM_NAME: bad("Invalid stream name '{name}'"),
  NO_SUCH_USER: bad('No such user'),
  USER_IS_DEACTIVATED: bad('User is deactivated'),
  INSUFFICIENT_PERMISSION: bad('Insufficient permission'),
  NOT_AUTHORIZED_FOR_QUERY: bad('User not authorized for this query'),
  /** Recipient lists: without a colon. */
  INVALID_USER_ID: bad('Invalid user ID {user_id}'),
  /** Members of groups and values of profile fields: with a colon. */
  INVALID_MEMBER_ID: bad('Invalid user ID: {user_id}'),
  INVALID_EMAIL: bad("Invalid email '{email}'"),
  ENTER_VALID_EMAIL: bad('Enter a valid email address.'),
  INVALID_USER_GROUP: bad('Invalid user group'),
  NOTHING_TO_DO: bad('Nothing to do. Specify at least one of "add" or "delete".'),
  STREAM_NAME_DOES_NOT_EXIST: {
    code: 'STREAM_DOES_NOT_EXIST',
    status: 400,
    msg: "Stream '{stream}' does not exist",
    data: ['stream'],
  },
  STREAM_ID_DOES_NOT_EXIST: {
    code: 'STREAM_DOES_NOT_EXIST',
    status: 400,
    msg: "Stream with ID '{stream_id}' does not exist",
    data: ['stream_id'],
  },
  PRINCIPAL_NOT_AUTHORIZED: {
    code: 'UNAUTHORIZED_PRINCIPAL',
    status: 403,
    msg: "User not authorized to execute queries on behalf of '{principal}'",
    data: ['principal'],
  },
} as const satisfies Record<string, CatalogueEntry>;
