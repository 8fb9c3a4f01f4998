import { signal, useComputed } from '@preact/signals';
import { core } from '../client/index.js';
import type { Conversation } from '../core/index.js';
import {
  Button,
  Count,
  confirm,
  Empty,
  Icon,
  IconButton,
  type Row as RowAttributes,
  rowHeight,
  toast,
  VirtualList,
} from '../kit/index.js';
import { t } from '../text/index.js';
import { type Group, type InboxRow, inboxRows } from './inbox-rows.js';
import { hashOfPlace, Place, placeName, StreamName } from './place.js';
import { useWalk } from './walk.js';

/** Headings that the reader opened or closed; they stay so until the page is left. */
const turned = signal<ReadonlySet<Group>>(new Set());

function turn(group: Group): void {
  const next = new Set(turned.peek());
  if (!next.delete(group)) next.add(group);
  turned.value = next;
}

const heightOf = (row: InboxRow): number => rowHeight() + (row.kind === 'heading' ? 14 : 6);

const keyOf = (row: InboxRow): string => row.key;

/** Does it and says so when it fails. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
  }
}

const markRead = (of: Conversation) => attempt(() => core.reading.markRead(of));

async function markGroupRead(group: Group): Promise<void> {
  const inGroup = ({ of, muted }: { readonly of: Conversation; readonly muted: boolean }): boolean =>
    'users' in of ? group === 'directs' : group === (muted ? 'muted' : of.stream);
  const places = core.state.unread.conversations.peek().filter(inGroup);
  for (const { of } of places) await core.reading.markRead(of);
}

async function markAllRead(): Promise<void> {
  const n = core.state.unread.total.peek();
  const agreed = await confirm({
    title: t('overviews.read-all'),
    text: t('overviews.read-all-question', { n }),
    action: t('overviews.read-all'),
  });
  if (agreed) await attempt(() => core.reading.markAllRead());
}

function groupName(group: Group): string {
  if (group === 'directs') return t('sidebar.directs');
  return group === 'muted' ? t('sidebar.muted') : core.state.streams.nameOf(group);
}

interface RowProps<R> {
  readonly row: R;
  readonly attributes: RowAttributes;
}

function Heading({ row, attributes }: RowProps<Extract<InboxRow, { kind: 'heading' }>>) {
  const { group, open, count, mentioned } = row;
  return (
    <div class="overview-row heading">
      <button type="button" class="overview-main" aria-expanded={open} onClick={() => turn(group)} {...attributes}>
        <Icon name="chevron-right" size={16} />
        {typeof group === 'number' ? <StreamName id={group} /> : <span>{groupName(group)}</span>}
        <Count count={count} mentioned={mentioned} quiet={group === 'muted'} />
      </button>
      <IconButton
        icon="check"
        label={t('overviews.mark-read-of', { name: groupName(group) })}
        tabIndex={-1}
        onClick={() => void attempt(() => markGroupRead(group))}
      />
    </div>
  );
}

function ConversationRow({ row, attributes }: RowProps<Extract<InboxRow, { kind: 'conversation' }>>) {
  const { of, withStream, count, mentioned } = row;
  return (
    <div class="overview-row">
      <a class="overview-main" href={hashOfPlace(of)} {...attributes}>
        <Place of={of} withStream={withStream} />
        <Count count={count} mentioned={mentioned} strong={'users' in of} quiet={withStream} />
      </a>
      <IconButton
        icon="check"
        label={t('overviews.mark-read-of', { name: placeName(of) })}
        tabIndex={-1}
        onClick={() => void markRead(of)}
      />
    </div>
  );
}

/** Unread conversations, by stream. It empties as the reader reads. */
export function InboxView() {
  const walk = useWalk();
  const rows = useComputed(() => inboxRows(core.state, turned.value));
  if (rows.value.length === 0) {
    return (
      <div class="overview-empty">
        <Empty icon="inbox">{t('overviews.inbox-empty')}</Empty>
        <Button onClick={() => core.router.go({ view: 'recent' })}>{t('sidebar.recent')}</Button>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the links and buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <div class="overview-head">
        <p class="place-soft">{t('overviews.unread-sum', { n: core.state.unread.total.value })}</p>
        <Button kind="quiet" icon="check" onClick={() => void markAllRead()}>
          {t('overviews.read-all')}
        </Button>
      </div>
      <VirtualList items={rows.value} keyOf={keyOf} heightOf={heightOf} label={t('sidebar.inbox')}>
        {(row, attributes) =>
          row.kind === 'heading' ? (
            <Heading row={row} attributes={attributes} />
          ) : (
            <ConversationRow row={row} attributes={attributes} />
          )
        }
      </VirtualList>
    </div>
  );
}
