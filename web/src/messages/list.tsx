import { useSignalEffect } from '@preact/signals';
import type { Virtualizer } from '@tanstack/virtual-core';
import { type ComponentChildren, Fragment, options, type RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import type { MessageWindow } from '../core/index.js';
import { runWhenIdle, yieldToBrowser } from '../kit/index.js';
import { t } from '../text/index.js';
import { handleContentPress, pressMentionOnKey } from './content/index.js';
import { MessageItem } from './message.js';
import { ScrollPlaceKeeper } from './place.js';
import {
  AT_LIST_END,
  addRowsAround,
  type FirstPlacement,
  findRowsAround,
  limitRowsAround,
  type MessagePlacement,
  type MessageScrollPlacement,
  type RowRange,
} from './range.js';
import type { MessageRow } from './rows.js';
import { markSeenAsRead, marksArrivalAsRead } from './seen.js';
import { useVirtualizer } from './virtual.js';

/**
 * Rows rendered above and below the visible ones. They are few at first, so that the visible ones are painted sooner.
 */
const OVERSCAN_ROWS_PER_SIDE = 12;
const FIRST_OVERSCAN_ROWS_PER_SIDE = 1;
/**
 * Rows added on each side at a time while the browser is idle, from the first of these events on. A row takes 5 ms on a
 * phone, and a reader who does not scroll needs none of them.
 */
const OVERSCAN_STEP_ROWS_PER_SIDE = 2;
const EVENTS_BEFORE_A_SCROLL = ['pointermove', 'pointerdown', 'wheel', 'keydown'] as const;
/** Rows added by each task of the first render of a page, until the screen is full. */
const ROWS_PER_PART = 4;
/** More messages are fetched at this distance from either end: some two screens. */
const PAGE_FETCH_DISTANCE_PX = 1600;
/** Height of the area above the first row, which says where the history begins. */
const LIST_TOP_HEIGHT_PX = 56;
/** Height of the line that names a conversation. */
const CONVERSATION_LINE_PX = 40;
/** Distance of a selected message from the edges: room for the line of its conversation and for its toolbar. */
const SELECTED_MESSAGE_GAP_PX = 48;
const SEEN_CHECK_DELAY_MS = 200;
/** Renders in one task. A scroll to where no rows were takes two or three; those beyond the limit wait for a timer. */
const MAX_RENDERS_PER_TASK = 20;

/** Commands for the list, from the view and from keys. */
export interface MessageListHandle {
  /** Brings a message on screen. @returns whether it is in the list */
  show(id: number, where: MessageScrollPlacement): boolean;
  /** Scrolls to the end and follows new messages from then on. */
  showEnd(): void;
  scrollBy(pages: number): void;
  /** Messages on screen, from top to bottom. */
  findVisibleIds(): readonly number[];
  /** The first message on screen, if the line that names its conversation is scrolled out of sight. */
  findIdBelowHiddenHeader(): number | undefined;
  readonly placeKeeper: ScrollPlaceKeeper;
}

interface MessageListProps {
  readonly window: MessageWindow;
  readonly rows: readonly MessageRow[];
  /** Scroll position of the first render. */
  readonly firstPlacement: FirstPlacement | undefined;
  /** Called when the first rows on screen have been rendered. */
  readonly onScreenFilled: () => void;
  readonly topContent: ComponentChildren;
  /** Overlay at the top of the list. */
  readonly topLine: ComponentChildren;
  /** Shown below the newest message: messages being sent, names of those who type. */
  readonly endContent: ComponentChildren;
  readonly handle: RefObject<MessageListHandle | null>;
  /** Called after a scroll or a change of the list, at most every 200 ms. */
  readonly onScrollRest: () => void;
  /** Called at each scroll event. */
  readonly onScroll: () => void;
}

/** Average width of a letter, and width of a row beside its text on a phone. */
const LETTER_PX = 7.3;
const BESIDE_TEXT_PX = 90;
/** Wide screens have columns beside the list, so lines are not longer there. */
const MAX_LETTERS_PER_LINE = 110;

/** Height of a row before it is measured, estimated from the length of its HTML. */
function estimateRowHeight(row: MessageRow | undefined): number {
  if (!row) return 0;
  const length = core.windows.messageStore.peek(row.id)?.content.length ?? 0;
  const perLine = Math.min(MAX_LETTERS_PER_LINE, (innerWidth - BESIDE_TEXT_PX) / LETTER_PX);
  const lines = 1 + Math.floor(Math.max(0, length / perLine - 0.75));
  return lines * 23 + 4 + (row.showsSender ? 30 : 0) + (row.newConversation ? 46 : 0) + (row.startsDay ? 40 : 0);
}

/** Rows of the first render. */
export function findFirstRows(
  rows: readonly MessageRow[],
  { id, where, viewPx }: FirstPlacement,
): readonly MessageRow[] {
  const index = rows.findIndex((row) => row.id === id);
  if (index < 0) return [];
  const heightOf = (at: number): number => estimateRowHeight(rows[at]);
  const [start, end] = findRowsAround(index, where, { count: rows.length, screenPx: viewPx, heightOf });
  return rows.slice(Math.max(0, start - FIRST_OVERSCAN_ROWS_PER_SIDE), end + 1 + FIRST_OVERSCAN_ROWS_PER_SIDE);
}

/** Not a closure of the list: windows outlive their lists, and one would keep all elements of its list in memory. */
const showsNoArrival = (): boolean => false;

type RowVirtualizer = Virtualizer<HTMLElement, HTMLElement>;

function useMessageListScrolling(
  window: MessageWindow,
  rows: readonly MessageRow[],
  firstPlacement: FirstPlacement | undefined,
  onScreenFilled: () => void,
  onRest: () => void,
  onStep: () => void,
) {
  const scroller = useRef<HTMLDivElement>(null);
  const place = useMemo(() => new ScrollPlaceKeeper(() => scroller.current), [window]);
  const [, again] = useReducer((n: number, _: undefined) => n + 1, 0);
  /** The message to scroll to. The rows around it are rendered, whatever the scroll position. */
  const wanted = useRef<MessagePlacement | undefined>(firstPlacement);
  const firstViewPx = useRef(firstPlacement?.viewPx ?? innerHeight);
  const timer = useRef(0);
  const isMounted = useRef(true);
  const overscanRows = useRef(FIRST_OVERSCAN_ROWS_PER_SIDE);
  const isOverscanBegun = useRef(false);
  const maxRowsOnScreen = useRef(firstPlacement?.isInParts ? ROWS_PER_PART : Number.POSITIVE_INFINITY);
  const firstId = useRef(firstPlacement?.id);
  const isScreenFilled = useRef(false);
  const isNextPartDue = useRef(false);
  const rendersInTask = useRef(0);
  /** False from the arrival of a message until it is rendered. */
  const isRendered = useRef(false);
  const at = useMemo(() => new Map(rows.map(({ id }, index) => [id, index])), [rows]);
  const virtualizer = useRef<RowVirtualizer>(undefined);
  const renderedIds = useRef<readonly [first: number, last: number]>(undefined);
  const isPrinting = useRef(false);
  const rangeExtractor: RowVirtualizer['options']['rangeExtractor'] = ({ startIndex, endIndex, overscan, count }) => {
    if (isPrinting.current) return [...Array(count).keys()];
    const index = wanted.current && at.get(wanted.current.id);
    const onScreen: RowRange =
      index === undefined
        ? [startIndex, endIndex]
        : findRowsAround(index, wanted.current!.where, {
            count,
            screenPx: virtualizer.current?.scrollRect?.height ?? firstViewPx.current,
            heightOf: (of) => virtualizer.current?.measurementsCache[of]?.size ?? estimateRowHeight(rows[of]),
          });
    const part = limitRowsAround(at.get(firstId.current ?? -1) ?? -1, onScreen, maxRowsOnScreen.current);
    isNextPartDue.current = part !== onScreen;
    const [first = -1, last = -1] = renderedIds.current?.map((id) => at.get(id)) ?? [];
    const [start, end] = addRowsAround(part, [first, last], {
      added: isNextPartDue.current ? 0 : overscan,
      kept: OVERSCAN_ROWS_PER_SIDE,
      count,
    });
    renderedIds.current = [rows[start]!.id, rows[end]!.id];
    const indexes = Array.from({ length: end - start + 1 }, (_, n) => start + n);
    // Keys that are typed into a form would be shortcuts if it went with its row.
    const form = document.activeElement?.closest('form')?.closest<HTMLElement>('[data-row]');
    const typed = at.get(Number(form?.dataset.row)) ?? start;
    return typed < start ? [typed, ...indexes] : typed > end ? [...indexes, typed] : indexes;
  };
  const { virtual, measureRow } = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimateRowHeight(rows[index]),
    getItemKey: (index) => rows[index]!.id,
    overscan: overscanRows.current,
    // Rows are rendered before the list is measured.
    initialRect: { width: innerWidth, height: firstViewPx.current },
    scrollMargin: LIST_TOP_HEIGHT_PX,
    // `place` does all scrolling. The virtualizer needs the options below to shift its range when rows are prepended.
    scrollToFn: () => {},
    anchorTo: 'end',
    scrollEndThreshold: -1,
    rangeExtractor,
  });
  // `place` corrects the scroll position when a measured height differs from the estimate.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  virtualizer.current = virtual;
  const addPart = async () => {
    const before = maxRowsOnScreen.current;
    await yieldToBrowser();
    if (!isMounted.current || maxRowsOnScreen.current !== before) return;
    maxRowsOnScreen.current += ROWS_PER_PART;
    again(undefined);
  };
  const addOverscan = () => {
    if (!isMounted.current || overscanRows.current >= OVERSCAN_ROWS_PER_SIDE) return;
    overscanRows.current = Math.min(OVERSCAN_ROWS_PER_SIDE, overscanRows.current + OVERSCAN_STEP_ROWS_PER_SIDE);
    again(undefined);
    runWhenIdle(addOverscan);
  };
  const beginOverscan = () => {
    if (isOverscanBegun.current) return;
    isOverscanBegun.current = true;
    runWhenIdle(addOverscan);
  };
  const rest = () => {
    if (timer.current) return;
    timer.current = globalThis.setTimeout(() => {
      timer.current = 0;
      onRest();
    }, SEEN_CHECK_DELAY_MS);
  };
  const follows = () => window.foundNewest.peek() && core.platform.visible.peek();
  useLayoutEffect(() => {
    const element = scroller.current!;
    const onScroll = () => {
      wanted.current = undefined;
      place.restoreThenNotePlace(follows());
      onStep();
      if (element.scrollTop < PAGE_FETCH_DISTANCE_PX) void window.loadOlder();
      if (element.scrollHeight - element.scrollTop - element.clientHeight < PAGE_FETCH_DISTANCE_PX)
        void window.loadNewer();
      rest();
    };
    // Must run before the listener of the virtualizer. That one renders, and a render restores the place noted before
    // the scroll.
    element.addEventListener('scroll', onScroll, { capture: true, passive: true });
    for (const name of EVENTS_BEFORE_A_SCROLL)
      document.addEventListener(name, beginOverscan, { capture: true, passive: true });
    const watch = new ResizeObserver(() => place.restorePlace());
    watch.observe(element);
    /** Renders all rows at once: the browser lays out the paper right after the event. */
    const print = ({ type }: Event) => {
      isPrinting.current = type === 'beforeprint';
      const defer = options.debounceRendering!;
      options.debounceRendering = (render) => render();
      again(undefined);
      options.debounceRendering = defer;
    };
    globalThis.onbeforeprint = globalThis.onafterprint = print;
    isMounted.current = true;
    window.showsNextArrival = () => {
      const isShown = isRendered.current && place.followsEnd && follows() && marksArrivalAsRead(window);
      isRendered.current = false;
      return isShown;
    };
    return () => {
      isMounted.current = false;
      window.showsNextArrival = showsNoArrival;
      element.removeEventListener('scroll', onScroll, { capture: true });
      for (const name of EVENTS_BEFORE_A_SCROLL) document.removeEventListener(name, beginOverscan, { capture: true });
      watch.disconnect();
      globalThis.onbeforeprint = globalThis.onafterprint = null;
      globalThis.clearTimeout(timer.current);
      timer.current = 0;
    };
  }, [window]);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const goal = wanted.current;
    const before = element.scrollTop;
    if (goal && scrollToMessage(element, goal.id, goal.where)) {
      place.notePlace(follows());
      if (element.scrollTop === before) wanted.current = undefined;
    } else place.restorePlace();
    if (place.messageId === undefined) place.notePlace(follows());
    // The virtualizer ignores the event of a scroll whose position it has. After a render between a scroll and its
    // event, or between two listeners, the list would be empty until the next one. So other rows are rendered at once.
    const rendered = virtual.range;
    virtual.scrollOffset = element.scrollTop;
    const visible = virtual.calculateRange();
    const isSameRange = visible?.startIndex === rendered?.startIndex && visible?.endIndex === rendered?.endIndex;
    if (goal || isSameRange) rendersInTask.current = 0;
    else if (++rendersInTask.current < MAX_RENDERS_PER_TASK) again(undefined);
    else {
      rendersInTask.current = 0;
      // A timer, since a page in the background has no frames.
      globalThis.setTimeout(() => isMounted.current && again(undefined));
    }
    isRendered.current = true;
    if (isNextPartDue.current) void addPart();
    else if (!isScreenFilled.current) {
      isScreenFilled.current = true;
      maxRowsOnScreen.current = Number.POSITIVE_INFINITY;
      onScreenFilled();
    }
    rest();
  });
  const handle: MessageListHandle = {
    placeKeeper: place,
    show: (id, where) => {
      if (!at.has(id)) return false;
      place.followsEnd = false;
      wanted.current = { id, where };
      again(undefined);
      return true;
    },
    showEnd: () => {
      const last = rows.at(-1);
      if (last) wanted.current = { id: last.id, where: AT_LIST_END };
      again(undefined);
    },
    scrollBy: (pages) => scroller.current?.scrollBy({ top: pages * (scroller.current.clientHeight - 60) }),
    findVisibleIds: () => findMessageIdsOnScreen(scroller.current),
    findIdBelowHiddenHeader: () => findIdBelowHiddenHeader(scroller.current),
  };
  return { scroller, virtual, measureRow, handle, place, follows };
}

/** Scrolls a message to a place on screen. @returns false if its row is not in the document */
function scrollToMessage(scroller: HTMLElement, id: number, where: MessageScrollPlacement): boolean {
  const element = scroller.querySelector<HTMLElement>(`[data-row="${id}"]`);
  if (!element) return false;
  const box = element.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  const top = box.top - frame.top;
  if (where === AT_LIST_END) scroller.scrollTop = scroller.scrollHeight;
  else if (where === 'top') scroller.scrollTop += top;
  else if (where === 'center') scroller.scrollTop += top - Math.max(0, (frame.height - box.height) / 2);
  else if (where === 'nearest') {
    if (top < SELECTED_MESSAGE_GAP_PX) scroller.scrollTop += top - SELECTED_MESSAGE_GAP_PX;
    else if (box.bottom > frame.bottom - SELECTED_MESSAGE_GAP_PX) {
      scroller.scrollTop += Math.min(
        top - SELECTED_MESSAGE_GAP_PX,
        box.bottom - frame.bottom + SELECTED_MESSAGE_GAP_PX,
      );
    }
  } else {
    const text = element.querySelector(`[data-message="${id}"]`)?.getBoundingClientRect();
    scroller.scrollTop += (text?.top ?? box.top) - frame.top - where;
  }
  return true;
}

/** Messages whose end is on screen, and one that is higher than the screen. */
function findMessageIdsOnScreen(scroller: HTMLElement | null): readonly number[] {
  if (!scroller) return [];
  const { top, bottom } = scroller.getBoundingClientRect();
  return [...scroller.querySelectorAll<HTMLElement>('[data-message]')]
    .filter((element) => {
      const box = element.getBoundingClientRect();
      const whole = box.bottom <= bottom + 1 || (box.top <= top && box.bottom > bottom);
      return box.bottom > top && box.top < bottom && whole;
    })
    .map((element) => Number(element.dataset.message));
}

function findIdBelowHiddenHeader(scroller: HTMLElement | null): number | undefined {
  if (!scroller) return undefined;
  const { top } = scroller.getBoundingClientRect();
  for (const row of scroller.querySelectorAll<HTMLElement>('[data-row]')) {
    // The overlay hides a row that ends above its lower edge; the next row counts.
    if (row.getBoundingClientRect().bottom <= top + CONVERSATION_LINE_PX) continue;
    const header = row.querySelector('.recipient');
    return header && header.getBoundingClientRect().top >= top ? undefined : Number(row.dataset.row);
  }
  return undefined;
}

/** The rows near the screen and the one in which the reader types, between blanks as high as the other rows. */
export function MessageList(props: MessageListProps) {
  const { window, rows, topContent, endContent, handle, onScrollRest } = props;
  const scrolled = useRef(() => {});
  scrolled.current = props.onScroll;
  const rested = useRef(() => {});
  const {
    scroller,
    virtual,
    measureRow,
    handle: own,
    place,
    follows,
  } = useMessageListScrolling(
    window,
    rows,
    props.firstPlacement,
    props.onScreenFilled,
    () => rested.current(),
    () => scrolled.current(),
  );
  rested.current = () => {
    markSeenAsRead(window, own.findVisibleIds());
    window.readerMessageId = place.messageId;
    scrolled.current();
    onScrollRest();
  };
  handle.current = own;
  // When the reader comes back to the page, the list follows new messages if its end is on screen.
  useSignalEffect(() => {
    if (core.platform.visible.value) place.notePlace(follows());
    rested.current();
  });
  useEffect(() => {
    const element = scroller.current;
    if (element && element.scrollHeight <= element.clientHeight + PAGE_FETCH_DISTANCE_PX) {
      void window.loadOlder();
      void window.loadNewer();
    }
  }, [rows]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.end ?? LIST_TOP_HEIGHT_PX;
  return (
    <div ref={scroller} class="scroller message-scroller" data-messages="">
      <div class="top-line">{props.topLine}</div>
      {/* Outside the feed, which may contain only articles: a spinner or a button is none. */}
      <div class="message-top" style={{ height: `${LIST_TOP_HEIGHT_PX}px` }}>
        {topContent}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: both roles are right, and a feed needs an article */}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a name */}
      <div
        class="message-list"
        role={rows.length > 0 ? 'feed' : 'group'}
        aria-label={t('messages.list')}
        aria-busy={window.fetchDirection.value !== undefined}
        onClick={(event) => {
          if (handleContentPress(event) || getSelection()?.isCollapsed === false) return;
          const row = event.target instanceof Element && event.target.closest<HTMLElement>('[data-row]');
          if (row) core.sharedViewState.selectedMessageId.value = Number(row.dataset.row);
        }}
        onKeyDown={pressMentionOnKey}
      >
        {items.map(({ key, index, start }, n) => {
          const row = rows[index];
          const blankPx = start - (items[n - 1]?.end ?? LIST_TOP_HEIGHT_PX);
          return (
            row && (
              <Fragment key={key}>
                {blankPx > 0 && <div style={{ height: `${blankPx}px` }} />}
                <MessageItem row={row} index={index} window={window} measure={measureRow} />
              </Fragment>
            )
          );
        })}
        <div style={{ height: `${Math.max(0, virtual.getTotalSize() - (last - LIST_TOP_HEIGHT_PX))}px` }} />
      </div>
      {endContent}
    </div>
  );
}
