import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { core, formatFailureText } from '../client/index.js';
import {
  ApiFailure,
  findExactNarrowConversation,
  type MessageWindow,
  makeNarrowKey,
  type Narrow,
} from '../core/index.js';
import { Button, EmptyNotice, Icon, noteFirstViewShown, Spinner } from '../kit/index.js';
import { t } from '../text/index.js';
import { useArrivalAnnouncements } from './announce.js';
import { KEPT_EDITS_STORE_KEY, withLaterChunk } from './chunk.js';
import { type ListPlace, takePlaceFromBeforeMove, useLinkToMovedMessage, useMovedTopic } from './follow.js';
import { RecipientHeader } from './headers.js';
import { useMessageShortcuts } from './keys.js';
import { findFirstRows, MessageList, type MessageListHandle } from './list.js';
import { UnreadMarker } from './marker.js';
import { areHeightsFinal } from './message.js';
import { PendingMessages, TypingLine } from './pending.js';
import { finishFirstMessages, prepareFirstMessages } from './prepare.js';
import { AT_LIST_END, type FirstPlacement, type MessagePlacement } from './range.js';
import { type MessageRow, makeMessageRows } from './rows.js';
import { setFirstKeptUnread } from './seen.js';

/** Distance of the line "New" from the top of the list, so that some read messages are above it. */
const UNREAD_MARKER_TOP_PX = 120;

/** Scroll positions of windows that the reader has left and that are still loaded. */
const savedPlaceByWindow = new WeakMap<MessageWindow, ListPlace>();

/** Until a list of this page has filled the screen. */
let isFirstList = true;

interface MessagesViewProps {
  readonly narrow: Narrow;
  /** Message that the address names. */
  readonly nearMessageId: number | undefined;
}

function restoreEditsKeptForReload(): void {
  try {
    if (sessionStorage.getItem(KEPT_EDITS_STORE_KEY) !== null)
      void withLaterChunk(({ restoreKeptEdits }) => restoreKeptEdits());
  } catch {
    // There is no storage.
  }
}

/** The messages of a narrow. */
export function MessagesView({ narrow, nearMessageId }: MessagesViewProps) {
  const key = makeNarrowKey(narrow);
  return <MessageWindowView key={key} narrow={narrow} nearMessageId={nearMessageId} />;
}

/** Rows of the window: the same array as before unless a row has changed. */
function useStableMessageRows(
  window: MessageWindow,
  firstNewId: number | undefined,
  isOneConversation: boolean,
): readonly MessageRow[] {
  const known = useRef<ReadonlyMap<number, MessageRow>>(new Map());
  const me = core.state.me.id;
  const rows = makeMessageRows(
    window.messageIds.value,
    (id) => core.windows.messageStore.getSignal(id)?.value,
    me,
    firstNewId,
    known.current,
    isOneConversation,
  );
  const before = useRef(rows);
  known.current = new Map(rows.map((row) => [row.id, row]));
  const same = rows.length === before.current.length && rows.every((row, index) => row === before.current[index]);
  if (!same) before.current = rows;
  return before.current;
}

/** Wanted scroll position: at the message that the address names, or as before the topic was moved. */
interface PlacementGoal {
  readonly near?: number | undefined;
  readonly beforeMove?: ListPlace | undefined;
}

/**
 * Chooses the scroll position: the wanted one, else the first unread message, else where the reader left the list, else
 * the anchor of the window.
 */
function findPlacement(
  window: MessageWindow,
  rows: readonly MessageRow[],
  { near, beforeMove }: PlacementGoal,
  firstUnread: number | undefined,
): MessagePlacement {
  const ids = window.messageIds.peek();
  const hasRow = (id: number) => rows.some((row) => row.id === id);
  const atEnd: MessagePlacement = { id: rows.at(-1)!.id, where: AT_LIST_END };
  if (beforeMove?.isAtEnd) return atEnd;
  if (beforeMove?.id !== undefined && hasRow(beforeMove.id)) return { id: beforeMove.id, where: beforeMove.topPx };
  const target = near === undefined ? undefined : (ids.find((id) => id >= near) ?? ids.at(-1));
  if (target !== undefined) return { id: target, where: 'center' };
  if (firstUnread !== undefined) return { id: firstUnread, where: UNREAD_MARKER_TOP_PX };
  const left = savedPlaceByWindow.get(window);
  if (left?.id !== undefined && !left.isAtEnd && hasRow(left.id)) return { id: left.id, where: left.topPx };
  const anchor = window.anchorMessageId.peek();
  return window.foundNewest.peek() || anchor === undefined ? atEnd : { id: anchor, where: 'center' };
}

function MessageWindowView({ narrow, nearMessageId }: MessagesViewProps) {
  const window = useMemo(() => core.windows.openWindow(narrow), []);
  const handle = useRef<MessageListHandle>(null);
  const pendingItems = useMemo(() => core.outbox.makeItemsSignalForNarrow(narrow), [window]);
  const marker = useMemo(
    () =>
      new UnreadMarker({
        window,
        store: core.windows.messageStore,
        pendingItems,
        isPageFocused: core.platform.focused,
        ownUserId: core.state.me.id,
      }),
    [window],
  );
  const isAwayFromEnd = useSignal(false);
  const topId = useSignal<number | undefined>(undefined);
  const hasManyConversations = !findExactNarrowConversation(narrow);
  /** Wanted scroll position, until there are rows. */
  const goal = useRef<PlacementGoal | undefined>({});
  const phase = window.loadPhase.value;
  const readPlace = (): ListPlace | undefined => {
    const list = handle.current;
    if (!list) return undefined;
    const { messageId: id, topPx, followsEnd: isAtEnd } = list.placeKeeper;
    return { id, topPx, isAtEnd, readerMessageId: isAtEnd ? list.findVisibleIds().at(-1) : id };
  };

  useLayoutEffect(() => {
    const beforeMove = takePlaceFromBeforeMove(narrow);
    if (!beforeMove) core.sharedViewState.selectedMessageId.value = nearMessageId;
    setFirstKeptUnread(window, undefined);
    goal.current = { near: nearMessageId, beforeMove };
    if (beforeMove) void window.showOrLoadAround(beforeMove.isAtEnd ? 'newest' : (beforeMove.id ?? 'first_unread'));
    else if (nearMessageId !== undefined) void window.showOrLoadAround(nearMessageId);
    else if (window.loadPhase.peek() !== 'ready' || window.messageIds.peek().length === 0)
      void window.showOrLoadAround('first_unread');
    return () => {
      const place = readPlace();
      if (place) savedPlaceByWindow.set(window, place);
    };
  }, [window, nearMessageId]);
  useMovedTopic(narrow, readPlace);
  useLinkToMovedMessage(window, nearMessageId);

  /** Stays true: a message that arrives later never hides the list. */
  const isShown = useRef(false);
  isShown.current ||=
    phase === 'ready' &&
    areHeightsFinal(window.messageIds.value.flatMap((id) => core.windows.messageStore.peek(id) ?? []));
  const rows = useStableMessageRows(window, marker.messageId.value, !hasManyConversations);
  /**
   * Scroll position of the first render, which waits for it, and on the first list of a page for the prepared texts.
   */
  const firstPlacement = useRef<FirstPlacement>(undefined);
  const emptyView = useRef<HTMLDivElement>(null);
  const isPlaced = useSignal(false);
  const isListShown = useRef(false);
  const hadMessages = useRef(false);
  hadMessages.current ||= rows.length > 0;
  const isFetchedAgain = () => window.fetchDirection.peek() === 'around';
  isListShown.current ||= isShown.current && (isPlaced.value || rows.length === 0 || isFetchedAgain());
  useLayoutEffect(() => {
    if (!goal.current || !isShown.current || phase !== 'ready' || rows.length === 0 || isFetchedAgain()) return;
    const placement = findPlacement(window, rows, goal.current, marker.markFirstUnread());
    goal.current = undefined;
    const list = handle.current;
    if (list && placement.where === AT_LIST_END) list.showEnd();
    else if (list) list.show(placement.id, placement.where);
    else {
      firstPlacement.current = {
        ...placement,
        viewPx: emptyView.current?.clientHeight || innerHeight,
        isInParts: isFirstList,
      };
      const show = () => {
        isPlaced.value = true;
      };
      if (!isFirstList) show();
      // After an error the list is shown, too: the render of the text throws the error again, and its boundary says it.
      else prepareFirstMessages(window, findFirstRows(rows, firstPlacement.current)).then(show, show);
    }
  });
  useEffect(() => {
    if (phase === 'failed') noteFirstViewShown();
    if (isListShown.current) firstPlacement.current = undefined;
  });
  const noteScreenFilled = () => {
    noteFirstViewShown();
    if (isFirstList) finishFirstMessages();
    isFirstList = false;
  };

  useEffect(() => marker.follow(), [marker]);
  useEffect(restoreEditsKeptForReload, []);
  useArrivalAnnouncements(window);

  useMessageShortcuts(window, rows, handle);
  const newest = async () => {
    await window.showOrLoadAround('newest');
    handle.current?.showEnd();
  };
  if (phase === 'failed') {
    return (
      <div class="messages opening">
        {isRefusedNarrow(window.loadFailure.value) ? (
          <NoSuchPlaceNotice />
        ) : (
          <EmptyNotice
            icon="offline"
            action={{ label: t('common.retry'), run: () => void window.reloadRequestedAnchor() }}
          >
            {formatFailureText(window.loadFailure.value)}
          </EmptyNotice>
        )}
        <PendingMessages narrow={narrow} />
      </div>
    );
  }
  if (phase === 'loading' || !isShown.current || (isFirstList && !isListShown.current)) {
    return (
      <div ref={emptyView} class="messages opening">
        <Spinner />
        <PendingMessages narrow={narrow} />
      </div>
    );
  }
  // The section is measured, and rendered with the list before the next paint.
  if (!isListShown.current) return <section ref={emptyView} class="messages" aria-label={t('messages.list')} />;
  return (
    <section class="messages" aria-label={t('messages.list')}>
      <MessageList
        window={window}
        rows={rows}
        firstPlacement={firstPlacement.current}
        onScreenFilled={noteScreenFilled}
        handle={handle}
        topContent={rows.length > 0 && <MessageListTop window={window} />}
        topLine={<ConversationLine topId={topId} />}
        endContent={<MessageListEnd window={window} />}
        onScroll={() => {
          if (hasManyConversations) topId.value = handle.current?.findIdBelowHiddenHeader();
        }}
        onScrollRest={() => {
          isAwayFromEnd.value = !(handle.current?.placeKeeper.followsEnd ?? true) && rows.length > 0;
        }}
      />
      {rows.length === 0 && pendingItems.value.length === 0 && (
        <EmptyConversationNotice narrow={narrow} hadMessages={hadMessages.current} />
      )}
      <JumpToUnreadOrNewestButton window={window} shown={isAwayFromEnd.value} handle={handle} onNewest={newest} />
    </section>
  );
}

/** Overlay that names the conversation of the first message on screen, once its own line has scrolled out of sight. */
function ConversationLine({ topId }: { readonly topId: ReadonlySignal<number | undefined> }) {
  const { value: id } = topId;
  const message = id === undefined ? undefined : core.windows.messageStore.getSignal(id)?.value;
  if (!message) return null;
  return <RecipientHeader message={message} />;
}

/** Statuses that another try can't change: the server knows no such place, or can't read such an address. */
const FINAL_STATUSES = new Set([400, 414, 431]);

/** Whether the narrow can't be shown, as its stream or person does not exist or is hidden from the user. */
const isRefusedNarrow = (failure: Error | undefined): boolean =>
  failure instanceof ApiFailure && FINAL_STATUSES.has(failure.status);

function NoSuchPlaceNotice() {
  return <EmptyNotice icon="lock">{t('messages.no-place')}</EmptyNotice>;
}

interface EmptyConversationNoticeProps {
  readonly narrow: Narrow;
  /** Whether messages were shown: an event that takes them away does not tell a deletion from a move out of reach. */
  readonly hadMessages: boolean;
}

/** Notice in the middle of a view without messages. */
function EmptyConversationNotice({ narrow, hadMessages }: EmptyConversationNoticeProps) {
  const isConversation = findExactNarrowConversation(narrow) !== undefined;
  const isSearch = narrow.some(({ operator }) => operator === 'search');
  return (
    <div class="messages-empty">
      {core.state.canSeePlacesOf(narrow) ? (
        <EmptyNotice icon={isConversation ? 'direct' : isSearch ? 'search' : 'all'}>
          {t(
            isConversation
              ? hadMessages
                ? 'messages.none-left'
                : 'messages.none-yet'
              : isSearch
                ? 'messages.none-found'
                : 'messages.none',
          )}
        </EmptyNotice>
      ) : (
        <NoSuchPlaceNotice />
      )}
    </div>
  );
}

/** Area above the oldest loaded message. Its height never changes. */
function MessageListTop({ window }: { readonly window: MessageWindow }) {
  const { loadFailure, fetchDirection, foundOldest } = window;
  if (loadFailure.value) {
    return <Button onClick={() => void window.loadOlder()}>{t('common.retry')}</Button>;
  }
  if (fetchDirection.value === 'older') return <Spinner small />;
  return foundOldest.value ? <p>{t('messages.beginning')}</p> : null;
}

function MessageListEnd({ window }: { readonly window: MessageWindow }) {
  const newest = window.foundNewest.value;
  return (
    <div class="message-end">
      {newest && <PendingMessages narrow={window.narrow} />}
      {window.fetchDirection.value === 'newer' && <Spinner small />}
      {newest && <TypingLine narrow={window.narrow} />}
    </div>
  );
}

interface JumpBelowButtonProps {
  readonly window: MessageWindow;
  readonly shown: boolean;
  readonly handle: { readonly current: MessageListHandle | null };
  readonly onNewest: () => void;
}

/** Button that scrolls to the next unread message below, or to the newest one. */
function JumpToUnreadOrNewestButton({ window, shown, handle, onNewest }: JumpBelowButtonProps) {
  const unread = useComputed(() =>
    window.messageIds.value.filter((id) => !core.windows.messageStore.getSignal(id)?.value.flags.includes('read')),
  );
  if (!shown) return null;
  const lowest = handle.current?.findVisibleIds().at(-1) ?? 0;
  const waiting = unread.value.filter((id) => id > lowest);
  const [next] = waiting;
  const toNewest = next === undefined ? t('messages.to-newest') : undefined;
  return (
    <button
      type="button"
      class="below"
      aria-label={toNewest}
      data-tip={toNewest}
      onClick={() => (next === undefined ? onNewest() : handle.current?.show(next, UNREAD_MARKER_TOP_PX))}
    >
      <Icon name="arrow-down" />
      {next !== undefined && t('messages.unread-below', { n: waiting.length })}
    </button>
  );
}
