import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Button, showToast, TextField } from '../../kit/index.js';
import { LATER_ICONS, PasswordField } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { FormDialog } from '../parts/form-dialog.js';
import { SettingsGroup } from '../parts/pages.js';
import { CopyableText } from '../parts/secret.js';

type OpenAccountDialog = 'email' | 'password' | 'key' | 'deactivate' | undefined;

const readOwnEmail = () => core.state.me.ownPerson.value?.delivery_email ?? core.state.me.ownPerson.value?.email ?? '';

/** Address, password, key and end of the account. */
export function AccountPage() {
  const [open, setOpen] = useState<OpenAccountDialog>();
  const [key, setKey] = useState<string>();
  const close = () => setOpen(undefined);
  const { me, realm } = core.state;
  const mayChangeEmail = me.isAdmin || !realm.value.realm_email_changes_disabled;
  return (
    <>
      <SettingsGroup title={t('common.email')}>
        <p>{readOwnEmail()}</p>
        {mayChangeEmail && (
          <p>
            <Button onClick={() => setOpen('email')}>{t('settings.change-email')}</Button>
          </p>
        )}
      </SettingsGroup>
      <SettingsGroup title={t('common.password')} hint={t('settings.password-hint')}>
        <p>
          <Button onClick={() => setOpen('password')}>{t('settings.change-password')}</Button>
        </p>
      </SettingsGroup>
      <SettingsGroup title={t('settings.api-key')} hint={t('settings.api-key-hint')}>
        {key ? (
          <>
            <CopyableText text={key} label={t('settings.api-key')} />
            <p class="settings-buttons">
              <Button onClick={() => setKey(undefined)}>{t('settings.hide-key')}</Button>
              <RegenerateApiKeyButton onKey={setKey} />
            </p>
          </>
        ) : (
          <p>
            <Button onClick={() => setOpen('key')}>{t('settings.show-key')}</Button>
          </p>
        )}
      </SettingsGroup>
      <SettingsGroup title={t('settings.deactivate')} hint={t('settings.deactivate-hint')}>
        <p>
          <Button kind="danger" onClick={() => setOpen('deactivate')}>
            {t('settings.deactivate')}
          </Button>
        </p>
      </SettingsGroup>
      {open === 'email' && <ChangeEmailDialog onClose={close} />}
      {open === 'password' && <ChangePasswordDialog onClose={close} />}
      {open === 'key' && <ShowApiKeyDialog onClose={close} onKey={setKey} />}
      {open === 'deactivate' && (
        <FormDialog
          title={t('settings.deactivate')}
          submitLabel={t('settings.deactivate')}
          danger
          onClose={close}
          submit={() => core.session.deactivateAccount()}
        >
          <p>{t('settings.deactivate-question')}</p>
        </FormDialog>
      )}
    </>
  );
}

interface AccountDialogProps {
  readonly onClose: () => void;
}

function ChangeEmailDialog({ onClose }: AccountDialogProps) {
  const [email, setEmail] = useState('');
  return (
    <FormDialog
      title={t('settings.change-email')}
      submitLabel={t('common.save')}
      onClose={onClose}
      submit={async () => {
        await core.api.patch('/settings', { email: email.trim() });
        showToast({ text: t('settings.email-sent', { email: email.trim() }), kind: 'success' });
      }}
    >
      <TextField
        type="email"
        label={t('settings.new-email')}
        hint={t('settings.new-email-hint')}
        value={email}
        onInput={setEmail}
        autocomplete="email"
        autofocus
        required
      />
    </FormDialog>
  );
}

function ChangePasswordDialog({ onClose }: AccountDialogProps) {
  const [before, setBefore] = useState('');
  const [next, setNext] = useState('');
  return (
    <FormDialog
      title={t('settings.change-password')}
      submitLabel={t('common.save')}
      onClose={onClose}
      submit={async () => {
        await core.api.patch('/settings', { old_password: before, new_password: next });
        showToast({ text: t('settings.password-changed'), kind: 'success' });
      }}
    >
      <PasswordField
        label={t('settings.old-password')}
        value={before}
        onInput={setBefore}
        autocomplete="current-password"
        autofocus
      />
      <PasswordField
        label={t('settings.new-password')}
        hint={t('settings.new-password-hint', { n: core.state.realm.value.password_min_length ?? 6 })}
        value={next}
        onInput={setNext}
        autocomplete="new-password"
        required
      />
    </FormDialog>
  );
}

function ShowApiKeyDialog({ onClose, onKey }: AccountDialogProps & { readonly onKey: (key: string) => void }) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title={t('settings.show-key')}
      submitLabel={t('settings.show-key')}
      onClose={onClose}
      submit={async () => {
        const { api_key } = await core.api.post('/fetch_api_key', { username: readOwnEmail(), password });
        onKey(api_key);
      }}
    >
      <PasswordField
        label={t('settings.your-password')}
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        autofocus
        required
      />
    </FormDialog>
  );
}

/** Replaces the key: programs that use the old one stop working. */
function RegenerateApiKeyButton({ onKey }: { readonly onKey: (key: string) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" icon={LATER_ICONS.refresh} onClick={() => setOpen(true)}>
        {t('settings.new-key')}
      </Button>
      {open && (
        <FormDialog
          title={t('settings.new-key')}
          submitLabel={t('settings.new-key')}
          danger
          onClose={() => setOpen(false)}
          submit={async () => onKey(String((await core.api.post('/users/me/api_key/regenerate', {})).api_key))}
        >
          <p>{t('settings.new-key-question')}</p>
        </FormDialog>
      )}
    </>
  );
}
