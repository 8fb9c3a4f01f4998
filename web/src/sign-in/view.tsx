import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Answers } from '../contract/index.js';
import { ApiFailure } from '../core/index.js';
import { Avatar, Button, Icon, Spinner } from '../kit/index.js';
import { t } from '../text/index.js';
import { extractDescriptionText, formatSessionEnd, formatSignInError } from './failure.js';
import { SignInForm } from './form.js';

type ServerSettings = Answers['GET /server_settings'];

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
  const failure = useSignal('');
  const loadFailure = useSignal('');
  const working = useSignal(oneTimeLinkToken !== undefined);
  const retry = useRef<ReturnType<typeof setTimeout>>(undefined);
  const load = async () => {
    clearTimeout(retry.current);
    try {
      server.value = await core.api.get('/server_settings', {});
    } catch (error) {
      loadFailure.value = formatSignInError(error, 'link');
      const pauseMs = error instanceof ApiFailure ? error.retryAfterMs : RETRY_AFTER_NO_ANSWER_MS;
      if (pauseMs !== undefined) retry.current = setTimeout(load, pauseMs);
    }
  };
  const useLink = async (link: string) => {
    try {
      await core.session.signInByOneTimeLink(link);
    } catch (error) {
      failure.value = formatSignInError(error, 'link');
    }
    working.value = false;
  };
  useEffect(() => {
    void load();
    return () => clearTimeout(retry.current);
  }, []);
  useEffect(() => {
    if (oneTimeLinkToken !== undefined) void useLink(oneTimeLinkToken);
  }, [oneTimeLinkToken]);
  if (working.value) {
    return (
      <main class="opening">
        <h1 class="hidden">{t('sign-in.link-working')}</h1>
        <p>{t('sign-in.link-working')}</p>
        <Spinner />
      </main>
    );
  }
  const facts = server.value;
  if (!facts) {
    return (
      <main class="opening">
        <h1 class="hidden">{t('shell.sign-in')}</h1>
        {loadFailure.value ? (
          <>
            <p role="alert">{loadFailure.value}</p>
            <Button onClick={() => void load()}>{t('common.retry')}</Button>
          </>
        ) : (
          <Spinner />
        )}
      </main>
    );
  }
  const { realm_name: name, realm_icon: icon, realm_description: about = '' } = facts;
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <header class="sign-in-head">
          <Avatar name={name ?? ''} src={icon} size={64} />
          <h1>{name ? t('sign-in.title', { name }) : t('sign-in.no-realm')}</h1>
          {about && <p>{extractDescriptionText(about)}</p>}
        </header>
        {hasSessionExpired && <SignInNote text={formatSessionEnd(core.session.endCode.value)} />}
        {failure.value && (
          <p class="sign-in-error" role="alert">
            <Icon name="warning" />
            {failure.value}
          </p>
        )}
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
