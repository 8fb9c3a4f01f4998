import { core } from '../../client/index.js';
import type { Stream } from '../../core/index.js';
import { Toggle } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SavedMark, SavingError, useSaving } from '../parts/saving.js';

const STREAM_COLORS = [
  ...['#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55', '#b0a5fd', '#addfe5'],
  ...['#f5ce6e', '#c2726a', '#94c849', '#bd86e5', '#ee7e4a', '#a6dcbf', '#95a5fd', '#53a063'],
  ...['#9987e1', '#e4523d', '#c2c2c2', '#4f8de4', '#c6a8ad', '#e7cc4d', '#c8bebf', '#a47462'],
];

/** Notifications of a stream, each with the setting of the account that counts while the stream has none. */
const ACCOUNT_SETTING_BY_NOTIFICATION = {
  desktop_notifications: 'enable_stream_desktop_notifications',
  audible_notifications: 'enable_stream_audible_notifications',
  push_notifications: 'enable_stream_push_notifications',
  email_notifications: 'enable_stream_email_notifications',
  wildcard_mentions_notify: 'wildcard_mentions_notify',
} as const;

type StreamNotification = keyof typeof ACCOUNT_SETTING_BY_NOTIFICATION;
const isStreamNotification = (name: string): name is StreamNotification => name in ACCOUNT_SETTING_BY_NOTIFICATION;

const saveSubscriptionProperty = (stream_id: number, property: string, value: boolean | string) =>
  core.api.post('/users/me/subscriptions/properties', { subscription_data: [{ stream_id, property, value }] });

interface SubscriptionSwitchProps {
  readonly stream: Stream;
  readonly property: StreamNotification | 'is_muted' | 'pin_to_top';
  readonly checked: boolean;
  readonly hint?: string | undefined;
}

function SubscriptionSwitch({ stream, property, checked, hint }: SubscriptionSwitchProps) {
  const saving = useSaving();
  return (
    <div class="setting flag">
      <Toggle
        label={t(`settings.sub.${property}`)}
        hint={hint}
        checked={checked}
        error={saving.error}
        onChange={(on) => void saving.runChange(() => saveSubscriptionProperty(stream.stream_id, property, on))}
      />
      <SavedMark saving={saving} />
    </div>
  );
}

/** The reader's own side of a subscription: colour, pin, mute, notifications. */
export function PersonalTab({ stream }: { readonly stream: Stream }) {
  const settings = core.state.me.settings.value;
  return (
    <>
      <StreamColorEntry stream={stream} />
      <SubscriptionSwitch stream={stream} property="pin_to_top" checked={stream.pin_to_top === true} />
      <SubscriptionSwitch stream={stream} property="is_muted" checked={stream.is_muted === true} />
      <SettingsGroup title={t('settings.page.notifications')}>
        {Object.keys(ACCOUNT_SETTING_BY_NOTIFICATION)
          .filter(isStreamNotification)
          .map((name) => {
            const own = stream[name] ?? null;
            return (
              <SubscriptionSwitch
                key={name}
                stream={stream}
                property={name}
                checked={own ?? settings[ACCOUNT_SETTING_BY_NOTIFICATION[name]]}
                hint={own === null ? t('settings.as-account') : undefined}
              />
            );
          })}
      </SettingsGroup>
    </>
  );
}

function StreamColorEntry({ stream }: { readonly stream: Stream }) {
  const saving = useSaving();
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
              onChange={() => void saving.runChange(() => saveSubscriptionProperty(stream.stream_id, 'color', colour))}
            />
          </label>
        ))}
        <input
          type="color"
          class="own-colour"
          aria-label={t('settings.own-colour')}
          value={/^#[0-9a-f]{6}$/i.test(stream.color ?? '') ? stream.color : '#000000'}
          onChange={(event) => {
            const { value } = event.currentTarget;
            void saving.runChange(() => saveSubscriptionProperty(stream.stream_id, 'color', value));
          }}
        />
      </div>
      <SavingError saving={saving} />
      <SavedMark saving={saving} />
    </fieldset>
  );
}
