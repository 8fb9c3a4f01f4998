import { core } from '../../client/index.js';
import type { Stream } from '../../core/index.js';
import { Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import {
  ACCOUNT_SETTING_BY_NOTIFICATION,
  isStreamNotification,
  type SubscriptionFlag,
  subscriptionFlags,
} from '../../toggles/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SavedMark, SavingError, useSavingState } from '../parts/saving.js';

const STREAM_COLORS = [
  ...['#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55', '#b0a5fd', '#addfe5'],
  ...['#f5ce6e', '#c2726a', '#94c849', '#bd86e5', '#ee7e4a', '#a6dcbf', '#95a5fd', '#53a063'],
  ...['#9987e1', '#e4523d', '#c2c2c2', '#4f8de4', '#c6a8ad', '#e7cc4d', '#c8bebf', '#a47462'],
];

const saveColor = (stream_id: number, value: string) =>
  core.api.post('/users/me/subscriptions/properties', { subscription_data: [{ stream_id, property: 'color', value }] });

interface SubscriptionSwitchProps extends SubscriptionFlag {
  readonly hint?: string | undefined;
}

function SubscriptionSwitch({ hint, ...flag }: SubscriptionSwitchProps) {
  const saving = useSavingState();
  return (
    <div class="setting flag">
      <Toggle
        label={t(`settings.sub.${flag.property}`)}
        hint={hint}
        checked={subscriptionFlags.shown(flag)}
        error={saving.error}
        onChange={(on) => void saving.runChange(() => subscriptionFlags.press(flag, on))}
      />
      <SavedMark saving={saving} />
    </div>
  );
}

/** The reader's own side of a subscription: colour, pin, mute, notifications. */
export function PersonalStreamTab({ stream }: { readonly stream: Stream }) {
  return (
    <>
      <StreamColorEntry stream={stream} />
      <SubscriptionSwitch stream={stream.stream_id} property="pin_to_top" />
      <SubscriptionSwitch stream={stream.stream_id} property="is_muted" />
      <SettingsGroup title={t('settings.page.notifications')}>
        {Object.keys(ACCOUNT_SETTING_BY_NOTIFICATION)
          .filter(isStreamNotification)
          .map((name) => (
            <SubscriptionSwitch
              key={name}
              stream={stream.stream_id}
              property={name}
              hint={(stream[name] ?? null) === null ? t('settings.as-account') : undefined}
            />
          ))}
      </SettingsGroup>
    </>
  );
}

function StreamColorEntry({ stream }: { readonly stream: Stream }) {
  const saving = useSavingState();
  return (
    <fieldset class="setting">
      <legend class="setting-legend">{t('settings.colour')}</legend>
      <div class="colours">
        {STREAM_COLORS.map((colour) => (
          <label key={colour} class="colour" style={{ '--stream': colour }}>
            <input
              type="radio"
              name="stream-colour"
              aria-label={colour}
              checked={stream.color === colour}
              onChange={() => void saving.runChange(() => saveColor(stream.stream_id, colour))}
            />
          </label>
        ))}
        <input
          type="color"
          class={`own-colour ${STREAM_COLORS.includes(stream.color ?? '') ? '' : 'chosen'}`}
          aria-label={t('settings.own-colour')}
          value={/^#[0-9a-f]{6}$/i.test(stream.color ?? '') ? stream.color : '#000000'}
          onChange={(event) => {
            const { value } = event.currentTarget;
            void saving.runChange(() => saveColor(stream.stream_id, value));
          }}
        />
      </div>
      <SavingError saving={saving} />
      <SavedMark saving={saving} />
    </fieldset>
  );
}
