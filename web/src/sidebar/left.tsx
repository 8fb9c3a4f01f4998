import { useComputed, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { type Conversation, narrowConversation, operandOf } from '../core/index.js';
import { Field, IconButton, rowHeight, useShortcut, VirtualList } from '../kit/index.js';
import { t } from '../text/index.js';
import { allDirects, allTopics, closed, filter, opened, openSection, openStream } from './choices.js';
import { hasMenu, openRowMenu } from './open-menu.js';
import { Row } from './row.js';
import { matchesFilter, type SidebarRow, sidebarRows } from './rows.js';

/** The conversation or the stream of the route. */
function currentOf(): Conversation | { readonly stream: number } | undefined {
  const route = core.router.route.value;
  if (route.view !== 'narrow') return undefined;
  const exact = narrowConversation(route.narrow);
  if (exact) return exact;
  const stream = operandOf(route.narrow, 'stream');
  return typeof stream === 'number' ? { stream } : undefined;
}

const heightOf = (row: SidebarRow): number => rowHeight() + (row.kind === 'heading' ? 6 : 0);

const keyOf = (row: SidebarRow): string => row.key;

const canFocus = (row: SidebarRow): boolean => row.kind !== 'note';

const isFound = (row: SidebarRow, words: string): boolean =>
  row.kind === 'stream' ? matchesFilter(row.stream.name, words) : row.kind !== 'heading' && row.kind !== 'note';

/** Opens and closes by the arrows to the right and left, as trees do. */
function onRowKey(event: KeyboardEvent, row: SidebarRow): void {
  const open = event.key === 'ArrowRight';
  if (!open && event.key !== 'ArrowLeft') return;
  if (row.kind === 'heading') openSection(row.section, open);
  else if (row.kind === 'stream') openStream(row.stream.id, open);
  else return;
  event.preventDefault();
}

/** Opens the row's own menu at the pointer, or below the row when a key asked for it. */
function onRowMenu(event: MouseEvent, row: SidebarRow): void {
  if (!hasMenu(row)) return;
  event.preventDefault();
  const { clientX: x, clientY: y, target } = event;
  const byKey = (x === 0 && y === 0) || event.button !== 2;
  void openRowMenu(byKey && target instanceof Element ? target : { x, y }, row);
}

interface LeftSidebarProps {
  /** A row was followed. */
  readonly onGo?: () => void;
}

/** Views, direct messages and streams. */
export function LeftSidebar({ onGo }: LeftSidebarProps) {
  const field = useRef<HTMLInputElement>(null);
  const root = useRef<HTMLElement>(null);
  const current = useComputed(currentOf);
  const rows = useComputed(() =>
    sidebarRows(core.state, {
      filter: filter.value.trim(),
      closed: closed.value,
      opened: opened.value,
      allTopics: allTopics.value,
      allDirects: allDirects.value,
      current: current.value,
    }),
  );
  // Topics that the state has not seen yet are fetched once a stream is open.
  useSignalEffect(() => {
    const streams = new Set(opened.value);
    if (current.value && 'stream' in current.value) streams.add(current.value.stream);
    for (const stream of streams) {
      if (!core.state.conversations.complete.value.has(stream)) core.loadTopics(stream).catch(() => {});
    }
  });
  useShortcut('filter-streams', () => field.current?.select());
  /** The link of the first row that matches by itself: a stream may stand there for one of its topics. */
  const firstRow = () => {
    const words = filter.value.trim();
    const row = rows.value.find((one) => isFound(one, words));
    return row && root.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.key)}"] a[data-row]`);
  };
  return (
    <nav class="side-content" aria-label={t('sidebar.label')} ref={root}>
      <search class="sidebar-filter">
        <Field
          type="search"
          quiet
          label={t('sidebar.filter')}
          placeholder={t('sidebar.filter-short')}
          icon="filter"
          value={filter.value}
          onInput={(value) => {
            filter.value = value;
          }}
          inputRef={field}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') firstRow()?.focus();
            else if (event.key === 'Enter') firstRow()?.click();
            else if (event.key === 'Escape' && filter.value) filter.value = '';
            else return;
            event.preventDefault();
          }}
          end={
            filter.value && (
              <IconButton
                icon="close"
                label={t('common.clear')}
                onClick={() => {
                  filter.value = '';
                  field.current?.focus();
                }}
              />
            )
          }
        />
      </search>
      <VirtualList items={rows.value} keyOf={keyOf} heightOf={heightOf} canFocus={canFocus} label={t('sidebar.label')}>
        {(row, attributes) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: keys of the link or button inside
          <div
            class="row-box"
            onKeyDown={(event) => onRowKey(event, row)}
            onContextMenu={(event) => onRowMenu(event, row)}
          >
            <Row
              row={row}
              attributes={attributes}
              current={current.value}
              onGo={() => {
                filter.value = '';
                field.current?.blur();
                onGo?.();
              }}
            />
          </div>
        )}
      </VirtualList>
    </nav>
  );
}
