import type { RefObject } from 'preact';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import { getMessageConversation, type MessageWindow, makeConversationNarrow, makeStreamNarrow } from '../core/index.js';
import { useShortcut } from '../kit/index.js';
import {
  mayEditContent,
  openDirectReplyToSender,
  openForwardCompose,
  openMessageActionsMenu,
  openReply,
  openReplyMentioningSender,
  openReplyQuotingSelectionOr,
  requestReactionEmoji,
  toggleCollapsed,
  toggleOwnReactionLikeFirst,
  toggleOwnThumbsUp,
  toggleStar,
} from './actions.js';
import { withLaterChunk } from './chunk.js';
import type { MessageListHandle } from './list.js';
import type { MessageRow } from './rows.js';

/** Keys of the list and of the selected message. */
export function useMessageShortcuts(
  window: MessageWindow,
  rows: readonly MessageRow[],
  handle: RefObject<MessageListHandle | null>,
): void {
  const elementOf = (id: number) => document.querySelector<HTMLElement>(`[data-row="${id}"]`);
  const select = (id: number | undefined): boolean => {
    if (id === undefined) return false;
    core.sharedViewState.selectedMessageId.value = id;
    handle.current?.show(id, 'nearest');
    requestAnimationFrame(() => elementOf(id)?.focus({ preventScroll: true }));
    return true;
  };
  /** The selected message if it is on screen, or else the lowest one that is. */
  const current = (): number | undefined => {
    const visible = handle.current?.findVisibleIds() ?? [];
    const id = core.sharedViewState.selectedMessageId.peek();
    return id !== undefined && elementOf(id) && rows.some((row) => row.id === id) ? id : visible.at(-1);
  };
  const step = (by: 1 | -1) => {
    const id = core.sharedViewState.selectedMessageId.peek();
    const visible = handle.current?.findVisibleIds() ?? [];
    const at = rows.findIndex((row) => row.id === id);
    if (at < 0 || id === undefined || !elementOf(id)) return select(by > 0 ? visible[0] : visible.at(-1));
    const next = rows[at + by];
    if (!next && by > 0) handle.current?.showEnd();
    return select(next?.id ?? id);
  };
  const onMessage = (run: (message: Message, id: number) => unknown) => () => {
    const id = current();
    const message = id === undefined ? undefined : core.windows.messageStore.peek(id);
    if (!message || id === undefined) return false;
    core.sharedViewState.selectedMessageId.value = id;
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
  useShortcut('first', () => void window.showOrLoadAround('oldest').then(() => select(window.firstMessageId)));
  useShortcut(
    'last',
    () =>
      void window.showOrLoadAround('newest').then(() => {
        core.sharedViewState.selectedMessageId.value = window.lastMessageId;
        handle.current?.showEnd();
      }),
  );
  // Unread messages further down in this view come before those of other topics.
  useShortcut('next-topic', () => {
    const lowest = handle.current?.findVisibleIds().at(-1) ?? Number.POSITIVE_INFINITY;
    const next = rows.find(
      ({ id }) => id > lowest && core.windows.messageStore.peek(id)?.flags.includes('read') === false,
    );
    return next !== undefined && select(next.id);
  });
  useShortcut(
    'reply',
    byMember((message) => openReply(message)),
  );
  useShortcut('reply-sender', byMember(openDirectReplyToSender));
  useShortcut('reply-mention', byMember(openReplyMentioningSender));
  useShortcut(
    'quote',
    byMember((message) => void openReplyQuotingSelectionOr(message)),
  );
  useShortcut(
    'forward',
    byMember((message) => void openForwardCompose(message)),
  );
  useShortcut(
    'react',
    byMember((message, id) => requestReactionEmoji(message, anchorOf(id))),
  );
  useShortcut(
    'thumbs-up',
    byMember((message) => void toggleOwnThumbsUp(message)),
  );
  useShortcut('react-same', byMember(toggleOwnReactionLikeFirst));
  useShortcut(
    'star',
    byMember((message) => void toggleStar(message)),
  );
  const edit = (id: number) => {
    core.sharedViewState.editedMessageId.value = id;
    core.sharedViewState.selectedMessageId.value = id;
    handle.current?.show(id, 'nearest');
  };
  useShortcut(
    'edit',
    byMember((message, id) =>
      mayEditContent(message) ? edit(id) : void withLaterChunk((of) => of.openMessageSource(message)),
    ),
  );
  useShortcut('edit-last', () => {
    const mine = [...rows].reverse().find(({ id }) => {
      const message = core.windows.messageStore.peek(id);
      return message !== undefined && mayEditContent(message);
    });
    if (!mine) return false;
    edit(mine.id);
    return true;
  });
  useShortcut(
    'move',
    byMember((message) => message.stream_id !== undefined && void withLaterChunk((of) => of.openMoveDialog(message))),
  );
  useShortcut(
    'history',
    onMessage((message) => void withLaterChunk((of) => of.openHistory(message))),
  );
  useShortcut(
    'receipts',
    byMember(
      (message) =>
        core.state.realm.fields.peek().realm_enable_read_receipts === true &&
        void withLaterChunk((of) => of.openReadReceipts(message)),
    ),
  );
  useShortcut(
    'unread',
    byMember((message) => void withLaterChunk((of) => of.markUnreadFrom(message, window))),
  );
  useShortcut('collapse', onMessage(toggleCollapsed));
  useShortcut(
    'message-menu',
    onMessage((message, id) => void openMessageActionsMenu(message, window, anchorOf(id))),
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
  const openConversation = onMessage((message) =>
    core.router.navigate({
      view: 'narrow',
      narrow: makeConversationNarrow(getMessageConversation(message, core.state.me.id)),
      near: message.id,
    }),
  );
  useShortcut('narrow-topic', openConversation);
  useShortcut('view-context', openConversation);
  useShortcut(
    'narrow-stream',
    onMessage((message) =>
      message.stream_id === undefined
        ? false
        : core.router.navigate({ view: 'narrow', narrow: makeStreamNarrow(message.stream_id), near: message.id }),
    ),
  );
}
