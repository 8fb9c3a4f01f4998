import { useComputed, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import {
  type Conversation,
  findExactNarrowConversation,
  findPositiveOperand,
  makeConversationKey,
  makeStreamNarrow,
} from '../core/index.js';
import { getRowHeightPx, IconButton, TextField, useShortcut, VirtualList } from '../kit/index.js';
import { t } from '../text/index.js';
import {
  closedSections,
  openedStreamIds,
  setSectionOpen,
  setStreamOpen,
  showsAllDirects,
  sidebarFilterText,
  streamIdsShowingAllTopics,
} from './choices.js';
import { hasRowMenu, loadAndOpenRowMenu } from './open-menu.js';
import { LeftSidebarRow } from './row.js';
import { keepEqualRows, makeSidebarRows, matchesFilterWords, type SidebarRow } from './rows.js';

/** The conversation or the stream of the route. */
function findRouteConversationOrStream(): Conversation | { readonly stream: number } | undefined {
  const route = core.router.route.value;
  if (route.view !== 'narrow') return undefined;
  const exact = findExactNarrowConversation(route.narrow);
  if (exact) return exact;
  const stream = findPositiveOperand(route.narrow, 'stream');
  return typeof stream === 'number' ? { stream } : undefined;
}

const getSidebarRowHeight = (row: SidebarRow): number => getRowHeightPx() + (row.kind === 'heading' ? 6 : 0);

const getSidebarRowKey = (row: SidebarRow): string => row.key;

/** Key of the row of a conversation or a stream (rows.ts). */
const makeRowKeyOfPlace = (of: Conversation | { readonly stream: number }): string =>
  'stream' in of && !('topic' in of) ? `s${of.stream}` : makeConversationKey(of);

const canFocusSidebarRow = (row: SidebarRow): boolean => row.kind !== 'note';

const isRowMatchedByFilter = (row: SidebarRow, words: string): boolean =>
  row.kind === 'stream' ? matchesFilterWords(row.stream.name, words) : row.kind !== 'heading' && row.kind !== 'note';

/** Opens a section or a stream with the right arrow key, and closes it with the left one, as in a tree. */
function openOrCloseRowByArrowKey(event: KeyboardEvent, row: SidebarRow): void {
  const open = event.key === 'ArrowRight';
  if (!open && event.key !== 'ArrowLeft') return;
  if (row.kind === 'heading') setSectionOpen(row.section, open);
  else if (row.kind === 'stream') setStreamOpen(row.stream.id, open);
  else return;
  event.preventDefault();
}

/** Opens the row's own menu at the pointer, or below the row when a key asked for it. */
function openRowMenuOnContextMenu(event: MouseEvent, row: SidebarRow): void {
  if (!hasRowMenu(row)) return;
  event.preventDefault();
  const { clientX: x, clientY: y, target } = event;
  const byKey = (x === 0 && y === 0) || event.button !== 2;
  void loadAndOpenRowMenu(byKey && target instanceof Element ? target : { x, y }, row);
}

interface LeftSidebarProps {
  /** Called when the reader follows a row. */
  readonly onNavigate?: () => void;
}

/** Views, direct messages and streams. */
export function LeftSidebar({ onNavigate }: LeftSidebarProps) {
  const field = useRef<HTMLInputElement>(null);
  const root = useRef<HTMLElement>(null);
  const current = useComputed(findRouteConversationOrStream);
  const rowsBefore = useRef<readonly SidebarRow[]>([]);
  const rows = useComputed(() => {
    const made = makeSidebarRows(core.state, {
      filter: sidebarFilterText.value.trim(),
      closedSections: closedSections.value,
      openedStreamIds: openedStreamIds.value,
      streamIdsWithAllTopics: streamIdsShowingAllTopics.value,
      showsAllDirects: showsAllDirects.value,
      currentPlace: current.value,
    });
    rowsBefore.current = keepEqualRows(rowsBefore.current, made);
    return rowsBefore.current;
  });
  // All topics of a stream are fetched once it is open.
  useSignalEffect(() => {
    const streams = new Set(openedStreamIds.value);
    if (current.value && 'stream' in current.value) streams.add(current.value.stream);
    for (const stream of streams) {
      if (
        core.state.streams.byId.value.has(stream) &&
        !core.state.conversations.streamIdsWithAllTopicsKnown.value.has(stream)
      )
        core.loadAllTopicsOnce(stream).catch(() => {});
    }
  });
  /** Opens the stream above or below the one on screen, in the order of the rows; the ends are joined. */
  const goToStream = (step: 1 | -1) => {
    const streams = rows.peek().flatMap((row) => (row.kind === 'stream' ? row.stream.id : []));
    const here = current.peek();
    const at = here && 'stream' in here ? streams.indexOf(here.stream) : -1;
    const next = streams.at(at < 0 && step < 0 ? -1 : (at + step) % streams.length);
    if (next === undefined) return false;
    core.router.navigate({ view: 'narrow', narrow: makeStreamNarrow(next) });
    return true;
  };
  useShortcut('previous-stream', () => goToStream(-1));
  useShortcut('next-stream', () => goToStream(1));
  useShortcut('filter-streams', () => field.current?.select());
  /** Link of the first row that matches the filter itself. A stream may be listed for one of its topics only. */
  const firstRow = () => {
    const words = sidebarFilterText.value.trim();
    const row = rows.value.find((one) => isRowMatchedByFilter(one, words));
    return row && root.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.key)}"] a[data-row]`);
  };
  return (
    <nav class="side-content" aria-label={t('sidebar.label')} ref={root}>
      <search class="sidebar-filter">
        <TextField
          type="search"
          hidesLabel
          label={t('sidebar.filter')}
          placeholder={t('sidebar.filter-short')}
          icon="filter"
          value={sidebarFilterText.value}
          onInput={(value) => {
            sidebarFilterText.value = value;
          }}
          inputRef={field}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') firstRow()?.focus();
            else if (event.key === 'Enter') firstRow()?.click();
            else if (event.key === 'Escape' && sidebarFilterText.value) sidebarFilterText.value = '';
            else return;
            event.preventDefault();
          }}
          end={
            sidebarFilterText.value && (
              <IconButton
                icon="close"
                label={t('common.clear')}
                onClick={() => {
                  sidebarFilterText.value = '';
                  field.current?.focus();
                }}
              />
            )
          }
        />
      </search>
      <VirtualList
        items={rows.value}
        getItemKey={getSidebarRowKey}
        getItemHeightPx={getSidebarRowHeight}
        canFocus={canFocusSidebarRow}
        shownKey={current.value && makeRowKeyOfPlace(current.value)}
        label={t('sidebar.label')}
        rowDependencies={[current.value, onNavigate]}
      >
        {(row, attributes) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: keys of the link or button inside
          <div
            class="row-box"
            onKeyDown={(event) => openOrCloseRowByArrowKey(event, row)}
            onContextMenu={(event) => openRowMenuOnContextMenu(event, row)}
          >
            <LeftSidebarRow
              row={row}
              attributes={attributes}
              currentPlace={current.value}
              onNavigate={() => {
                sidebarFilterText.value = '';
                field.current?.blur();
                onNavigate?.();
              }}
            />
          </div>
        )}
      </VirtualList>
    </nav>
  );
}
