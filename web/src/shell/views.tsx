import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Route } from '../core/index.js';
import { Button, Empty, lazy } from '../kit/index.js';
import { DraftsView, InboxView, RecentView, ScheduledView } from '../overviews/index.js';
import { addLaterTexts, t } from '../text/index.js';
import { OrganizationRoute, PersonRoute, SettingsRoute, StreamsRoute } from './settings.js';
import { chooseScheme } from './theme.js';

const loadMessages = async () => {
  const [views] = await Promise.all([import('../messages/index.js'), addLaterTexts()]);
  return views;
};
const MessagesView = lazy(async () => (await loadMessages()).MessagesView);
/** Shows the server's HTML of a message. */
export const MessageContent = lazy(async () => (await loadMessages()).Content);

/** Loads the chunk of messages beside the registration, if the address names a conversation. */
export function loadNamedView(): void {
  if (location.hash.startsWith('#narrow')) loadMessages().catch(() => {});
}

/** Asks for the chunk of messages once the first view is painted, so that the first conversation opens at once. */
export function preloadMessages(): void {
  const load = () => void loadMessages().catch(() => {});
  if ('requestIdleCallback' in globalThis) requestIdleCallback(load);
  else setTimeout(load, 500);
}

/** The view that the reader's settings name as the first one. */
export function homeRoute(): Route {
  const wish: string | undefined = core.state.me.settings.value.default_view;
  if (core.state.me.id === 0 || wish === 'all_messages') return { view: 'narrow', narrow: [] };
  return { view: wish === 'inbox' ? 'inbox' : 'recent' };
}

/** The empty address leads to the first view, without an entry in the history. */
function Home() {
  useEffect(() => core.router.go(homeRoute(), true), []);
  return null;
}

function NotFound() {
  return (
    <div class="opening">
      <Empty icon="help">{t('shell.not-found')}</Empty>
      <Button onClick={() => core.router.go(homeRoute())}>{t('shell.go-home')}</Button>
    </div>
  );
}

/** Views for readers without an account. */
const OPEN_TO_ALL = /^(?:home|sign-in|recent|narrow)$/;

/**
 * From a route to its view. A view comes with the first chunk if most readers start with it (recent, inbox),
 * and by `lazy` otherwise.
 */
export function View({ route }: { readonly route: Route }): ComponentChild {
  if (core.state.me.id === 0 && !OPEN_TO_ALL.test(route.view)) return <NotFound />;
  switch (route.view) {
    case 'home':
    case 'sign-in':
      return <Home />;
    case 'inbox':
      return <InboxView />;
    case 'recent':
      return <RecentView />;
    case 'drafts':
      return <DraftsView />;
    case 'scheduled':
      return <ScheduledView />;
    case 'unknown':
      return <NotFound />;
    case 'narrow':
      return <MessagesView narrow={route.narrow} near={route.near} />;
    case 'settings':
      return <SettingsRoute parts={route.parts} onScheme={chooseScheme} />;
    case 'streams':
      return <StreamsRoute parts={route.parts} />;
    case 'organization':
      return <OrganizationRoute parts={route.parts} />;
    case 'users':
      return <PersonRoute parts={route.parts} />;
    case 'groups':
      return <OrganizationRoute parts={['groups']} />;
    default:
      return <Empty>{t('common.loading')}</Empty>;
  }
}
