/**
 * Catalogue of every refusal that a client can receive, one entry per situation: code (absent where the API has none),
 * HTTP status, message template and the names of the data fields beside `msg`. The sources are errors.md,
 * conventions.md and the `errors` of wire.json, without the entries that only the API's original server raises.
 */

export interface ErrorCatalogueEntry {
  /** Field `code` of the error response; absent: the response has none. */
  readonly code?: string;
  readonly status: number;
  /** Message template: `{name}` is replaced by the value given for this name, `{product}` by the product name. */
  readonly msg: string;
  /** Names of the values that become fields of the error response. */
  readonly data?: readonly string[];
  /** True if the same request may succeed later, unchanged. */
  readonly retryable?: true;
  /** True if the response is an HTML page, for addresses that people open in browsers. */
  readonly html?: true;
}

const makeBadRequestEntry = <const M extends string>(msg: M) => ({ code: 'BAD_REQUEST', status: 400, msg }) as const;
const makeBadImageEntry = <const M extends string>(msg: M) => ({ code: 'BAD_IMAGE', status: 400, msg }) as const;
const makeUnauthorizedEntry = <const M extends string>(msg: M) => ({ code: 'UNAUTHORIZED', status: 401, msg }) as const;
const makeInvitationFailedEntry = <const M extends string>(msg: M) =>
  ({
    code: 'INVITATION_FAILED',
    status: 400,
    msg,
    data: ['errors', 'sent_invitations', 'license_limit_reached', 'daily_limit_reached'],
  }) as const;

export const API_ERROR_CATALOGUE = {
  // Refusals before a handler runs, and refusals for reasons of the server itself.
  NOT_LOGGED_IN: { status: 401, msg: 'Not logged in: API authentication or user session required' },
  /** Refusal of a request of the web client that shows another account than that of the session. */
  SESSION_CHANGED: { code: 'SESSION_CHANGED', status: 401, msg: 'This browser has signed in to another account' },
  /** Refusal of a session cookie from another program than the web client: other programs have API keys. */
  NOT_FROM_WEB_CLIENT: { code: 'UNAUTHORIZED', status: 403, msg: 'This request does not come from the web client' },
  AUTH_SCHEME: makeBadRequestEntry('This endpoint requires HTTP basic authentication.'),
  AUTH_HEADER: makeUnauthorizedEntry('Invalid authorization header for basic auth'),
  API_LEVEL_INVALID: makeBadRequestEntry('X-Conclave-Api-Level must be the number of an API level'),
  API_KEY_MALFORMED: makeUnauthorizedEntry('Malformed API key'),
  API_KEY_UNKNOWN: makeUnauthorizedEntry('Invalid API key'),
  /** Refusal of a malformed API key in the query string; it has a code of its own (conventions.md § Authentication). */
  QUERY_KEY_MALFORMED: { code: 'INVALID_API_KEY', status: 401, msg: 'Malformed API key' },
  QUERY_KEY_UNKNOWN: { code: 'INVALID_API_KEY', status: 401, msg: 'Invalid API key' },
  ACCOUNT_DEACTIVATED: makeUnauthorizedEntry('Account is deactivated'),
  ORGANIZATION_DEACTIVATED: makeUnauthorizedEntry('This organization has been deactivated'),
  WRONG_SUBDOMAIN: makeUnauthorizedEntry('Account is not associated with this subdomain'),
  WEBHOOK_BOT: makeUnauthorizedEntry('This API is not available to incoming webhook bots.'),
  /** Refusal that only this server has: the original server takes the key of any account in a webhook's address. */
  NOT_WEBHOOK_BOT: makeUnauthorizedEntry('This API is only available to incoming webhook bots.'),
  NONEXISTENT_SUBDOMAIN: { code: 'NONEXISTENT_SUBDOMAIN', status: 404, msg: 'Invalid subdomain' },
  /**
   * Refusal of an unknown path. The API's original server answers an HTML page; ours is JSON like every other answer.
   */
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
  NO_BOTS: makeBadRequestEntry('This endpoint does not accept bot requests.'),
  NO_GUESTS: makeBadRequestEntry('Not allowed for guest users'),
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
  ARGUMENT_NOT_JSON: makeBadRequestEntry('Argument "{var_name}" is not valid JSON.'),
  /** Refusal of an invalid parameter value; the schema (model/schema/validate.ts) or the handler makes the message. */
  VALIDATION_FAILED: makeBadRequestEntry('{message}'),
  /**
   * Refusal that only this server has: the form can't be parsed (a multipart body without its boundary, too many
   * fields).
   */
  MALFORMED_FORM: makeBadRequestEntry('Malformed request body'),
  /** Refusal that only this server has: the proxy of the API's original server answers with an HTML page instead. */
  BODY_TOO_LARGE: { code: 'BAD_REQUEST', status: 413, msg: 'Request body is larger than the allowed limit' },
  INTERNAL: { status: 500, msg: 'Internal server error' },
  /**
   * Refusal that only this server has: no host owns the actor, its mailbox is full, or the deadline passed. It has no
   * code, like status 500.
   */
  SERVICE_UNAVAILABLE: { status: 503, msg: 'Service temporarily unavailable, please try again', retryable: true },

  // Refusals that operations of several resources share.
  INVALID_MESSAGES: makeBadRequestEntry('Invalid message(s)'),
  INVALID_STREAM_ID: makeBadRequestEntry('Invalid stream ID'),
  INVALID_STREAM_NAME: makeBadRequestEntry("Invalid stream name '{name}'"),
  NO_SUCH_USER: makeBadRequestEntry('No such user'),
  USER_IS_DEACTIVATED: makeBadRequestEntry('User is deactivated'),
  INSUFFICIENT_PERMISSION: makeBadRequestEntry('Insufficient permission'),
  NOT_AUTHORIZED_FOR_QUERY: makeBadRequestEntry('User not authorized for this query'),
  /** Refusal of an unknown user in a list of recipients; this message has no colon. */
  INVALID_USER_ID: makeBadRequestEntry('Invalid user ID {user_id}'),
  /** Refusal of an unknown member of a group or value of a profile field; this message has a colon. */
  INVALID_MEMBER_ID: makeBadRequestEntry('Invalid user ID: {user_id}'),
  INVALID_EMAIL: makeBadRequestEntry("Invalid email '{email}'"),
  ENTER_VALID_EMAIL: makeBadRequestEntry('Enter a valid email address.'),
  INVALID_USER_GROUP: makeBadRequestEntry('Invalid user group'),
  NOTHING_TO_DO: makeBadRequestEntry('Nothing to do. Specify at least one of "add" or "delete".'),
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

  // Refusals about event queues (events.md, register.md).
  BAD_EVENT_QUEUE_ID: {
    code: 'BAD_EVENT_QUEUE_ID',
    status: 400,
    msg: 'Bad event queue ID: {queue_id}',
    data: ['queue_id'],
  },
  EVENT_PRUNED: makeBadRequestEntry('An event newer than {last_event_id} has already been pruned!'),
  EVENT_NOT_IN_QUEUE: makeBadRequestEntry('Event {last_event_id} was not in this queue'),
  OPERATOR_NOT_SUPPORTED: makeBadRequestEntry('Operator {operator} not supported.'),
  ANONYMOUS_CLIENT_GRAVATAR: makeBadRequestEntry("Invalid 'client_gravatar' parameter for anonymous request"),
  ANONYMOUS_INCLUDE_SUBSCRIBERS: makeBadRequestEntry("Invalid 'include_subscribers' parameter for anonymous request"),

  // Refusals about sending, reading and flagging messages, and about reactions (messages.md, narrow.md).
  EXACTLY_ONE_STREAM: makeBadRequestEntry('Expected exactly one stream'),
  STREAM_DATA_TYPE: makeBadRequestEntry('Invalid data type for stream'),
  RECIPIENT_DATA_TYPE: makeBadRequestEntry('Invalid data type for recipients'),
  RECIPIENTS_MIXED: makeBadRequestEntry('Recipient lists may contain emails or user IDs, but not both.'),
  MISSING_STREAM: makeBadRequestEntry('Missing stream'),
  MISSING_TOPIC: makeBadRequestEntry('Missing topic'),
  TOPIC_EMPTY: makeBadRequestEntry("Topic can't be empty!"),
  TOPIC_CHARACTER: makeBadRequestEntry('Invalid character in topic, at position {position}!'),
  TOPICS_REQUIRED: makeBadRequestEntry('Topics are required in this organization'),
  NO_RECIPIENTS: makeBadRequestEntry('Message must have recipients'),
  MESSAGE_EMPTY: makeBadRequestEntry('Message must not be empty'),
  MESSAGE_NULL_BYTES: makeBadRequestEntry('Message must not contain null bytes'),
  ONLY_ADMINS_SEND: makeBadRequestEntry('Only organization administrators can send to this stream.'),
  ONLY_MODERATORS_SEND: makeBadRequestEntry('Only organization administrators and moderators can send to this stream.'),
  NO_GUESTS_SEND: makeBadRequestEntry('Guests cannot send to this stream.'),
  NO_NEW_MEMBERS_SEND: makeBadRequestEntry('New members cannot send to this stream.'),
  NOT_AUTHORIZED_TO_SEND: makeBadRequestEntry("Not authorized to send to stream '{stream}'"),
  DIRECT_MESSAGES_DISABLED: makeBadRequestEntry('Direct messages are disabled in this organization.'),
  RECIPIENT_GONE: makeBadRequestEntry("'{email}' is no longer using {product}."),
  WIDGET_JSON: makeBadRequestEntry('Widgets: API programmer sent invalid JSON content'),
  WIDGET_INVALID: makeBadRequestEntry('Widgets: {reason}'),
  CANNOT_RENDER: makeBadRequestEntry('Unable to render message'),
  WILDCARD_NOT_ALLOWED: makeBadRequestEntry('You do not have permission to use wildcard mentions in this stream.'),
  MISSING_ANCHOR: makeBadRequestEntry("Missing 'anchor' argument."),
  INVALID_ANCHOR: makeBadRequestEntry('Invalid anchor'),
  ANCHOR_EXCLUDED: makeBadRequestEntry('The anchor can only be excluded at an end of the range'),
  TOO_MANY_MESSAGES: makeBadRequestEntry('Too many messages requested (maximum {maximum}).'),
  BAD_NARROW: { code: 'BAD_NARROW', status: 400, msg: 'Invalid narrow operator: {desc}', data: ['desc'] },
  INVALID_FLAG: makeBadRequestEntry("Invalid flag: '{flag}'"),
  FLAG_NOT_EDITABLE: makeBadRequestEntry("Flag not editable: '{flag}'"),
  INVALID_FLAG_OPERATION: makeBadRequestEntry("Invalid message flag operation: '{op}'"),
  EMOJI_DOES_NOT_EXIST: makeBadRequestEntry("Emoji '{emoji_name}' does not exist"),
  EMOJI_CODE: makeBadRequestEntry('Invalid emoji code.'),
  EMOJI_NAME: makeBadRequestEntry('Invalid emoji name.'),
  EMOJI_TYPE: makeBadRequestEntry('Invalid emoji type.'),
  CUSTOM_EMOJI_UNKNOWN: makeBadRequestEntry('Invalid custom emoji.'),
  CUSTOM_EMOJI_NAME: makeBadRequestEntry('Invalid custom emoji name.'),
  CUSTOM_EMOJI_DEACTIVATED: makeBadRequestEntry('This custom emoji has been deactivated.'),
  REACTION_EXISTS: makeBadRequestEntry('Reaction already exists.'),
  REACTION_DOES_NOT_EXIST: makeBadRequestEntry("Reaction doesn't exist."),
  REACTION_ARGUMENTS: makeBadRequestEntry(
    'At least one of the following arguments must be present: emoji_name, emoji_code',
  ),
  /** Refusal that only this server has: a message is one record of the Store, whose size is limited. */
  TOO_MANY_REACTIONS: makeBadRequestEntry('This message has too many reactions.'),
  CANNOT_ATTACH_SUBMESSAGE: makeBadRequestEntry('You cannot attach a submessage to this message.'),
  SUBMESSAGE_JSON: makeBadRequestEntry('Invalid json for submessage'),
  POLL_QUESTION: makeBadRequestEntry("You can't edit a question unless you are the author."),
  TODO_TITLE: makeBadRequestEntry("You can't edit the task list title unless you are the author."),
  READ_RECEIPTS_DISABLED: makeBadRequestEntry('Read receipts are disabled in this organization.'),
  NO_SUCH_TOPIC: makeBadRequestEntry("No such topic '{topic_name}'"),

  // Refusals about changing, moving and deleting messages (messages.md).
  EDITING_OFF: makeBadRequestEntry('Your organization has turned off message editing'),
  DIRECT_TO_STREAM: makeBadRequestEntry('Direct messages cannot be moved to streams.'),
  DIRECT_TOPIC: makeBadRequestEntry('Direct messages cannot have topics.'),
  PROPAGATE_NOTHING: makeBadRequestEntry('Invalid propagate_mode without topic edit'),
  /** Refusal of an edit whose author has seen another text than the present one. */
  CONTENT_MISMATCH: {
    code: 'EXPECTATION_MISMATCH',
    status: 400,
    msg: "'prev_content_sha256' value does not match the expected value.",
  },
  CONTENT_AND_STREAM: makeBadRequestEntry('Cannot change message content while changing stream'),
  WIDGET_EDIT: makeBadRequestEntry('Widgets cannot be edited.'),
  EDIT_NOT_ALLOWED: makeBadRequestEntry("You don't have permission to edit this message"),
  EDIT_TOO_LATE: makeBadRequestEntry('The time limit for editing this message has passed'),
  TOPIC_TOO_LATE: makeBadRequestEntry("The time limit for editing this message's topic has passed."),
  MOVE_NOT_ALLOWED: makeBadRequestEntry("You don't have permission to move this message"),
  MOVE_WITHOUT_ACCESS: makeBadRequestEntry(
    "You don't have permission to move this message due to missing access to its stream",
  ),
  STREAM_TOO_LATE: makeBadRequestEntry("The time limit for editing this message's stream has passed"),
  MOVE_TIME_LIMIT: {
    code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    status: 400,
    msg: 'You only have permission to move the {total_messages_allowed_to_move}/{total_messages_in_topic} most recent messages in this topic.',
    data: ['first_message_id_allowed_to_move', 'total_messages_in_topic', 'total_messages_allowed_to_move'],
  },
  DELETE_NOT_ALLOWED: makeBadRequestEntry("You don't have permission to delete this message"),
  DELETE_TOO_LATE: makeBadRequestEntry('The time limit for deleting this message has passed'),
  ALREADY_DELETED: makeBadRequestEntry('Message already deleted'),
  JOINED_TOO_OFTEN: makeBadRequestEntry('A user has left and joined this stream too often to join it again.'),
  EDIT_HISTORY_FULL: makeBadRequestEntry('The edit history of this message is full.'),
  MOVED_TOO_OFTEN: makeBadRequestEntry('A message was moved between streams too often to be moved again.'),
  EDIT_HISTORY_OFF: makeBadRequestEntry('Message edit history is disabled in this organization'),

  // Refusals about drafts and scheduled messages (messages.md).
  DRAFTS_OFF: makeBadRequestEntry('User has disabled synchronizing drafts.'),
  /** Refusal without a code, as recorded from the API's original server. */
  NO_SUCH_DRAFT: { status: 404, msg: 'Draft does not exist' },
  NO_SUCH_SAVED_SNIPPET: { code: 'BAD_REQUEST', status: 404, msg: 'Saved snippet does not exist.' },
  TIMESTAMP_NEGATIVE: makeBadRequestEntry('Timestamp must not be negative.'),
  TOPIC_NULL_BYTES: makeBadRequestEntry('Topic must not contain null bytes'),
  ONE_DRAFT_STREAM: makeBadRequestEntry('Must specify exactly 1 stream ID for stream messages'),
  NO_SUCH_SCHEDULED_MESSAGE: { code: 'BAD_REQUEST', status: 404, msg: 'Scheduled message does not exist' },
  SCHEDULED_IN_PAST: makeBadRequestEntry('Scheduled delivery time must be in the future.'),
  SCHEDULED_STREAM_TYPE: makeBadRequestEntry('Invalid data type for stream ID'),
  SCHEDULED_USER_IDS: makeBadRequestEntry('Recipient list may only contain user IDs'),
  SCHEDULED_NEEDS_RECIPIENT: makeBadRequestEntry('Recipient required when updating type of scheduled message.'),
  SCHEDULED_NEEDS_TOPIC: makeBadRequestEntry('Topic required when updating scheduled message type to stream.'),
  SCHEDULED_ALREADY_SENT: makeBadRequestEntry('Scheduled message was already sent'),
  NOTHING_TO_CHANGE: makeBadRequestEntry('Nothing to change'),

  // Refusals about typing notifications (messages.md).
  EMPTY_TO: makeBadRequestEntry("Empty 'to' list"),
  MANY_STREAMS: makeBadRequestEntry('Cannot send to multiple streams'),
  STREAM_TYPING_OFF: makeBadRequestEntry('User has disabled typing notifications for stream messages'),
  DIRECT_TYPING_OFF: makeBadRequestEntry('User has disabled typing notifications for direct messages'),

  // Refusals about presence, user status and hotspots (users.md).
  INVALID_PRESENCE_STATUS: makeBadRequestEntry('Invalid status: {status}'),
  PRESENCE_OF_BOT: makeBadRequestEntry('Presence is not supported for bot users.'),
  NO_PRESENCE: makeBadRequestEntry('No presence data for {user_id_or_email}'),
  NO_NEW_STATUS: makeBadRequestEntry('Client did not pass any new values.'),
  STATUS_WITHOUT_EMOJI_NAME: makeBadRequestEntry(
    'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
  ),
  UNKNOWN_HOTSPOT: makeBadRequestEntry('Unknown hotspot: {hotspot}'),

  // Refusals about streams, subscriptions and topics (streams.md).
  STREAM_INACCESSIBLE: makeBadRequestEntry('Unable to access stream ({stream_name}).'),
  STREAM_NAME_EMPTY: makeBadRequestEntry("Stream name can't be empty!"),
  STREAM_NAME_TOO_LONG: makeBadRequestEntry('Stream name too long (limit: {limit} characters).'),
  STREAM_NAME_CHARACTER: makeBadRequestEntry('Invalid character in stream name, at position {position}!'),
  STREAM_NAME_SAME: makeBadRequestEntry('Stream already has that name!'),
  STREAM_NAME_TAKEN: makeBadRequestEntry("Stream name '{name}' is already taken."),
  STREAM_ALREADY_DEACTIVATED: makeBadRequestEntry('Stream is already deactivated'),
  GROUP_NOT_SYSTEM: makeBadRequestEntry("'{setting}' must be a system user group."),
  GROUP_NOT_ALLOWED: makeBadRequestEntry("'{setting}' setting cannot be set to '{group}' group."),
  NO_WEB_PUBLIC_STREAMS: makeBadRequestEntry('Web-public streams are not enabled.'),
  DEFAULT_STREAM_PRIVATE: makeBadRequestEntry('Default streams cannot be made private.'),
  DEFAULT_STREAM_PRIVATE_ADD: makeBadRequestEntry('Private streams cannot be made default.'),
  NO_STREAM_GROUP: makeBadRequestEntry("Default stream group with id '{id}' does not exist."),
  STREAM_GROUP_NAME_BLANK: makeBadRequestEntry("Invalid default stream group name '{name}'"),
  STREAM_GROUP_NAME_TOO_LONG: makeBadRequestEntry('Default stream group name too long (limit: 60 characters)'),
  STREAM_GROUP_NAME_NULL: makeBadRequestEntry("Default stream group name '{name}' contains NULL (0x00) characters."),
  STREAM_GROUP_NAME_SAME: makeBadRequestEntry("This default stream group is already named '{name}'"),
  STREAM_GROUP_EXISTS: makeBadRequestEntry("Default stream group '{group}' already exists"),
  STREAM_GROUP_DEFAULT_STREAM: makeBadRequestEntry("'{stream}' is a default stream and cannot be added to '{group}'"),
  STREAM_GROUP_PRESENT: makeBadRequestEntry("Stream '{stream}' is already present in default stream group '{group}'"),
  STREAM_GROUP_ABSENT: makeBadRequestEntry("Stream '{stream}' is not present in default stream group '{group}'"),
  STREAM_GROUP_OP: makeBadRequestEntry('Invalid value for "op". Specify one of "add" or "remove".'),
  STREAM_GROUP_NOTHING: makeBadRequestEntry('You must pass "new_description" or "new_group_name".'),
  INVALID_PARAMETERS: makeBadRequestEntry('Invalid parameters'),
  UNKNOWN_SUBSCRIPTION_PROPERTY: makeBadRequestEntry('Unknown subscription property: {property}'),
  NOT_SUBSCRIBED: makeBadRequestEntry('Not subscribed to stream id {stream_id}'),
  TOPIC_NOT_MUTED: makeBadRequestEntry('Topic is not muted'),
  SUPPLY_STREAM: makeBadRequestEntry("Please supply 'stream'."),
  STREAM_TWICE: makeBadRequestEntry("Please choose one: 'stream' or 'stream_id'."),

  // Refusals about accounts, their settings and groups (users.md).
  /**
   * Refusal of a log-in by POST /fetch_api_key, which keeps the codes of authentication errors; Basic authentication
   * has no such codes.
   */
  AUTHENTICATION_FAILED: {
    code: 'AUTHENTICATION_FAILED',
    status: 401,
    msg: 'Your username or password is incorrect',
  },
  USER_DEACTIVATED: { code: 'USER_DEACTIVATED', status: 401, msg: 'Account is deactivated' },
  PASSWORD_AUTH_DISABLED: {
    code: 'PASSWORD_AUTH_DISABLED',
    status: 401,
    msg: 'Password authentication is disabled in this organization',
  },
  REALM_DEACTIVATED: { code: 'REALM_DEACTIVATED', status: 401, msg: 'This organization has been deactivated' },
  INVALID_SUBDOMAIN: makeBadRequestEntry('Invalid subdomain'),
  /** Refusal that only the command line gets: an unfinished import has reserved the subdomain. */
  IMPORT_UNFINISHED: makeBadRequestEntry(
    "Another export's import to '{subdomain}' has not ended: repeat it, or drop it with --drop",
  ),
  /** Refusal that only the command line gets: records of a dropped import are not removed yet. */
  IMPORT_DROPPED: makeBadRequestEntry("The import to '{subdomain}' was dropped in part: repeat --drop first"),
  /** Refusal that only the command line gets: another import was faster. */
  IMPORT_SUBDOMAIN_TAKEN: makeBadRequestEntry("an organization with the subdomain '{subdomain}' exists already"),
  /** Refusal that only the command line gets: another process has gone on with the import. */
  IMPORT_TAKEN_OVER: makeBadRequestEntry(
    "Another process imports now. Repeat the import to '{subdomain}': it goes on behind the last stored file",
  ),
  /** Refusal that only the command line gets: the organization was reactivated in the meantime. */
  REALM_NOT_DEACTIVATED: makeBadRequestEntry('The organization is active: only a deactivated one can be deleted'),
  EMAIL_IN_USE: makeBadRequestEntry("Email '{email}' already in use"),
  EMAIL_NOT_ALLOWED: makeBadRequestEntry("Email '{email}' not allowed in this organization"),
  EMAIL_DISPOSABLE: makeBadRequestEntry('Disposable email addresses are not allowed in this organization'),
  EMAIL_PLUS: makeBadRequestEntry('Email addresses containing + are not allowed.'),
  NAME_TOO_LONG: makeBadRequestEntry('Name too long!'),
  NAME_TOO_SHORT: makeBadRequestEntry('Name too short!'),
  NAME_CHARACTERS: makeBadRequestEntry('Invalid characters in name!'),
  NAME_FORMAT: makeBadRequestEntry('Invalid format!'),
  NAME_OR_USERNAME: makeBadRequestEntry('Bad name or username'),
  PASSWORD_TOO_WEAK: makeBadRequestEntry('The password is too weak.'),
  WRONG_PASSWORD: makeBadRequestEntry('Wrong password!'),
  TOO_MANY_ATTEMPTS: makeBadRequestEntry("You're making too many attempts! Try again in {seconds} seconds."),
  NEW_PASSWORD_TOO_WEAK: makeBadRequestEntry('New password is too weak!'),
  EMAIL_CHANGES_DISABLED: makeBadRequestEntry('Email address changes are disabled in this organization.'),
  EMAIL_INVALID: makeBadRequestEntry('Invalid address.'),
  EMAIL_OUTSIDE: makeBadRequestEntry('Outside your domain.'),
  EMAIL_NOT_REAL: makeBadRequestEntry('Please use your real email address.'),
  EMAIL_TAKEN: makeBadRequestEntry('Already has an account.'),
  EMAIL_DEACTIVATED: makeBadRequestEntry('Account has been deactivated.'),
  EMAIL_RESERVED: makeBadRequestEntry('Reserved for system bots.'),
  TOKEN_LENGTH: makeBadRequestEntry('Empty or invalid length token'),
  APNS_TOKEN: makeBadRequestEntry('Invalid APNS token'),
  NO_SUCH_TOKEN: makeBadRequestEntry('Token does not exist'),
  ZCOMMAND_SLASH: makeBadRequestEntry('There should be a leading slash in the zcommand.'),
  NO_SUCH_ZCOMMAND: makeBadRequestEntry('No such command: {command}'),
  SIGN_IN_LINK_VOID: { code: 'AUTHENTICATION_FAILED', status: 401, msg: 'This link was used or has expired' },
  SIGN_IN_FLOW_VOID: makeBadRequestEntry('This sign-in was used or took too long.'),
  IDENTITY_WITHOUT_ADDRESS: makeBadRequestEntry('The account there has no verified e-mail address.'),
  IDENTITY_WITH_UNUSABLE_ADDRESS: makeBadRequestEntry('An account here can not have the e-mail address {email}.'),
  IDENTITY_OF_ANOTHER: makeBadRequestEntry('Another account of the same service signs in with this e-mail address.'),
  SINGLE_SIGN_ON_DISABLED: { status: 403, msg: 'This way to sign in is disabled in this organization' },
  NO_WEB_TOKEN: makeBadRequestEntry('No JSON web token passed in request'),
  BAD_WEB_TOKEN: makeBadRequestEntry('Bad JSON web token'),
  WEB_TOKEN_WITHOUT_EMAIL: makeBadRequestEntry('No email specified in JSON web token claims'),
  NO_SUCH_SESSION: makeBadRequestEntry('No such session'),
  WEB_PUSH_OFF: makeBadRequestEntry('Push notifications of browsers are turned off on this server'),
  INVALID_PUSH_SUBSCRIPTION: makeBadRequestEntry('Invalid push subscription: {field}'),
  MAIL_LINK: makeBadRequestEntry('This link is no longer valid.'),
  ONLY_OWNER_ROLE: makeBadRequestEntry('The owner permission cannot be removed from the only organization owner.'),
  /** Refusal by DELETE /users/{id}; it has no code, as recorded from the API's original server. */
  ONLY_OWNER_DEACTIVATION: { status: 400, msg: 'Cannot deactivate the only organization owner' },
  CANNOT_DEACTIVATE_LAST_USER: {
    code: 'CANNOT_DEACTIVATE_LAST_USER',
    status: 400,
    msg: 'Cannot deactivate the only {entity}.',
    data: ['is_last_owner', 'entity'],
  },
  CANNOT_MUTE_SELF: makeBadRequestEntry('Cannot mute self'),
  USER_ALREADY_MUTED: makeBadRequestEntry('User already muted'),
  USER_NOT_MUTED: makeBadRequestEntry('User is not muted'),
  INVALID_DEFAULT_LANGUAGE: makeBadRequestEntry('Invalid default_language'),
  INVALID_SOUND: makeBadRequestEntry("Invalid notification sound '{sound}'"),
  INVALID_BATCHING_PERIOD: makeBadRequestEntry('Invalid email batching period: {seconds} seconds'),
  NO_NEW_DATA: makeBadRequestEntry('No new data supplied'),
  GROUP_EXISTS: makeBadRequestEntry("User group '{name}' already exists."),
  ALREADY_MEMBER: makeBadRequestEntry('User {user_id} is already a member of this group'),
  NO_SUCH_MEMBER: makeBadRequestEntry("There is no member '{user_id}' in this user group"),
  INVALID_GROUP_ID: makeBadRequestEntry('Invalid user group ID: {id}'),
  ALREADY_SUBGROUP: makeBadRequestEntry('User group {group_id} is already a subgroup of this group.'),
  NO_SUCH_SUBGROUP: makeBadRequestEntry('User group {group_id} is not a subgroup of this group.'),
  FIELD_NOT_FOUND: makeBadRequestEntry('Field id {id} not found.'),
  FIELD_CHOICE: makeBadRequestEntry("'{value}' is not a valid choice for '{name}'."),
  USER_ID_DEACTIVATED: makeBadRequestEntry('User with ID {user_id} is deactivated'),
  USER_ID_BOT: makeBadRequestEntry('User with ID {user_id} is a bot'),
  JWT_NOT_ENABLED: makeBadRequestEntry('JWT authentication is not enabled for this organization'),

  // Refusals about bots and their storage (users.md § Bots).
  NO_SUCH_BOT: makeBadRequestEntry('No such bot'),
  EMBEDDED_BOTS_OFF: makeBadRequestEntry('Embedded bots are not enabled.'),
  USERNAME_IN_USE: makeBadRequestEntry('Username already in use'),
  REACTIVATED_BOT_NAME_IN_USE: makeBadRequestEntry(
    'There is already an active bot named "{full_name}" in this organization. To reactivate this bot, you must rename or deactivate the other one first.',
  ),
  BOT_NAME_IN_USE: makeBadRequestEntry('Name is already in use!'),
  INVALID_BOT_TYPE: makeBadRequestEntry('Invalid bot type'),
  INVALID_INTERFACE_TYPE: makeBadRequestEntry('Invalid interface type'),
  INVALID_INTEGRATION: makeBadRequestEntry("Invalid integration '{name}'."),
  MALFORMED_PAYLOAD: makeBadRequestEntry('Malformed payload'),
  PAYLOAD_NOT_JSON: { code: 'INVALID_JSON', status: 400, msg: 'Malformed JSON' },
  ANOMALOUS_PAYLOAD: {
    code: 'ANOMALOUS_WEBHOOK_PAYLOAD',
    status: 400,
    msg: 'Unable to parse request: Did {webhook_name} generate this event?',
    data: ['webhook_name'],
  },
  OWNER_NO_SUCH_USER: makeBadRequestEntry('Failed to change owner, no such user'),
  OWNER_DEACTIVATED: makeBadRequestEntry('Failed to change owner, user is deactivated'),
  OWNER_IS_BOT: makeBadRequestEntry("Failed to change owner, bots can't own other bots"),
  KEY_DOES_NOT_EXIST: makeBadRequestEntry('Key does not exist.'),
  STORAGE_FULL: makeBadRequestEntry(
    'Request exceeds storage limit by {n} characters. The limit is {limit} characters.',
  ),

  // Refusals about uploaded files and pictures (realm.md).
  NO_FILE: makeBadRequestEntry('You must specify a file to upload'),
  ONE_FILE: makeBadRequestEntry('You may only upload one file at a time'),
  FILE_TOO_LARGE: makeBadRequestEntry('Uploaded file is larger than the allowed limit of {n} MiB'),
  UPLOAD_QUOTA: {
    code: 'REALM_UPLOAD_QUOTA',
    status: 400,
    msg: "Upload would exceed your organization's upload quota.",
  },
  FILE_NOT_FOUND: { status: 404, msg: '<p>File not found.</p>', html: true },
  FILE_FORBIDDEN: { status: 403, msg: '<p>You are not authorized to view this file.</p>', html: true },
  IMAGE_NOT_SIGNED: { status: 403, msg: '<p>This server shows no such picture.</p>', html: true },
  IMAGE_UNAVAILABLE: { status: 502, msg: '<p>The picture could not be loaded from its server.</p>', html: true },
  IMAGE_UNFIT: { status: 502, msg: '<p>Its server gave no picture that is shown here.</p>', html: true },
  IMAGE_TOO_SLOW: { status: 504, msg: '<p>The server of the picture took too long.</p>', html: true },
  FILE_TOKEN: makeBadRequestEntry('Invalid token'),
  FILE_NAME: makeBadRequestEntry('Invalid filename'),
  INVALID_ATTACHMENT: makeBadRequestEntry('Invalid attachment'),
  EMOJI_NAME_MISSING: makeBadRequestEntry('Emoji name is missing'),
  EMOJI_NAME_CHARACTERS: makeBadRequestEntry(
    'Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.',
  ),
  EMOJI_NAME_END: makeBadRequestEntry('Emoji names must end with either a letter or digit.'),
  EMOJI_EXISTS: makeBadRequestEntry('A custom emoji with this name already exists.'),
  EMOJI_ONE_FILE: makeBadRequestEntry('You must upload exactly one file.'),
  EMOJI_OVERRIDE: makeBadRequestEntry('Only administrators can override default emoji.'),
  EMOJI_NOT_AUTHOR: makeBadRequestEntry('Must be an organization administrator or emoji author'),
  AVATAR_ONE_FILE: makeBadRequestEntry('You must upload exactly one avatar.'),
  AVATAR_CHANGES_DISABLED: makeBadRequestEntry('Avatar changes are disabled in this organization.'),
  ICON_ONE_FILE: makeBadRequestEntry('You must upload exactly one icon.'),
  LOGO_ONE_FILE: makeBadRequestEntry('You must upload exactly one logo.'),
  IMAGE_UNDECODABLE: makeBadImageEntry('Could not decode image; did you upload an image file?'),
  IMAGE_TOO_LARGE: makeBadImageEntry('Image size exceeds limit.'),
  IMAGE_ANIMATION_CORRUPT: makeBadImageEntry('Corrupt animated image.'),
  IMAGE_ANIMATION_UNKNOWN: makeBadImageEntry('Unknown animated image format.'),

  // Refusals about settings of the organization (realm.md).
  /** Refusal of an object with several invalid fields: `errors` lists the problem of each field. */
  INVALID_FIELDS: { code: 'BAD_REQUEST', status: 400, msg: '{message}', data: ['errors'] },
  INVALID_LANGUAGE: makeBadRequestEntry("Invalid language '{language}'"),
  NO_LOGIN_METHOD: makeBadRequestEntry('At least one authentication method must be enabled.'),
  INVALID_VIDEO_PROVIDER: makeBadRequestEntry('Invalid video_chat_provider {id}'),
  INVALID_GIPHY_RATING: makeBadRequestEntry('Invalid giphy_rating {id}'),
  DEMO_ONLY: makeBadRequestEntry('Must be a demo organization.'),
  LINKIFIER_NOT_FOUND: makeBadRequestEntry('Linkifier not found.'),
  INVALID_PLAYGROUND: makeBadRequestEntry('Invalid playground'),
  PLAYGROUND_LANGUAGE: makeBadRequestEntry('Invalid characters in pygments language'),
  INVALID_DOMAIN: makeBadRequestEntry('Invalid domain: {reason}'),
  DOMAIN_EXISTS: makeBadRequestEntry('The domain {domain} is already a part of your organization.'),
  NO_SUCH_DOMAIN: makeBadRequestEntry('No entry found for domain {domain}.'),
  USER_AGENT_MISSING: makeBadRequestEntry('User-Agent header missing from request'),
  CLIENT_TOO_OLD: makeBadRequestEntry('Client is too old'),
  ZOOM_NOT_CONFIGURED: makeBadRequestEntry('Zoom credentials have not been configured'),
  BIG_BLUE_BUTTON_NOT_CONFIGURED: makeBadRequestEntry('BigBlueButton is not configured.'),
  EXPORT_BY_HAND: makeBadRequestEntry('Please request a manual export from {email}.'),
  EXPORT_LIMIT: makeBadRequestEntry('Exceeded rate limit.'),
  NO_SUCH_EXPORT: makeBadRequestEntry('Invalid data export ID'),
  EXPORT_DELETED: makeBadRequestEntry('Export already deleted'),
  EXPORT_FAILED: makeBadRequestEntry('Export failed, nothing to delete'),
  EXPORT_PENDING: makeBadRequestEntry('Export still in progress'),
  PROFILE_SUMMARY_FULL: makeBadRequestEntry('Only {n} custom profile fields can be displayed in the profile summary.'),
  PROFILE_FIELD_NO_CHOICE: makeBadRequestEntry('Field must have at least one choice.'),
  PROFILE_CHOICE_BLANK: makeBadRequestEntry("'value' cannot be blank."),
  PROFILE_CHOICE_TWICE: makeBadRequestEntry('Field must not have duplicate choices.'),
  PROFILE_ACCOUNT_TYPE: makeBadRequestEntry('Invalid external account type'),
  PROFILE_ACCOUNT_PATTERN: makeBadRequestEntry('Custom external account must define URL pattern'),
  PROFILE_URL_PATTERN: makeBadRequestEntry("URL pattern must contain '%(username)s'."),
  PROFILE_LABEL_BLANK: makeBadRequestEntry('Label cannot be blank.'),
  PROFILE_LABEL_TAKEN: makeBadRequestEntry('A field with that label already exists.'),
  PROFILE_FIELD_TYPE: makeBadRequestEntry('Invalid field type.'),
  PROFILE_FIELD_NOT_IN_SUMMARY: makeBadRequestEntry('Field type not supported for display in profile summary.'),
  PROFILE_FIELD_FIXED: makeBadRequestEntry('Default custom field cannot be updated.'),
  PROFILE_FIELD_ORDER: makeBadRequestEntry('Invalid order mapping.'),

  // Refusals about invitations (realm.md § Invitations).
  /** Refusal with the text of ADMIN_REQUIRED, but with another code. */
  INVITER_NOT_ADMIN: makeBadRequestEntry('Must be an organization administrator'),
  NO_INVITEES: makeBadRequestEntry('You must specify at least one email address.'),
  INVITE_STREAM_UNKNOWN: makeBadRequestEntry('Stream does not exist with id: {stream_id}. No invites were sent.'),
  INVITE_LINK_STREAM_UNKNOWN: makeBadRequestEntry('Invalid stream ID {stream_id}. No invites were sent.'),
  INVITE_MAY_NOT_SUBSCRIBE: makeBadRequestEntry('You do not have permission to subscribe other users to streams.'),
  NO_SUCH_INVITATION: makeBadRequestEntry('No such invitation'),
  /** Refusal that only this server has, shown as a page: the link names an invitation that is no longer valid. */
  INVITATION_GONE: { status: 404, msg: 'This invitation does not stand any more' },
  /** Refusal that only this server has, shown as a page: the organization can be joined by invitation only. */
  SIGN_UP_CLOSED: { status: 403, msg: 'An invitation is needed' },
  INVITATION_REVOKED: makeBadRequestEntry('Invitation has already been revoked'),
  INVITES_INVALID: makeInvitationFailedEntry("Some emails did not validate, so we didn't send any invitations."),
  INVITES_ALL_TAKEN: makeInvitationFailedEntry("We weren't able to invite anyone."),
  INVITES_SOME_TAKEN: makeInvitationFailedEntry(
    "Some of those addresses are already using {product}, so we didn't send them an invitation. We did send invitations to everyone else!",
  ),
  DAILY_INVITES_SPENT: makeInvitationFailedEntry(
    'To protect users, {product} limits the number of invitations you can send in one day. Because you have reached the limit, no invitations were sent.',
  ),
  INVITER_TOO_NEW: makeInvitationFailedEntry(
    'Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.',
  ),
} as const satisfies Record<string, ErrorCatalogueEntry>;

export type ApiErrorName = keyof typeof API_ERROR_CATALOGUE;
