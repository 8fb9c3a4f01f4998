/**
 * Declared outcomes that the suite cannot or need not try: `operation: outcome` → reason. Unneeded entries fail the
 * run.
 */

/** Errors of wire.json, by message. */
const NO_WAY = 'nothing that a client sends brings it about';

/** These servers have no provider of identities and no key of signed tokens; the servers of that program have. */
const SINGLE_SIGN_ON = 'brought about in single-sign-on.test.ts';
const ONLY_IDS = 'streams and people are named by id here';
const NO_WIDGETS = 'what is scheduled has no widget_content';
const NO_FORGING = 'no sender but the caller can be named here';
/** Access to a stream and the right to post to it are the same, apart from its posting policy. */
const SAME_ACCESS = 'whoever may not access the stream is refused before';
const GUESTS_MOVE_NOTHING = 'no value of move_messages_between_streams_policy lets guests move messages';
const SAME_WORDS = 'in the words of another refusal of the operation; brought about in reaction-refusals';
const IN_LIST = 'a list names the place: drafts[0]["…"], which is brought about in drafts';

const ALIAS = 'another name of PATCH /settings, where its errors are brought about';
const NO_EMBEDDED = 'no embedded bots are served: refused before';

const NO_PROVIDER = 'cannot be configured: refused before';

/** Operations that cannot succeed here. */
export const NOT_SUCCEEDED: Readonly<Record<string, string>> = {
  'GET /calls/bigbluebutton/create: success': NO_PROVIDER,
  'POST /calls/zoom/create: success': NO_PROVIDER,
  'POST /jwt/fetch_api_key: success': SINGLE_SIGN_ON,
};

export const NOT_BROUGHT_ABOUT: Readonly<Record<string, string>> = {
  'GET /server_settings: Subdomain required': 'raised only by servers that have no first organization',
  'POST /fetch_api_key: Password authentication is disabled in this organization': SINGLE_SIGN_ON,
  'POST /fetch_api_key: Your password has been disabled and needs to be reset': NO_WAY,
  "POST /messages/flags/narrow: Missing 'anchor' argument.":
    'answered like every missing parameter: narrow.md, and recorded (n 712)',
  'POST /messages: Invalid mirrored message': 'no client may mirror here: refused before',
  'POST /register: Could not allocate event queue': NO_WAY,
  'PATCH /users/{user_id}: Guests cannot be organization administrators': 'an account has one role',
  "*: You can't send direct messages outside of your organization.": NO_WAY,
  'POST /users: User not authorized for this query': 'the right is that of administrators: others are refused before',
  '*: Unable to render message': NO_WAY,
  '*: New members cannot send to this stream.': 'accounts of the suite are all as old, and the threshold is in days',
  '*: Unknown regular expression error': NO_WAY,
  'DELETE /messages/{message_id}/reactions: Invalid message(s) (emoji_code unknown)': SAME_WORDS,
  'GET /streams/{stream_id}/members: Subscriber data is not available for this stream': NO_WAY,
  'GET /streams/{stream_id}/members: Unable to retrieve subscribers for private stream': SAME_ACCESS,
  'PATCH /messages/{message_id}: Guests cannot send to this stream.': GUESTS_MOVE_NOTHING,
  "PATCH /messages/{message_id}: Not authorized to send to stream '{stream}'": SAME_ACCESS,
  'PATCH /messages/{message_id}: User not authorized for this query': NO_FORGING,
  'POST /drafts: draft["content"] cannot be blank.': IN_LIST,
  'POST /drafts: draft["timestamp"] is not an allowed_type': IN_LIST,
  "POST /typing: Not authorized to send to stream '{stream}'": SAME_ACCESS,
  'POST /typing: User not authorized for this query': NO_FORGING,
  ...Object.fromEntries(
    ['POST /scheduled_messages', 'PATCH /scheduled_messages/{scheduled_message_id}'].flatMap((operation) => [
      [`${operation}: Stream '{stream}' does not exist`, ONLY_IDS],
      [`${operation}: Invalid email '{email}'`, ONLY_IDS],
      [`${operation}: User not authorized for this query`, NO_FORGING],
      [`${operation}: Widgets: API programmer sent invalid JSON content`, NO_WIDGETS],
      [`${operation}: Widgets: {reason}`, NO_WIDGETS],
    ]),
  ),
  'PATCH /scheduled_messages/{scheduled_message_id}: Missing topic':
    'what becomes a stream message must be given one, which is refused before in other words',
  'POST /bots: Invalid embedded bot name.': NO_EMBEDDED,
  'POST /bots: Invalid configuration data!': NO_EMBEDDED,
  'POST /bots: Missing configuration parameters: {keys}': 'no integration needs a configuration',
  'POST /calls/zoom/create: Invalid Zoom access token': NO_PROVIDER,
  'POST /calls/zoom/create: Failed to create Zoom call': NO_PROVIDER,
  'PATCH /settings/display: *': ALIAS,
  'PATCH /settings/notifications: *': ALIAS,
};

/** Roles. */
const NO_CREDENTIALS = 'needs no credentials and looks at none';
const roles = (operation: string, names: readonly string[], why: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${operation}: ${name}`, why]));

const WITH_ACCOUNT = ['owner', 'admin', 'moderator', 'member', 'guest', 'foreign', 'deactivated', 'bot'];

export const NOT_TRIED_AS: Readonly<Record<string, string>> = {
  ...roles('GET /compatibility', WITH_ACCOUNT, NO_CREDENTIALS),
  ...roles('POST /fetch_api_key', WITH_ACCOUNT, NO_CREDENTIALS),
  ...roles('POST /jwt/fetch_api_key', WITH_ACCOUNT, NO_CREDENTIALS),
  ...roles('GET /realm/subdomain/{subdomain}', WITH_ACCOUNT, NO_CREDENTIALS),
  ...roles('GET /server_settings', ['foreign', 'deactivated'], NO_CREDENTIALS),
};

const KEYS = 'whoever watched with the old key is out; no state shows keys';
const DEVICES = 'no state shows the devices of an account';

/** Operations without an effect on the state of clients. */
const unwatched = (operation: string, why: string): Record<string, string> =>
  Object.fromEntries(['acting', 'bystander'].map((who) => [`${operation}: ${who}`, why]));

export const NOT_WATCHED: Readonly<Record<string, string>> = {
  ...unwatched('PUT /bot_storage', 'no section shows it, and no event tells of it'),
  ...unwatched('DELETE /bot_storage', 'no section shows it, and no event tells of it'),
  'POST /external/{integration}: acting': 'bots of webhooks have no event queues',
  ...unwatched('POST /register', 'makes the snapshot itself'),
  ...unwatched('POST /realm/deactivate', 'nobody registers in an organization that is deactivated'),
  'DELETE /users/me: acting': 'whoever it is about is shut out',
  ...unwatched('DELETE /events', 'ends a queue, which nobody else sees'),
  ...unwatched('POST /fetch_api_key', 'changes nothing'),
  ...unwatched('POST /messages/render', 'changes nothing'),
  ...unwatched('POST /users/me/api_key/regenerate', KEYS),
  ...unwatched('POST /users/me/apns_device_token', DEVICES),
  ...unwatched('DELETE /users/me/apns_device_token', DEVICES),
  ...unwatched('POST /users/me/android_gcm_reg_id', DEVICES),
  ...unwatched('DELETE /users/me/android_gcm_reg_id', DEVICES),
  ...unwatched('POST /messages/matches_narrow', 'changes nothing'),
  ...unwatched('POST /calls/zoom/create', 'changes nothing'),
  ...unwatched('POST /jwt/fetch_api_key', 'changes nothing'),
};
