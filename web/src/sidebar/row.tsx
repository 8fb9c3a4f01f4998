import { core } from '../client/index.js';
import {
  type Conversation,
  makeConversationKey,
  makeDirectNarrow,
  makeStreamNarrow,
  makeTopicNarrow,
} from '../core/index.js';
import {
  CountBadge,
  getStreamIconName,
  Icon,
  IconButton,
  type IconName,
  PresenceDot,
  pageShortcuts,
  type RowFocusAttributes as RowAttributes,
} from '../kit/index.js';
import { type TextKey, t } from '../text/index.js';
import { TopicName } from '../topics/index.js';
import { openStreamWithAllTopics, setSectionOpen, setStreamOpen, showsAllDirects } from './choices.js';
import { loadAndOpenRowMenu } from './open-menu.js';
import { formatDirectUserNames, type SidebarRow, type SidebarSection, type SidebarViewId } from './rows.js';

type SidebarRowOfKind<K extends SidebarRow['kind']> = Extract<SidebarRow, { readonly kind: K }>;

interface SidebarRowProps<R extends SidebarRow = SidebarRow> {
  readonly row: R;
  readonly attributes: RowAttributes;
  readonly currentPlace: Conversation | { readonly stream: number } | undefined;
  readonly onNavigate: () => void;
}

const ICON_AND_HASH_BY_VIEW: Readonly<Record<SidebarViewId, { readonly icon: IconName; readonly hash: string }>> = {
  inbox: { icon: 'inbox', hash: '#inbox' },
  recent: { icon: 'recent', hash: '#recent' },
  all: { icon: 'all', hash: '#all_messages' },
  mentions: { icon: 'at', hash: '#narrow/is/mentioned' },
  starred: { icon: 'star', hash: '#narrow/is/starred' },
  drafts: { icon: 'draft', hash: '#drafts' },
  scheduled: { icon: 'scheduled', hash: '#scheduled' },
};

const TITLE_KEY_BY_SECTION = {
  views: 'sidebar.views',
  directs: 'sidebar.directs',
  pinned: 'sidebar.pinned',
  streams: 'sidebar.streams',
  inactive: 'sidebar.inactive',
  muted: 'sidebar.muted',
} as const satisfies Record<SidebarSection, TextKey>;

function SidebarViewRow({
  row: { id, count, quiet },
  attributes,
  onNavigate,
}: SidebarRowProps<SidebarRowOfKind<'view'>>) {
  const { icon, hash } = ICON_AND_HASH_BY_VIEW[id];
  return (
    <div class="row">
      <a href={hash} aria-current={isCurrentHash(hash) ? 'page' : undefined} onClick={onNavigate} {...attributes}>
        <Icon name={icon} />
        <span class="row-name" data-cut="">
          {t(`sidebar.${id}`)}
        </span>
        <CountBadge count={count} quiet={quiet} />
      </a>
    </div>
  );
}

function SectionHeadingRow({
  row: { section, open, count, mentioned },
  attributes,
}: SidebarRowProps<SidebarRowOfKind<'heading'>>) {
  return (
    <div class="row heading">
      <button
        type="button"
        class="row-main"
        aria-expanded={open}
        onClick={() => setSectionOpen(section, !open)}
        {...attributes}
      >
        <Icon name="chevron-right" />
        <span class="row-name" data-cut="">
          {t(TITLE_KEY_BY_SECTION[section])}
        </span>
        {!open && <CountBadge count={count} mentioned={mentioned} />}
      </button>
      {section === 'streams' && core.state.me.id !== 0 && (
        <IconButton
          icon="plus"
          label={t('sidebar.browse')}
          onClick={() => core.router.navigate({ view: 'streams', parts: ['all'] })}
          size={16}
        />
      )}
      {section === 'directs' && (
        <IconButton
          icon="plus"
          label={t('compose.new-direct')}
          shortcut="direct"
          onClick={runDirectMessageShortcut}
          size={16}
        />
      )}
    </div>
  );
}

const runDirectMessageShortcut = () => pageShortcuts.runShortcut('direct');

const isCurrentHash = (hash: string): boolean => core.platform.address.hash.value === hash;

/** Appears on hover where there is a pointer, and always on touch screens. Keyboards have the menu key. */
function RowMenuButton({ row }: { readonly row: SidebarRow }) {
  return (
    <IconButton
      icon="more-vertical"
      class="row-more"
      label={t('common.more')}
      popup="menu"
      tabIndex={-1}
      size={16}
      onClick={(event) => void loadAndOpenRowMenu(event.currentTarget, row)}
    />
  );
}

function SidebarStreamRow({ row, attributes, currentPlace, onNavigate }: SidebarRowProps<SidebarRowOfKind<'stream'>>) {
  const { stream, open, count, mentioned, faint } = row;
  const isCurrent = currentPlace !== undefined && 'stream' in currentPlace && currentPlace.stream === stream.id;
  const label = t(open ? 'sidebar.hide-topics' : 'sidebar.show-topics', { stream: stream.name });
  return (
    <div class={`row stream ${stream.muted ? 'muted' : ''}`}>
      <a
        href={core.router.formatHash({ view: 'narrow', narrow: makeStreamNarrow(stream.id) })}
        aria-current={isCurrent && !('topic' in currentPlace) ? 'page' : undefined}
        style={{ '--stream': stream.color || 'currentColor' }}
        onClick={onNavigate}
        {...attributes}
      >
        <Icon name={getStreamIconName(stream.kind)} />
        <span class="row-name" data-cut="" dir="auto">
          {stream.name}
          {stream.kind !== 'public' && <span class="hidden">, {t(`sidebar.${stream.kind}`)}</span>}
        </span>
        {!open && <CountBadge count={count} mentioned={mentioned} quiet={faint || stream.muted} />}
      </a>
      <span class="row-tools">
        <RowMenuButton row={row} />
        {!isCurrent && (
          <IconButton
            icon="chevron-right"
            class="stream-toggle"
            label={label}
            expanded={open}
            tabIndex={-1}
            onClick={() => setStreamOpen(stream.id, !open)}
          />
        )}
      </span>
    </div>
  );
}

function SidebarTopicRow({ row, attributes, currentPlace, onNavigate }: SidebarRowProps<SidebarRowOfKind<'topic'>>) {
  const { key, stream, topic, count, mentioned, muted } = row;
  const isCurrent = currentPlace !== undefined && 'topic' in currentPlace && makeConversationKey(currentPlace) === key;
  return (
    <div class={`row topic ${muted ? 'muted' : ''}`}>
      <a
        href={core.router.formatHash({ view: 'narrow', narrow: makeTopicNarrow(stream, topic) })}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onNavigate}
        {...attributes}
      >
        <TopicName topic={topic} class="row-name" />
        <CountBadge count={count} mentioned={mentioned} quiet={muted} />
      </a>
      <span class="row-tools">
        <RowMenuButton row={row} />
      </span>
    </div>
  );
}

function SidebarDirectRow({
  row: { key, users, count, mentioned },
  attributes,
  currentPlace,
  onNavigate,
}: SidebarRowProps<SidebarRowOfKind<'direct'>>) {
  const { people, me } = core.state;
  const [first] = users;
  const alone = users.length === 1 && first !== undefined;
  const isCurrent = currentPlace !== undefined && 'users' in currentPlace && makeConversationKey(currentPlace) === key;
  const person = alone ? people.byId.value.get(first) : undefined;
  const presence = alone ? people.getPresenceLevel(first) : undefined;
  return (
    <div class="row direct">
      <a
        href={core.router.formatHash({ view: 'narrow', narrow: makeDirectNarrow(users) })}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onNavigate}
        {...attributes}
      >
        <span class="row-sign">
          {person?.is_bot ? (
            <Icon name="bot" />
          ) : presence ? (
            <PresenceDot presence={presence} />
          ) : (
            <Icon name={alone ? 'user' : 'people'} />
          )}
        </span>
        <span class="row-name" data-cut="" dir="auto">
          {formatDirectUserNames(core.state, users)}{' '}
          {first === me.id && <span class="row-soft">{t('sidebar.you')}</span>}
        </span>
        {alone && people.isDeactivated(first) && <span class="row-soft">{t('presence.deactivated')}</span>}
        <CountBadge count={count} mentioned={mentioned} strong />
      </a>
    </div>
  );
}

function ShowMoreRow({ label, run, attributes }: { label: string; run: () => void; attributes: RowAttributes }) {
  return (
    <div class="row more">
      <button type="button" class="row-main" onClick={run} {...attributes}>
        {label}
      </button>
    </div>
  );
}

/** One row of the left sidebar. */
export function LeftSidebarRow(props: SidebarRowProps) {
  const { row, attributes } = props;
  switch (row.kind) {
    case 'view':
      return <SidebarViewRow {...props} row={row} />;
    case 'heading':
      return <SectionHeadingRow {...props} row={row} />;
    case 'stream':
      return <SidebarStreamRow {...props} row={row} />;
    case 'topic':
      return <SidebarTopicRow {...props} row={row} />;
    case 'direct':
      return <SidebarDirectRow {...props} row={row} />;
    case 'more-topics':
      return (
        <ShowMoreRow
          label={t('sidebar.all-topics')}
          run={() => openStreamWithAllTopics(row.stream)}
          attributes={attributes}
        />
      );
    case 'more-directs':
      return <ShowMoreRow label={t('sidebar.more-directs')} run={showAllDirects} attributes={attributes} />;
    case 'note':
      return <p class="row-note">{row.text === 'no-match' ? t('common.no-results') : t(`sidebar.${row.text}`)}</p>;
  }
}

const showAllDirects = () => {
  showsAllDirects.value = true;
};
