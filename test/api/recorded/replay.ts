/** Makes the recorded calls again, with the ids and names of this server. */

import { exchange } from '../support/http.js';
import type { Answer } from '../support/types.js';
import type { Entry } from './entry.js';
import { RECORDED_KEY, RECORDED_PASSWORD, type RecordedOrganization } from './organization.js';

/** Time of the recording, on which the times in its requests are based; Unix seconds. */
const RECORDED_AT = 1_795_215_212;

/** Kinds of the ids that operations return, by operation. */
const MAKERS: Readonly<Record<string, string>> = {
  'send-message': 'message',
  'create-drafts': 'draft',
  'create-scheduled-message': 'scheduled',
  'create-user': 'user',
  'get-stream-id': 'stream',
  'add-linkifier': 'linkifier',
  'add-code-playground': 'playground',
  'create-custom-profile-field': 'field',
  'register-queue': 'queue',
  'get-events': 'queue',
  'upload-file': 'upload',
};

/** Names of calls without a name, by method and path. */
const UNNAMED_MAKERS: Readonly<Record<string, string>> = { 'POST /api/v1/bots': 'user' };

/** Kinds of the ids in path segments. */
const SEGMENTS: readonly (readonly [RegExp, string])[] = [
  [/(\/messages\/)(\d+)/, 'message'],
  [/(\/drafts\/)(\d+)/, 'draft'],
  [/(\/scheduled_messages\/)(\d+)/, 'scheduled'],
  [/(\/users\/)(\d+)/, 'user'],
  [/(\/bots\/)(\d+)/, 'user'],
  [/(\/streams\/)(\d+)/, 'stream'],
  [/(\/realm\/filters\/)(\d+)/, 'linkifier'],
  [/(\/realm\/playgrounds\/)(\d+)/, 'playground'],
  [/(\/realm\/profile_fields\/)(\d+)/, 'field'],
  [/(\/user_groups\/)(\d+)/, 'group'],
];

/** Parameters with addresses of accounts. */
const ADDRESSES: ReadonlySet<string> = new Set(['username', 'invitee_emails']);

/** Kinds of the ids in parameters, alone or in lists. */
const PARAMETERS: Readonly<Record<string, string>> = {
  messages: 'message',
  message_id: 'message',
  message_ids: 'message',
  msg_ids: 'message',
  anchor: 'message',
  queue_id: 'queue',
  stream_id: 'stream',
};

/** User agent of the recording client, because answers show its name. */
const CLIENT = 'python-requests/2.31.0';

const LONGEST_MS = 400;
/** Time after which a call counts as waiting; all other calls are answered sooner, even on a busy machine. */
const PATIENCE_MS = 30_000;

export class Replay {
  /** `kind id` at the peer → here. */
  readonly #ids = new Map<string, string | number>();

  constructor(private readonly org: RecordedOrganization) {
    for (const [there, here] of org.groupIds) this.know('group', there, here);
  }

  /** Undefined if the server lets the caller wait. */
  async call(entry: Entry): Promise<Answer | undefined> {
    const client = entry.role === null ? undefined : this.org.clients.get(entry.role);
    const headers = { ...client?.headers, ...this.#headers(entry) };
    const { path, body, type } = this.#request(entry);
    const signal = AbortSignal.timeout(entry.op === 'get-events' ? LONGEST_MS : PATIENCE_MS);
    const of = { method: entry.method, path, signal, ...(body === undefined ? {} : { body }) };
    try {
      const answer = await exchange(this.org.server.nextPort(), {
        ...of,
        headers: {
          host: 'localhost',
          'user-agent': CLIENT,
          ...(type === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
      });
      await this.#learn(entry, answer);
      return answer;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** Our id of the object that has this id at the peer. */
  id(kind: string, recorded: unknown): unknown {
    return this.#ids.get(`${kind} ${recorded}`) ?? recorded;
  }

  /** A refusal that quotes ids of the recording, with our ids instead. */
  quoted(msg: string): string {
    return msg
      .replace(/[0-9a-f-]{36}/g, (id) => String(this.id('queue', id)))
      .replace(/(User group )(\d+)/g, (_, before, id) => `${before}${this.id('group', id)}`);
  }

  know(kind: string, recorded: string | number, here: string | number): void {
    this.#ids.set(`${kind} ${recorded}`, here);
  }

  #headers({ headers = {} }: Entry): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.toLowerCase(),
        this.#credentials(value.replace('zulipdev.com:9991', 'localhost')),
      ]),
    );
  }

  /** Replaces the recorded key and address by those of the same user here. */
  #credentials(value: string): string {
    const [scheme, encoded = ''] = value.split(' ');
    if (scheme !== 'Basic' || !/^[A-Za-z0-9+/=]+$/.test(encoded)) return value;
    const text = Buffer.from(encoded, 'base64').toString();
    return `Basic ${Buffer.from(this.#translated(text)).toString('base64')}`;
  }

  #translated(text: string): string {
    let found = text.replaceAll(RECORDED_KEY, this.org.adminKey);
    for (const [there, here] of this.org.addresses)
      found = found.replace(new RegExp(there.replace('.', '\\.'), 'gi'), here);
    return found;
  }

  #request(entry: Entry): { path: string; body?: string | Uint8Array; type?: string } {
    let path = encodeURI(decodeURI(entry.path));
    for (const [pattern, kind] of SEGMENTS)
      path = path.replace(pattern, (_, before, id) => `${before}${this.id(kind, id)}`);
    if (entry.raw) return { path, body: entry.raw.body, type: entry.raw.type };
    if (entry.files) return { path, ...multipart(entry.files, this.#form(entry)) };
    const form = this.#form(entry).toString();
    if (entry.method === 'GET') return { path: form === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${form}` };
    return { path, body: form, type: 'application/x-www-form-urlencoded' };
  }

  #form({ op, params }: Entry): URLSearchParams {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(params ?? {})) {
      const here = this.#value(op, name, value);
      form.append(name, typeof here === 'string' ? here : jsonText(here));
    }
    return form;
  }

  #value(op: string | null, name: string, value: unknown): unknown {
    if (op === 'update-user-group-subgroups' && Array.isArray(value)) return value.map((one) => this.id('group', one));
    if (name === 'order' && Array.isArray(value)) return value.map((one) => this.id('field', one));
    if (ADDRESSES.has(name) || (op === 'update-settings' && name === 'email')) return this.#translated(String(value));
    if (name === 'password' && value === RECORDED_PASSWORD) return RECORDED_PASSWORD.repeat(2);
    if (name === 'narrow' && Array.isArray(value)) return value.map((term) => this.#term(term));
    if (name === 'can_remove_subscribers_group_id') return this.id('group', value);
    if (name === 'to' && typeof value === 'number') return this.id('stream', value);
    if (name === 'scheduled_delivery_timestamp' && typeof value === 'number') return movedTime(value);
    const kind = PARAMETERS[name];
    if (kind === undefined) return value;
    return Array.isArray(value) ? value.map((one) => this.id(kind, one)) : this.id(kind, value);
  }

  #term(term: unknown): unknown {
    if (!Array.isArray(term) || !['id', 'near'].includes(String(term[0]))) return term;
    return [term[0], typeof term[1] === 'string' ? String(this.id('message', term[1])) : term[1]];
  }

  async #learn({ op, role, params, method, path, made = {} }: Entry, { status, body }: Answer): Promise<void> {
    if (made.group !== undefined) {
      const groups = await this.org.groups(role!);
      const here = groups.get(String(params?.name));
      if (here !== undefined) this.know('group', made.group as number, here);
      return;
    }
    const kind = op === null ? UNNAMED_MAKERS[`${method} ${path}`] : MAKERS[op];
    if (kind === undefined || status !== 200) return;
    for (const [name, there] of Object.entries(made)) {
      const here = body[name];
      if (Array.isArray(there) && Array.isArray(here))
        for (const [i, one] of there.entries()) this.know(kind, one, here[i] as number);
      else if (!Array.isArray(there) && name !== 'last_event_id') this.know(kind, there as number, here as number);
    }
  }
}

/** Moves a time: one that was in the future at the recording is as far in the future now. Unix seconds. */
const movedTime = (value: number): number =>
  value < RECORDED_AT ? value : value - RECORDED_AT + Math.floor(Date.now() / 1000);

function multipart(files: NonNullable<Entry['files']>, form: URLSearchParams): { body: Uint8Array; type: string } {
  const boundary = 'recorded-recorded-recorded';
  const parts: Uint8Array[] = [];
  const text = (line: string): number => parts.push(Buffer.from(`${line}\r\n`));
  for (const [name, value] of form)
    text(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`);
  for (const [name, { filename, base64 }] of Object.entries(files)) {
    text(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n`);
    parts.push(Buffer.from(base64, 'base64'));
    text('');
  }
  text(`--${boundary}--`);
  return { body: Buffer.concat(parts), type: `multipart/form-data; boundary=${boundary}` };
}

/** JSON with blanks after commas and colons, like that of the recording client, because refusals quote it. */
function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item)}`)
    .join(', ')}}`;
}
