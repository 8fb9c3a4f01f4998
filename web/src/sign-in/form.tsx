import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { Button, getMediaQuerySignal, Icon, TextField } from '../kit/index.js';
import { PasswordField } from '../kit-later/index.js';
import { t } from '../text/index.js';
import { formatSignInError } from './failure.js';

interface SignInFormErrors {
  readonly email?: string;
  readonly password?: string;
  readonly form?: string;
}

/** E-mail address and password. An error appears at its field, or above the button, and the focus goes there. */
export function SignInForm() {
  const email = useSignal('');
  const password = useSignal('');
  const errors = useSignal<SignInFormErrors>({});
  const busy = useSignal(false);
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);

  // On a touch screen the keyboard would cover the page before it is read.
  useEffect(() => {
    if (!getMediaQuerySignal('(pointer: coarse)').peek()) emailField.current?.focus();
  }, []);

  const check = (): boolean => {
    if (!email.value.trim()) {
      errors.value = { email: t('sign-in.missing-email') };
      emailField.current?.focus();
      return false;
    }
    if (!password.value) {
      errors.value = { password: t('sign-in.missing-password') };
      passwordField.current?.focus();
      return false;
    }
    return true;
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy.value || !check()) return;
    errors.value = {};
    busy.value = true;
    try {
      await core.session.signIn(email.value.trim(), password.value);
    } catch (error) {
      errors.value = { form: formatSignInError(error, 'sign-in.wrong') };
      passwordField.current?.select();
    }
    busy.value = false;
  };

  return (
    <form class="sign-in-form" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        type="email"
        name="username"
        label={t('common.email')}
        autocomplete="username"
        value={email.value}
        error={errors.value.email}
        inputRef={emailField}
        required
        onInput={(value) => {
          email.value = value;
        }}
      />
      <PasswordField
        name="password"
        label={t('common.password')}
        autocomplete="current-password"
        value={password.value}
        error={errors.value.password}
        inputRef={passwordField}
        required
        onInput={(value) => {
          password.value = value;
        }}
      />
      {errors.value.form && (
        <p class="sign-in-error" role="alert">
          <Icon name="warning" />
          {errors.value.form}
        </p>
      )}
      <Button kind="primary" type="submit" wide busy={busy.value}>
        {t('shell.sign-in')}
      </Button>
    </form>
  );
}
