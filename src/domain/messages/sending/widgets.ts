/**
 * Widgets of messages (polls, to-do lists, forms) and submessages that users add (messages.md § Submessages). The
 * functions have no side effects.
 */
import { type Static, Type } from 'typebox';
import { parseJsonText } from '#base';
import { ApiError, apiError } from '#model/errors';
import { makeSchemaValidator, type SchemaValidator } from '#model/schema';
import type { MessageBody, StoredSubmessage } from '../stored/message.js';

/** Maximum length of the JSON text of a widget or of one submessage. */
export const MAX_SUBMESSAGE_JSON_CHARACTERS = 10_000;

interface SubmessageBound {
  readonly count: number;
  readonly characters: number;
}

/** Limit of all submessages of a message: each new one rewrites the message's record with all of them. */
const MAX_SUBMESSAGES_PER_MESSAGE: SubmessageBound = { count: 2_000, characters: 200_000 };
/** Limit of the submessages of one user, so that others have room for theirs. */
const MAX_SUBMESSAGES_PER_USER: SubmessageBound = { count: 500, characters: 50_000 };
/** Maximum length of a short submessage, such as a vote, which has at most some 70 characters. */
const MAX_SHORT_SUBMESSAGE_CHARACTERS = 100;
/** Number of short submessages that each user may add to a message beyond the other limits. */
const ASSURED_SHORT_SUBMESSAGES_PER_USER = 50;

export const WIDGET_SUBMESSAGE_TYPE = 'widget';

type UntypedObject = Record<string, unknown>;
const isPlainObject = (value: unknown): value is UntypedObject =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const textSchema = Type.String();
/** Option of a poll: number of the user who added it, or `canned` for those of the author, and its index. */
const pollOptionKeySchema = Type.String({ pattern: '^(?:canned|\\d{1,15}),\\d{1,9}$' });
const FORBID_ADDITIONAL_PROPERTIES = { additionalProperties: false } as const;

const zformDataValidator = makeSchemaValidator(
  Type.Object({
    type: textSchema,
    heading: textSchema,
    choices: Type.Array(Type.Object({ short_name: textSchema, long_name: textSchema, reply: textSchema })),
  }),
);

/**
 * Checks the parameter `widget`. @param widget as sent. @throws ApiError as in messages.md § POST /messages, check 14
 */
export function parseAndCheckZformWidget(widget: string): {
  readonly widget_type: string;
  readonly extra_data: unknown;
} {
  const refuse = (reason: string): ApiError => apiError('WIDGET_INVALID', { reason });
  const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  if (widget.length > MAX_SUBMESSAGE_JSON_CHARACTERS) {
    throw refuse(`widget_content is too long (limit: ${MAX_SUBMESSAGE_JSON_CHARACTERS} characters)`);
  }
  const json = parseJsonText(widget);
  if (!json) throw apiError('WIDGET_JSON');
  const content = json.value;
  if (!isPlainObject(content)) throw refuse('widget_content is not a dict');
  for (const key of ['widget_type', 'extra_data']) {
    if (!Object.hasOwn(content, key)) throw refuse(`${key} is not in widget_content`);
  }
  const { widget_type, extra_data } = content;
  if (!isPlainObject(extra_data)) throw refuse('extra_data is not a dict');
  if (widget_type !== 'zform') throw refuse(`unknown widget type: ${shown(widget_type)}`);
  if (!Object.hasOwn(extra_data, 'type')) throw refuse('zform is missing type field');
  if (extra_data.type !== 'choices') throw refuse(`unknown zform type: ${shown(extra_data.type)}`);
  try {
    return { widget_type, extra_data: zformDataValidator.validateJson({ ...json, value: extra_data }, 'extra_data') };
  } catch (error) {
    if (error instanceof ApiError) throw refuse(error.message);
    throw error;
  }
}

/** Matches a line end as the API's original server recognizes it, for example a vertical tab. */
const WIDGET_LINE_END_PATTERN = /\r\n|[\n\r\v\f\x85\u2028\u2029]/;

function parsePollQuestionAndOptions(rest: string): { question: string; options: string[] } {
  const [first = '', ...others] = rest.split(WIDGET_LINE_END_PATTERN);
  // Options may be items of a Markdown list.
  const options = others.map((line) => line.trim().replace(/^\s*[-*]?\s*/, '')).filter((option) => option !== '');
  return { question: first.trim(), options };
}

/** Title and tasks of a to-do list; a task may have a description behind a colon. null: neither is given. */
function parseTodoTitleAndTasks(rest: string): UntypedObject | null {
  const { question, options } = parsePollQuestionAndOptions(rest);
  if (question === '' && options.length === 0) return null;
  const tasks = options.map((line) => {
    const [, task = '', desc = ''] = /^([^:]*):?(.*)$/s.exec(line)!;
    return { task: task.trim(), desc: desc.trim() };
  });
  return { task_list_title: question, tasks };
}

/** The first submessage of a new message: the widget in the parameter, else a command in the text. @throws ApiError */
export function makeWidgetSubmessageIfAny(
  content: string,
  widget: string | null,
  sender: number,
): StoredSubmessage | undefined {
  const given = widget === null ? undefined : parseAndCheckZformWidget(widget);
  const made = given ?? parsePollOrTodoCommand(content);
  if (!made) return undefined;
  return { id: 1, sender, type: WIDGET_SUBMESSAGE_TYPE, content: JSON.stringify(made) };
}

function parsePollOrTodoCommand(content: string): UntypedObject | undefined {
  const [, type, rest = ''] = /^\/(poll|todo)(?=\s|$)(.*)$/s.exec(content) ?? [];
  if (type === 'poll') return { widget_type: type, extra_data: parsePollQuestionAndOptions(rest) };
  return type === 'todo' ? { widget_type: type, extra_data: parseTodoTitleAndTasks(rest) } : undefined;
}

/** The fields of a message that the checks of a new submessage need. */
interface MessageWithSubmessages {
  readonly sender: number;
  readonly body: Pick<MessageBody, 'submessages'>;
}

/** Type of the message's widget; undefined if it has none. Parses the whole widget. */
export function widgetTypeOfMessage({ body }: MessageWithSubmessages): unknown {
  const first = body.submessages?.find(({ type }) => type === WIDGET_SUBMESSAGE_TYPE);
  const data = first && parseJsonText(first.content)?.value;
  return isPlainObject(data) ? data.widget_type : undefined;
}

const SUBMESSAGE_VALIDATORS_BY_WIDGET_AND_TYPE: Readonly<Record<string, Readonly<Record<string, SchemaValidator>>>> = {
  poll: {
    vote: makeSchemaValidator(
      Type.Object(
        { type: textSchema, key: pollOptionKeySchema, vote: Type.Enum([1, -1]) },
        FORBID_ADDITIONAL_PROPERTIES,
      ),
    ),
    question: makeSchemaValidator(
      Type.Object({ type: textSchema, question: textSchema }, FORBID_ADDITIONAL_PROPERTIES),
    ),
    new_option: makeSchemaValidator(
      Type.Object({ type: textSchema, option: textSchema, idx: Type.Integer() }, FORBID_ADDITIONAL_PROPERTIES),
    ),
  },
  todo: {
    new_task: makeSchemaValidator(
      Type.Object(
        { type: textSchema, key: Type.Integer(), task: textSchema, desc: textSchema, completed: Type.Boolean() },
        FORBID_ADDITIONAL_PROPERTIES,
      ),
    ),
    // Clients of today send it; those of level 184 ignore it.
    new_task_list_title: makeSchemaValidator(
      Type.Object({ type: textSchema, title: textSchema }, FORBID_ADDITIONAL_PROPERTIES),
    ),
    strike: makeSchemaValidator(Type.Object({ type: textSchema, key: textSchema }, FORBID_ADDITIONAL_PROPERTIES)),
  },
};

const typedSubmessageSchema = Type.Object({ type: textSchema });
const typedSubmessageValidator = makeSchemaValidator(typedSubmessageSchema);

/**
 * Checks a user's submessage and gives it an id.
 * @param widget type of the message's widget, if it is known
 * @throws ApiError in the order of messages.md § Submessages
 */
export function makeCheckedNextSubmessage(
  message: MessageWithSubmessages,
  added: Pick<StoredSubmessage, 'sender' | 'type' | 'content'>,
  widget: unknown = widgetTypeOfMessage(message),
): StoredSubmessage {
  const { submessages = [] } = message.body;
  const byAuthor = added.sender === message.sender;
  // The first submessage must be the author's; afterwards all users with access may add some.
  if (!byAuthor && !submessages.some(({ sender }) => sender === message.sender)) {
    throw apiError('CANNOT_ATTACH_SUBMESSAGE');
  }
  const json = parseJsonText(added.content);
  if (!json) throw apiError('SUBMESSAGE_JSON');
  const kinds =
    typeof widget === 'string' && Object.hasOwn(SUBMESSAGE_VALIDATORS_BY_WIDGET_AND_TYPE, widget)
      ? SUBMESSAGE_VALIDATORS_BY_WIDGET_AND_TYPE[widget]
      : undefined;
  if (kinds) {
    const name = `${String(widget)} data`;
    const { type } = typedSubmessageValidator.validateJson(json, name) as Static<typeof typedSubmessageSchema>;
    const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (!kind) throw apiError('VALIDATION_FAILED', { message: `Unknown type for ${name}: ${type}` });
    if (widget === 'poll' && type === 'question' && !byAuthor) throw apiError('POLL_QUESTION');
    if (widget === 'todo' && type === 'new_task_list_title' && !byAuthor) throw apiError('TODO_TITLE');
    // The check below changes the value that it gets, so the text is parsed again.
    kind.validateJson(parseJsonText(added.content)!, name);
  }
  if (!hasRoomForSubmessage(submessages, added)) throw apiError('CANNOT_ATTACH_SUBMESSAGE');
  return { ...added, id: (submessages.at(-1)?.id ?? 0) + 1 };
}

function hasRoomForSubmessage(
  present: readonly StoredSubmessage[],
  added: Pick<StoredSubmessage, 'sender' | 'content'>,
): boolean {
  const own = present.filter(({ sender }) => sender === added.sender);
  const isWithin = (list: readonly StoredSubmessage[], { count, characters }: SubmessageBound): boolean =>
    list.length < count && list.reduce((sum, { content }) => sum + content.length, added.content.length) <= characters;
  if (isWithin(present, MAX_SUBMESSAGES_PER_MESSAGE) && isWithin(own, MAX_SUBMESSAGES_PER_USER)) return true;
  const isShort = ({ content }: Pick<StoredSubmessage, 'content'>) => content.length <= MAX_SHORT_SUBMESSAGE_CHARACTERS;
  return isShort(added) && own.filter(isShort).length < ASSURED_SHORT_SUBMESSAGES_PER_USER;
}
