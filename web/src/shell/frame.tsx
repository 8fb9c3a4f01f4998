import { effect, signal, untracked, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { ComposeBox } from '../compose/index.js';
import type { Route } from '../core/index.js';
import {
  Button,
  closeMenusAndDialogs,
  Dialog,
  expectFirstView,
  isNarrowLayout,
  isPhoneLayout,
  isTypingTarget,
  noteFirstViewShown,
  runWhenIdle,
  useShortcut,
  waitForFirstView,
} from '../kit/index.js';
import { LeftSidebar, PeopleSidebar } from '../sidebar/index.js';
import { t } from '../text/index.js';
import { TopBar } from './bar.js';
import { ViewErrorBoundary } from './boundary.js';
import { useGlobalShortcuts } from './commands.js';
import { OwnMenu, RealmMenu } from './menu.js';
import { LazyPersonDialog } from './settings.js';
import { hadSession } from './sign-out.js';
import { ConnectionStatusLine } from './status.js';
import { getPreferredHomeRoute, LazyMessageContent, preloadMessagesChunk, RouteView } from './views.js';

const PEOPLE_HIDDEN_STORAGE_KEY = 'people-hidden';

const LIST_VIEWS: ReadonlySet<Route['view']> = new Set(['inbox', 'recent', 'drafts', 'scheduled']);

/** The list to which swipes lead back: the last one on screen. */
let lastListRoute: Route | undefined;

/** Drawer that is open on a small screen. */
const openDrawerSide = signal<'left' | 'right' | undefined>(undefined);
const isPeopleHidden = signal(readStoredPeopleHidden());
/**
 * Whether the columns beside the view are rendered. They are half of all elements, so they follow when the view is on
 * screen or waits for the server.
 */
const areColumnsDue = signal(false);

function readStoredPeopleHidden(): boolean {
  try {
    return localStorage.getItem(PEOPLE_HIDDEN_STORAGE_KEY) === '1';
  } catch {
    return false;
  }
}

function setAndStorePeopleHidden(hidden: boolean): void {
  isPeopleHidden.value = hidden;
  try {
    localStorage.setItem(PEOPLE_HIDDEN_STORAGE_KEY, hidden ? '1' : '');
  } catch {
    // Without storage the choice is lost with the page.
  }
}

function closeDrawer(): void {
  openDrawerSide.value = undefined;
}

function openDrawer(side: 'left' | 'right'): void {
  openDrawerSide.value = side;
}

function showPeopleSidebar(): void {
  if (isNarrowLayout()) openDrawer('right');
  else setAndStorePeopleHidden(false);
}

function LeftColumn({ onGo }: { readonly onGo?: () => void }) {
  return (
    <>
      <RealmMenu />
      <LeftSidebar {...(onGo ? { onNavigate: onGo } : {})} />
      <OwnMenu />
    </>
  );
}

/** Invites visitors to sign in. */
function SignInInvitationBar() {
  if (core.session.state.value !== 'visitor') return null;
  return (
    <aside class="visitor" aria-label={t('shell.sign-in')}>
      <span>{t(hadSession ? 'shell.session-ended' : 'shell.spectator')}</span>
      <Button kind="primary" onClick={() => core.router.navigate({ view: 'sign-in', parts: [] })}>
        {t('shell.sign-in')}
      </Button>
    </aside>
  );
}

/** Three columns; two below 1100 px; one with drawers below 721 px. */
export function AppFrame() {
  const phone = isPhoneLayout();
  const showsPeople = !isNarrowLayout() && !isPeopleHidden.value && core.session.state.value !== 'visitor';
  useGlobalShortcuts();
  useFocusMainOnRouteChange();
  useEffect(() => {
    expectFirstView();
    // The list of messages calls this itself.
    if (core.router.route.peek().view !== 'narrow') noteFirstViewShown();
    runWhenIdle(() => {
      areColumnsDue.value = true;
      preloadMessagesChunk();
    });
  }, []);
  useSignalEffect(() => {
    const route = core.router.route.value;
    if (LIST_VIEWS.has(route.view)) lastListRoute = route;
    closeDrawer();
  });
  useEffect(closeMenusAndDialogsOnNavigation, []);
  useEffect(() => (phone ? swipeBackWhileShown() : undefined), [phone]);
  // Sidebars that are shown have handlers for these keys.
  useShortcut('filter-people', showPeopleSidebar, !showsPeople);
  useShortcut('filter-streams', () => openDrawer('left'), phone);
  return (
    <div class={`app ${showsPeople ? '' : 'without-people'}`}>
      <button type="button" class="skip" onClick={focusMain}>
        {t('shell.skip')}
      </button>
      {!phone && <div class="side left">{areColumnsDue.value && <LeftColumn />}</div>}
      <main class="middle" id="main" tabIndex={-1}>
        <TopBar
          onOpenSidebar={() => openDrawer('left')}
          onTogglePeople={() => (showsPeople ? setAndStorePeopleHidden(true) : showPeopleSidebar())}
          showsPeople={showsPeople}
        />
        <div class="view">
          <ViewErrorBoundary resetKey={core.router.route.value}>
            <RouteView route={core.router.route.value} />
          </ViewErrorBoundary>
        </div>
        <ComposeBox content={LazyMessageContent} />
        <SignInInvitationBar />
        <ConnectionStatusLine />
      </main>
      {showsPeople && (
        <aside class="side right" aria-label={t('sidebar.people')}>
          {areColumnsDue.value && <PeopleSidebar />}
        </aside>
      )}
      {phone && openDrawerSide.value === 'left' && (
        <Dialog drawerSide="left" title={t('sidebar.label')} onClose={closeDrawer}>
          <LeftColumn onGo={closeDrawer} />
        </Dialog>
      )}
      {isNarrowLayout() && openDrawerSide.value === 'right' && (
        <Dialog drawerSide="right" title={t('sidebar.people')} onClose={closeDrawer}>
          <PeopleSidebar onGo={closeDrawer} />
        </Dialog>
      )}
      {core.sharedViewState.shownProfileUserId.value !== undefined && <LazyPersonDialog />}
    </div>
  );
}

/**
 * Closes menus and dialogs when the reader goes to another address. A plain effect runs while the address changes, so
 * it sees whether the reader has asked for that.
 */
const closeMenusAndDialogsOnNavigation = () =>
  effect(() => {
    void core.platform.address.hash.value;
    if (!core.router.isFollowing) untracked(closeMenusAndDialogs);
  });

/** Loads swipes back from a conversation, for phones, after the first view. @returns a function that ends it */
function swipeBackWhileShown(): () => void {
  const swipes = waitForFirstView()
    .then(() => import('./swipe.js'))
    .then(({ followSwipesBack }) => {
      const main = document.getElementById('main');
      return main ? followSwipesBack(main, () => lastListRoute ?? getPreferredHomeRoute()) : undefined;
    });
  return () => void swipes.then((end) => end?.()).catch(() => {});
}

/**
 * Moves the focus to the content, for a button that looks like a link: the part of the address behind `#` belongs to
 * the router.
 */
function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** Moves the focus to the view after a row of a sidebar was followed, unless a field has it. */
function useFocusMainOnRouteChange(): void {
  const before = useRef(core.router.route.peek());
  useSignalEffect(() => {
    const route = core.router.route.value;
    if (route === before.current) return;
    before.current = route;
    const focused = document.activeElement;
    if (isTypingTarget(focused)) return;
    if (!focused || focused === document.body || focused.closest('.side,.drawer,.open-sidebar')) focusMain();
  });
}
