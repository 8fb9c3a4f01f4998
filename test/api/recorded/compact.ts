/**
 * Makes the fixtures from the recorded answers: `node dist/test/api/recorded/compact.js FROM TO`. Left out are events,
 * headers, and everything in answers that differs between two organizations.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, Files } from './entry.js';
import { skeletonOf } from './skeleton.js';

interface Recorded {
  readonly n: number;
  readonly op: string | null;
  readonly label: string;
  readonly role: string | null;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly raw_body?: string;
  readonly content_type?: string;
  readonly request_headers?: Readonly<Record<string, string>>;
  readonly files?: Files;
  readonly events?: Readonly<Record<string, readonly { type: string; op?: string; group?: { id: number } }[]>>;
}

/** Fields of answers by which later calls name a made object. */
const MADE = ['id', 'ids', 'user_id', 'stream_id', 'scheduled_message_id', 'queue_id', 'last_event_id', 'uri'];

/** The id of a new group is not in the answer but in its event. */
function madeGroup({ events = {} }: Recorded): [string, unknown][] {
  const made = Object.values(events)
    .flat()
    .find(({ type, op }) => type === 'user_group' && op === 'add');
  return made?.group ? [['group', made.group.id]] : [];
}

function compact(of: Recorded): Entry {
  const { n, op, role, method, path, params, label, status, body } = of;
  const made = [...Object.entries(body).filter(([name]) => status === 200 && MADE.includes(name)), ...madeGroup(of)];
  return {
    n,
    op,
    role,
    method,
    path,
    params,
    label,
    status,
    ...(of.request_headers ? { headers: of.request_headers } : {}),
    ...(of.raw_body === undefined ? {} : { raw: { body: of.raw_body, type: of.content_type ?? '' } }),
    ...(of.files ? { files: of.files } : {}),
    body: status === 200 ? skeletonOf(body) : (body as Entry['body']),
    ...(made.length > 0 ? { made: Object.fromEntries(made) as NonNullable<Entry['made']> } : {}),
  };
}

interface FoundMessage {
  readonly id: number;
  readonly sender_id: number;
  readonly stream_id?: number;
  readonly subject: string;
  readonly content: string;
}

/** Messages with lower ids existed before the recording. */
const FIRST_SENT = 101;
const found = new Map<number, FoundMessage>();

/** Messages of the peer's organization that occur in answers and events; all of them are stream messages. */
function findMessages(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { id, sender_id, stream_id, recipient_id } = value as Partial<FoundMessage> & { recipient_id?: number };
  if (id !== undefined && id < FIRST_SENT && sender_id && stream_id && recipient_id)
    found.set(id, value as FoundMessage);
  for (const one of Object.values(value)) findMessages(one);
}

const [, , from, to] = process.argv;
if (from === undefined || to === undefined)
  throw new Error('give the folder of the recorded answers and that of the fixtures');
// Restarts, limits and deactivated organizations need another set-up for each call; 02b is an event.
for (const name of readdirSync(from).filter((one) => /^[01]\d_.*\.json$/.test(one))) {
  const entries = JSON.parse(readFileSync(join(from, name), 'utf8')) as Recorded[];
  const lines = entries.map((entry) => JSON.stringify(compact(entry)));
  writeFileSync(join(to, name), `[\n${lines.join(',\n')}\n]\n`);
}

// Messages are also written line by line: [id, sender, stream, topic, text].
for (const name of readdirSync(from).filter((one) => one.endsWith('.json')))
  findMessages(JSON.parse(readFileSync(join(from, name), 'utf8')));
const messages = [...found.values()]
  .sort((a, b) => a.id - b.id)
  .map(({ id, sender_id, stream_id, subject, content }) =>
    JSON.stringify([
      id,
      sender_id,
      stream_id,
      subject,
      content
        .replace(/<[^>]+>/g, '')
        .slice(0, 100)
        .trim(),
    ]),
  );
writeFileSync(join(to, 'messages.json'), `[\n${messages.join(',\n')}\n]\n`);
