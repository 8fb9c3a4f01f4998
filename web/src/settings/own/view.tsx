import { core } from '../../client/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { type SettingsPage, SettingsPages } from '../parts/pages.js';
import { AccountPage } from './account.js';
import { AlertWordsPage } from './alert-words.js';
import { MutedUsersAndTopicsPage } from './muted.js';
import { OwnProfilePage } from './profile.js';
import { PushNotificationsGroup } from './push.js';
import { saveOwnSetting, UserSettingGroups } from './rows.js';
import { SessionsPage } from './sessions.js';
import { DISPLAY_SETTING_GROUPS, NOTIFICATION_SETTING_GROUPS, PRIVACY_SETTING_GROUPS } from './tables.js';
import { UploadedFilesPage } from './uploaded-files.js';

interface SettingsViewProps {
  readonly parts: readonly string[];
  /** Chooses a theme for this browser and the account; values as in the setting `color_scheme`. */
  readonly onChooseColorScheme: (value: number) => Promise<unknown>;
}

/** `#settings/…`: everything about one's own account. */
export function SettingsView({ parts, onChooseColorScheme }: SettingsViewProps) {
  const values = () => core.state.me.settings.value;
  const pages: readonly SettingsPage[] = [
    { id: 'profile', label: t('settings.page.profile'), icon: 'user', renderContent: () => <OwnProfilePage /> },
    { id: 'account', label: t('settings.page.account'), icon: 'lock', renderContent: () => <AccountPage /> },
    {
      id: 'display',
      label: t('settings.page.display'),
      icon: LATER_ICONS.theme,
      renderContent: () => (
        <UserSettingGroups
          groups={DISPLAY_SETTING_GROUPS}
          values={values()}
          save={(name, value) =>
            name === 'color_scheme' ? onChooseColorScheme(Number(value)) : saveOwnSetting(name, value)
          }
        />
      ),
    },
    {
      id: 'notifications',
      label: t('settings.page.notifications'),
      icon: 'bell',
      renderContent: () => (
        <>
          <PushNotificationsGroup />
          <UserSettingGroups groups={NOTIFICATION_SETTING_GROUPS} values={values()} save={saveOwnSetting} />
        </>
      ),
    },
    {
      id: 'privacy',
      label: t('settings.page.privacy'),
      icon: LATER_ICONS.eye,
      renderContent: () => (
        <UserSettingGroups groups={PRIVACY_SETTING_GROUPS} values={values()} save={saveOwnSetting} />
      ),
    },
    {
      id: 'muted',
      label: t('settings.page.muted'),
      icon: LATER_ICONS.mute,
      renderContent: () => <MutedUsersAndTopicsPage />,
    },
    { id: 'alert-words', label: t('settings.page.alert-words'), icon: 'at', renderContent: () => <AlertWordsPage /> },
    {
      id: 'uploaded-files',
      label: t('settings.page.uploaded-files'),
      icon: LATER_ICONS.attach,
      renderContent: () => <UploadedFilesPage />,
    },
    {
      id: 'sessions',
      label: t('settings.page.sessions'),
      icon: LATER_ICONS.keyboard,
      renderContent: () => <SessionsPage />,
    },
  ];
  return <SettingsPages view="settings" label={t('settings.title')} pages={pages} currentPageId={parts[0]} />;
}
