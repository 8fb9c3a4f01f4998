/** Compares two records of requests and answers (record.mjs), without what differs from run to run. */

/** Texts that are new in every run: keys, ids of queues and files, times, signatures. The first match counts. */
const PATTERNS_BY_NAME = [
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g],
  ['basic', /Basic [A-Za-z0-9+/=]+/g],
  ['date', /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g],
  ['place', /\borg\d+x[0-9a-z]+/g],
  ['port', /127\.0\.0\.1:\d+/g],
  ['hash', /\b[0-9a-f]{32,128}\b/g],
  ['key', /(?<![\w-])[\w-]{22,}(?![\w-])/g],
  ['time', /\b1[6-9]\d{8}(?:\.\d+)?\b|\b1[6-9]\d{11}\b/g],
  ['retry', /"retry-after":\s*[\d.]+/g],
];

const withoutNewTexts = (text) =>
  PATTERNS_BY_NAME.reduce((of, [name, pattern]) => of.replace(pattern, `<${name}>`), text);

/** Number of event ids per position of the log (src/model/event-ids.ts); the position depends on the time. */
const EVENT_IDS_PER_POSITION = 8192;

const withPlaceInEntry = (id) => (Number.isInteger(id) && id > 0 ? id % EVENT_IDS_PER_POSITION : id);

/** An answer as texts: the events of a poll one by one, since polls divide them in different ways. */
function textsOfAnswer({ method, path, status, text }) {
  const isPoll = method === 'GET' && /\/events(?:\?|$)/.test(path);
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    return [`${status} ${withoutNewTexts(text)}`];
  }
  if (fields?.last_event_id !== undefined) fields.last_event_id = withPlaceInEntry(fields.last_event_id);
  if (!isPoll || !Array.isArray(fields.events)) return [`${status} ${withoutNewTexts(JSON.stringify(fields))}`];
  const events = fields.events.filter(({ type }) => type !== 'heartbeat');
  return events.map((event) => withoutNewTexts(JSON.stringify({ ...event, id: withPlaceInEntry(event.id) })));
}

/** True for a request that asks for another level than the base level, which may change. */
const isOfNewerLevel = ({ headers }) =>
  Object.entries(headers).some(
    ([name, value]) =>
      (name.toLowerCase() === 'x-conclave-api-level' && Number(value) !== 184) ||
      (name.toLowerCase() === 'user-agent' && /^Zulip(?:Flutter|Rust)/i.test(value)),
  );

const requestOf = ({ method, path, body }) => {
  const poll = path.replace(/last_event_id=-?\d+/, 'last_event_id=<id>');
  return withoutNewTexts(`${method} ${poll} ${body.startsWith('--') ? '<form>' : body}`);
};

/** The form of a value: its names and types, with the texts that clients treat as types. */
function formOf(value, name = '') {
  if (Array.isArray(value)) return `[${[...new Set(value.map((item) => formOf(item)))].sort().join(',')}]`;
  if (value === null || typeof value !== 'object')
    return typeof value === 'string' && NAMES_OF_TYPES.has(name) ? JSON.stringify(value) : kindOf(value);
  // A map by id or address; names of streams and files have no pattern.
  const isMap = Object.keys(value).some((key) => !/^[a-z_]+$/i.test(key));
  if (isMap) return `{*:${formOf(Object.values(value))}}`;
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${formOf(value[field], field)}`).join(',')}}`;
}

/** Values of these names decide what the other fields are. */
const NAMES_OF_TYPES = new Set(['type', 'op', 'result', 'code', 'property', 'flag', 'reaction_type', 'message_type']);

const kindOf = (value) => (value === null ? 'null' : typeof value);

/** Folder of a file: two random hexadecimal digits. */
const FOLDER_OF_FILE = /(\/user_uploads\/(?:[a-z]+\/)?\d+\/)[0-9a-f]{1,2}(?=\/)/;

/** An operation: the request without ids, queries and parameters. */
const operationOf = ({ method, path }) =>
  `${method} ${withoutNewTexts(path.replace(/\?.*/, '').replace(FOLDER_OF_FILE, '$1<hex>')).replace(/\d+/g, '<n>')}`;

/** The forms of an answer: of its events one by one, as their texts. */
function formsOfAnswer({ method, path, status, text }) {
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    return [];
  }
  if (method === 'GET' && /\/events(?:\?|$)/.test(path) && Array.isArray(fields.events))
    return fields.events.map((event) => formOf(event));
  if (Array.isArray(fields.messages)) {
    const { messages, ...others } = fields;
    return [`${status} ${formOf(others)}`, ...messages.map((message) => formOf(message))];
  }
  return /\/register$/.test(path) ? formsOfState(status, fields) : [`${status} ${formOf(fields)}`];
}

/** The forms of a state: of each of its fields, since a registration asks for a choice of them. */
const formsOfState = (status, fields) =>
  Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((item) => `${status} ${name}[]: ${formOf(item)}`)
      : [`${status} ${name}: ${formOf(value, name)}`],
  );

/** The texts of all answers by request, and their forms by operation. */
export function answersByRequest(lines) {
  const [texts, forms] = [new Map(), new Map()];
  const add = (map, key, values) => {
    const known = map.get(key) ?? new Set();
    for (const value of values) known.add(value);
    map.set(key, known);
  };
  for (const line of lines) {
    if (line === '') continue;
    const exchange = JSON.parse(line);
    if (isOfNewerLevel(exchange)) continue;
    add(texts, requestOf(exchange), textsOfAnswer(exchange));
    add(forms, operationOf(exchange), formsOfAnswer(exchange));
  }
  return { texts, forms };
}

const isSame = (first, second) => first.size === second.size && [...first].every((text) => second.has(text));

/** The answers to the requests that got the same ones in both runs of a server. */
function stableAnswers([first, again]) {
  const stable = [...first.texts].filter(([request, texts]) => isSame(texts, again.texts.get(request) ?? new Set()));
  return new Map(stable);
}

/**
 * Differences of the newer server, by two runs of each server. Answers that are the same in both runs of a
 * server are compared as they are; of all answers the forms are compared, whatever else differs from run to run.
 * @returns the requests with differences and the answers that one server alone gave; the forms that the older server
 *   never gave; and the numbers of requests and forms compared
 */
export function compareAnswers(older, newer) {
  const [before, after] = [stableAnswers(older), stableAnswers(newer)];
  const differences = [];
  for (const [request, texts] of before) {
    const now = after.get(request);
    if (!now || isSame(texts, now)) continue;
    const gone = [...texts].filter((text) => !now.has(text));
    const added = [...now].filter((text) => !texts.has(text));
    differences.push({ request, gone, added });
  }
  const compared = [...before.keys()].filter((request) => after.has(request)).length;
  const missing = [...before.keys()].filter((request) => newer.every(({ texts }) => !texts.has(request))).length;
  return { compared, differences, missing, ...compareForms(older, newer) };
}

function compareForms(older, newer) {
  const newForms = [];
  let comparedForms = 0;
  for (const operation of new Set(newer.flatMap(({ forms }) => [...forms.keys()]))) {
    const known = new Set(older.flatMap(({ forms }) => [...(forms.get(operation) ?? [])]));
    if (known.size === 0) continue;
    for (const form of new Set(newer.flatMap(({ forms }) => [...(forms.get(operation) ?? [])]))) {
      comparedForms++;
      if (!known.has(form)) newForms.push({ operation, form });
    }
  }
  return { comparedForms, newForms };
}
