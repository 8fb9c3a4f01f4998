/** The reducer's part for data of the user alone: drafts, saved snippets, scheduled messages, topics. */
import type { State } from './reducer.js';
import { unreadRecounted } from './reducer-unread.js';
import type { ApiEvent, Fields } from './types.js';

interface Draft extends Fields {
  readonly id: number;
  readonly timestamp: number;
}

interface Snippet extends Fields {
  readonly id: number;
}

interface Scheduled extends Fields {
  readonly scheduled_message_id: number;
  readonly scheduled_delivery_timestamp: number;
}

interface Topic extends Fields {
  readonly stream_id: number;
  readonly topic_name: string;
}

const newestFirst = (drafts: readonly Draft[]): Draft[] =>
  [...drafts].sort((a, b) => b.timestamp - a.timestamp || b.id - a.id);

const byTime = (messages: readonly Scheduled[]): Scheduled[] =>
  [...messages].sort(
    (a, b) =>
      a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp ||
      a.scheduled_message_id - b.scheduled_message_id,
  );

export const byTopic = (topics: readonly Topic[]): Topic[] =>
  [...topics].sort((a, b) => a.stream_id - b.stream_id || (a.topic_name < b.topic_name ? -1 : 1));

function onlyKnown(list: readonly unknown[], is: boolean, what: string): void {
  if (!is) throw new Error(`${what} is not among the ${list.length} known ones`);
}

/** @returns undefined for events of other parts. */
export function applyOwn(state: State, event: ApiEvent): State | undefined {
  const drafts = state.drafts as readonly Draft[];
  const snippets = state.saved_snippets as readonly Snippet[];
  const scheduled = state.scheduled_messages as readonly Scheduled[];
  switch (event.op === undefined ? event.type : `${event.type}/${event.op}`) {
    case 'drafts/add':
      return { ...state, drafts: newestFirst([...drafts, ...(event.drafts as Draft[])]) };
    case 'drafts/update': {
      const draft = event.draft as Draft;
      const others = drafts.filter(({ id }) => id !== draft.id);
      onlyKnown(drafts, others.length < drafts.length, `draft ${draft.id}`);
      return { ...state, drafts: newestFirst([...others, draft]) };
    }
    case 'drafts/remove': {
      const others = drafts.filter(({ id }) => id !== event.draft_id);
      onlyKnown(drafts, others.length < drafts.length, `draft ${event.draft_id}`);
      return { ...state, drafts: others };
    }
    case 'saved_snippets/add':
      return { ...state, saved_snippets: [...snippets, event.saved_snippet as Snippet] };
    case 'saved_snippets/update': {
      const snippet = event.saved_snippet as Snippet;
      onlyKnown(
        snippets,
        snippets.some(({ id }) => id === snippet.id),
        `snippet ${snippet.id}`,
      );
      return { ...state, saved_snippets: snippets.map((one) => (one.id === snippet.id ? snippet : one)) };
    }
    case 'saved_snippets/remove': {
      const others = snippets.filter(({ id }) => id !== event.saved_snippet_id);
      onlyKnown(snippets, others.length < snippets.length, `snippet ${event.saved_snippet_id}`);
      return { ...state, saved_snippets: others };
    }
    case 'scheduled_messages/add':
      return { ...state, scheduled_messages: byTime([...scheduled, ...(event.scheduled_messages as Scheduled[])]) };
    case 'scheduled_messages/update': {
      const message = event.scheduled_message as Scheduled;
      const others = scheduled.filter((one) => one.scheduled_message_id !== message.scheduled_message_id);
      onlyKnown(scheduled, others.length < scheduled.length, `scheduled message ${message.scheduled_message_id}`);
      return { ...state, scheduled_messages: byTime([...others, message]) };
    }
    case 'scheduled_messages/remove': {
      const others = scheduled.filter((one) => one.scheduled_message_id !== event.scheduled_message_id);
      onlyKnown(scheduled, others.length < scheduled.length, `scheduled message ${event.scheduled_message_id}`);
      return { ...state, scheduled_messages: others };
    }
    case 'muted_topics':
      return unreadRecounted({ ...state, muted_topics: event.muted_topics });
    case 'user_topic': {
      const { id: _, type: __, ...topic } = event as unknown as Topic & { id: number; type: string };
      const same = (one: Topic): boolean =>
        one.stream_id === topic.stream_id && one.topic_name.toLowerCase() === topic.topic_name.toLowerCase();
      const others = (state.user_topics as Topic[]).filter((one) => !same(one));
      const user_topics = topic.visibility_policy === 0 ? others : [...others, topic as unknown as Topic];
      return unreadRecounted({ ...state, user_topics });
    }
    case 'hotspots':
      return { ...state, hotspots: event.hotspots };
    case 'typing/start':
    case 'typing/stop':
      return state;
    default:
      return undefined;
  }
}
