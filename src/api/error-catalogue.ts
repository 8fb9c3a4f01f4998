/**
 * Every refusal that a client can receive, one entry per situation: code (absent where the API has none), HTTP status,
 * message template and the names of the data fields beside `msg`. Source: errors.md, conventions.md and the `errors` of
 * wire.json; of entries that only the peer raises none is here.
 */
import { files } from './error-catalogue-files.js';
import { bad, type CatalogueEntry } from './error-entry.js';

export type { CatalogueEntry } from './error-entry.js';

const unauthorized = <const M extends string>(msg: M) => ({ code: 'UNAUTHORIZED', status: 401, msg }) as const;

/** Raised before a handler runs, and by the server itself. */
const common = {
  NOT_LOGGED_IN: { status: 401, msg: 'Not logged in: API authentication or user session required' },
  AUTH_SCHEME: bad('This endpoint requires HTTP basic authentication.'),
  AUTH_HEADER: unauthorized('Invalid authorization header for basic auth'),
  API_KEY_MALFORMED: unauthorized('Malformed API key'),
  API_KEY_UNKNOWN: unauthorized('Invalid API key'),
  ACCOUNT_DEACTIVATED: unauthorized('Account is deactivated'),
  ORGANIZATION_DEACTIVATED: unauthorized('This organization has been deactivated'),
  WRONG_SUBDOMAIN: unauthorized('Account is not associated with this subdomain'),
  WEBHOOK_BOT: unauthorized('This API is not available to incoming webhook bots.'),
  NONEXISTENT_SUBDOMAIN: { code: 'NONEXISTENT_SUBDOMAIN', status: 404, msg: 'Invalid subdomain' },
  /** The peer answers an HTML page; ours is JSON like every other answer. */
  NOT_FOUND: { status: 404, msg: 'Not Found' },
  METHOD_NOT_ALLOWED: { status: 405, msg: 'Method Not Allowed', data: ['allowed_methods'] },
  RATE_LIMIT_HIT: {
    code: 'RATE_LIMIT_HIT',
    status: 429,
    msg: 'API usage exceeded rate limit',
    data: ['retry-after'],
    retryable: true,
  },
  ADMIN_REQUIRED: { code: 'UNAUTHORIZED_PRINCIPAL', status: 400, msg: 'Must be an organization administrator' },
  OWNER_REQUIRED: { code: 'UNAUTHORIZED_PRINCIPAL', status: 400, msg: 'Must be an organization owner' },
  MEMBER_REQUIRED: { code: 'UNAUTHORIZED_PRINCIPAL', status: 400, msg: 'Must be an organization member' },
  NO_BOTS: bad('This endpoint does not accept bot requests.'),
  NO_GUESTS: bad('Not allowed for guest users'),
  REQUEST_VARIABLE_MISSING: {
    code: 'REQUEST_VARIABLE_MISSING',
    status: 400,
    msg: "Missing '{var_name}' argument",
    data: ['var_name'],
  },
  REQUEST_VARIABLE_INVALID: {
    code: 'REQUEST_VARIABLE_INVALID',
    status: 400,
    msg: "Bad value for '{var_name}': {bad_value}",
    data: ['var_name', 'bad_value'],
  },
  REQUEST_CONFUSING_VAR: {
    code: 'REQUEST_CONFUSING_VAR',
    status: 400,
    msg: "Can't decide between '{var_name1}' and '{var_name2}' arguments",
    data: ['var_name1', 'var_name2'],
  },
  ARGUMENT_NOT_JSON: bad('Argument "{var_name}" is not valid JSON.'),
  /** Validator messages are made from the schema (http/validate.ts). */
  VALIDATION_FAILED: bad('{message}'),
  INVALID_JSON: { code: 'INVALID_JSON', status: 400, msg: 'Malformed JSON' },
  /** Ours: the form cannot be taken apart (a multipart body without its boundary, too many fields). */
  MALFORMED_FORM: bad('Malformed request body'),
  /** Ours: the peer's proxy answers an HTML page. */
  BODY_TOO_LARGE: { code: 'BAD_REQUEST', status: 413, msg: 'Request body is larger than the allowed limit' },
  INTERNAL: { status: 500, msg: 'Internal server error' },
  /** Ours: nobody answers for the actor, too much is queued, or the deadline passed. Codeless, like 500. */
  SERVICE_UNAVAILABLE: { status: 503, msg: 'Service temporarily unavailable, please try again', retryable: true },
} as const satisfies Record<string, CatalogueEntry>;

/** Shared by operations of several resources. */
const shared = {
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
  INVALID_OP: bad('Invalid op'),
  INVALID_TYPE: bad('Invalid type'),
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

const queues = {
  BAD_EVENT_QUEUE_ID: {
    code: 'BAD_EVENT_QUEUE_ID',
    status: 400,
    msg: 'Bad event queue ID: {queue_id}',
    data: ['queue_id'],
  },
  EVENT_PRUNED: bad('An event newer than {last_event_id} has already been pruned!'),
  EVENT_NOT_IN_QUEUE: bad('Event {last_event_id} was not in this queue'),
  QUEUE_NOT_ALLOCATED: bad('Could not allocate event queue'),
  OPERATOR_NOT_SUPPORTED: bad('Operator {operator} not supported.'),
  ANONYMOUS_CLIENT_GRAVATAR: bad("Invalid 'client_gravatar' parameter for anonymous request"),
  ANONYMOUS_INCLUDE_SUBSCRIBERS: bad("Invalid 'include_subscribers' parameter for anonymous request"),
} as const satisfies Record<string, CatalogueEntry>;

const messages = {
  EXACTLY_ONE_STREAM: bad('Expected exactly one stream'),
  STREAM_DATA_TYPE: bad('Invalid data type for stream'),
  RECIPIENT_DATA_TYPE: bad('Invalid data type for recipients'),
  RECIPIENTS_MIXED: bad('Recipient lists may contain emails or user IDs, but not both.'),
  INVALID_MIRRORED_MESSAGE: bad('Invalid mirrored message'),
  MISSING_STREAM: bad('Missing stream'),
  MISSING_TOPIC: bad('Missing topic'),
  TOPIC_EMPTY: bad("Topic can't be empty!"),
  TOPIC_CHARACTER: bad('Invalid character in topic, at position {position}!'),
  TOPICS_REQUIRED: bad('Topics are required in this organization'),
  NO_RECIPIENTS: bad('Message must have recipients'),
  MESSAGE_EMPTY: bad('Message must not be empty'),
  MESSAGE_NULL_BYTES: bad('Message must not contain null bytes'),
  ONLY_ADMINS_SEND: bad('Only organization administrators can send to this stream.'),
  ONLY_MODERATORS_SEND: bad('Only organization administrators and moderators can send to this stream.'),
  NO_GUESTS_SEND: bad('Guests cannot send to this stream.'),
  NO_NEW_MEMBERS_SEND: bad('New members cannot send to this stream.'),
  NOT_AUTHORIZED_TO_SEND: bad("Not authorized to send to stream '{stream}'"),
  DIRECT_MESSAGES_DISABLED: bad('Direct messages are disabled in this organization.'),
  RECIPIENT_GONE: bad("'{email}' is no longer using {product}."),
  OUTSIDE_ORGANIZATION: bad("You can't send direct messages outside of your organization."),
  WIDGET_JSON: bad('Widgets: API programmer sent invalid JSON content'),
  WIDGET_INVALID: bad('Widgets: {reason}'),
  CANNOT_RENDER: bad('Unable to render message'),
  WILDCARD_NOT_ALLOWED: bad('You do not have permission to use wildcard mentions in this stream.'),
  MISSING_ANCHOR: bad("Missing 'anchor' argument."),
  INVALID_ANCHOR: bad('Invalid anchor'),
  ANCHOR_EXCLUDED: bad('The anchor can only be excluded at an end of the range'),
  TOO_MANY_MESSAGES: bad('Too many messages requested (maximum {maximum}).'),
  BAD_NARROW: { code: 'BAD_NARROW', status: 400, msg: 'Invalid narrow operator: {desc}', data: ['desc'] },
  INVALID_FLAG: bad("Invalid flag: '{flag}'"),
  FLAG_NOT_EDITABLE: bad("Flag not editable: '{flag}'"),
  INVALID_FLAG_OPERATION: bad("Invalid message flag operation: '{op}'"),
  EMOJI_DOES_NOT_EXIST: bad("Emoji '{emoji_name}' does not exist"),
  EMOJI_CODE: bad('Invalid emoji code.'),
  EMOJI_NAME: bad('Invalid emoji name.'),
  EMOJI_TYPE: bad('Invalid emoji type.'),
  CUSTOM_EMOJI_UNKNOWN: bad('Invalid custom emoji.'),
  CUSTOM_EMOJI_NAME: bad('Invalid custom emoji name.'),
  CUSTOM_EMOJI_DEACTIVATED: bad('This custom emoji has been deactivated.'),
  REACTION_EXISTS: bad('Reaction already exists.'),
  REACTION_DOES_NOT_EXIST: bad("Reaction doesn't exist."),
  REACTION_ARGUMENTS: bad('At least one of the following arguments must be present: emoji_name, emoji_code'),
  /** Ours: a message is one record, and it must stay one that can be written. */
  TOO_MANY_REACTIONS: bad('This message has too many reactions.'),
  CANNOT_ATTACH_SUBMESSAGE: bad('You cannot attach a submessage to this message.'),
  SUBMESSAGE_JSON: bad('Invalid json for submessage'),
  POLL_QUESTION: bad("You can't edit a question unless you are the author."),
  READ_RECEIPTS_DISABLED: bad('Read receipts are disabled in this organization.'),
  NO_SUCH_TOPIC: bad("No such topic '{topic_name}'"),
} as const satisfies Record<string, CatalogueEntry>;

const drafts = {
  DRAFTS_OFF: bad('User has disabled synchronizing drafts.'),
  /** Without code (seed). */
  NO_SUCH_DRAFT: { status: 404, msg: 'Draft does not exist' },
  TIMESTAMP_NEGATIVE: bad('Timestamp must not be negative.'),
  TOPIC_NULL_BYTES: bad('Topic must not contain null bytes'),
  ONE_DRAFT_STREAM: bad('Must specify exactly 1 stream ID for stream messages'),
  NO_SUCH_SCHEDULED_MESSAGE: { code: 'BAD_REQUEST', status: 404, msg: 'Scheduled message does not exist' },
  SCHEDULED_IN_PAST: bad('Scheduled delivery time must be in the future.'),
  SCHEDULED_STREAM_TYPE: bad('Invalid data type for stream ID'),
  SCHEDULED_USER_IDS: bad('Recipient list may only contain user IDs'),
  SCHEDULED_NEEDS_RECIPIENT: bad('Recipient required when updating type of scheduled message.'),
  SCHEDULED_NEEDS_TOPIC: bad('Topic required when updating scheduled message type to stream.'),
  SCHEDULED_ALREADY_SENT: bad('Scheduled message was already sent'),
  NOTHING_TO_CHANGE: bad('Nothing to change'),
} as const satisfies Record<string, CatalogueEntry>;

const typing = {
  EMPTY_TO: bad("Empty 'to' list"),
  MANY_STREAMS: bad('Cannot send to multiple streams'),
  STREAM_TYPING_OFF: bad('User has disabled typing notifications for stream messages'),
  DIRECT_TYPING_OFF: bad('User has disabled typing notifications for direct messages'),
} as const satisfies Record<string, CatalogueEntry>;

const changes = {
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

const streams = {
  STREAM_INACCESSIBLE: bad('Unable to access stream ({stream_name}).'),
  STREAM_NAME_EMPTY: bad("Stream name can't be empty!"),
  STREAM_NAME_TOO_LONG: bad('Stream name too long (limit: {limit} characters).'),
  STREAM_NAME_CHARACTER: bad('Invalid character in stream name, at position {position}!'),
  STREAM_NAME_SAME: bad('Stream already has that name!'),
  STREAM_NAME_TAKEN: bad("Stream name '{name}' is already taken."),
  STREAM_ALREADY_DEACTIVATED: bad('Stream is already deactivated'),
  GROUP_NOT_SYSTEM: bad("'{setting}' must be a system user group."),
  GROUP_NOT_ALLOWED: bad("'{setting}' setting cannot be set to '{group}' group."),
  NO_WEB_PUBLIC_STREAMS: bad('Web-public streams are not enabled.'),
  DEFAULT_STREAM_PRIVATE: bad('Default streams cannot be made private.'),
  DEFAULT_STREAM_PRIVATE_ADD: bad('Private streams cannot be made default.'),
  INVALID_PARAMETERS: bad('Invalid parameters'),
  UNKNOWN_SUBSCRIPTION_PROPERTY: bad('Unknown subscription property: {property}'),
  NOT_SUBSCRIBED: bad('Not subscribed to stream id {stream_id}'),
  TOPIC_NOT_MUTED: bad('Topic is not muted'),
  SUPPLY_STREAM: bad("Please supply 'stream'."),
  STREAM_TWICE: bad("Please choose one: 'stream' or 'stream_id'."),
  SUBSCRIBERS_UNAVAILABLE: bad('Subscriber data is not available for this stream'),
  SUBSCRIBERS_PRIVATE: bad('Unable to retrieve subscribers for private stream'),
} as const satisfies Record<string, CatalogueEntry>;

const users = {
  /** fetch_api_key keeps the codes that Basic authentication loses. */
  AUTHENTICATION_FAILED: {
    code: 'AUTHENTICATION_FAILED',
    status: 401,
    msg: 'Your username or password is incorrect',
  },
  USER_DEACTIVATED: { code: 'USER_DEACTIVATED', status: 401, msg: 'Account is deactivated' },
  REALM_DEACTIVATED: { code: 'REALM_DEACTIVATED', status: 401, msg: 'This organization has been deactivated' },
  PASSWORD_AUTH_DISABLED: {
    code: 'PASSWORD_AUTH_DISABLED',
    status: 401,
    msg: 'Password authentication is disabled in this organization',
  },
  PASSWORD_RESET_REQUIRED: {
    code: 'PASSWORD_RESET_REQUIRED',
    status: 401,
    msg: 'Your password has been disabled and needs to be reset',
  },
  NOT_IN_PRODUCTION: bad('Endpoint not available in production.'),
  INVALID_SUBDOMAIN: bad('Invalid subdomain'),
  SUBDOMAIN_REQUIRED: bad('Subdomain required'),
  EMAIL_IN_USE: bad("Email '{email}' already in use"),
  EMAIL_NOT_ALLOWED: bad("Email '{email}' not allowed in this organization"),
  EMAIL_DISPOSABLE: bad('Disposable email addresses are not allowed in this organization'),
  EMAIL_PLUS: bad('Email addresses containing + are not allowed.'),
  NAME_TOO_LONG: bad('Name too long!'),
  NAME_TOO_SHORT: bad('Name too short!'),
  NAME_CHARACTERS: bad('Invalid characters in name!'),
  NAME_FORMAT: bad('Invalid format!'),
  NAME_OR_USERNAME: bad('Bad name or username'),
  PASSWORD_TOO_WEAK: bad('The password is too weak.'),
  INVALID_ROLE: bad('Invalid role'),
  ONLY_OWNER_ROLE: bad('The owner permission cannot be removed from the only organization owner.'),
  /** DELETE /users/{id}: without code (seed). */
  ONLY_OWNER_DEACTIVATION: { status: 400, msg: 'Cannot deactivate the only organization owner' },
  CANNOT_DEACTIVATE_LAST_USER: {
    code: 'CANNOT_DEACTIVATE_LAST_USER',
    status: 400,
    msg: 'Cannot deactivate the only {entity}.',
    data: ['is_last_owner', 'entity'],
  },
  CANNOT_MUTE_SELF: bad('Cannot mute self'),
  USER_ALREADY_MUTED: bad('User already muted'),
  USER_NOT_MUTED: bad('User is not muted'),
  INVALID_DEFAULT_LANGUAGE: bad('Invalid default_language'),
  INVALID_SOUND: bad("Invalid notification sound '{sound}'"),
  INVALID_BATCHING_PERIOD: bad('Invalid email batching period: {seconds} seconds'),
  NO_NEW_DATA: bad('No new data supplied'),
  GROUP_EXISTS: bad("User group '{name}' already exists."),
  ALREADY_MEMBER: bad('User {user_id} is already a member of this group'),
  NO_SUCH_MEMBER: bad("There is no member '{user_id}' in this user group"),
  INVALID_GROUP_ID: bad('Invalid user group ID: {id}'),
  ALREADY_SUBGROUP: bad('User group {group_id} is already a subgroup of this group.'),
  NO_SUCH_SUBGROUP: bad('User group {group_id} is not a subgroup of this group.'),
  FIELD_NOT_FOUND: bad('Field id {id} not found.'),
  FIELD_CHOICE: bad("'{value}' is not a valid choice for '{name}'."),
  USER_ID_DEACTIVATED: bad('User with ID {user_id} is deactivated'),
  USER_ID_BOT: bad('User with ID {user_id} is a bot'),
} as const satisfies Record<string, CatalogueEntry>;

const organization = {
  /** Objects with several fields: what is wrong with each. */
  INVALID_FIELDS: { code: 'BAD_REQUEST', status: 400, msg: '{message}', data: ['errors'] },
  INVALID_LANGUAGE: bad("Invalid language '{language}'"),
  NO_LOGIN_METHOD: bad('At least one authentication method must be enabled.'),
  INVALID_VIDEO_PROVIDER: bad('Invalid video_chat_provider {id}'),
  INVALID_GIPHY_RATING: bad('Invalid giphy_rating {id}'),
  DEMO_ONLY: bad('Must be a demo organization.'),
  LINKIFIER_NOT_FOUND: bad('Linkifier not found.'),
  INVALID_PLAYGROUND: bad('Invalid playground'),
  PLAYGROUND_LANGUAGE: bad('Invalid characters in pygments language'),
} as const satisfies Record<string, CatalogueEntry>;

export const catalogue = {
  ...common,
  ...shared,
  ...queues,
  ...messages,
  ...changes,
  ...drafts,
  ...typing,
  ...streams,
  ...users,
  ...files,
  ...streams,
  ...users,
  ...organization,
} as const;
export type ErrorName = keyof typeof catalogue;
