import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Route } from '../core/index.js';
import { makeLazyComponent, Spinner } from '../kit/index.js';
import { currentLanguage, t } from '../text/index.js';
import { AppFrame } from './frame.js';
import { hadSession, hasSignedOutDeliberately } from './sign-out.js';
import { isForAccountsOnly } from './views.js';

/** Lazy, since most visits have a session. */
const LazySignInView = makeLazyComponent(async () => (await import('../sign-in/index.js')).SignInView);

function OpeningScreen() {
  return (
    <main class="opening">
      <h1 class="hidden">{t('common.loading')}</h1>
      <Spinner />
    </main>
  );
}

/** The client: sign-in without a session and, for visitors, in the place of what needs one; otherwise the frame. */
export function App() {
  const wasIn = useRef(hadSession);
  const place = useRef<Route>({ view: 'home' });
  const route = core.router.route.value;
  const state = core.session.state.value;
  // After a sign-in its address is replaced by that of the place from which a reader without an account came.
  useSignalEffect(() => {
    const { value: now } = core.router.route;
    if (now.view !== 'sign-in') place.current = now;
    else if (core.session.state.value === 'signed-in') core.router.navigate(place.current, true);
  });
  if (state === 'signed-in') wasIn.current = true;
  if (
    state === 'signed-out' ||
    (route.view === 'sign-in' && state !== 'signed-in') ||
    (state === 'visitor' && isForAccountsOnly(route))
  ) {
    const token = route.view === 'sign-in' ? route.parts[0] : undefined;
    return (
      <LazySignInView
        key={currentLanguage.value}
        oneTimeLinkToken={token}
        hasSessionExpired={wasIn.current && !hasSignedOutDeliberately.value}
      />
    );
  }
  // The state may still be that of an account that has signed out.
  if (state === 'unknown') return <OpeningScreen />;
  return <AppFrame key={currentLanguage.value + core.state.me.id} />;
}
