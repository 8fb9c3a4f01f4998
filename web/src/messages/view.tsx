import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { findNarrowConversation, type MessageWindow, type Narrow, narrowKey } from '../core/index.js';
import { Button, EmptyNotice, Icon, Spinner } from '../kit/index.js';
import { t } from '../text/index.js';
import { type ListPlace, takeCarriedPlace, useMovedTopic } from './follow.js';
import { useMessageKeys } from './keys.js';
import { type ListHandle, MessageList } from './list.js';
import { Pending, TypingLine } from './pending.js';
import { type MessageRow, makeRows } from './rows.js';
import { keepUnreadFrom } from './seen.js';

/** The unread marker stands this far below the top, so that some lines of context are above it. */
const UNREAD_MARKER_TOP_PX = 120;

/** Where the reader left a window that is still loaded. */
const savedPlaceByWindow = new WeakMap<MessageWindow, ListPlace>();

interface ViewProps {
  readonly narrow: Narrow;
  /** Message to stand at. */
  readonly nearMessageId: number | undefined;
}

/** The messages of a narrow. */
export function MessagesView({ narrow, nearMessageId }: ViewProps) {
  const key = narrowKey(narrow);
  return <MessageWindowView key={key} narrow={narrow} nearMessageId={nearMessageId} />;
}

const isUnread = (id: number): boolean => core.windows.store.peek(id)?.flags.includes('read') === false;

/** Rows follow the list of ids and the parts of messages that rows depend on. */
function useRows(window: MessageWindow, marked: number | undefined): readonly MessageRow[] {
  const known = useRef<ReadonlyMap<number, MessageRow>>(new Map());
  const me = core.state.me.id;
  const rows = makeRows(window.ids.value, (id) => core.windows.store.get(id)?.value, me, marked, known.current);
  const before = useRef(rows);
  known.current = new Map(rows.map((row) => [row.id, row]));
  const same = rows.length === before.current.length && rows.every((row, index) => row === before.current[index]);
  if (!same) before.current = rows;
  return before.current;
}

function MessageWindowView({ narrow, nearMessageId }: ViewProps) {
  const window = useMemo(() => core.windows.open(narrow), []);
  const handle = useRef<ListHandle>(null);
  const marked = useSignal<number | undefined>(undefined);
  const below = useSignal(false);
  /** A wish to stand somewhere, until rows are there. */
  const goal = useRef<{ readonly near?: number | undefined; readonly carried?: ListPlace | undefined } | undefined>({});
  const phase = window.phase.value;
  const readPlace = (): ListPlace | undefined => {
    const place = handle.current?.placeKeeper;
    return place && { id: place.id, topPx: place.topPx, isAtEnd: place.isAtEnd };
  };

  useLayoutEffect(() => {
    const carried = takeCarriedPlace(narrow);
    if (!carried) core.viewState.selectedMessageId.value = nearMessageId;
    keepUnreadFrom(window, undefined);
    goal.current = { near: nearMessageId, carried };
    if (carried) void window.jumpTo(carried.isAtEnd ? 'newest' : (carried.id ?? 'first_unread'));
    else if (nearMessageId !== undefined) void window.jumpTo(nearMessageId);
    else if (window.phase.peek() !== 'ready' || window.ids.peek().length === 0) void window.jumpTo('first_unread');
    return () => {
      const place = readPlace();
      if (place) savedPlaceByWindow.set(window, place);
    };
  }, [window, nearMessageId]);
  useMovedTopic(narrow, readPlace);

  const rows = useRows(window, marked.value);
  useLayoutEffect(() => {
    const list = handle.current;
    if (!goal.current || !list || phase !== 'ready' || rows.length === 0 || window.fetchDirection.peek() === 'around')
      return;
    const { near: wish, carried } = goal.current;
    const ids = window.ids.peek();
    marked.value = ids.find(isUnread);
    const target = wish === undefined ? undefined : (ids.find((id) => id >= wish) ?? ids.at(-1));
    const left = savedPlaceByWindow.get(window);
    goal.current = undefined;
    if (carried?.isAtEnd) list.showEnd();
    else if (carried?.id !== undefined && list.show(carried.id, carried.topPx)) return;
    else if (target !== undefined) list.show(target, 'center');
    else if (marked.value !== undefined) list.show(marked.value, UNREAD_MARKER_TOP_PX);
    else if (left?.id !== undefined && !left.isAtEnd && list.show(left.id, left.topPx)) return;
    else if (window.foundNewest.peek() || window.anchorMessageId.peek() === undefined) list.showEnd();
    else list.show(window.anchorMessageId.peek()!, 'center');
  });

  // While the reader is away, the first message that comes gets the marker.
  useEffect(() => {
    let away = false;
    const ends = [
      core.platform.visible.subscribe((visible) => {
        if (!visible && !window.ids.peek().some(isUnread)) away = true;
      }),
      window.lastListChange.subscribe(({ kind }) => {
        const last = window.lastId;
        if (!away || kind !== 'arrived' || last === undefined || !isUnread(last)) return;
        away = false;
        marked.value = last;
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [window]);

  useMessageKeys(window, rows, handle);
  const newest = async () => {
    await window.jumpTo('newest');
    handle.current?.showEnd();
  };
  if (phase === 'failed') {
    return (
      <div class="messages opening">
        <EmptyNotice icon="offline">{window.failure.value?.message || t('error.unreachable')}</EmptyNotice>
        <Button onClick={() => void window.retry()}>{t('common.retry')}</Button>
        <Pending narrow={narrow} />
      </div>
    );
  }
  if (phase === 'loading') {
    return (
      <div class="messages opening">
        <Spinner />
        <Pending narrow={narrow} />
      </div>
    );
  }
  return (
    <section class="messages" aria-label={t('messages.list')}>
      <MessageList
        window={window}
        rows={rows}
        handle={handle}
        topContent={<ListTop window={window} empty={rows.length === 0} />}
        endContent={<ListEnd window={window} />}
        onScrollRest={() => {
          below.value = !(handle.current?.placeKeeper.isAtEnd ?? true) && rows.length > 0;
        }}
      />
      <JumpBelowButton window={window} shown={below.value} handle={handle} onNewest={newest} />
    </section>
  );
}

/** The part above the oldest loaded message; always of the same height. */
function ListTop({ window, empty }: { readonly window: MessageWindow; readonly empty: boolean }) {
  const { failure, fetchDirection, foundOldest } = window;
  if (empty) return <p>{t(findNarrowConversation(window.narrow) ? 'messages.none-yet' : 'messages.none')}</p>;
  if (failure.value) {
    return <Button onClick={() => void window.loadOlder()}>{t('common.retry')}</Button>;
  }
  if (fetchDirection.value === 'older') return <Spinner small />;
  return foundOldest.value ? <p>{t('messages.beginning')}</p> : null;
}

function ListEnd({ window }: { readonly window: MessageWindow }) {
  const newest = window.foundNewest.value;
  return (
    <div class="message-end">
      {newest && <Pending narrow={window.narrow} />}
      {window.fetchDirection.value === 'newer' && <Spinner small />}
      {newest && <TypingLine narrow={window.narrow} />}
    </div>
  );
}

interface JumpBelowButtonProps {
  readonly window: MessageWindow;
  readonly shown: boolean;
  readonly handle: { readonly current: ListHandle | null };
  readonly onNewest: () => void;
}

/** Leads to the next unread message below, or to the newest one. */
function JumpBelowButton({ window, shown, handle, onNewest }: JumpBelowButtonProps) {
  const unread = useComputed(() =>
    window.ids.value.filter((id) => !core.windows.store.get(id)?.value.flags.includes('read')),
  );
  if (!shown) return null;
  const lowest = handle.current?.findVisibleIds().at(-1) ?? 0;
  const waiting = unread.value.filter((id) => id > lowest);
  const [next] = waiting;
  return (
    <button
      type="button"
      class="below"
      onClick={() => (next === undefined ? onNewest() : handle.current?.show(next, UNREAD_MARKER_TOP_PX))}
    >
      <Icon name="arrow-down" />
      {next === undefined ? t('messages.to-newest') : t('messages.unread-below', { n: waiting.length })}
    </button>
  );
}
