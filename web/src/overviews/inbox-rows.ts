/** Rows of the inbox from the state, without the DOM. */
import { type Conversation, conversationKey, type State, type Stream, type UnreadConversation } from '../core/index.js';
import { compareNames } from '../text/index.js';

/** Direct messages, a stream by its id, or everything that is muted. */
export type Group = 'directs' | 'muted' | number;

interface Sum {
  readonly count: number;
  readonly mentioned: boolean;
}

export type InboxRow =
  | ({ readonly kind: 'heading'; readonly key: string; readonly group: Group; readonly open: boolean } & Sum)
  | ({
      readonly kind: 'conversation';
      readonly key: string;
      readonly of: Conversation;
      /** The stream stands in the row, because the heading doesn't name it. */
      readonly withStream: boolean;
    } & Sum);

/** Headings that the reader closed, and closed ones that the reader opened. */
export type Turned = ReadonlySet<Group>;

/** The group of muted conversations is closed at first. */
const isOpen = (group: Group, turned: Turned): boolean => turned.has(group) === (group === 'muted');

const groupOf = ({ of, muted }: UnreadConversation): Group => ('users' in of ? 'directs' : muted ? 'muted' : of.stream);

/** Direct messages first, then pinned streams, then streams by name, then what is muted. */
function compareGroups(state: State): (a: Group, b: Group) => number {
  const { byId } = state.streams;
  const rank = (group: Group): number => {
    if (group === 'directs') return 0;
    if (group === 'muted') return 3;
    return byId.value.get(group)?.pin_to_top ? 1 : 2;
  };
  const nameOf = (group: Group): string => {
    const stream: Stream | undefined = typeof group === 'number' ? byId.value.get(group) : undefined;
    return stream?.name ?? '';
  };
  return (a, b) => rank(a) - rank(b) || compareNames(nameOf(a), nameOf(b));
}

/** @returns the rows from top to bottom: a heading for each group, newest conversations first below it */
export function inboxRows(state: State, turned: Turned): readonly InboxRow[] {
  const groups = new Map<Group, UnreadConversation[]>();
  for (const one of state.unread.conversations.value) {
    const group = groupOf(one);
    const list = groups.get(group);
    if (list) list.push(one);
    else groups.set(group, [one]);
  }
  const rows: InboxRow[] = [];
  for (const group of [...groups.keys()].sort(compareGroups(state))) {
    const list = groups.get(group) ?? [];
    const open = isOpen(group, turned);
    const count = list.reduce((sum, one) => sum + one.count, 0);
    const mentioned = list.some(({ mentions }) => mentions > 0);
    rows.push({ kind: 'heading', key: `group ${group}`, group, open, count, mentioned });
    if (!open) continue;
    for (const { of, count: unread, mentions } of list) {
      const facts = { count: unread, mentioned: mentions > 0, withStream: group === 'muted' };
      rows.push({ kind: 'conversation', key: conversationKey(of), of, ...facts });
    }
  }
  return rows;
}
