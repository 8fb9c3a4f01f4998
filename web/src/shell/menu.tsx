import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { Avatar, Icon, type MenuItem, pageShortcuts, showToast, toggleMenu, useShortcut } from '../kit/index.js';
import { t } from '../text/index.js';
import { applyAndSaveTheme, currentTheme, type Theme } from './theme.js';

/** The user has signed out here, on purpose. */
export const hasSignedOutDeliberately = signal(false);

const THEME_CHOICES = ['auto', 'light', 'dark', 'contrast'] as const;

async function signOutDeliberately(): Promise<void> {
  hasSignedOutDeliberately.value = true;
  try {
    await core.session.signOut();
  } catch {
    hasSignedOutDeliberately.value = false;
    showToast({ text: t('error.unreachable'), kind: 'error' });
  }
}

async function chooseThemeIgnoringFailure(wanted: Theme): Promise<void> {
  try {
    await applyAndSaveTheme(core, wanted);
  } catch {
    // This browser has the theme already; the account gets it with the next choice.
  }
}

function makeRealmMenuItems(): MenuItem[] {
  const visitor = core.session.state.value === 'visitor';
  const themes: MenuItem[] = THEME_CHOICES.map((one) => ({
    label: t(`shell.theme-${one}`),
    checked: currentTheme.value === one,
    run: () => void chooseThemeIgnoringFailure(one),
  }));
  const account: MenuItem = visitor
    ? { label: t('shell.sign-in'), icon: 'sign-in', run: () => core.router.navigate({ view: 'sign-in', parts: [] }) }
    : { label: t('shell.sign-out'), icon: 'sign-out', run: () => void signOutDeliberately() };
  return [
    !visitor && {
      label: t('shell.settings'),
      icon: 'settings',
      run: () => core.router.navigate({ view: 'settings', parts: [] }),
    },
    !visitor && {
      label: t('shell.organization'),
      icon: 'people',
      run: () => core.router.navigate({ view: 'organization', parts: [] }),
    },
    { label: t('shell.help'), icon: 'keyboard', shortcut: 'help', run: () => pageShortcuts.runShortcut('help') },
    'line',
    ...themes,
    'line',
    account,
  ];
}

/** The page is there already: only the address behind `#` changes. */
function navigateHomeInPage(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  core.router.navigate({ view: 'home' });
}

/** Icon of the organization, which leads to the first view, and its name, which opens the menu. */
export function RealmMenu() {
  const button = useRef<HTMLButtonElement>(null);
  const { realm_name: name = '', realm_icon_url: icon } = core.state.realm.value;
  const open = () => {
    if (button.current) toggleMenu(button.current, { label: t('shell.menu', { name }), items: makeRealmMenuItems() });
  };
  useShortcut('menu', open);
  return (
    <header class="realm">
      <a class="realm-home" href="/" data-tip={t('shell.home', { name })} onClick={navigateHomeInPage}>
        <Avatar name={name} src={icon} size={28} />
        <span class="hidden">{t('shell.home', { name })}</span>
      </a>
      <button
        ref={button}
        type="button"
        class="realm-button"
        aria-haspopup="menu"
        data-tip={t('shell.menu', { name })}
        data-shortcut="menu"
        onClick={open}
      >
        <span>{name}</span>
        <Icon name="chevron-down" />
      </button>
    </header>
  );
}
