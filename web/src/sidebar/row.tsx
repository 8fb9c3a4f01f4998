import { core } from '../client/index.js';
import { type Conversation, conversationKey, directNarrow, streamNarrow, topicNarrow } from '../core/index.js';
import {
  Count,
  Icon,
  IconButton,
  type IconName,
  keyboard,
  PresenceDot,
  type Row as RowAttributes,
} from '../kit/index.js';
import { type Key, t } from '../text/index.js';
import { allDirects, openSection, openStream, showAllTopics } from './choices.js';
import { openRowMenu } from './open-menu.js';
import { directName, type Section, type SidebarRow, type ViewId } from './rows.js';

type RowOf<K extends SidebarRow['kind']> = Extract<SidebarRow, { readonly kind: K }>;

interface RowProps<R extends SidebarRow = SidebarRow> {
  readonly row: R;
  readonly attributes: RowAttributes;
  readonly current: Conversation | { readonly stream: number } | undefined;
  readonly onGo: () => void;
}

const VIEWS: Readonly<Record<ViewId, { readonly icon: IconName; readonly hash: string }>> = {
  inbox: { icon: 'inbox', hash: '#inbox' },
  recent: { icon: 'recent', hash: '#recent' },
  all: { icon: 'all', hash: '#all_messages' },
  mentions: { icon: 'at', hash: '#narrow/is/mentioned' },
  starred: { icon: 'star', hash: '#narrow/is/starred' },
  drafts: { icon: 'draft', hash: '#drafts' },
  scheduled: { icon: 'scheduled', hash: '#scheduled' },
};

const SECTIONS = {
  views: 'sidebar.views',
  directs: 'sidebar.directs',
  pinned: 'sidebar.pinned',
  streams: 'sidebar.streams',
  inactive: 'sidebar.inactive',
  muted: 'sidebar.muted',
} as const satisfies Record<Section, Key>;

const STREAM_ICONS = { private: 'lock', public: 'hash', 'web-public': 'globe' } as const;

const RESOLVED = '✔ ';

function ViewRow({ row: { id, count, quiet }, attributes, onGo }: RowProps<RowOf<'view'>>) {
  const { icon, hash } = VIEWS[id];
  return (
    <div class="row">
      <a href={hash} aria-current={isAt(hash) ? 'page' : undefined} onClick={onGo} {...attributes}>
        <Icon name={icon} />
        <span class="row-name" data-cut="">
          {t(`sidebar.${id}`)}
        </span>
        <Count count={count} quiet={quiet} />
      </a>
    </div>
  );
}

function HeadingRow({ row: { section, open, count, mentioned }, attributes }: RowProps<RowOf<'heading'>>) {
  return (
    <div class="row heading">
      <button
        type="button"
        class="row-main"
        aria-expanded={open}
        onClick={() => openSection(section, !open)}
        {...attributes}
      >
        <Icon name="chevron-right" />
        <span class="row-name" data-cut="">
          {t(SECTIONS[section])}
        </span>
        {!open && <Count count={count} mentioned={mentioned} />}
      </button>
      {section === 'streams' && core.state.me.id !== 0 && (
        <IconButton
          icon="plus"
          label={t('sidebar.browse')}
          onClick={() => core.router.go({ view: 'streams', parts: ['all'] })}
          size={16}
        />
      )}
      {section === 'directs' && (
        <IconButton icon="plus" label={t('sidebar.new-direct')} shortcut="direct" onClick={newDirect} size={16} />
      )}
    </div>
  );
}

const newDirect = () => keyboard.run('direct');

const isAt = (hash: string): boolean => core.platform.address.hash.value === hash;

/** Appears under the pointer; the keyboard has the menu key, a touch screen the long press. */
function MoreButton({ row }: { readonly row: SidebarRow }) {
  return (
    <IconButton
      icon="more-vertical"
      class="row-more"
      label={t('common.more')}
      popup="menu"
      tabIndex={-1}
      size={16}
      onClick={(event) => void openRowMenu(event.currentTarget, row)}
    />
  );
}

function StreamRow({ row, attributes, current, onGo }: RowProps<RowOf<'stream'>>) {
  const { stream, open, count, mentioned, faint } = row;
  const isCurrent = current !== undefined && 'stream' in current && current.stream === stream.id;
  const label = t(open ? 'sidebar.hide-topics' : 'sidebar.show-topics', { stream: stream.name });
  return (
    <div class={`row stream ${stream.muted ? 'muted' : ''}`}>
      <a
        href={core.router.hash({ view: 'narrow', narrow: streamNarrow(stream.id) })}
        aria-current={isCurrent && !('topic' in current) ? 'page' : undefined}
        style={{ '--stream': stream.color || 'currentColor' }}
        onClick={onGo}
        {...attributes}
      >
        <Icon name={STREAM_ICONS[stream.kind]} />
        <span class="row-name" data-cut="">
          {stream.name}
          {stream.kind !== 'public' && <span class="hidden">, {t(`sidebar.${stream.kind}`)}</span>}
        </span>
        {!open && <Count count={count} mentioned={mentioned} quiet={faint || stream.muted} />}
      </a>
      <span class="row-tools">
        <MoreButton row={row} />
        {!isCurrent && (
          <IconButton
            icon="chevron-right"
            class="stream-toggle"
            label={label}
            expanded={open}
            tabIndex={-1}
            onClick={() => openStream(stream.id, !open)}
          />
        )}
      </span>
    </div>
  );
}

function TopicRow({ row, attributes, current, onGo }: RowProps<RowOf<'topic'>>) {
  const { key, stream, topic, count, mentioned, muted } = row;
  const isCurrent = current !== undefined && 'topic' in current && conversationKey(current) === key;
  const resolved = topic.startsWith(RESOLVED);
  return (
    <div class={`row topic ${muted ? 'muted' : ''}`}>
      <a
        href={core.router.hash({ view: 'narrow', narrow: topicNarrow(stream, topic) })}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onGo}
        {...attributes}
      >
        {resolved && <Icon name="check" />}
        <span class="row-name" data-cut="">
          {resolved ? topic.slice(RESOLVED.length) : topic}
          {resolved && <span class="hidden">, {t('sidebar.resolved')}</span>}
        </span>
        <Count count={count} mentioned={mentioned} quiet={muted} />
      </a>
      <span class="row-tools">
        <MoreButton row={row} />
      </span>
    </div>
  );
}

function DirectRow({ row: { key, users, count, mentioned }, attributes, current, onGo }: RowProps<RowOf<'direct'>>) {
  const { people, me } = core.state;
  const [first] = users;
  const alone = users.length === 1 && first !== undefined;
  const isCurrent = current !== undefined && 'users' in current && conversationKey(current) === key;
  const person = alone ? people.byId.value.get(first) : undefined;
  return (
    <div class="row direct">
      <a
        href={core.router.hash({ view: 'narrow', narrow: directNarrow(users) })}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onGo}
        {...attributes}
      >
        <span class="row-sign">
          {person?.is_bot ? (
            <Icon name="bot" />
          ) : alone ? (
            <PresenceDot presence={people.onlineOf(first)} />
          ) : (
            <Icon name="people" />
          )}
        </span>
        <span class="row-name" data-cut="">
          {directName(core.state, users)} {first === me.id && <span class="row-soft">{t('sidebar.you')}</span>}
        </span>
        <Count count={count} mentioned={mentioned} strong />
      </a>
    </div>
  );
}

function MoreRow({ label, run, attributes }: { label: string; run: () => void; attributes: RowAttributes }) {
  return (
    <div class="row more">
      <button type="button" class="row-main" onClick={run} {...attributes}>
        {label}
      </button>
    </div>
  );
}

/** One row of the left sidebar. */
export function Row(props: RowProps) {
  const { row, attributes } = props;
  switch (row.kind) {
    case 'view':
      return <ViewRow {...props} row={row} />;
    case 'heading':
      return <HeadingRow {...props} row={row} />;
    case 'stream':
      return <StreamRow {...props} row={row} />;
    case 'topic':
      return <TopicRow {...props} row={row} />;
    case 'direct':
      return <DirectRow {...props} row={row} />;
    case 'more-topics':
      return <MoreRow label={t('sidebar.all-topics')} run={() => showAllTopics(row.stream)} attributes={attributes} />;
    case 'more-directs':
      return <MoreRow label={t('sidebar.more-directs')} run={showAllDirects} attributes={attributes} />;
    case 'note':
      return <p class="row-note">{row.text === 'no-match' ? t('common.no-results') : t(`sidebar.${row.text}`)}</p>;
  }
}

const showAllDirects = () => {
  allDirects.value = true;
};
