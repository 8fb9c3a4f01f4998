/** The contract's entry of a refusal: one of the operation, or one that all operations share. */
import type { Fields } from './types.js';
import { type Declared, find, type WireError, wire } from './wire.js';

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Template `Stream '{stream}' …` as a pattern of the whole message; a position stands for any. */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\{[^}]*\}/)
      .map((part) => literally(part).replace('\\[0\\]', '\\[\\d+\\]'))
      .join('[^]*')}$`,
  );

const patterns = new Map<string, RegExp>();
function matches(template: string, msg: string): boolean {
  let pattern = patterns.get(template);
  if (!pattern) {
    pattern = patternOf(template.replaceAll('{product}', 'Conclave'));
    patterns.set(template, pattern);
  }
  return pattern.test(msg);
}

/** The matching template with the most literal text. */
function best(entries: readonly WireError[], status: number, msg: string): WireError | undefined {
  const length = (entry: WireError): number => entry.msg.replace(/\{[^}]*\}/g, '').length;
  return entries
    .filter((entry) => entry.status === status && matches(entry.msg, msg))
    .sort((a, b) => length(b) - length(a))[0];
}

/** conventions.md § Validator messages, after the name of the parameter and a position in it. */
const VALIDATOR = [
  'is not an? (string|integer|float|boolean|list|dict|date|URL|allowed_type|valid hex color code|recognized time zone)',
  'is not a string or integer',
  'is not a string or an integer list',
  'cannot be blank\\.',
  'is too (small|large)',
  'is too long \\(limit: \\d+ characters\\)',
  // Limits of lists and a refused key that only this server has; the contract has none.
  'has too many items \\(limit: \\d+\\)',
  'contains an invalid key: __proto__',
  'has incorrect length \\d+; should be \\d+',
  'should have exactly \\d+ items',
  'contains a value that is not an? \\w+',
].join('|');

/** messages.md § Submessages: the refusal of a submessage names its widget. */
const WIDGETS = ['poll data', 'todo data'];

/** A message about a parameter that the operation lacks is not in the contract. */
function validatorMessage(declared: Declared): RegExp {
  const names = [...declared.parameters.map(({ name }) => literally(name)), 'elem', ...WIDGETS].join('|');
  const place = `(${names})(\\[\\d+\\]|\\["[^"]*"\\])*`;
  return new RegExp(
    `^(${place} (${VALIDATOR})|Invalid ${place}|\\w+ key is missing from ${place}|Unexpected arguments: .+|Argument "(${names})" is not valid JSON\\.)$`,
  );
}

const validators = new Map<Declared, RegExp>();
function isValidatorMessage(declared: Declared, msg: string): boolean {
  let found = validators.get(declared);
  if (!found) {
    found = validatorMessage(declared);
    validators.set(declared, found);
  }
  return found.test(msg);
}

const ENVELOPE = ['result', 'msg', 'code'];

/** `extra` of wire.json gives types in words: 'string or integer', 'array of …', 'object: …'. */
function hasType(value: unknown, type: string): boolean {
  if (type === 'any') return value !== undefined;
  const is = Array.isArray(value) ? ['array'] : [typeof value, ...(Number.isInteger(value) ? ['integer'] : [])];
  return type.split(' or ').some((one) => is.includes(one.split(/[ :]/)[0]!));
}

/** Placeholders that are no fields of the answer are left out of `extra` by the contract. */
function problem(entry: WireError, body: Fields): string | undefined {
  const code = entry.seed_omits_code ? undefined : entry.code;
  if (body.code !== code) return `code ${body.code} instead of ${code}`;
  const expected = Object.entries(entry.extra ?? {});
  for (const [name, type] of expected) {
    if (!hasType(body[name], type)) return `${name} is ${JSON.stringify(body[name])} instead of ${type}`;
  }
  const more = Object.keys(body).filter((name) => !ENVELOPE.includes(name) && !expected.some(([key]) => key === name));
  return more.length > 0 ? `fields beside: ${more.join(', ')}` : undefined;
}

const bad = (msg: string): WireError => ({ status: 400, code: 'BAD_REQUEST', msg });

/** errors.md: of every avatar. */
const OF_PICTURES: readonly WireError[] = [
  { status: 400, code: 'BAD_IMAGE', msg: 'Could not decode image; did you upload an image file?' },
  { status: 400, code: 'BAD_IMAGE', msg: 'Image size exceeds limit.' },
  bad('Uploaded file is larger than the allowed limit of {n} MiB'),
];

const OF_DAILY_INVITATIONS: readonly WireError[] = [
  {
    status: 400,
    code: 'INVITATION_FAILED',
    msg: 'To protect users, {product} limits the number of invitations you can send in one day. Because you have reached the limit, no invitations were sent.',
    extra: {
      errors: 'array of [email, reason, deactivated]',
      sent_invitations: 'boolean',
      daily_limit_reached: 'boolean',
      license_limit_reached: 'boolean',
    },
  },
];

/** Refusals that the contract describes in words, and wire.json leaves out. */
const IN_WORDS: Readonly<Record<string, readonly WireError[]>> = {
  // messages.md § PATCH: a text is normalised like sending, and topics may be mandatory.
  'PATCH /messages/{message_id}': [
    bad('Message must not contain null bytes'),
    bad('Topics are required in this organization'),
  ],
  // messages.md § GET /messages/{id}/history.
  'GET /messages/{message_id}/history': [bad('Message edit history is disabled in this organization')],
  // streams.md § Names: of the name in `to`.
  'POST /messages': [
    bad("Stream name can't be empty!"),
    bad('Stream name too long (limit: 60 characters).'),
    bad('Invalid character in stream name, at position {n}!'),
  ],
  // users.md § API keys: the peer's own texts.
  'POST /jwt/fetch_api_key': [
    bad('No JSON web token passed in request'),
    bad('Bad JSON web token'),
    bad('No email specified in JSON web token claims'),
    { status: 401, code: 'AUTHENTICATION_FAILED', msg: 'Your username or password is incorrect' },
  ],
  'POST /bots': OF_PICTURES,
  'PATCH /bots/{bot_id}': OF_PICTURES,
  // realm.md § Invitations: the daily limit, which the peer has on open servers only.
  'POST /invites': OF_DAILY_INVITATIONS,
  'POST /invites/{prereg_id}/resend': OF_DAILY_INVITATIONS,
  'POST /submessage': [
    bad('Unknown type for todo data: {type}'),
    bad("You can't edit the task list title unless you are the author."),
  ],
  // streams.md § Names: names that look alike, and directions of writing.
  'POST /users/me/subscriptions': [bad("Stream name '{name}' is already taken.")],
  'PATCH /users/me/subscriptions': [bad("Stream name '{name}' is already taken.")],
  // users.md § DELETE /users/{user_id}: the text of newer levels.
  'POST /users/{user_id}/reactivate': [
    bad(
      'There is already an active bot named "{full_name}" in this organization. To reactivate this bot, you must rename or deactivate the other one first.',
    ),
  ],
  // GET /events takes the parameters of POST /register, with their refusals.
  'GET /events': [bad('Operator {operator} not supported.'), bad('User not authorized for this query')],
};

/** conventions.md § Routing: paths with a segment that is no number, at the peer an HTML page. */
const NOT_FOUND: WireError = { status: 404, msg: 'Not Found' };

/** conventions.md § Authentication: sessions get the codes that Basic credentials hide, and one of their own. */
const OF_SESSIONS: readonly WireError[] = [
  { status: 401, code: 'USER_DEACTIVATED', msg: 'Account is deactivated' },
  { status: 401, code: 'REALM_DEACTIVATED', msg: 'This organization has been deactivated' },
  { status: 401, code: 'SESSION_CHANGED', msg: 'This browser has signed in to another account' },
];

/** A server that stops, or cannot reach a service; the contract is silent. */
const UNAVAILABLE = [503, 504];

/**
 * @param bySession the caller has the cookie of a session instead of an API key
 * @returns the entry of the operation's own errors that this answer is; undefined for an error of all operations
 * @throws Error when the contract has no such refusal, or with other fields
 */
export function checkRefusal(
  operation: string,
  status: number,
  body: Fields,
  bySession: boolean,
): WireError | undefined {
  const declared = find(operation);
  if (!declared) throw new Error(`wire.json has no operation ${operation}`);
  const msg = String(body.msg);
  const own = best(declared.errors, status, msg);
  if (UNAVAILABLE.includes(status)) return undefined;
  // A key in the query gets other codes than the same key in the header, with the same words.
  const entries = [
    own,
    bySession ? best(OF_SESSIONS, status, msg) : undefined,
    best([...(IN_WORDS[operation] ?? []), NOT_FOUND, ...wire.common_errors], status, msg),
  ].filter((one) => one !== undefined);
  const entry = entries.find((one) => problem(one, body) === undefined) ?? entries[0];
  const isValidator = !entry && status === 400 && isValidatorMessage(declared, msg);
  const wrong = entry
    ? problem(entry, body)
    : isValidator
      ? problem({ status, code: 'BAD_REQUEST', msg }, body)
      : 'the contract has no such refusal';
  if (wrong !== undefined) throw new Error(`${operation} answers ${status} ${JSON.stringify(body)}: ${wrong}`);
  return entry === own ? own : undefined;
}
