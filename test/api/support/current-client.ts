/**
 * The schemas of what the official mobile client of today requires (current-client.json). Every answer and event that a
 * caller at a newer API level gets is checked against them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { unreadableMarkup } from '../../support/current-client-markup.js';
import type { Params } from './client.js';
import type { Fields } from './types.js';
import { repositoryRoot, schemaCompiler } from './wire.js';

type Schema = Record<string, unknown>;

interface CurrentClientSchemas {
  readonly answers: Readonly<Record<string, Schema>>;
  readonly events: Readonly<Record<string, Schema>>;
  readonly $defs: Readonly<Record<string, Schema>>;
}

const schemas = JSON.parse(
  readFileSync(join(repositoryRoot(), 'test/fixtures/api/current-client.json'), 'utf8'),
) as CurrentClientSchemas;

const compile = schemaCompiler(schemas.$defs);
const compiled = new Map<string, ValidateFunction>();

function check(name: string, schema: Schema, value: unknown): void {
  let validate = compiled.get(name);
  if (!validate) {
    validate = compile(schema);
    compiled.set(name, validate);
  }
  if (validate(value)) return;
  const problems = (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
  throw new Error(
    `${name} is not what today's client reads: ${problems.join('; ')}\n${JSON.stringify(value).slice(0, 2000)}`,
  );
}

const checkPart = (name: string, value: unknown): void => check(name, schemas.$defs[name]!, value);

/** @throws Error when the client would show parts of the message as source */
function checkMarkup(where: string, html: unknown): void {
  const unknown = unreadableMarkup(String(html));
  if (unknown.length > 0)
    throw new Error(`${where}: today's client can't show ${unknown.join('; ')} of ${String(html)}`);
}

/** @throws Error when the client could not read the widget, which makes the whole response useless */
function checkSubmessages(submessages: readonly Fields[]): void {
  const [widget, ...changes] = submessages.map(({ content }) => JSON.parse(String(content)) as Fields);
  if (widget === undefined) return;
  checkPart('widget', widget);
  if (widget.widget_type !== 'poll') return;
  checkPart('poll', widget);
  for (const change of changes) checkPart('poll_change', change);
}

const TYPES_OF_POLL_CHANGES: ReadonlySet<unknown> = new Set(['vote', 'new_option']);

/** @throws Error when the content is a change of a poll that the client could not read */
function checkSubmessageEvent(content: unknown): void {
  const change = JSON.parse(String(content)) as Fields | null;
  if (TYPES_OF_POLL_CHANGES.has(change?.type)) checkPart('poll_change', change);
}

function checkMessage(where: string, { content, content_type, submessages }: Fields): void {
  if (content_type === 'text/html') checkMarkup(where, content);
  checkSubmessages((submessages ?? []) as readonly Fields[]);
}

/** The event as a client with the capability bulk_message_deletion gets it; others get an event for each message. */
const withBulkDeletion = (event: Fields): Fields =>
  event.type === 'delete_message' && event.message_id !== undefined
    ? { ...event, message_ids: [event.message_id] }
    : event;

/**
 * The body without presences, unless the request asked for the form that the client always asks for (`slim_presence`).
 */
const withoutOlderPresences = (body: Fields, sent: Params): Fields =>
  sent.slim_presence === true ? body : { ...body, presences: {} };

interface StateOfCurrentClient extends Fields {
  readonly user_id: number;
  readonly realm_users: readonly { readonly user_id: number }[];
  readonly realm_user_groups: readonly { readonly id: number }[];
  readonly streams: readonly { readonly stream_id: number; readonly can_send_message_group: number }[];
  readonly subscriptions: StateOfCurrentClient['streams'];
  readonly realm_can_delete_any_message_group: number;
  readonly realm_can_delete_own_message_group: number;
}

/** @throws Error when the state names an object that it does not have */
function checkReferences(state: StateOfCurrentClient): void {
  const streams = new Set(state.streams.map(({ stream_id }) => stream_id));
  const groups = new Set(state.realm_user_groups.map(({ id }) => id));
  const unknown = [
    ...(state.realm_users.every(({ user_id }) => user_id !== state.user_id) ? [`user ${state.user_id}`] : []),
    ...state.subscriptions
      .filter(({ stream_id }) => !streams.has(stream_id))
      .map(({ stream_id }) => `stream ${stream_id}`),
    ...[
      state.realm_can_delete_any_message_group,
      state.realm_can_delete_own_message_group,
      ...[...state.streams, ...state.subscriptions].map((channel) => channel.can_send_message_group),
    ]
      .filter((id) => !groups.has(id))
      .map((id) => `group ${id}`),
  ];
  if (unknown.length > 0) throw new Error(`POST /register: the state names ${unknown.join()}, which it does not have`);
}

const EVENT_TYPES = new Set(Object.keys(schemas.events).map((name) => name.split('/')[0]));

/**
 * @throws Error for events after which the client would register again: a move to the same place, or without its
 * message
 */
function checkMoveOfCurrentClient(event: Fields): void {
  const { message_id, message_ids, propagate_mode, stream_id, new_stream_id, orig_subject, subject } = event;
  const isOtherStream = new_stream_id !== undefined && new_stream_id !== stream_id;
  const isOtherTopic = subject !== undefined && subject !== orig_subject;
  if (propagate_mode !== undefined && !isOtherStream && !isOtherTopic)
    throw new Error(`update_message moves nowhere: ${JSON.stringify(event)}`);
  if (!(message_ids as readonly unknown[]).includes(message_id))
    throw new Error(`update_message is without its message: ${JSON.stringify(event)}`);
}

/** @throws Error when the client could not read the event */
export function checkEventOfCurrentClient(event: Fields): void {
  const type = String(event.type);
  // The client ignores types that it does not know.
  if (!EVENT_TYPES.has(type)) return;
  const name = event.op === undefined ? type : `${type}/${String(event.op)}`;
  const schema = schemas.events[name];
  if (!schema) throw new Error(`today's client must not get ${name}: ${JSON.stringify(event)}`);
  check(name, schema, withBulkDeletion(event));
  if (type === 'update_message') checkMoveOfCurrentClient(event);
  if (type === 'message') checkMessage(name, event.message as Fields);
  if (type === 'submessage') checkSubmessageEvent(event.content);
  if (event.rendered_content !== undefined) checkMarkup(name, event.rendered_content);
}

/** @throws Error when the client could not read the answer */
export function checkAnswerOfCurrentClient(operation: string, status: number, body: Fields, sent: Params): void {
  if (status >= 500) return;
  if (status >= 400) {
    const { result, msg, code } = body;
    if (result === 'error' && typeof msg === 'string' && typeof code === 'string') return;
    throw new Error(`${operation}: no error for today's client: ${JSON.stringify(body)}`);
  }
  const schema = schemas.answers[operation];
  const isState = operation === 'POST /register';
  const isPartOfState = isState && (sent.fetch_event_types ?? sent.event_types) !== undefined;
  // Visitors, who have no queue, get fewer sections; the client has no visitors.
  const isOfVisitor = isState && body.queue_id === null;
  const isPresence = operation === 'POST /users/me/presence';
  const read = isState || isPresence ? withoutOlderPresences(body, sent) : body;
  const isWhole = !isPartOfState && !isOfVisitor && !(isPresence && sent.ping_only === true);
  if (schema && isWhole) check(operation, schema, read);
  if (isState && isWhole) checkReferences(body as StateOfCurrentClient);
  for (const message of [body.messages, body.message].flat())
    if (typeof message === 'object' && message !== null) checkMessage(operation, message as Fields);
  if (operation === 'GET /events') for (const event of body.events as Fields[]) checkEventOfCurrentClient(event);
}
