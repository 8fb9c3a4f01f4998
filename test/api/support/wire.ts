/**
 * The contract in machine-readable form. test/fixtures/api/wire.json is a copy of the API contract's own wire.json, so
 * that the tests run from a plain checkout.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Fields } from './types.js';

type Schema = Record<string, unknown>;

export interface WireError {
  readonly status: number;
  readonly code?: string;
  readonly msg: string;
  readonly extra?: Readonly<Record<string, string>>;
  readonly source?: string;
  readonly when?: string;
  /** The answer has no code, even if `code` names one. */
  readonly seed_omits_code?: boolean;
}

export interface WireParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'form';
  readonly required: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly schema: Schema;
  readonly encoding?: string;
  readonly check?: string;
  readonly aliases?: readonly string[];
}

/** An operation of wire.json, in `operations` or in `extra_operations`. */
export interface Declared {
  /** Undefined in `extra_operations`. */
  readonly operationId?: string;
  /** Undefined if only the envelope is promised. */
  readonly response?: Schema;
  readonly auth: { readonly role: string; readonly refusal?: string; readonly incoming_webhook_bots?: boolean };
  readonly parameters: readonly WireParameter[];
  readonly errors: readonly WireError[];
}

interface WireOperation extends Declared {
  readonly operationId: string;
  readonly response: Schema;
}

interface Wire {
  readonly operations: Readonly<Record<string, WireOperation>>;
  readonly extra_operations: Readonly<Record<string, Declared>>;
  readonly common_errors: readonly WireError[];
  readonly events: Readonly<Record<string, Schema>>;
  readonly events_strict: Readonly<Record<string, Schema>>;
  readonly outgoing_webhook_request: Schema;
  readonly aliases: { readonly emit_also: Readonly<Record<string, string>> };
  readonly $defs: Readonly<Record<string, Schema>>;
}

/** Compiled tests may run from any folder: the fixtures stay in the repository. */
export function repositoryRoot(): string {
  const starts = [dirname(fileURLToPath(import.meta.url)), process.cwd()];
  for (const start of starts) {
    for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
      if (existsSync(join(folder, 'test/fixtures/api/wire.json'))) return folder;
    }
  }
  throw new Error('test/fixtures/api/wire.json was not found above the tests or the working directory');
}

export const wire = JSON.parse(readFileSync(join(repositoryRoot(), 'test/fixtures/api/wire.json'), 'utf8')) as Wire;

interface UnreadGroups {
  readonly items: { properties: Record<string, Schema>; required: string[] };
}

/**
 * register.md § fetch_event_types and the recorded answers: users in the state lack is_active, which $defs.User
 * requires.
 */
const { User } = wire.$defs as { User: Schema & { required: string[] } };
const stateUsers = {
  type: 'array',
  items: { ...User, required: User.required.filter((name) => name !== 'is_active') },
};
const register = wire.operations['POST /register']!.response.properties as Record<string, Schema>;
register.realm_users = stateUsers;
/** register.md § Capability deltas: with user_avatar_url_field_optional `avatar_url` may be left out. */
register.realm_non_active_users = {
  ...stateUsers,
  items: { ...stateUsers.items, required: stateUsers.items.required.filter((name) => name !== 'avatar_url') },
};

/** The recorded answers: clients that want it slim get two times of each user. */
const seconds = { type: 'integer' };
const slimPresence = {
  type: 'object',
  additionalProperties: false,
  properties: { active_timestamp: seconds, idle_timestamp: seconds },
  required: ['active_timestamp', 'idle_timestamp'],
};
const presences = register.presences as { additionalProperties: Schema };
register.presences = {
  type: 'object',
  additionalProperties: { anyOf: [presences.additionalProperties, slimPresence] },
};

/** register.md § fetch_event_types: a status has only the fields that were set. */
const { additionalProperties: status } = register.user_status as { additionalProperties: Schema };
register.user_status = { type: 'object', additionalProperties: { ...status, required: [] } };

/** realm.md § Other; wire.json leaves it out. */
const asBad = (msg: string): WireError => ({ status: 400, code: 'BAD_REQUEST', msg });
(wire.extra_operations as Record<string, Declared>)['GET /compatibility'] = {
  ...wire.extra_operations['GET /realm/subdomain/{subdomain}']!,
  parameters: [],
  errors: [asBad('User-Agent header missing from request'), asBad('Client is too old')],
};
/** Refusals of features that are not configured, in the words of the peer; wire.json has none. */
for (const [name, msg] of [
  ['GET /calls/bigbluebutton/create', 'BigBlueButton is not configured.'],
  ['POST /jwt/fetch_api_key', 'JWT authentication is not enabled for this organization'],
] as const) {
  const operations = (name in wire.operations ? wire.operations : wire.extra_operations) as Record<string, Declared>;
  operations[name] = { ...operations[name]!, errors: [asBad(msg)] };
}
/** realm.md § Other (GET /realm/subdomain): the answer stands in `msg`. */
const ANSWERS_IN_MSG: Schema = {
  type: 'object',
  properties: { result: { const: 'success' }, msg: { type: 'string' } },
  required: ['result', 'msg'],
};
(wire.extra_operations as Record<string, Declared>)['GET /realm/subdomain/{subdomain}'] = {
  ...wire.extra_operations['GET /realm/subdomain/{subdomain}']!,
  response: ANSWERS_IN_MSG,
};

/** users.md § Incoming webhooks; wire.json leaves the operation out. */
const inQuery = (name: string, schema: Schema, encoding = 'string'): WireParameter => ({
  ...{ name, in: 'query', required: false, schema, encoding },
});
const asRefusedKey = (code: string, msg: string): WireError => ({ status: 401, code, msg });
(wire.extra_operations as Record<string, Declared>)['POST /external/{integration}'] = {
  auth: { role: 'webhook_bot', incoming_webhook_bots: true },
  parameters: [
    {
      ...{ name: 'integration', in: 'path', required: true, schema: { type: 'string' } },
      enum: ['alertmanager', 'grafana', 'json', 'slack_incoming'],
    },
    ...['api_key', 'stream', 'topic'].map((name) => inQuery(name, { type: 'string' })),
    ...['only_events', 'exclude_events'].map((name) => inQuery(name, { type: 'array' }, 'json')),
  ],
  errors: [
    asRefusedKey('INVALID_API_KEY', 'Invalid API key'),
    asRefusedKey('INVALID_API_KEY', 'Malformed API key'),
    asRefusedKey('USER_DEACTIVATED', 'Account is deactivated'),
    asRefusedKey('UNAUTHORIZED', 'This API is only available to incoming webhook bots.'),
    asBad('Malformed payload'),
    { status: 400, code: 'INVALID_JSON', msg: 'Malformed JSON' },
    {
      ...{ status: 400, code: 'ANOMALOUS_WEBHOOK_PAYLOAD', extra: { webhook_name: 'string' } },
      msg: 'Unable to parse request: Did {webhook_name} generate this event?',
    },
    ...wire.operations['POST /messages']!.errors.filter(({ code }) => code === 'STREAM_DOES_NOT_EXIST'),
  ],
};

/** The fields of every success, also where the contract describes no body. */
const ENVELOPE: Schema = {
  type: 'object',
  properties: { result: { const: 'success' }, msg: { const: '' } },
  required: ['result', 'msg'],
};

/** realm.md § Other: `msg` describes the effect of a slash command. */
const SPOKEN: Schema = { ...ENVELOPE, properties: { result: { const: 'success' }, msg: { type: 'string' } } };

/** register.md § unread_msgs and existing clients: the ids of direct messages are named like those of streams. */
const { pms, huddles } = (register.unread_msgs as { properties: Record<'pms' | 'huddles', UnreadGroups> }).properties;
for (const { items } of [pms, huddles]) {
  const { message_ids, ...rest } = items.properties;
  items.properties = { ...rest, unread_message_ids: message_ids! };
  items.required = items.required.map((name) => (name === 'message_ids' ? 'unread_message_ids' : name));
}

const DEFINITION = '"$ref":"#/$defs/';

/**
 * Compiles schemas that share definitions. A definition is checked and compiled once, not for each schema that refers
 * to it. Optimized code would take longer to make than a run saves with it.
 */
export function schemaCompiler(definitions: Readonly<Record<string, Schema>>): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({
    ...{ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false },
    ...{ inlineRefs: false, code: { optimize: false } },
  });
  const byName = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema).replaceAll(DEFINITION, '"$ref":"')) as Schema;
  for (const [name, schema] of Object.entries(definitions)) ajv.addSchema(byName(schema), name);
  return (schema) => ajv.compile(byName(schema));
}

const compile = schemaCompiler(wire.$defs);
const compiled = new Map<string, ValidateFunction>();

function validator(name: string, schema: Schema): ValidateFunction {
  let found = compiled.get(name);
  if (!found) {
    found = compile(schema);
    compiled.set(name, found);
  }
  return found;
}

const ALIASES = Object.entries(wire.aliases.emit_also);
const ALIASED: ReadonlySet<string> = new Set(ALIASES.flat());

/**
 * Returns a copy of the object without the old names. @throws Error when an old name has another value than the new one
 */
function aliasesLeftOut(of: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const object = { ...of };
  for (const [name, alias] of ALIASES) {
    if (!(name in object) && !(alias in object)) continue;
    if (object[name] !== object[alias]) throw new Error(`${alias} is not sent beside ${name} with the same value`);
    delete object[alias];
  }
  return object;
}

/**
 * Checks that old names have the values of the new ones, and removes them, because the schemas know only the new ones.
 * Few objects have such names; the others are not copied.
 */
function withoutAliases(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.some((item) => withoutAliases(item) !== item) ? value.map(withoutAliases) : value;
  const of = value as Readonly<Record<string, unknown>>;
  let object: Record<string, unknown> | undefined;
  for (const name in of) if (ALIASED.has(name)) object ??= aliasesLeftOut(of);
  for (const name in of) {
    const item = of[name];
    if (typeof item !== 'object') continue;
    const without = withoutAliases(item);
    if (without === item) continue;
    object ??= { ...of };
    object[name] = without;
  }
  return object ?? of;
}

function check(name: string, schema: Schema, value: unknown): void {
  const validate = validator(name, schema);
  if (!validate(withoutAliases(value))) {
    const problems = (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
    throw new Error(`${name} breaks the contract: ${problems.join('; ')}\n${JSON.stringify(value).slice(0, 2000)}`);
  }
}

export const find = (operation: string): Declared | undefined =>
  wire.operations[operation] ?? wire.extra_operations[operation];

/** Paths with the names of their segments left out, which the contract and the declarations may choose differently. */
const nameless = (operation: string): string => operation.replace(/\{\w+\}/g, '{}');
const byRoute = new Map(
  [...Object.keys(wire.operations), ...Object.keys(wire.extra_operations)].map((name) => [nameless(name), name]),
);

/** Name and entry in wire.json of the operation declared with this method and path. */
export function declaredAs(method: string, path: string): readonly [string, Declared] | undefined {
  const exact = `${method} ${path}`;
  const name = find(exact) ? exact : byRoute.get(nameless(exact));
  const of = name === undefined ? undefined : find(name);
  return name !== undefined && of ? [name, of] : undefined;
}

/** @throws Error when the body of a success does not match the contract */
export function checkResponse(operation: string, body: Fields): void {
  const declared = find(operation);
  if (!declared) throw new Error(`wire.json has no operation ${operation}`);
  check(operation, declared.response ?? (operation === 'POST /zcommand' ? SPOKEN : ENVELOPE), body);
}

/**
 * @returns its type/op
 * @throws Error when the event has another form than the contract's strict one
 */
export function checkEvent(event: Fields): string {
  const name = event.op === undefined ? String(event.type) : `${event.type}/${event.op}`;
  const schema = wire.events_strict[name] ?? wire.events[name];
  if (!schema) throw new Error(`wire.json has no event ${name}`);
  check(name, schema, event);
  return name;
}

/** Errors of an operation that this server may raise, without those of the peer alone. */
export const errorsOf = (operation: string): readonly WireError[] =>
  (find(operation)?.errors ?? []).filter((entry) => entry.source !== 'peer');
