import { signal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { ComposeBox } from '../compose/index.js';
import { Button, Dialog, isField, isNarrow, isPhone, useShortcut } from '../kit/index.js';
import { LeftSidebar, PeopleSidebar } from '../sidebar/index.js';
import { t } from '../text/index.js';
import { Bar } from './bar.js';
import { Boundary } from './boundary.js';
import { useCommands } from './commands.js';
import { RealmMenu } from './menu.js';
import { PersonDialog } from './settings.js';
import { StatusLine } from './status.js';
import { MessageContent, preloadMessages, View } from './views.js';

const KEY = 'people-hidden';

/** Drawer that is open on a small screen. */
const drawer = signal<'left' | 'right' | undefined>(undefined);
const peopleHidden = signal(readHidden());

function readHidden(): boolean {
  try {
    return localStorage.getItem(KEY) === '1';
  } catch {
    return false;
  }
}

function hidePeople(hidden: boolean): void {
  peopleHidden.value = hidden;
  try {
    localStorage.setItem(KEY, hidden ? '1' : '');
  } catch {
    // The choice holds until the page is left.
  }
}

function closeDrawer(): void {
  drawer.value = undefined;
}

function showDrawer(side: 'left' | 'right'): void {
  drawer.value = side;
}

function showPeople(): void {
  if (isNarrow()) showDrawer('right');
  else hidePeople(false);
}

function Left({ onGo }: { readonly onGo?: () => void }) {
  return (
    <>
      <RealmMenu />
      <LeftSidebar {...(onGo ? { onGo } : {})} />
    </>
  );
}

/** Invites visitors to sign in. */
function VisitorBar() {
  if (core.session.state.value !== 'visitor') return null;
  return (
    <aside class="visitor" aria-label={t('shell.sign-in')}>
      <span>{t('shell.spectator')}</span>
      <Button kind="primary" onClick={() => core.router.go({ view: 'sign-in', parts: [] })}>
        {t('shell.sign-in')}
      </Button>
    </aside>
  );
}

/** Three columns; two below 1100 px; one with drawers on a phone. */
export function Frame() {
  const phone = isPhone();
  const showsPeople = !isNarrow() && !peopleHidden.value && core.session.state.value !== 'visitor';
  useCommands();
  useFocusOnView();
  useEffect(preloadMessages, []);
  // While the sidebars are there, they take these keys themselves.
  useShortcut('filter-people', showPeople, !showsPeople);
  useShortcut('filter-streams', () => showDrawer('left'), phone);
  return (
    <div class={`app ${showsPeople ? '' : 'without-people'}`}>
      <button type="button" class="skip" onClick={focusMain}>
        {t('shell.skip')}
      </button>
      {!phone && (
        <div class="side left">
          <Left />
        </div>
      )}
      <main class="middle" id="main" tabIndex={-1}>
        <Bar
          onSidebar={() => showDrawer('left')}
          onPeople={() => (showsPeople ? hidePeople(true) : showPeople())}
          showsPeople={showsPeople}
        />
        <div class="view">
          <Boundary of={core.router.route.value}>
            <View route={core.router.route.value} />
          </Boundary>
        </div>
        <ComposeBox content={MessageContent} />
        <VisitorBar />
        <StatusLine />
      </main>
      {showsPeople && (
        <aside class="side right" aria-label={t('sidebar.people')}>
          <PeopleSidebar />
        </aside>
      )}
      {phone && drawer.value === 'left' && (
        <Dialog drawer="left" title={t('sidebar.label')} onClose={closeDrawer}>
          <Left onGo={closeDrawer} />
        </Dialog>
      )}
      {isNarrow() && drawer.value === 'right' && (
        <Dialog drawer="right" title={t('sidebar.people')} onClose={closeDrawer}>
          <PeopleSidebar onGo={closeDrawer} />
        </Dialog>
      )}
      {core.focus.profile.value !== undefined && <PersonDialog />}
    </div>
  );
}

/** The address behind `#` belongs to the router, so the link to the content is a button: it moves the focus. */
function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** After a row of a sidebar was followed, the keys belong to the view. A field keeps the focus. */
function useFocusOnView(): void {
  const before = useRef(core.router.route.peek());
  useSignalEffect(() => {
    const route = core.router.route.value;
    if (route === before.current) return;
    before.current = route;
    const focused = document.activeElement;
    if (isField(focused)) return;
    if (!focused || focused === document.body || focused.closest('.side,.drawer,.open-sidebar')) focusMain();
  });
}
