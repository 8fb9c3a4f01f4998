import { core } from '../../client/index.js';
import { t } from '../../text/index.js';
import { type Page, Pages } from '../parts/pages.js';
import { AccountPage } from './account.js';
import { AlertWordsPage } from './alert-words.js';
import { MutedPage } from './muted.js';
import { ProfilePage } from './profile.js';
import { PushGroup } from './push.js';
import { OwnGroups, saveOwn } from './rows.js';
import { SessionsPage } from './sessions.js';
import { DISPLAY_GROUPS, NOTIFICATION_GROUPS, PRIVACY_GROUPS } from './tables.js';

interface SettingsProps {
  readonly parts: readonly string[];
  /** Chooses a theme for this browser and the account; values as in the setting `color_scheme`. */
  readonly onScheme: (value: number) => Promise<unknown>;
}

/** `#settings/…`: everything about one's own account. */
export function SettingsView({ parts, onScheme }: SettingsProps) {
  const values = () => core.state.me.settings.value;
  const pages: readonly Page[] = [
    { id: 'profile', label: t('settings.page.profile'), icon: 'user', show: () => <ProfilePage /> },
    { id: 'account', label: t('settings.page.account'), icon: 'lock', show: () => <AccountPage /> },
    {
      id: 'display',
      label: t('settings.page.display'),
      icon: 'theme',
      show: () => (
        <OwnGroups
          groups={DISPLAY_GROUPS}
          values={values()}
          save={(name, value) => (name === 'color_scheme' ? onScheme(Number(value)) : saveOwn(name, value))}
        />
      ),
    },
    {
      id: 'notifications',
      label: t('settings.page.notifications'),
      icon: 'bell',
      show: () => (
        <>
          <PushGroup />
          <OwnGroups groups={NOTIFICATION_GROUPS} values={values()} save={saveOwn} />
        </>
      ),
    },
    {
      id: 'privacy',
      label: t('settings.page.privacy'),
      icon: 'eye',
      show: () => <OwnGroups groups={PRIVACY_GROUPS} values={values()} save={saveOwn} />,
    },
    { id: 'muted', label: t('settings.page.muted'), icon: 'mute', show: () => <MutedPage /> },
    { id: 'alert-words', label: t('settings.page.alert-words'), icon: 'at', show: () => <AlertWordsPage /> },
    { id: 'sessions', label: t('settings.page.sessions'), icon: 'keyboard', show: () => <SessionsPage /> },
  ];
  return <Pages view="settings" label={t('settings.title')} pages={pages} part={parts[0]} />;
}
