import { signal, useComputed, useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Conversation } from '../core/index.js';
import { awaitOrToastError } from '../failures/index.js';
import {
  Button,
  CountBadge,
  EmptyNotice,
  getRowHeightPx,
  Icon,
  IconButton,
  isPhoneLayout,
  type RowFocusAttributes as RowAttributes,
  VirtualList,
} from '../kit/index.js';
import { confirm } from '../kit-later/index.js';
import { formatShortTime, t } from '../text/index.js';
import { type InboxGroup, type InboxRow, makeInboxRows } from './inbox-rows.js';
import { ConversationLabel, formatConversationHash, formatConversationName, StreamNameWithIcon } from './place.js';
import { findMessagePreview, loadMissingPreviews, type MessagePreview, startKeepingPreviews } from './previews.js';
import { useRowKeyNavigation } from './walk.js';

/** Headings that the reader opened or closed; they stay so until the page is left. */
const toggledGroups = signal<ReadonlySet<InboxGroup>>(new Set());

function toggleInboxGroup(group: InboxGroup): void {
  const next = new Set(toggledGroups.peek());
  if (!next.delete(group)) next.add(group);
  toggledGroups.value = next;
}

/** Height of a conversation on a phone, where it has two lines. */
const PHONE_ROW_HEIGHT_PX = 64;

const getInboxRowHeight = (row: InboxRow): number => {
  if (row.kind === 'conversation' && isPhoneLayout()) return PHONE_ROW_HEIGHT_PX;
  return getRowHeightPx() + (row.kind === 'heading' ? 14 : 6);
};

const getInboxRowKey = (row: InboxRow): string => row.key;

async function markConversationsOfGroupRead(group: InboxGroup): Promise<void> {
  const inGroup = ({
    conversation,
    muted,
  }: {
    readonly conversation: Conversation;
    readonly muted: boolean;
  }): boolean => ('users' in conversation ? group === 'directs' : group === (muted ? 'muted' : conversation.stream));
  const places = core.state.unread.unreadConversations.peek().filter(inGroup);
  await Promise.all(places.map(({ conversation }) => core.readMarker.markConversationRead(conversation)));
}

async function confirmAndMarkAllRead(): Promise<void> {
  const n = core.state.unread.totalUnmutedCount.peek();
  const agreed = await confirm({
    title: t('overviews.read-all'),
    text: t('overviews.read-all-question', { n }),
    confirmLabel: t('overviews.read-all'),
  });
  if (agreed) await awaitOrToastError(core.readMarker.markAllRead());
}

function formatGroupName(group: InboxGroup): string {
  if (group === 'directs') return t('sidebar.directs');
  return group === 'muted' ? t('sidebar.muted') : core.state.streams.getStreamName(group);
}

interface InboxRowProps<R> {
  readonly row: R;
  readonly attributes: RowAttributes;
}

function GroupHeadingRow({ row, attributes }: InboxRowProps<Extract<InboxRow, { kind: 'heading' }>>) {
  const { group, open, count, mentioned } = row;
  return (
    <div class="overview-row heading">
      <button
        type="button"
        class="overview-main"
        aria-expanded={open}
        onClick={() => toggleInboxGroup(group)}
        {...attributes}
      >
        <Icon name="chevron-right" size={16} />
        {typeof group === 'number' ? <StreamNameWithIcon id={group} /> : <span>{formatGroupName(group)}</span>}
        <CountBadge count={count} mentioned={mentioned} quiet={group === 'muted'} />
      </button>
      <IconButton
        icon="check"
        label={t('overviews.mark-read-of', { name: formatGroupName(group) })}
        tabIndex={-1}
        onClick={() => void awaitOrToastError(markConversationsOfGroupRead(group))}
      />
    </div>
  );
}

/** The beginning of the newest message, and its sender where several people may have written it. */
function PreviewLine({ preview, of }: { readonly preview: MessagePreview; readonly of: Conversation }) {
  const { senderId, text, isMeMessage } = preview;
  const sender = core.state.people.getFullName(senderId);
  const isNamed = isMeMessage || 'stream' in of || of.users.length > 1;
  return (
    <span class="preview" dir="auto">
      {isNamed && <span class="preview-sender">{isMeMessage ? `${sender} ` : `${sender}: `}</span>}
      {text}
    </span>
  );
}

function InboxConversationRow({ row, attributes }: InboxRowProps<Extract<InboxRow, { kind: 'conversation' }>>) {
  const { of, withStream, count, mentioned, newestMessageId } = row;
  const preview = findMessagePreview(newestMessageId);
  const at = (preview?.timestamp ?? 0) * 1000;
  return (
    <div class="overview-row inbox">
      <a class="overview-main" href={formatConversationHash(of)} {...attributes}>
        <ConversationLabel of={of} withStream={withStream} />
        {preview && <PreviewLine preview={preview} of={of} />}
        <span class="inbox-count">
          <CountBadge count={count} mentioned={mentioned} strong={'users' in of} quiet={withStream} />
        </span>
        {preview && (
          <time class="overview-time" dateTime={new Date(at).toISOString()} data-at={at}>
            {formatShortTime(at)}
          </time>
        )}
      </a>
      <IconButton
        icon="check"
        label={t('overviews.mark-read-of', { name: formatConversationName(of) })}
        tabIndex={-1}
        onClick={() => void awaitOrToastError(core.readMarker.markConversationRead(of))}
      />
    </div>
  );
}

/** Unread conversations by stream. */
export function InboxView() {
  const walk = useRowKeyNavigation();
  const rows = useComputed(() => makeInboxRows(core.state, toggledGroups.value));
  useMemo(startKeepingPreviews, []);
  useSignalEffect(() => {
    const ids = rows.value.flatMap((row) => (row.kind === 'conversation' ? [row.newestMessageId] : []));
    if (core.eventQueue.status.value === 'live') void loadMissingPreviews(ids);
  });
  if (rows.value.length === 0) {
    return (
      <div class="overview-empty">
        <EmptyNotice
          icon="inbox"
          action={{ label: t('sidebar.recent'), run: () => core.router.navigate({ view: 'recent' }) }}
        >
          {t('overviews.inbox-empty')}
        </EmptyNotice>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the links and buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <div class="overview-head">
        <p class="place-soft">{t('overviews.unread-sum', { n: core.state.unread.totalUnmutedCount.value })}</p>
        <Button kind="quiet" icon="check" onClick={() => void confirmAndMarkAllRead()}>
          {t('overviews.read-all')}
        </Button>
      </div>
      <VirtualList
        items={rows.value}
        getItemKey={getInboxRowKey}
        getItemHeightPx={getInboxRowHeight}
        label={t('sidebar.inbox')}
      >
        {(row, attributes) =>
          row.kind === 'heading' ? (
            <GroupHeadingRow row={row} attributes={attributes} />
          ) : (
            <InboxConversationRow row={row} attributes={attributes} />
          )
        }
      </VirtualList>
    </div>
  );
}
