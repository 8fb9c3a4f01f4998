import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { ROLE } from '../../core/index.js';
import { LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { UserSettingGroups } from '../own/rows.js';
import { REALM_DEFAULT_SETTING_GROUPS } from '../own/tables.js';
import { type SettingsPage, SettingsPages } from '../parts/pages.js';
import { BotsPage } from './bots.js';
import { DefaultStreamsPage } from './default-streams.js';
import { AllowedDomainsGroup } from './domains.js';
import { RealmEmojiPage } from './emoji.js';
import { DataExportsPage } from './exports.js';
import { UserGroupsPage } from './groups.js';
import { InvitationsPage } from './invitations.js';
import { LinkifiersPage } from './linkifiers.js';
import { PeoplePage } from './people.js';
import { PlaygroundsPage } from './playgrounds.js';
import { OrganizationProfilePage } from './profile.js';
import { ProfileFieldsPage } from './profile-fields.js';
import { RealmSettingGroups } from './rows.js';
import { SignInMethodsGroup } from './sign-in.js';
import { MESSAGE_AND_MAIL_SETTING_GROUPS, PERMISSION_SETTING_GROUPS } from './tables.js';

type UserSettingsDefaultsPatch = Requests['PATCH /realm/user_settings_defaults'];

/** Pages that the reader's role has something to do on. */
function listOrganizationPagesForRole(): readonly SettingsPage[] {
  const { me, realm } = core.state;
  const forAdmins: readonly SettingsPage[] = [
    {
      id: 'profile',
      label: t('settings.page.organization'),
      icon: 'globe',
      renderContent: () => <OrganizationProfilePage />,
    },
    {
      id: 'permissions',
      label: t('settings.page.permissions'),
      icon: 'lock',
      renderContent: () => (
        <>
          <RealmSettingGroups groups={PERMISSION_SETTING_GROUPS} />
          {me.role === ROLE.owner && <SignInMethodsGroup />}
          {me.role === ROLE.owner && <AllowedDomainsGroup />}
        </>
      ),
    },
    {
      id: 'messages',
      label: t('settings.page.messages'),
      icon: 'all',
      renderContent: () => <RealmSettingGroups groups={MESSAGE_AND_MAIL_SETTING_GROUPS} />,
    },
  ];
  const people: SettingsPage = {
    id: 'people',
    label: t('settings.page.people'),
    icon: 'people',
    renderContent: () => <PeoplePage />,
  };
  const invitations: SettingsPage = {
    id: 'invitations',
    label: t('settings.page.invitations'),
    icon: 'direct',
    renderContent: () => <InvitationsPage />,
  };
  const forMembers: readonly SettingsPage[] = [
    { id: 'bots', label: t('settings.page.bots'), icon: 'bot', renderContent: () => <BotsPage /> },
    { id: 'groups', label: t('settings.page.groups'), icon: 'at', renderContent: () => <UserGroupsPage /> },
  ];
  const emoji: SettingsPage = {
    id: 'emoji',
    label: t('settings.page.emoji'),
    icon: 'smile',
    renderContent: () => <RealmEmojiPage />,
  };
  const more: readonly SettingsPage[] = [
    {
      id: 'linkifiers',
      label: t('settings.page.linkifiers'),
      icon: LATER_ICONS.link,
      renderContent: () => <LinkifiersPage />,
    },
    {
      id: 'playgrounds',
      label: t('settings.page.playgrounds'),
      icon: 'code',
      renderContent: () => <PlaygroundsPage />,
    },
    {
      id: 'profile-fields',
      label: t('settings.page.fields'),
      icon: 'list',
      renderContent: () => <ProfileFieldsPage />,
    },
    {
      id: 'default-streams',
      label: t('settings.page.default-streams'),
      icon: 'hash',
      renderContent: () => <DefaultStreamsPage />,
    },
    {
      id: 'defaults',
      label: t('settings.page.defaults'),
      icon: 'user',
      renderContent: () => (
        <>
          <p class="field-hint">{t('settings.defaults-hint')}</p>
          <UserSettingGroups
            groups={REALM_DEFAULT_SETTING_GROUPS}
            values={{ ...realm.value.realm_user_settings_defaults }}
            save={(name, value) =>
              core.api.patch(
                '/realm/user_settings_defaults',
                Object.assign({} as UserSettingsDefaultsPatch, { [name]: value }),
              )
            }
          />
        </>
      ),
    },
    {
      id: 'exports',
      label: t('settings.page.exports'),
      icon: 'arrow-down',
      renderContent: () => <DataExportsPage />,
    },
  ];
  return [
    ...(me.isAdmin ? forAdmins : []),
    people,
    ...(me.isAllowedByPolicyNamed('invite_to_realm_policy') ? [invitations] : []),
    ...(me.isGuest ? [] : forMembers),
    emoji,
    ...(me.isAdmin ? more : []),
  ];
}

/** `#organization/…`: what the reader's role may see and change. */
export function OrganizationView({ parts }: { readonly parts: readonly string[] }) {
  return (
    <SettingsPages
      view="organization"
      label={t('shell.organization')}
      pages={listOrganizationPagesForRole()}
      currentPageId={parts[0]}
    />
  );
}
