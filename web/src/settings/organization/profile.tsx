import { core } from '../../client/index.js';
import { Avatar } from '../../kit/index.js';
import { t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { PictureEntry } from '../parts/picture.js';
import { RealmSettingGroups } from './rows.js';
import { REALM_PROFILE_SETTING_GROUPS } from './tables.js';

const ignoreUploadProgress = () => {};

/** Name, description, icon and logos. */
export function OrganizationProfilePage() {
  const { realm_name = '', realm_icon_url, realm_icon_source, max_icon_file_size_mib = 5 } = core.state.realm.value;
  return (
    <>
      <SettingsGroup title={t('settings.icon')}>
        <PictureEntry
          label={t('settings.icon')}
          picture={<Avatar name={realm_name} src={realm_icon_url} size={80} />}
          maxMib={max_icon_file_size_mib}
          upload={(file) => core.api.uploadFile('/realm/icon', file, ignoreUploadProgress)}
          remove={realm_icon_source === 'U' ? () => core.api.delete('/realm/icon', {}) : undefined}
        />
      </SettingsGroup>
      <SettingsGroup title={t('settings.logo')} hint={t('settings.logo-hint')}>
        <RealmLogoEntry night={false} />
        <RealmLogoEntry night />
      </SettingsGroup>
      <RealmSettingGroups groups={REALM_PROFILE_SETTING_GROUPS} />
    </>
  );
}

/** The logo for light or dark pages. */
function RealmLogoEntry({ night }: { readonly night: boolean }) {
  const realm = core.state.realm.value;
  const [url, source] = night
    ? [realm.realm_night_logo_url, realm.realm_night_logo_source]
    : [realm.realm_logo_url, realm.realm_logo_source];
  const own = source === 'U' && url;
  return (
    <PictureEntry
      label={t(night ? 'settings.logo-dark' : 'settings.logo-light')}
      picture={
        <span class={`logo ${night ? 'night' : ''}`}>
          {own ? <img src={url} alt="" /> : t(night ? 'settings.logo-dark' : 'settings.logo-light')}
        </span>
      }
      maxMib={realm.max_logo_file_size_mib ?? 5}
      upload={(file) => core.api.uploadFile(`/realm/logo?night=${night}`, file, ignoreUploadProgress)}
      remove={own ? () => core.api.delete('/realm/logo', { night }) : undefined}
    />
  );
}
