/** Rows of the inbox from the state, without the DOM. */
import {
  type ClientState,
  type Conversation,
  makeConversationKey,
  type Stream,
  type UnreadConversation,
} from '../core/index.js';
import { compareNames } from '../text/index.js';

/** Direct messages, a stream by its id, or everything that is muted. */
export type InboxGroup = 'directs' | 'muted' | number;

interface UnreadSum {
  readonly count: number;
  readonly mentioned: boolean;
}

export type InboxRow =
  | ({ readonly kind: 'heading'; readonly key: string; readonly group: InboxGroup; readonly open: boolean } & UnreadSum)
  | ({
      readonly kind: 'conversation';
      readonly key: string;
      readonly of: Conversation;
      /** The message that the row shows. */
      readonly newestMessageId: number;
      /** Whether the row names the stream, because the heading doesn't. */
      readonly withStream: boolean;
    } & UnreadSum);

/** Groups that the reader has opened or closed. At first, only the group of muted conversations is closed. */
export type ToggledGroups = ReadonlySet<InboxGroup>;

/** Whether the group is open. */
const isGroupOpen = (group: InboxGroup, turned: ToggledGroups): boolean => turned.has(group) === (group === 'muted');

const findInboxGroup = ({ conversation, muted }: UnreadConversation): InboxGroup =>
  'users' in conversation ? 'directs' : muted ? 'muted' : conversation.stream;

/** Orders groups: direct messages, pinned streams, other streams by name, muted conversations. */
function makeGroupComparator(state: ClientState): (a: InboxGroup, b: InboxGroup) => number {
  const { byId } = state.streams;
  const rank = (group: InboxGroup): number => {
    if (group === 'directs') return 0;
    if (group === 'muted') return 3;
    return byId.value.get(group)?.pin_to_top ? 1 : 2;
  };
  const nameOf = (group: InboxGroup): string => {
    const stream: Stream | undefined = typeof group === 'number' ? byId.value.get(group) : undefined;
    return stream?.name ?? '';
  };
  return (a, b) => rank(a) - rank(b) || compareNames(nameOf(a), nameOf(b));
}

/** @returns the rows from top to bottom: a heading for each group, newest conversations first below it */
export function makeInboxRows(state: ClientState, turned: ToggledGroups): readonly InboxRow[] {
  const groups = new Map<InboxGroup, UnreadConversation[]>();
  for (const one of state.unread.unreadConversations.value) {
    const group = findInboxGroup(one);
    const list = groups.get(group);
    if (list) list.push(one);
    else groups.set(group, [one]);
  }
  const rows: InboxRow[] = [];
  for (const group of [...groups.keys()].sort(makeGroupComparator(state))) {
    const list = groups.get(group) ?? [];
    const open = isGroupOpen(group, turned);
    const count = list.reduce((sum, one) => sum + one.count, 0);
    const mentioned = list.some(({ mentionCount }) => mentionCount > 0);
    rows.push({ kind: 'heading', key: `group ${group}`, group, open, count, mentioned });
    if (!open) continue;
    for (const { conversation, count: unread, mentionCount, newestMessageId } of list) {
      const facts = { count: unread, mentioned: mentionCount > 0, newestMessageId, withStream: group === 'muted' };
      rows.push({ kind: 'conversation', key: makeConversationKey(conversation), of: conversation, ...facts });
    }
  }
  return rows;
}
