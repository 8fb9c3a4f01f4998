import { core } from '../../client/index.js';
import { t } from '../../text/index.js';
import { SettingsGroup } from '../parts/pages.js';
import { SettingRow } from '../parts/rows.js';

/** Names of the ways to log in, as the server names them. */
const PASSWORD_METHOD = 'Email';
const SINGLE_SIGN_ON_METHOD = 'OpenID Connect';

/** Whether all but owners must use single sign-on; shown only if the organization has a provider. */
export function SignInMethodsGroup() {
  const methods = core.state.realm.value.realm_authentication_methods;
  if (methods?.[SINGLE_SIGN_ON_METHOD] === undefined) return null;
  return (
    <SettingsGroup title={t('settings.sign-in')} hint={t('settings.sign-in-hint')}>
      <SettingRow
        control={{ kind: 'flag' }}
        label={t('settings.require-single-sign-on')}
        value={methods[PASSWORD_METHOD] === false}
        save={(isRequired) =>
          core.api.patch('/realm', {
            authentication_methods: {
              [PASSWORD_METHOD]: !isRequired,
              [SINGLE_SIGN_ON_METHOD]: isRequired === true || methods[SINGLE_SIGN_ON_METHOD],
            },
          })
        }
      />
    </SettingsGroup>
  );
}
