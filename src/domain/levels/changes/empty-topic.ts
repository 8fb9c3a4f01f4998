/** The empty topic name: `(no topic)` of the base level, in and out. */
import type { Json, JsonObject } from '#base';
import type { ApiChange, ClientContext, RequestFields } from '../change.js';
import { editJsonText, mapObjects, mapText, mapValues } from '../json.js';

/** Name under which the server keeps messages without a topic. */
const STORED_NAME = '(no topic)';
/** Name of the empty topic for people, and for clients that don't take the empty name. */
const DISPLAY_NAME = 'general chat';

type ToText = (text: string) => string;

const topicNameFor = ({ takesEmptyTopicName }: ClientContext): ToText => {
  const name = takesEmptyTopicName ? '' : DISPLAY_NAME;
  return (topic) => (topic === STORED_NAME ? name : topic);
};

/** Names of the empty topic in requests, ignoring case. */
const REQUEST_NAMES: ReadonlySet<string> = new Set(['', STORED_NAME, DISPLAY_NAME]);

const toStoredTopicName: ToText = (topic) => (REQUEST_NAMES.has(topic.trim().toLowerCase()) ? STORED_NAME : topic);

// Requests.

const topicIn =
  (...names: string[]) =>
  (fields: RequestFields): void => {
    for (const name of names) {
      const topic = fields.get(name);
      if (topic !== undefined) fields.set(name, toStoredTopicName(topic));
    }
  };
const topicOfMessage = topicIn('topic', 'subject');

/** Matches every JSON text that has a name of the empty topic; other texts stay as the client wrote them. */
const HAS_REQUEST_NAME = /"\s*"|no topic|general chat/i;
const editJsonField = (fields: RequestFields, name: string, edit: (value: Json) => Json): void =>
  editJsonText(fields, name, HAS_REQUEST_NAME, edit);

const TOPIC_OPERATORS: ReadonlySet<unknown> = new Set(['topic', 'subject']);

function withStoredTopicName(term: Json): Json {
  if (Array.isArray(term)) {
    const [operator, operand, ...rest] = term as Json[];
    return TOPIC_OPERATORS.has(operator) && typeof operand === 'string'
      ? [operator!, toStoredTopicName(operand), ...rest]
      : term;
  }
  if (typeof term !== 'object' || term === null) return term;
  const { operator } = term as JsonObject;
  return TOPIC_OPERATORS.has(operator) ? mapText(term as JsonObject, 'operand', toStoredTopicName) : term;
}

const narrowField = (fields: RequestFields): void =>
  editJsonField(fields, 'narrow', (terms) => (Array.isArray(terms) ? terms.map(withStoredTopicName) : terms));

const withStoredTopicOfStreamDraft = (draft: Json): Json =>
  typeof draft === 'object' && draft !== null && !Array.isArray(draft) && (draft as JsonObject).type === 'stream'
    ? mapText(draft as JsonObject, 'topic', toStoredTopicName)
    : draft;

// Answers, state and events.

const inField =
  (name: string) =>
  (of: JsonObject, client: ClientContext): JsonObject =>
    mapText(of, name, topicNameFor(client));

const inFields =
  (...names: string[]) =>
  (of: JsonObject, client: ClientContext): JsonObject =>
    names.reduce((mapped, name) => inField(name)(mapped, client), of);

const inList =
  (list: string, ...names: string[]) =>
  (fields: JsonObject, client: ClientContext): JsonObject => ({
    ...fields,
    [list]: mapObjects(fields[list], (of) => inFields(...names)(of, client)),
  });

/** `unread_msgs` with its streams sorted by id and topic again, because another name has another place. */
const withSortedStreams = (unread: JsonObject): JsonObject => ({
  ...unread,
  streams: [...(unread.streams as readonly { readonly stream_id: number; readonly topic: string }[])].sort(
    (a, b) => a.stream_id - b.stream_id || (a.topic < b.topic ? -1 : 1),
  ),
});

const inEditFields = inFields('topic', 'prev_topic');

function inMessage(message: JsonObject, client: ClientContext): JsonObject {
  if (message.type !== 'stream') return message;
  const named = inFields('subject', 'match_subject')(message, client);
  return named.edit_history === undefined
    ? named
    : { ...named, edit_history: mapObjects(named.edit_history, (edit) => inEditFields(edit, client)) };
}

/** `muted_topics`: [stream name, topic, time]. */
const inMutedTopics = (list: Json | undefined, client: ClientContext): Json =>
  (list as readonly (readonly Json[])[]).map(([stream, topic, ...rest]) => [
    stream!,
    topicNameFor(client)(topic as string),
    ...rest,
  ]);

/** Drafts and scheduled messages have the empty name for every client: clients send it back. */
const ANY_CLIENT: ClientContext = { takesEmptyTopicName: true };
const inDraft = (draft: JsonObject): JsonObject =>
  draft.type === 'stream' ? inField('topic')(draft, ANY_CLIENT) : draft;
const inDraftList = (list: Json | undefined): JsonObject[] => mapObjects(list, inDraft);

/** Events of drafts and scheduled messages have a list of them, or one. */
const inDraftEvent =
  (list: string, one: string) =>
  (event: JsonObject): JsonObject => ({
    ...event,
    ...(event[list] === undefined ? {} : { [list]: inDraftList(event[list]) }),
    ...(event[one] === undefined ? {} : { [one]: inDraft(event[one] as JsonObject) }),
  });

export const EMPTY_TOPIC_NAME: ApiChange = {
  since: 334,
  summary:
    'The topic (no topic) is the empty name for clients that take it, and general chat for others; both, and (no topic), name it in requests.',
  requests: {
    'send-message': topicOfMessage,
    'update-message': topicOfMessage,
    'set-typing-status': topicIn('topic'),
    'update-user-topic': topicIn('topic'),
    'mute-topic': topicIn('topic'),
    'mark-topic-as-read': topicIn('topic_name'),
    'delete-topic': topicIn('topic_name'),
    'get-messages': narrowField,
    'check-messages-match-narrow': narrowField,
    'update-message-flags-for-narrow': narrowField,
    'register-queue': narrowField,
    'get-events': narrowField,
    'create-drafts': (fields) =>
      editJsonField(fields, 'drafts', (list) => (Array.isArray(list) ? list.map(withStoredTopicOfStreamDraft) : list)),
    'edit-draft': (fields) => editJsonField(fields, 'draft', withStoredTopicOfStreamDraft),
    'create-scheduled-message': topicOfMessage,
    'update-scheduled-message': topicOfMessage,
  },
  answers: {
    'get-stream-topics': inList('topics', 'name'),
    'get-message-history': inList('message_history', 'topic', 'prev_topic'),
    'get-drafts': (fields) => ({ ...fields, drafts: inDraftList(fields.drafts) }),
    'get-scheduled-messages': (fields) => ({ ...fields, scheduled_messages: inDraftList(fields.scheduled_messages) }),
  },
  message: { marks: [STORED_NAME], translate: inMessage },
  state: {
    unread_msgs: (unread, client) => withSortedStreams(inList('streams', 'topic')(unread as JsonObject, client)),
    user_topics: (topics, client) => mapObjects(topics, (topic) => inField('topic_name')(topic, client)),
    muted_topics: inMutedTopics,
    drafts: inDraftList,
    scheduled_messages: inDraftList,
  },
  addedState: { realm_mandatory_topics: { realm_empty_topic_display_name: DISPLAY_NAME } },
  events: {
    update_message: inFields('subject', 'orig_subject'),
    delete_message: inField('topic'),
    typing: inField('topic'),
    user_topic: inField('topic_name'),
    muted_topics: (event, client) => ({ ...event, muted_topics: inMutedTopics(event.muted_topics, client) }),
    update_message_flags: (event, client) =>
      event.message_details === undefined
        ? event
        : { ...event, message_details: mapValues(event.message_details, (of) => inField('topic')(of, client)) },
    drafts: inDraftEvent('drafts', 'draft'),
    scheduled_messages: inDraftEvent('scheduled_messages', 'scheduled_message'),
  },
};
