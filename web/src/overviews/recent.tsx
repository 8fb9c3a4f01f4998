import { signal, useComputed, useSignalEffect } from '@preact/signals';
import { core } from '../client/index.js';
import type { Conversation } from '../core/index.js';
import {
  Avatar,
  Button,
  Count,
  Empty,
  Field,
  IconButton,
  isPhone,
  type Row as RowAttributes,
  rowHeight,
  Spinner,
  toast,
  VirtualList,
} from '../kit/index.js';
import { formatAgo, formatDateTime, t } from '../text/index.js';
import { hashOfPlace, Place, placeName } from './place.js';
import { filterRecent, type RecentConversation, type RecentFacts, type RecentFilter } from './recent-list.js';
import { complete, loadOlderRecent, loadRecent, phase, recentConversations } from './recent-state.js';
import { useWalk } from './walk.js';

const MAX_FACES = 4;

/** Stays while the page lives. */
const filter = signal<RecentFilter>({ text: '', unread: false, participated: false, muted: false });

const SWITCHES = ['unread', 'participated', 'muted'] as const;

function facts(): RecentFacts {
  const { me, muting, unread } = core.state;
  return {
    me: me.id,
    nameOf: placeName,
    isUnread: (of) => unread.countOf(of).value > 0,
    isMuted: (of) => 'stream' in of && muting.isMuted(of.stream, of.topic),
  };
}

/** Pictures of the participants, the last sender first; their names for screen readers and as a tooltip. */
function Faces({ ids }: { readonly ids: readonly number[] }) {
  const { people } = core.state;
  const names = ids.map((id) => people.nameOf(id)).join(', ');
  const shown = ids.slice(0, MAX_FACES);
  return (
    <span class="faces" data-tip={names}>
      <span class="hidden">{t('overviews.participants', { names })}</span>
      {shown.map((id) => {
        const person = people.byId.value.get(id);
        return <Avatar key={id} name={person?.full_name ?? ''} src={person?.avatar_url} id={id} size={24} />;
      })}
      {ids.length > MAX_FACES && <span class="place-soft">+{ids.length - MAX_FACES}</span>}
    </span>
  );
}

interface RowProps {
  readonly one: RecentConversation;
  readonly attributes: RowAttributes;
}

function RecentRow({ one: { of, timestamp, participants }, attributes }: RowProps) {
  const { unread, me } = core.state;
  const count = unread.countOf(of).value;
  const faces = participants.filter((id) => id !== me.id || participants.length === 1);
  return (
    <div class={`overview-row ${count > 0 ? 'unread' : ''}`}>
      <a class="overview-main" href={hashOfPlace(of)} {...attributes}>
        <Place of={of} />
        <Count count={count} strong={'users' in of} />
        {!isPhone() && <Faces ids={faces} />}
        <time
          class="overview-time"
          dateTime={new Date(timestamp * 1000).toISOString()}
          data-tip={formatDateTime(timestamp * 1000)}
        >
          {formatAgo(timestamp * 1000)}
        </time>
      </a>
      <span class="overview-end">
        {count > 0 && (
          <IconButton
            icon="check"
            label={t('overviews.mark-read-of', { name: placeName(of) })}
            tabIndex={-1}
            onClick={() => void markRead(of)}
          />
        )}
      </span>
    </div>
  );
}

async function markRead(of: Conversation): Promise<void> {
  try {
    await core.reading.markRead(of);
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
  }
}

async function loadMore(): Promise<void> {
  try {
    await loadOlderRecent();
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
  }
}

function Filters() {
  const { text, ...on } = filter.value;
  return (
    <search class="overview-head">
      <Field
        type="search"
        quiet
        label={t('overviews.filter')}
        placeholder={t('overviews.filter')}
        icon="filter"
        value={text}
        onInput={(value) => {
          filter.value = { ...filter.peek(), text: value };
        }}
      />
      {SWITCHES.map((name) => (
        <button
          key={name}
          type="button"
          class="pill"
          aria-pressed={on[name]}
          onClick={() => {
            filter.value = { ...filter.peek(), [name]: !on[name] };
          }}
        >
          {t(`overviews.only-${name}`)}
        </button>
      ))}
    </search>
  );
}

/** A row of the list, or the button below the last one. */
type Item = RecentConversation | 'more';

const keyOf = (item: Item): string => (item === 'more' ? item : item.key);
const heightOf = (): number => rowHeight() + (isPhone() ? 16 : 10);

/** Conversations in the order of their newest messages. */
export function RecentView() {
  const walk = useWalk();
  // A new queue means that events were lost; the list is fetched again once the client is live.
  useSignalEffect(() => {
    if (core.queue.status.value === 'live') void loadRecent();
  });
  const items = useComputed((): readonly Item[] => {
    const found = filterRecent(recentConversations(), filter.value, facts());
    return complete.value ? found : [...found, 'more'];
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the links and buttons inside
    <div class="overview" ref={walk.ref} onKeyDown={walk.onKeyDown}>
      <Filters />
      {phase.value === 'loading' && <Spinner />}
      {phase.value === 'failed' && (
        <div class="overview-empty">
          <Empty icon="offline">{t('error.unreachable')}</Empty>
          <Button onClick={() => void loadRecent()}>{t('common.retry')}</Button>
        </div>
      )}
      {phase.value === 'ready' && items.value.length === 0 && (
        <Empty icon="recent">{t(filter.value.text ? 'common.no-results' : 'overviews.recent-empty')}</Empty>
      )}
      {phase.value === 'ready' && items.value.length > 0 && (
        <VirtualList items={items.value} keyOf={keyOf} heightOf={heightOf} label={t('sidebar.recent')}>
          {(item, attributes) =>
            item === 'more' ? (
              <div class="overview-row">
                <button type="button" class="overview-main place-soft" onClick={() => void loadMore()} {...attributes}>
                  {t('overviews.older')}
                </button>
              </div>
            ) : (
              <RecentRow one={item} attributes={attributes} />
            )
          }
        </VirtualList>
      )}
    </div>
  );
}
