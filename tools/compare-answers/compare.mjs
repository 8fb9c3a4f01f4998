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

/** The texts of all answers, by request. */
export function answersByRequest(lines) {
  const answers = new Map();
  for (const line of lines) {
    if (line === '') continue;
    const exchange = JSON.parse(line);
    if (isOfNewerLevel(exchange)) continue;
    const request = requestOf(exchange);
    const known = answers.get(request) ?? new Set();
    for (const text of textsOfAnswer(exchange)) known.add(text);
    answers.set(request, known);
  }
  return answers;
}

/**
 * Answers of the newer server that differ. Requests whose answers differ between the two runs of the older server are
 * left out.
 * @returns for each request with differences, the answers that only one server gave; and the number of requests
 *   compared
 */
export function compareAnswers(before, beforeAgain, after) {
  const differences = [];
  let compared = 0;
  for (const [request, first] of before) {
    const [again, now] = [beforeAgain.get(request), after.get(request)];
    if (!again || !now) continue;
    const isStable = first.size === again.size && [...first].every((text) => again.has(text));
    if (!isStable) continue;
    compared++;
    const gone = [...first].filter((text) => !now.has(text));
    const added = [...now].filter((text) => !first.has(text));
    if (gone.length + added.length > 0) differences.push({ request, gone, added });
  }
  return { compared, differences };
}
