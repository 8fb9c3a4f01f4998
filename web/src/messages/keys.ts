import type { RefObject } from 'preact';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import { conversationNarrow, getMessageConversation, type MessageWindow, streamNarrow } from '../core/index.js';
import { useShortcut } from '../kit/index.js';
import {
  forward,
  isCollapsed,
  mayEdit,
  openActions,
  pickEmoji,
  quote,
  reply,
  replyMentioning,
  replyToSender,
  toggleFirstReaction,
  toggleStar,
  toggleThumbsUp,
} from './actions.js';
import { withLaterChunk } from './chunk.js';
import type { ListHandle } from './list.js';
import type { MessageRow } from './rows.js';

/** Keys of the list and of the selected message. */
export function useMessageKeys(
  window: MessageWindow,
  rows: readonly MessageRow[],
  handle: RefObject<ListHandle | null>,
): void {
  const elementOf = (id: number) => document.querySelector<HTMLElement>(`[data-row="${id}"]`);
  const select = (id: number | undefined): boolean => {
    if (id === undefined) return false;
    core.viewState.selectedMessageId.value = id;
    handle.current?.show(id, 'nearest');
    requestAnimationFrame(() => elementOf(id)?.focus({ preventScroll: true }));
    return true;
  };
  /** The selected message if it is on screen, or else the lowest one that is. */
  const current = (): number | undefined => {
    const visible = handle.current?.findVisibleIds() ?? [];
    const id = core.viewState.selectedMessageId.peek();
    return id !== undefined && elementOf(id) && rows.some((row) => row.id === id) ? id : visible.at(-1);
  };
  const step = (by: 1 | -1) => {
    const id = core.viewState.selectedMessageId.peek();
    const visible = handle.current?.findVisibleIds() ?? [];
    const at = rows.findIndex((row) => row.id === id);
    if (at < 0 || id === undefined || !elementOf(id)) return select(by > 0 ? visible[0] : visible.at(-1));
    const next = rows[at + by];
    if (!next && by > 0) handle.current?.showEnd();
    return select(next?.id ?? id);
  };
  const onMessage = (run: (message: Message, id: number) => unknown) => () => {
    const id = current();
    const message = id === undefined ? undefined : core.windows.store.peek(id);
    if (!message || id === undefined) return false;
    core.viewState.selectedMessageId.value = id;
    return run(message, id);
  };
  /** Actions that need an account. */
  const byMember = (run: (message: Message, id: number) => unknown) =>
    onMessage((message, id) => core.state.me.id !== 0 && run(message, id));
  const anchorOf = (id: number) => elementOf(id)?.querySelector('.message-tools') ?? document.body;

  useShortcut('message-down', () => step(1));
  useShortcut('message-up', () => step(-1));
  useShortcut('page-down', () => handle.current?.scrollBy(1));
  useShortcut('page-up', () => handle.current?.scrollBy(-1));
  useShortcut('first', () => void window.jumpTo('oldest').then(() => select(window.firstId)));
  useShortcut(
    'last',
    () =>
      void window.jumpTo('newest').then(() => {
        core.viewState.selectedMessageId.value = window.lastId;
        handle.current?.showEnd();
      }),
  );
  // Unread messages further down in this view come before those of other topics.
  useShortcut('next-topic', () => {
    const lowest = handle.current?.findVisibleIds().at(-1) ?? Number.POSITIVE_INFINITY;
    const next = rows.find(({ id }) => id > lowest && core.windows.store.peek(id)?.flags.includes('read') === false);
    return next !== undefined && select(next.id);
  });
  useShortcut(
    'reply',
    byMember((message) => reply(message)),
  );
  useShortcut('reply-sender', byMember(replyToSender));
  useShortcut('reply-mention', byMember(replyMentioning));
  useShortcut(
    'quote',
    byMember((message) => void quote(message)),
  );
  useShortcut(
    'forward',
    byMember((message) => void forward(message)),
  );
  useShortcut(
    'react',
    byMember((message, id) => pickEmoji(message, anchorOf(id))),
  );
  useShortcut(
    'thumbs-up',
    byMember((message) => void toggleThumbsUp(message)),
  );
  useShortcut('react-same', byMember(toggleFirstReaction));
  useShortcut(
    'star',
    byMember((message) => void toggleStar(message)),
  );
  const edit = (id: number) => {
    core.viewState.editedMessageId.value = id;
    core.viewState.selectedMessageId.value = id;
    handle.current?.show(id, 'nearest');
  };
  useShortcut(
    'edit',
    byMember((message, id) =>
      mayEdit(message) ? edit(id) : void withLaterChunk((of) => of.openMessageSource(message)),
    ),
  );
  useShortcut('edit-last', () => {
    const mine = [...rows].reverse().find(({ id }) => {
      const message = core.windows.store.peek(id);
      return message !== undefined && mayEdit(message);
    });
    if (!mine) return false;
    edit(mine.id);
    return true;
  });
  useShortcut(
    'move',
    byMember((message) => message.stream_id !== undefined && void withLaterChunk((of) => of.openMove(message))),
  );
  useShortcut(
    'history',
    onMessage((message) => void withLaterChunk((of) => of.openHistory(message))),
  );
  useShortcut(
    'unread',
    byMember((message) => void withLaterChunk((of) => of.markUnreadFrom(message, window))),
  );
  useShortcut(
    'collapse',
    onMessage((_, id) => isCollapsed.toggle(id)),
  );
  useShortcut(
    'message-menu',
    onMessage((message, id) => void openActions(message, window, anchorOf(id))),
  );
  useShortcut(
    'profile',
    onMessage((message, id) => void withLaterChunk((of) => of.openPersonMenu(anchorOf(id), message.sender_id))),
  );
  useShortcut(
    'image',
    onMessage((_, id) => {
      const link = elementOf(id)?.querySelector<HTMLAnchorElement>('a[data-image]');
      return link ? void withLaterChunk((of) => of.openViewer(link)) : false;
    }),
  );
  useShortcut(
    'mute-topic',
    byMember((message) => message.stream_id !== undefined && void withLaterChunk((of) => of.toggleTopicMute(message))),
  );
  useShortcut(
    'narrow-topic',
    onMessage((message) =>
      core.router.navigate({
        view: 'narrow',
        narrow: conversationNarrow(getMessageConversation(message, core.state.me.id)),
        near: message.id,
      }),
    ),
  );
  useShortcut(
    'view-context',
    onMessage((message) =>
      core.router.navigate({
        view: 'narrow',
        narrow: conversationNarrow(getMessageConversation(message, core.state.me.id)),
        near: message.id,
      }),
    ),
  );
  useShortcut(
    'narrow-stream',
    onMessage((message) =>
      message.stream_id === undefined
        ? false
        : core.router.navigate({ view: 'narrow', narrow: streamNarrow(message.stream_id), near: message.id }),
    ),
  );
}
