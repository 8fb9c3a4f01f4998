/** Large requests for an operation. Each is built when it is sent: all together would fill memory. */
import {
  type ApiOperation,
  DEFAULT_MAX_JSON_PARAMETER_CHARACTERS,
  DEFAULT_MAX_REQUEST_BODY_MIB,
  DEFAULT_MAX_TEXT_PARAMETER_CHARACTERS,
  type ParameterDeclaration,
} from '#frontend/api';
import { anyValueOf } from '../api/support/any-value.js';
import type { Random } from '../cluster/scheduler.js';
import type { Subject } from './protocol.js';
import { MARKDOWN_TEXTS, PLAIN_TEXTS, sample } from './texts.js';
import { largeValues } from './values.js';

export interface LargeRequest {
  readonly title: string;
  readonly account: boolean;
  readonly method: string;
  /** Builds path with query, headers beside the credentials, and body. */
  make(): { readonly path: string; readonly headers: Record<string, string>; readonly body?: string | Buffer };
}

const MIB = 1_048_576;
const FILE_MIB = 25;
/** Maximum bytes of a request line; with the headers a request stays below 128 KiB. */
const MAX_LINE_BYTES = 100_000;
const CRLF = '\r\n';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=x';
/** Length of texts for rendering: longer texts are cut before they are rendered. */
const RENDERED_CHARACTERS = 10_000;
const FIELD_COUNT = 1_000;
/** Number of headers. With those that every request has, the total stays below the 98 that both HTTP servers accept. */
const HEADER_COUNT = 90;
/** Number of requests per operation picked from those that are equal for every operation. */
const PICKED_RAW_REQUESTS = 3;

/** Escapes only the characters that a form body requires, so that as much text as possible fits. */
const escapeForBody = (text: string): string => text.replace(/[%&+=]/g, encodeURIComponent);

interface RequestContext {
  readonly operation: ApiOperation;
  readonly subject: Subject;
  readonly account: boolean;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Request with usual values and one large value. */
function withValue(
  { operation, subject, account }: RequestContext,
  title: string,
  name: string,
  value: () => string,
): LargeRequest {
  const { method, path, parameters, root } = operation;
  return {
    title,
    account,
    method,
    make() {
      const text = value();
      const of = (parameter: string): string =>
        parameter === name
          ? text
          : textOf(subject.usual[parameter] ?? parameters[parameter]!.default ?? anyValueOf(parameters[parameter]!));
      const sent = Object.entries(parameters)
        .filter(([other, of]) => of.in !== 'path' && (other === name || of.required || other in subject.usual))
        .map(([other]) => other);
      const target = `${root ? '' : '/api/v1'}${path.replace(/\{(\w+)\}/g, (_, other: string) => encodeURIComponent(of(other)))}`;
      if (method === 'GET') {
        const query = sent.map((other) => `${other}=${encodeURIComponent(of(other))}`).join('&');
        return { path: query === '' ? target : `${target}?${query}`, headers: {} };
      }
      const body = sent.map((other) => `${other}=${escapeForBody(of(other))}`).join('&');
      return { path: target, headers: { 'content-type': FORM }, body };
    },
  };
}

/** Bytes reserved for the usual values beside a large one. */
const RESERVED_BYTES = 4_096;

/** Length of the longest accepted text, in a body or in the request line. */
function maxTextLength(
  { method, maxBodyMib = DEFAULT_MAX_REQUEST_BODY_MIB }: ApiOperation,
  of: ParameterDeclaration,
): number {
  if (of.in === 'path') return 2_000;
  const {
    maxCharacters = of.encoding === 'string'
      ? DEFAULT_MAX_TEXT_PARAMETER_CHARACTERS
      : DEFAULT_MAX_JSON_PARAMETER_CHARACTERS,
  } = of;
  return Math.min(maxCharacters, method === 'GET' ? MAX_LINE_BYTES : maxBodyMib * MIB - RESERVED_BYTES);
}

function cutForQuery(text: string, bytes: number): string {
  let escaped = encodeURIComponent(text);
  if (escaped.length <= bytes) return text;
  escaped = escaped.slice(0, bytes).replace(/(%[0-9A-F]{0,2})+$/, '');
  return decodeURIComponent(escaped);
}

const isStructured = ({ schema }: ParameterDeclaration): boolean => {
  const { type, anyOf: forms } = schema as { type?: string; anyOf?: readonly { type?: string }[] };
  return (
    ['array', 'object'].includes(type ?? '') ||
    (forms ?? []).some((form) => ['array', 'object'].includes(form.type ?? ''))
  );
};

function parameterRequests(of: RequestContext, random: Random): LargeRequest[] {
  const { operation, subject } = of;
  return Object.entries(operation.parameters).flatMap(([name, parameter]) => {
    const most = maxTextLength(operation, parameter);
    const request = (title: string, value: () => string): LargeRequest =>
      withValue(of, `${name}: ${title}`, name, operation.method === 'GET' ? () => cutForQuery(value(), most) : value);
    if (parameter.encoding === 'json') {
      if (!isStructured(parameter) && !random.chance(0.1)) return [];
      // In a query, escaped characters take three times the space.
      const characters = operation.method === 'GET' ? Math.floor(most / 2.5) : most;
      const values = largeValues(name, parameter, characters, subject.usual[name]);
      return values.map(({ title, text }) => request(title, () => text));
    }
    if (parameter.encoding === 'uint') return random.chance(0.1) ? [request('digits', () => '1'.repeat(most))] : [];
    const plain = sample(random, PLAIN_TEXTS, name === 'content' ? PLAIN_TEXTS.length : 2);
    const texts = plain.map(({ title, make }) => request(title, () => cutForBody(make(most), most)));
    if (!['content', 'description', 'topic', 'value', 'profile_data'].includes(name)) return texts;
    const rendered = name === 'content' ? MARKDOWN_TEXTS : sample(random, MARKDOWN_TEXTS, 2);
    return [...texts, ...rendered.map(({ title, make }) => request(title, () => make(RENDERED_CHARACTERS)))];
  });
}

/** Cuts a text to the bytes that the body may have after escaping. */
function cutForBody(text: string, bytes: number): string {
  const size = Buffer.byteLength(escapeForBody(text));
  return size <= bytes ? text : text.slice(0, Math.floor((text.length * bytes) / size));
}

/** Large requests that fit any operation: forms, queries and headers. */
function rawRequests({ operation, subject, account }: RequestContext, random: Random): LargeRequest[] {
  const { method, path, maxBodyMib = DEFAULT_MAX_REQUEST_BODY_MIB, takesFiles, root, parameters } = operation;
  const target = `${root ? '' : '/api/v1'}${path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(subject.usual[name] ?? anyValueOf(parameters[name]!))),
  )}`;
  const most = takesFiles ? FILE_MIB * MIB : maxBodyMib * MIB;
  const withBody = (title: string, type: string, body: () => string | Buffer): LargeRequest => ({
    title,
    account,
    method: method === 'GET' ? 'POST' : method,
    make: () => ({ path: target, headers: { 'content-type': type }, body: body() }),
  });
  const bare = (title: string, query: () => string, headers: () => Record<string, string>): LargeRequest => ({
    title,
    account,
    method,
    make: () => ({ path: `${target}${query()}`, headers: headers() }),
  });
  const repeated = (piece: string, bytes = most): string => piece.repeat(Math.floor(bytes / piece.length));
  const head = (rest: string): string => `--x${CRLF}Content-Disposition: form-data; ${rest}${CRLF}${CRLF}`;
  const end = `${CRLF}--x--${CRLF}`;
  const boundaries = withBody('multipart: boundaries', MULTIPART, () => repeated(`--x${CRLF}`));
  const fields = withBody('form: fields', FORM, () =>
    Array.from({ length: FIELD_COUNT }, (_, i) => `f${i}=${'x'.repeat((maxBodyMib * MIB) / FIELD_COUNT - 10)}`).join(
      '&',
    ),
  );
  if (!account && operation.guard !== 'none') return [boundaries, fields];
  const others = [
    withBody('multipart: fields', MULTIPART, () =>
      Buffer.from(
        Array.from({ length: FIELD_COUNT }, (_, i) => `${head(`name="f${i}"`)}${'x'.repeat(900)}${CRLF}`).join('') +
          `--x--${CRLF}`,
      ),
    ),
    withBody('multipart: a long head', MULTIPART, () => `${head(repeated('a=b; ', most - 200))}${end}`),
    withBody('multipart: a file of beginnings of boundaries', MULTIPART, () =>
      Buffer.from(`${head('name="f"; filename="a.png"')}${repeated(`${CRLF}--`, most - 200)}${end}`),
    ),
    fields,
    withBody('form: ampersands', FORM, () => repeated('&', maxBodyMib * MIB)),
    withBody(
      'form: names without values',
      FORM,
      () => `${repeated('a&', 1_900)}${repeated('a', maxBodyMib * MIB - 2_000)}`,
    ),
    bare(
      'query: fields',
      () => `?${Array.from({ length: FIELD_COUNT }, (_, i) => `f${i}=${'x'.repeat(90)}`).join('&')}`,
      () => ({}),
    ),
    bare(
      'query: one field',
      () => `?f=${'%C3%A4'.repeat(MAX_LINE_BYTES / 6)}`,
      () => ({}),
    ),
    bare(
      'head: headers',
      () => '',
      () => Object.fromEntries(Array.from({ length: HEADER_COUNT }, (_, i) => [`x-header-${i}`, 'x, '.repeat(440)])),
    ),
  ];
  return [boundaries, ...sample(random, method === 'GET' ? others.slice(-3) : others, PICKED_RAW_REQUESTS)];
}

export function largeRequests(operation: ApiOperation, subject: Subject, random: Random): LargeRequest[] {
  const open = operation.guard === 'none' || operation.anonymous === true || operation.visitors === true;
  const of = (account: boolean): RequestContext => ({ operation, subject, account });
  return [
    ...rawRequests(of(true), random),
    ...rawRequests(of(false), random),
    ...parameterRequests(of(operation.guard !== 'none'), random),
    ...(open && operation.guard !== 'none' ? parameterRequests(of(false), random) : []),
  ];
}
