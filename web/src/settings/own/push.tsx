import { useEffect, useState } from 'preact/hooks';
import { core, formatFailureText, loadPushModule, type PushState } from '../../client/index.js';
import { Button, Spinner } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SavingError, useSavingState } from '../parts/saving.js';

const HINT_KEY_BY_PUSH_STATE = {
  unsupported: 'settings.push-unsupported',
  'off-here': 'settings.push-off-here',
  denied: 'settings.push-denied',
  off: 'settings.push-hint',
  failed: 'settings.push-failed',
  on: 'settings.push-is-on',
} as const;

/** Turns push notifications of this browser on and off. */
export function PushNotificationsGroup() {
  const [state, setState] = useState<PushState>();
  const saving = useSavingState();
  useEffect(() => {
    const read = async () => setState(await (await loadPushModule()).readPushState(core));
    read().catch((error) => saving.showError(formatFailureText(error)));
  }, []);
  const change = (turn: 'turnPushOn' | 'turnPushOff') =>
    void saving.runChange(async () => setState(await (await loadPushModule())[turn](core)));
  return (
    <SettingsGroup title={t('settings.push')} {...(state ? { hint: t(HINT_KEY_BY_PUSH_STATE[state]) } : {})}>
      {!state && !saving.error && <Spinner />}
      <SavingError saving={saving} />
      {(state === 'off' || state === 'failed') && (
        <p>
          <Button disabled={saving.busy} onClick={() => change('turnPushOn')}>
            {t('settings.push-turn-on')}
          </Button>
        </p>
      )}
      {state === 'on' && (
        <p>
          <Button disabled={saving.busy} onClick={() => change('turnPushOff')}>
            {t('settings.push-turn-off')}
          </Button>
        </p>
      )}
    </SettingsGroup>
  );
}
