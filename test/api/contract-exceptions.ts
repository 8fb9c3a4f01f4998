/** What the suite cannot or need not try: `operation: what` → why. Unneeded entries fail the run. */

/** Errors of wire.json, by message. */
const NO_ACCOUNT = 'accounts and organizations are deactivated by operations that come later';
const NO_POLICY = 'the setting that brings it about comes later';
const NO_WAY = 'nothing that a client sends brings it about';

const ALIAS = 'another name of PATCH /settings, where its errors are brought about';
/** Of name, address and password. */
const OF_NAMES = [
  'Wrong password!',
  "You're making too many attempts! Try again in {n} seconds.",
  'New password is too weak!',
  'Email address changes are disabled in this organization.',
  'Invalid address.',
  'Outside your domain.',
  'Please use your real email address.',
  'Email addresses containing + are not allowed.',
  'Already has an account.',
  'Account has been deactivated.',
  'Reserved for system bots.',
  'Name too long!',
  'Name too short!',
  'Invalid characters in name!',
  'Invalid format!',
];

export const NOT_BROUGHT_ABOUT: Readonly<Record<string, string>> = {
  'GET /server_settings: Subdomain required': 'raised only by servers that have no first organization',
  'POST /fetch_api_key: Account is deactivated': NO_ACCOUNT,
  'POST /fetch_api_key: This organization has been deactivated': NO_ACCOUNT,
  'POST /fetch_api_key: Password authentication is disabled in this organization': NO_POLICY,
  'POST /fetch_api_key: Your password has been disabled and needs to be reset': NO_WAY,
  'POST /fetch_api_key: API usage exceeded rate limit': 'rate limits come later',
  "POST /messages/flags/narrow: Missing 'anchor' argument.":
    'answered like every missing parameter: narrow.md, and recorded (n 712)',
  'POST /messages: Invalid mirrored message': 'no client may mirror here: refused before',
  'POST /register: Could not allocate event queue': NO_WAY,
  'POST /users: User not authorized for this query': NO_POLICY,
  "POST /users: Email '{email}' not allowed in this organization": NO_POLICY,
  'POST /users: Disposable email addresses are not allowed in this organization': NO_POLICY,
  'POST /users: Email addresses containing + are not allowed.': NO_POLICY,
  "POST /users/me/subscriptions: 'can_remove_subscribers_group' must be a system user group.": 'groups come later',
  '*: This endpoint does not accept bot requests.': 'bots are made by operations that come later',
  "*: '{email}' is no longer using {product}.": NO_ACCOUNT,
  '*: User is deactivated': NO_ACCOUNT,
  "*: You can't send direct messages outside of your organization.": NO_WAY,
  '*: Unable to render message': NO_WAY,
  '*: New members cannot send to this stream.': 'accounts of the suite are all as old, and the threshold is in days',
  '*: Unknown regular expression error': NO_WAY,
  'PATCH /settings/display: *': ALIAS,
  'PATCH /settings/notifications: *': ALIAS,
  ...Object.fromEntries(OF_NAMES.map((msg) => [`PATCH /settings: ${msg}`, 'name, address and password come later'])),
};

/** Roles. */
const NO_CREDENTIALS = 'needs no credentials and looks at none';
const roles = (operation: string, names: readonly string[], why: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${operation}: ${name}`, why]));

export const NOT_TRIED_AS: Readonly<Record<string, string>> = {
  ...roles('GET /server_settings', ['foreign'], NO_CREDENTIALS),
  ...roles('POST /fetch_api_key', ['owner', 'admin', 'moderator', 'member', 'guest', 'foreign'], NO_CREDENTIALS),
};

/** Operations that change nothing which a client's state shows. */
const unwatched = (operation: string, why: string): Record<string, string> =>
  Object.fromEntries(['acting', 'bystander'].map((who) => [`${operation}: ${who}`, why]));

export const NOT_WATCHED: Readonly<Record<string, string>> = {
  ...unwatched('POST /register', 'makes the snapshot itself'),
  ...unwatched('DELETE /events', 'ends a queue, which nobody else sees'),
  ...unwatched('POST /fetch_api_key', 'changes nothing'),
  ...unwatched('POST /messages/render', 'changes nothing'),
  ...unwatched('POST /messages/matches_narrow', 'changes nothing'),
};
