import { core } from '../client/index.js';
import {
  extractPlainText,
  findExactNarrowConversation,
  findPositiveOperand,
  makeStreamNarrow,
  type Narrow,
  type Route,
  type Stream,
} from '../core/index.js';
import { getStreamIconName, Icon, IconButton, type IconName, KeyCaps, pageShortcuts } from '../kit/index.js';
import { t } from '../text/index.js';
import { TopicMenuButton, TopicName } from '../topics/index.js';
import { findNarrowIcon, formatRouteName } from './names.js';

const ICON_BY_VIEW: Partial<Record<Route['view'], IconName>> = {
  inbox: 'inbox',
  recent: 'recent',
  drafts: 'draft',
  scheduled: 'scheduled',
  settings: 'settings',
  organization: 'settings',
  streams: 'hash',
  users: 'people',
  groups: 'people',
};

function StreamTitle({ stream, topic }: { readonly stream: Stream; readonly topic: string | undefined }) {
  return (
    <>
      <span class="bar-stream" style={{ '--stream': stream.color || 'currentColor' }}>
        <Icon name={getStreamIconName(core.state.streams.getPrivacy(stream.stream_id))} />
      </span>
      <a href={core.router.formatHash({ view: 'narrow', narrow: makeStreamNarrow(stream.stream_id) })} dir="auto">
        {stream.name}
      </a>
      {topic !== undefined && (
        <>
          <span class="separator" aria-hidden="true">
            ›
          </span>
          <span class="bar-topic">
            <TopicName topic={topic} />
          </span>
        </>
      )}
    </>
  );
}

function NarrowTitle({ narrow }: { readonly narrow: Narrow }) {
  const conversation = findExactNarrowConversation(narrow);
  const id = findPositiveOperand(narrow, 'stream');
  const stream = typeof id === 'number' ? core.state.streams.byId.value.get(id) : undefined;
  if (stream && (conversation || narrow.length === 1)) {
    return (
      <StreamTitle stream={stream} topic={conversation && 'topic' in conversation ? conversation.topic : undefined} />
    );
  }
  const users = conversation && 'users' in conversation ? conversation.users : [];
  const [only] = users.length === 1 ? users : [];
  return (
    <>
      <Icon name={users.length > 1 ? 'people' : only === undefined ? findNarrowIcon(narrow) : 'user'} />
      <span dir="auto">{formatRouteName({ view: 'narrow', narrow })}</span>
      {only !== undefined && core.state.people.isDeactivated(only) && (
        <span class="row-soft">{t('presence.deactivated')}</span>
      )}
    </>
  );
}

/** Description of the stream on screen, or the status of the person. */
function StreamDescriptionOrPersonStatus({ narrow }: { readonly narrow: Narrow }) {
  if (findPositiveOperand(narrow, 'search') !== undefined) return null;
  const id = findPositiveOperand(narrow, 'stream');
  if (typeof id === 'number')
    return <>{extractPlainText(core.state.streams.byId.value.get(id)?.rendered_description ?? '')}</>;
  const users = findPositiveOperand(narrow, 'dm');
  if (typeof users !== 'object' || users.length !== 1) return null;
  return <>{core.state.people.statusByUserId.value.get(users[0] ?? 0)?.status_text}</>;
}

interface TopBarProps {
  readonly onOpenSidebar: () => void;
  readonly onTogglePeople: () => void;
  readonly showsPeople: boolean;
}

/** The bar above a view: what it shows, search, and the buttons of the drawers. */
export function TopBar({ onOpenSidebar, onTogglePeople, showsPeople }: TopBarProps) {
  const route = core.router.route.value;
  const chord = pageShortcuts.getChords('search')[0];
  const conversation = route.view === 'narrow' ? findExactNarrowConversation(route.narrow) : undefined;
  const icon = ICON_BY_VIEW[route.view];
  return (
    <header class="bar">
      <div class="open-sidebar">
        <IconButton icon="menu" label={t('shell.open-sidebar')} onClick={onOpenSidebar} />
        {core.state.unread.totalUnmutedCount.value > 0 && <span class="dot" />}
      </div>
      <h1 class="bar-title">
        {route.view === 'narrow' ? (
          <NarrowTitle narrow={route.narrow} />
        ) : (
          <>
            {icon && <Icon name={icon} />}
            <span>{formatRouteName(route)}</span>
          </>
        )}
      </h1>
      {conversation && 'topic' in conversation && <TopicMenuButton {...conversation} />}
      <p class="bar-about">
        <span>{route.view === 'narrow' && <StreamDescriptionOrPersonStatus narrow={route.narrow} />}</span>
      </p>
      <button
        type="button"
        class="bar-search"
        aria-label={t('shell.search')}
        onClick={() => pageShortcuts.runShortcut('search')}
      >
        <Icon name="search" />
        <span>{t('shell.search')}</span>
        {chord && <KeyCaps chord={chord} />}
      </button>
      {core.session.state.value !== 'visitor' && (
        <IconButton
          icon="people"
          label={t(showsPeople ? 'shell.hide-people' : 'shell.open-people')}
          pressed={showsPeople}
          onClick={onTogglePeople}
        />
      )}
    </header>
  );
}
