/** Items of the menus of the organization and of the reader; a chunk of its own, loaded with the first press. */
import { core } from '../client/index.js';
import { isPhoneLayout, type MenuItem, pageShortcuts, toggleMenu } from '../kit/index.js';
import { LATER_ICONS } from '../kit-later/index.js';
import { t } from '../text/index.js';
import { signOutDeliberately } from './sign-out.js';
import { applyAndSaveTheme, currentTheme } from './theme.js';

const THEME_CHOICES = ['auto', 'light', 'dark', 'contrast'] as const;

const makeThemeItems = (): MenuItem[] =>
  THEME_CHOICES.map((theme) => ({
    label: t(`shell.theme-${theme}`),
    checked: currentTheme.peek() === theme,
    // After a failure the theme counts for this browser only.
    run: () => void applyAndSaveTheme(core, theme).catch(() => {}),
  }));

const makeHelpItem = (): MenuItem => ({
  label: t('shell.help'),
  icon: LATER_ICONS.keyboard,
  shortcut: 'help',
  run: () => pageShortcuts.runShortcut('help'),
});

const makeOrganizationItems = (): MenuItem[] => [
  {
    label: t('shell.organization-settings'),
    icon: 'settings',
    run: () => core.router.navigate({ view: 'organization', parts: [] }),
  },
  core.state.me.isAllowedByPolicyNamed('invite_to_realm_policy') && {
    label: t('shell.invite'),
    icon: 'people',
    run: () => core.router.navigate({ view: 'organization', parts: ['invitations'] }),
  },
  {
    label: t('sidebar.browse'),
    icon: 'hash',
    run: () => core.router.navigate({ view: 'streams', parts: ['all'] }),
  },
];

const makeVisitorItems = (): MenuItem[] => [
  makeHelpItem(),
  'line',
  ...makeThemeItems(),
  'line',
  { label: t('shell.sign-in'), icon: 'sign-in', run: () => core.router.navigate({ view: 'sign-in', parts: [] }) },
];

/** Opens the menu behind the name of the organization. */
export function openRealmMenu(anchor: Element): void {
  const isVisitor = core.session.state.peek() === 'visitor';
  toggleMenu(anchor, {
    label: t('shell.menu', { name: core.state.realm.value.realm_name ?? '' }),
    items: isVisitor ? makeVisitorItems() : makeOrganizationItems(),
  });
}

/** Opens the menu behind the reader's own name. */
export function openOwnMenu(anchor: Element): void {
  const { me } = core.state;
  const items: MenuItem[] = [
    {
      label: t('shell.own-profile'),
      icon: 'user',
      run: () => {
        core.sharedViewState.shownProfileUserId.value = me.id;
      },
    },
    {
      label: t('shell.own-status'),
      icon: 'smile',
      run: () => core.router.navigate({ view: 'settings', parts: ['profile'] }),
    },
    { label: t('shell.settings'), icon: 'settings', run: () => core.router.navigate({ view: 'settings', parts: [] }) },
    !isPhoneLayout() && makeHelpItem(),
    'line',
    ...makeThemeItems(),
    'line',
    { label: t('shell.sign-out'), icon: LATER_ICONS.signOut, run: () => void signOutDeliberately() },
  ];
  toggleMenu(anchor, { label: t('shell.own-menu'), items, side: 'above' });
}
