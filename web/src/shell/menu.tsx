import { useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { Avatar, Icon, runWithLazyChunk, useShortcut } from '../kit/index.js';
import { t } from '../text/index.js';

const loadAndOpenMenu = (which: 'openRealmMenu' | 'openOwnMenu', anchor: Element | null): Promise<void> =>
  runWithLazyChunk(
    () => import('./menus.js'),
    (menus) => anchor && menus[which](anchor),
  );

/** Opens the first view without loading the page again. */
function navigateHomeInPage(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  core.router.navigate({ view: 'home' });
}

/** Icon of the organization, which leads to the first view, and its name, which opens the menu. */
export function RealmMenu() {
  const button = useRef<HTMLButtonElement>(null);
  const { realm_name: name = '', realm_icon_url: icon } = core.state.realm.value;
  const open = () => void loadAndOpenMenu('openRealmMenu', button.current);
  useShortcut('menu', open, core.state.me.id === 0);
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
        onClick={open}
      >
        <span>{name}</span>
        <Icon name="chevron-down" />
      </button>
    </header>
  );
}

/** The reader's own picture and name, which open the menu of settings, look and session. */
export function OwnMenu() {
  const button = useRef<HTMLButtonElement>(null);
  const { me, people } = core.state;
  const open = () => void loadAndOpenMenu('openOwnMenu', button.current);
  useShortcut('menu', open, me.id !== 0);
  const person = me.ownPerson.value;
  if (!person) return null;
  return (
    <button
      ref={button}
      type="button"
      class="own-button"
      aria-haspopup="menu"
      data-tip={t('shell.own-menu')}
      data-shortcut="menu"
      onClick={open}
    >
      <Avatar
        name={person.full_name}
        src={person.avatar_url}
        id={me.id}
        size={28}
        presence={people.getPresenceLevel(me.id)}
      />
      <span class="own-name">
        <span>{person.full_name}</span>
        <span class="row-soft">{people.statusByUserId.value.get(me.id)?.status_text}</span>
      </span>
      <Icon name="chevron-down" />
    </button>
  );
}
