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

/**
 * Root of the client. It shows the sign-in without a session, for a one-time link, and to visitors in place of views
 * that need an account; otherwise the frame.
 */
export function App() {
  const wasIn = useRef(hadSession);
  const place = useRef<Route>({ view: 'home' });
  const route = core.router.route.value;
  const state = core.session.state.value;
  const token = route.view === 'sign-in' ? route.parts[0] : undefined;
  // After a sign-in its address is replaced by that of the place from which a reader without an account came.
  useSignalEffect(() => {
    const { value: now } = core.router.route;
    if (now.view !== 'sign-in') place.current = now;
    else if (!now.parts[0] && core.session.state.value === 'signed-in') core.router.navigate(place.current, true);
  });
  if (state === 'signed-in') wasIn.current = true;
  // The client's state may still belong to an account that has signed out.
  if (state === 'unknown') return <OpeningScreen />;
  if (state === 'signed-out' || token || (state === 'visitor' && isForAccountsOnly(route))) {
    return (
      <LazySignInView
        key={currentLanguage.value}
        oneTimeLinkToken={token}
        hasSessionExpired={wasIn.current && !hasSignedOutDeliberately.value}
      />
    );
  }
  return <AppFrame key={currentLanguage.value + core.state.me.id} />;
}
