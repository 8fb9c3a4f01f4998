import { signal, useComputed, useSignalEffect } from '@preact/signals';
import { core } from '../client/index.js';
import { awaitOrToastError } from '../failures/index.js';
import {
  Avatar,
  CountBadge,
  EmptyNotice,
  getRowHeightPx,
  IconButton,
  isPhoneLayout,
  type RowFocusAttributes as RowAttributes,
  Spinner,
  TextField,
  VirtualList,
} from '../kit/index.js';
import { formatShortTime, t } from '../text/index.js';
import { ConversationLabel, formatConversationHash, formatConversationName } from './place.js';
import {
  filterRecentConversations,
  type RecentConversation,
  type RecentFilter,
  type RecentFilterFacts,
} from './recent-list.js';
import {
  isOldestLoaded,
  listRecentConversations,
  loadOlderRecent,
  loadRecentUnlessCurrent,
  recentLoadPhase,
} from './recent-state.js';
import { useRowKeyNavigation } from './walk.js';

const MAX_SHOWN_PARTICIPANTS = 4;

/** Filter of the reader, until the page is left. */
const recentFilter = signal<RecentFilter>({ text: '', unread: false, participated: false, muted: false });

const FILTER_SWITCHES = ['unread', 'participated', 'muted'] as const;

function readRecentFilterFacts(): RecentFilterFacts {
  const { me, muting, unread, streams } = core.state;
  return {
    myUserId: me.id,
    formatName: formatConversationName,
    isVisible: (of) => !('stream' in of) || streams.byId.value.has(of.stream),
    isUnread: (of) => unread.getConversationCountSignal(of).value > 0,
    isMuted: (of) => 'stream' in of && muting.isTopicMuted(of.stream, of.topic),
  };
}

/** Pictures of the participants, the last sender first; their names for screen readers and as a tooltip. */
function ParticipantAvatars({ ids }: { readonly ids: readonly number[] }) {
  const { people } = core.state;
  const names = ids.map((id) => people.getFullName(id)).join(', ');
  const shown = ids.slice(0, MAX_SHOWN_PARTICIPANTS);
  return (
    <span class="faces" data-tip={names}>
      <span class="hidden">{t('overviews.participants', { names })}</span>
      {shown.map((id) => {
        const person = people.byId.value.get(id);
        return <Avatar key={id} name={person?.full_name ?? ''} src={person?.avatar_url} id={id} size={24} />;
      })}
      {ids.length > MAX_SHOWN_PARTICIPANTS && <span class="place-soft">+{ids.length - MAX_SHOWN_PARTICIPANTS}</span>}
    </span>
  );
}

interface RecentRowProps {
  readonly recentConversation: RecentConversation;
  readonly attributes: RowAttributes;
}

function RecentRow({ recentConversation: { conversation, timestamp, participantIds }, attributes }: RecentRowProps) {
  const { unread, me } = core.state;
  const count = unread.getConversationCountSignal(conversation).value;
  const faces = participantIds.filter((id) => id !== me.id || participantIds.length === 1);
  return (
    <div class={`overview-row ${count > 0 ? 'unread' : ''}`}>
      <a class="overview-main" href={formatConversationHash(conversation)} {...attributes}>
        <ConversationLabel of={conversation} />
        <CountBadge count={count} strong={'users' in conversation} />
        {!isPhoneLayout() && <ParticipantAvatars ids={faces} />}
        <time class="overview-time" dateTime={new Date(timestamp * 1000).toISOString()} data-at={timestamp * 1000}>
          {formatShortTime(timestamp * 1000)}
        </time>
      </a>
      <span class="overview-end">
        {count > 0 && (
          <IconButton
            icon="check"
            label={t('overviews.mark-read-of', { name: formatConversationName(conversation) })}
            tabIndex={-1}
            onClick={() => void awaitOrToastError(core.readMarker.markConversationRead(conversation))}
          />
        )}
      </span>
    </div>
  );
}

function RecentFilterBar() {
  const { text, ...on } = recentFilter.value;
  return (
    <search class="overview-head">
      <TextField
        type="search"
        hidesLabel
        label={t('overviews.filter')}
        placeholder={t('overviews.filter')}
        icon="filter"
        value={text}
        onInput={(value) => {
          recentFilter.value = { ...recentFilter.peek(), text: value };
        }}
      />
      {FILTER_SWITCHES.map((name) => (
        <button
          key={name}
          type="button"
          class="pill"
          aria-pressed={on[name]}
          onClick={() => {
            recentFilter.value = { ...recentFilter.peek(), [name]: !on[name] };
          }}
        >
          {t(`overviews.only-${name}`)}
        </button>
      ))}
    </search>
  );
}

/** A row of the list, or the button below the last one. */
type RecentListItem = RecentConversation | 'more';

const getRecentItemKey = (item: RecentListItem): string => (item === 'more' ? item : item.key);
const getRecentRowHeight = (): number => getRowHeightPx() + (isPhoneLayout() ? 16 : 10);

/** Conversations in the order of their newest messages. */
export function RecentView() {
  const walk = useRowKeyNavigation();
  // A new queue means that events were lost; the list is fetched again once the client is live.
  useSignalEffect(() => {
    if (core.eventQueue.status.value === 'live') void loadRecentUnlessCurrent();
  });
  const items = useComputed((): readonly RecentListItem[] => {
    const found = filterRecentConversations(listRecentConversations(), recentFilter.value, readRecentFilterFacts());
    return isOldestLoaded.value ? found : [...found, 'more'];
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the links and buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <RecentFilterBar />
      {recentLoadPhase.value === 'loading' && <Spinner />}
      {recentLoadPhase.value === 'failed' && (
        <div class="overview-empty">
          <EmptyNotice icon="offline" action={{ label: t('common.retry'), run: loadRecentUnlessCurrent }}>
            {t('error.unreachable')}
          </EmptyNotice>
        </div>
      )}
      {recentLoadPhase.value === 'ready' && items.value.length === 0 && (
        <EmptyNotice icon="recent">
          {t(recentFilter.value.text ? 'common.no-results' : 'overviews.recent-empty')}
        </EmptyNotice>
      )}
      {recentLoadPhase.value === 'ready' && items.value.length > 0 && (
        <VirtualList
          items={items.value}
          getItemKey={getRecentItemKey}
          getItemHeightPx={getRecentRowHeight}
          label={t('sidebar.recent')}
        >
          {(item, attributes) =>
            item === 'more' ? (
              <div class="overview-row">
                <button
                  type="button"
                  class="overview-main place-soft"
                  onClick={() => void awaitOrToastError(loadOlderRecent())}
                  {...attributes}
                >
                  {t('overviews.older')}
                </button>
              </div>
            ) : (
              <RecentRow recentConversation={item} attributes={attributes} />
            )
          }
        </VirtualList>
      )}
    </div>
  );
}
