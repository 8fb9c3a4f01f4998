import { core } from '../../client/index.js';
import type { Requests } from '../../contract/index.js';
import { ROLE } from '../../core/index.js';
import { t } from '../../text/index.js';
import { OwnGroups } from '../own/rows.js';
import { DEFAULT_GROUPS } from '../own/tables.js';
import { type Page, Pages } from '../parts/pages.js';
import { BotsPage } from './bots.js';
import { DefaultStreamsPage } from './default-streams.js';
import { Domains } from './domains.js';
import { EmojiPage } from './emoji.js';
import { GroupsPage } from './groups.js';
import { InvitationsPage } from './invitations.js';
import { LinkifiersPage } from './linkifiers.js';
import { PeoplePage } from './people.js';
import { PlaygroundsPage } from './playgrounds.js';
import { ProfilePage } from './profile.js';
import { ProfileFieldsPage } from './profile-fields.js';
import { RealmGroups } from './rows.js';
import { MESSAGE_GROUPS, PERMISSION_GROUPS } from './tables.js';

type Defaults = Requests['PATCH /realm/user_settings_defaults'];

/** Pages that the reader's role has something to do on. */
function pagesOf(): readonly Page[] {
  const { me, realm } = core.state;
  const forAdmins: readonly Page[] = [
    { id: 'profile', label: t('settings.page.organization'), icon: 'globe', show: () => <ProfilePage /> },
    {
      id: 'permissions',
      label: t('settings.page.permissions'),
      icon: 'lock',
      show: () => (
        <>
          <RealmGroups groups={PERMISSION_GROUPS} />
          {me.role === ROLE.owner && <Domains />}
        </>
      ),
    },
    {
      id: 'messages',
      label: t('settings.page.messages'),
      icon: 'all',
      show: () => <RealmGroups groups={MESSAGE_GROUPS} />,
    },
  ];
  const people: Page = { id: 'people', label: t('settings.page.people'), icon: 'people', show: () => <PeoplePage /> };
  const invitations: Page = {
    id: 'invitations',
    label: t('settings.page.invitations'),
    icon: 'direct',
    show: () => <InvitationsPage />,
  };
  const forMembers: readonly Page[] = [
    { id: 'bots', label: t('settings.page.bots'), icon: 'bot', show: () => <BotsPage /> },
    { id: 'groups', label: t('settings.page.groups'), icon: 'at', show: () => <GroupsPage /> },
  ];
  const emoji: Page = { id: 'emoji', label: t('settings.page.emoji'), icon: 'smile', show: () => <EmojiPage /> };
  const more: readonly Page[] = [
    { id: 'linkifiers', label: t('settings.page.linkifiers'), icon: 'link', show: () => <LinkifiersPage /> },
    { id: 'playgrounds', label: t('settings.page.playgrounds'), icon: 'code', show: () => <PlaygroundsPage /> },
    { id: 'profile-fields', label: t('settings.page.fields'), icon: 'list', show: () => <ProfileFieldsPage /> },
    {
      id: 'default-streams',
      label: t('settings.page.default-streams'),
      icon: 'hash',
      show: () => <DefaultStreamsPage />,
    },
    {
      id: 'defaults',
      label: t('settings.page.defaults'),
      icon: 'user',
      show: () => (
        <>
          <p class="field-hint">{t('settings.defaults-hint')}</p>
          <OwnGroups
            groups={DEFAULT_GROUPS}
            values={{ ...realm.value.realm_user_settings_defaults }}
            save={(name, value) =>
              core.api.patch('/realm/user_settings_defaults', Object.assign({} as Defaults, { [name]: value }))
            }
          />
        </>
      ),
    },
  ];
  return [
    ...(me.isAdmin ? forAdmins : []),
    people,
    ...(me.may('invite_to_realm_policy') ? [invitations] : []),
    ...(me.isGuest ? [] : forMembers),
    emoji,
    ...(me.isAdmin ? more : []),
  ];
}

/** `#organization/…`: what the reader's role may see and change. */
export function OrganizationView({ parts }: { readonly parts: readonly string[] }) {
  return <Pages view="organization" label={t('shell.organization')} pages={pagesOf()} part={parts[0]} />;
}
