import type { ComponentChild } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Route } from '../core/index.js';
import { EmptyNotice, makeLazyComponent } from '../kit/index.js';
import { DraftsView, InboxView, RecentView, ScheduledView } from '../overviews/index.js';
import { t } from '../text/index.js';
import { LazyOrganizationView, LazyPersonView, LazySettingsView, LazyStreamsView } from './settings.js';
import { applyAndSaveColorScheme } from './theme.js';

const loadMessagesChunk = () => import('../messages/index.js');
const LazyMessagesView = makeLazyComponent(async () => (await loadMessagesChunk()).MessagesView);
/** Renders the HTML of a message. */
export const LazyMessageContent = makeLazyComponent(async () => (await loadMessagesChunk()).MessageContent);

/** Loads the chunk of messages during the registration, if the address names a conversation. */
export function loadMessagesChunkIfAddressed(): void {
  if (location.hash.startsWith('#narrow')) preloadMessagesChunk();
}

/** Loads the chunk of messages before it is needed, so that the first conversation opens at once. */
export function preloadMessagesChunk(): void {
  LazyMessagesView.preload().catch(() => {});
}

/** The view that the reader's settings name as the first one. */
export function getPreferredHomeRoute(): Route {
  const wish: string | undefined = core.state.me.settings.value.default_view;
  if (core.state.me.id === 0 || wish === 'all_messages') return { view: 'narrow', narrow: [] };
  return { view: wish === 'inbox' ? 'inbox' : 'recent' };
}

/**
 * Redirects the empty address to the first view, without an entry in the history. It happens before the frame is
 * painted, so that it can't override a link that the reader follows.
 */
function HomeRedirect() {
  useLayoutEffect(() => core.router.navigate(getPreferredHomeRoute(), true), []);
  return null;
}

function NotFoundView() {
  return (
    <div class="opening">
      <EmptyNotice
        icon="help"
        action={{ label: t('shell.go-home'), run: () => core.router.navigate({ view: 'home' }) }}
      >
        {t('shell.not-found')}
      </EmptyNotice>
    </div>
  );
}

/** Views for readers without an account, beside those of messages. */
const VISITOR_VIEWS_PATTERN = /^(?:home|recent|unknown)$/;
/** Operators that the API refuses to readers without an account: `dm`, `dm-including`, `in`, `is`. */
const ACCOUNT_OPERATORS_PATTERN = /^(?:dm|i[ns])/;

/** Whether the reader has no account, and the API shows this place to accounts only. */
export const isForAccountsOnly = (route: Route): boolean =>
  core.state.me.id === 0 &&
  (route.view === 'narrow'
    ? route.narrow.some(
        ({ operator, operand }) =>
          ACCOUNT_OPERATORS_PATTERN.test(operator) ||
          (operator === 'stream' && !core.state.streams.byId.value.has(Number(operand))),
      )
    : !VISITOR_VIEWS_PATTERN.test(route.view));

/** The view of a route. Views that most readers begin with (recent, inbox) are in the first chunk; others are lazy. */
export function RouteView({ route }: { readonly route: Route }): ComponentChild {
  switch (route.view) {
    case 'home':
      return <HomeRedirect />;
    case 'sign-in':
      // `App` is about to replace the address of the sign-in.
      return null;
    case 'inbox':
      return <InboxView />;
    case 'recent':
      return <RecentView />;
    case 'drafts':
      return <DraftsView />;
    case 'scheduled':
      return <ScheduledView />;
    case 'narrow':
      return <LazyMessagesView narrow={route.narrow} nearMessageId={route.near} />;
    case 'settings':
      return <LazySettingsView parts={route.parts} onChooseColorScheme={applyAndSaveColorScheme} />;
    case 'streams':
      return <LazyStreamsView parts={route.parts} />;
    case 'organization':
      return <LazyOrganizationView parts={route.parts} />;
    case 'users':
      return <LazyPersonView parts={route.parts} />;
    case 'groups':
      return <LazyOrganizationView parts={['groups']} />;
    case 'unknown':
      return <NotFoundView />;
  }
}
