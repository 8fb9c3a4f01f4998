import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Answers } from '../contract/index.js';
import { ApiFailure, extractPlainText } from '../core/index.js';
import { awaitOrToastError } from '../failures/index.js';
import { Avatar, Button, EmptyNotice, Icon, Spinner, showToast } from '../kit/index.js';
import { t } from '../text/index.js';
import { formatSessionEnd, formatSignInError } from './failure.js';
import { SignInForm } from './form.js';

type ServerSettings = Answers['GET /server_settings'];

/** Account that a one-time link would sign in. */
interface LinkAccount {
  readonly user_id: number;
  readonly full_name: string;
}

/** Pause before the server is asked again after a request without an answer, ms. */
const RETRY_AFTER_NO_ANSWER_MS = 5_000;

interface SignInViewProps {
  /** Token of a one-time link. */
  readonly oneTimeLinkToken?: string | undefined;
  /** The visitor was signed in until just now. */
  readonly hasSessionExpired?: boolean | undefined;
}

/** Without a session the server lets visitors read what is public on the web. */
function browseAsVisitor(): void {
  core.startQueueAndPresence();
  core.router.navigate({ view: 'home' });
}

function SignInNote({ text }: { readonly text: string }) {
  return (
    <p class="sign-in-note">
      <Icon name="info" />
      {text}
    </p>
  );
}

/** The page while a one-time link is handled, without the form. */
function OpeningPage({ children }: { readonly children: ComponentChildren }) {
  return (
    <main class="opening">
      <h1 class="hidden">{t('shell.sign-in')}</h1>
      {children}
    </main>
  );
}

/** Removes the one-time link from the browser's address. */
const removeLinkFromAddress = (): void => core.router.navigate({ view: 'sign-in', parts: [] }, true);

/** Removes a link that the server has refused. @throws the error if the link can be tried again */
function removeRefusedLink(error: unknown): void {
  if (!(error instanceof ApiFailure) || error.status >= 500 || error.retryAfterMs !== undefined) throw error;
  showToast({ text: formatSignInError(error, 'sign-in.link-used'), kind: 'error' });
  removeLinkFromAddress();
}

/**
 * Runs an action, and again after a pause while the server does not answer or calls come too fast.
 * @param inputs the action runs again when one of them changes
 * @returns the text of the last failure, empty without one, and a function that runs the action at once
 */
function useRepeatedAction(action: () => Promise<unknown>, inputs: readonly unknown[]) {
  const failure = useSignal('');
  const repeatNow = useRef(() => {});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isEnded = false;
    const run = async () => {
      clearTimeout(timer);
      try {
        await action();
        failure.value = '';
      } catch (error) {
        if (isEnded) return;
        failure.value = formatSignInError(error, 'sign-in.link-used');
        const pauseMs = error instanceof ApiFailure ? error.retryAfterMs : RETRY_AFTER_NO_ANSWER_MS;
        if (pauseMs !== undefined) timer = setTimeout(run, pauseMs);
      }
    };
    repeatNow.current = () => void run();
    void run();
    return () => {
      isEnded = true;
      clearTimeout(timer);
    };
  }, inputs);
  return { failure: failure.value, repeatNow: () => repeatNow.current() };
}

function FailureWithRetry({ text, onRetry }: { readonly text: string; readonly onRetry: () => void }) {
  return (
    <>
      <p role="alert">{text}</p>
      <Button onClick={onRetry}>{t('common.retry')}</Button>
    </>
  );
}

/**
 * Uses a one-time link. If the link would replace the session of another account, the page asks first, because a
 * stranger may have sent a link to the stranger's own account. The link stays in the address until the server has
 * answered, so that a page without a connection can be loaded again.
 */
function OneTimeLinkPage({ token }: { readonly token: string }) {
  const name = useSignal('');
  const isSignedIn = core.session.state.value === 'signed-in';
  const signInOrAsk = async () => {
    if (!isSignedIn) return core.session.signInByOneTimeLink(token).then(removeLinkFromAddress);
    const account = await core.api.callOutsideApi<LinkAccount>('POST', '/web/session/one-time/account', { token });
    if (account.user_id === core.state.me.id) removeLinkFromAddress();
    else name.value = account.full_name;
  };
  const { failure, repeatNow } = useRepeatedAction(() => signInOrAsk().catch(removeRefusedLink), [token, isSignedIn]);
  if (failure) {
    return (
      <OpeningPage>
        <FailureWithRetry text={failure} onRetry={repeatNow} />
        <Button onClick={removeLinkFromAddress}>{t('common.cancel')}</Button>
      </OpeningPage>
    );
  }
  if (!name.value) {
    return (
      <OpeningPage>
        <p>{t('sign-in.link-working')}</p>
        <Spinner />
      </OpeningPage>
    );
  }
  // When the session has ended, the action above uses the link.
  const signOut = async () => {
    const { value: asked } = name;
    name.value = '';
    if (!(await awaitOrToastError(core.session.signOut()))) name.value = asked;
  };
  return (
    <OpeningPage>
      <EmptyNotice icon="user">
        {t('sign-in.other-account', { own: core.state.me.ownPerson.value?.full_name ?? '', name: name.value })}
      </EmptyNotice>
      <Button kind="primary" onClick={() => void signOut()}>
        {t('shell.sign-in')}
      </Button>
      <Button onClick={removeLinkFromAddress}>{t('common.cancel')}</Button>
    </OpeningPage>
  );
}

/** @param open the form is shown at once; owners have it even where the organization switched passwords off */
function PasswordSignIn({ open }: { readonly open: boolean }) {
  const form = (
    <>
      <SignInForm />
      <p class="field-hint">
        <a href="/accounts/password/reset">{t('sign-in.forgotten')}</a>
      </p>
    </>
  );
  return open ? (
    form
  ) : (
    <details>
      <summary>{t('sign-in.owners')}</summary>
      {form}
    </details>
  );
}

export function SignInView({ oneTimeLinkToken, hasSessionExpired }: SignInViewProps) {
  const server = useSignal<ServerSettings | undefined>(undefined);
  const isRealmMissing = core.session.endCode.value === 'NONEXISTENT_SUBDOMAIN';
  const { failure, repeatNow } = useRepeatedAction(async () => {
    if (!isRealmMissing) server.value = await core.api.get('/server_settings', {});
  }, []);
  if (isRealmMissing) {
    return (
      <OpeningPage>
        <p>{t('sign-in.no-realm')}</p>
      </OpeningPage>
    );
  }
  if (oneTimeLinkToken) return <OneTimeLinkPage token={oneTimeLinkToken} />;
  const facts = server.value;
  if (!facts) {
    return <OpeningPage>{failure ? <FailureWithRetry text={failure} onRetry={repeatNow} /> : <Spinner />}</OpeningPage>;
  }
  const { realm_name: name, realm_icon: icon, realm_description: about = '' } = facts;
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <header class="sign-in-head">
          <Avatar name={name ?? ''} src={icon} size={64} />
          <h1>{name ? t('sign-in.title', { name }) : t('sign-in.no-realm')}</h1>
          {about && <p>{extractPlainText(about)}</p>}
        </header>
        {hasSessionExpired && <SignInNote text={formatSessionEnd(core.session.endCode.value)} />}
        {name &&
          facts.external_authentication_methods?.map(({ login_url, display_name, display_icon }) => (
            <a key={login_url} class="button" href={login_url}>
              {display_icon !== null && <img class="sign-in-icon" src={display_icon} alt="" width={20} height={20} />}
              {t('sign-in.with', { name: display_name })}
            </a>
          ))}
        {name && !facts.email_auth_enabled && <SignInNote text={t('sign-in.no-password')} />}
        {name && <PasswordSignIn open={facts.email_auth_enabled} />}
        {facts.realm_web_public_access_enabled && (
          <>
            <p class="sign-in-or">{t('common.or')}</p>
            <Button wide onClick={browseAsVisitor}>
              {t('sign-in.browse')}
            </Button>
          </>
        )}
      </div>
    </main>
  );
}
