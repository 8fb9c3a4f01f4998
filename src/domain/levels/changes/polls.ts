import { type Json, type JsonObject, parseJsonText } from '#base';
import type { ApiChange } from '../change.js';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parseObject = (text: Json | undefined): JsonObject | undefined => {
  const value: unknown = typeof text === 'string' ? parseJsonText(text)?.value : undefined;
  return isObject(value) ? value : undefined;
};

/** Key of an option in a vote: number of the user who added it, or `canned` for the author's, and its index. */
const OPTION_KEY_PATTERN = /^(?:canned|\d{1,15}),\d{1,9}$/;

const IS_WELL_FORMED_BY_TYPE: Readonly<Record<string, (data: JsonObject) => boolean>> = {
  new_option: ({ option, idx }) => typeof option === 'string' && Number.isSafeInteger(idx),
  question: ({ question }) => typeof question === 'string',
  vote: ({ key, vote }) => typeof key === 'string' && OPTION_KEY_PATTERN.test(key) && (vote === 1 || vote === -1),
};

/** True for the data of a submessage that every client of a poll understands. */
function isWellFormedPollData(content: Json | undefined): boolean {
  const data = parseObject(content);
  const { type } = data ?? {};
  return (
    data !== undefined &&
    typeof type === 'string' &&
    Object.hasOwn(IS_WELL_FORMED_BY_TYPE, type) &&
    IS_WELL_FORMED_BY_TYPE[type]!(data)
  );
}

function isWellFormedPoll({ content }: JsonObject): boolean {
  const { extra_data } = parseObject(content) ?? {};
  if (!isObject(extra_data)) return false;
  const { question, options } = extra_data;
  return (
    (question === undefined || typeof question === 'string') &&
    (options === undefined || (Array.isArray(options) && options.every((option) => typeof option === 'string')))
  );
}

/** Clients read the first submessage of a message as its widget, and the others of a poll as changes of the poll. */
function withReadableSubmessages(message: JsonObject): JsonObject {
  const [widget, ...others] = message.submessages as readonly JsonObject[];
  if (!widget) return message;
  const type = parseObject(widget.content)?.widget_type;
  if (typeof type !== 'string') return { ...message, submessages: [] };
  if (type !== 'poll') return message;
  if (!isWellFormedPoll(widget)) return { ...message, submessages: [] };
  const good = others.filter(({ content }) => isWellFormedPollData(content));
  return good.length === others.length ? message : { ...message, submessages: [widget, ...good] };
}

/** Event that changes nothing for the client, in place of one that it could not read. */
const HEARTBEAT: JsonObject = { type: 'heartbeat' };

/** Types of data for which POST /submessage also accepts `true` in place of 1, which clients can't read. */
const LOOSE_TYPES: ReadonlySet<unknown> = new Set(['vote', 'new_option']);

const isMalformedChange = (content: Json | undefined): boolean =>
  LOOSE_TYPES.has(parseObject(content)?.type) && !isWellFormedPollData(content);

export const WELL_FORMED_POLLS: ApiChange = {
  since: 277,
  summary: 'Submessages begin with a widget, and those of a poll are well-formed; others are left out.',
  message: { marks: ['"submessages":[{'], translate: withReadableSubmessages },
  events: { submessage: (event) => (isMalformedChange(event.content) ? HEARTBEAT : event) },
};
