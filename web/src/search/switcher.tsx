import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Route } from '../core/index.js';
import { Avatar, CountBadge, getStreamIconName, Icon, type IconName } from '../kit/index.js';
import { type TextKey, t } from '../text/index.js';
import { type PaletteOption, SearchPalette, TextWithMatches } from './palette.js';
import { findStreamIdBeforeSeparator, listSwitcherPlaces, rankPlacesForQuery, type SwitcherPlace } from './places.js';
import type { RankedItem } from './ranking.js';

const makeIsNarrowRoute = (operand: string): Route => ({ view: 'narrow', narrow: [{ operator: 'is', operand }] });

/** Views by the keys of their names. */
const SWITCHER_VIEWS = [
  { key: 'sidebar.inbox', icon: 'inbox', route: { view: 'inbox' } },
  { key: 'sidebar.recent', icon: 'recent', route: { view: 'recent' } },
  { key: 'sidebar.all', icon: 'all', route: { view: 'narrow', narrow: [] } },
  { key: 'sidebar.mentions', icon: 'at', route: makeIsNarrowRoute('mentioned') },
  { key: 'sidebar.starred', icon: 'star', route: makeIsNarrowRoute('starred') },
  { key: 'sidebar.drafts', icon: 'draft', route: { view: 'drafts' } },
  { key: 'sidebar.scheduled', icon: 'scheduled', route: { view: 'scheduled' } },
  { key: 'shell.settings', icon: 'settings', route: { view: 'settings', parts: [] } },
] as const satisfies readonly { readonly key: TextKey; readonly icon: IconName; readonly route: Route }[];

function SwitcherPlaceIcon({ place: { kind, name, stream, users } }: { readonly place: SwitcherPlace }) {
  const { streams, people } = core.state;
  if (kind === 'view') return <Icon name={SWITCHER_VIEWS.find(({ key }) => t(key) === name)?.icon ?? 'search'} />;
  if (stream !== undefined) {
    return (
      <span class="place-stream" style={{ '--stream': streams.byId.value.get(stream)?.color || 'currentColor' }}>
        <Icon name={getStreamIconName(streams.getPrivacy(stream))} />
      </span>
    );
  }
  const [first] = users ?? [];
  const person = first === undefined ? undefined : people.byId.value.get(first);
  if (!person || (users?.length ?? 0) > 1) return <Icon name="people" />;
  const presence = person.is_bot ? undefined : people.getPresenceLevel(person.user_id);
  return <Avatar name={person.full_name} src={person.avatar_url} id={person.user_id} size={22} presence={presence} />;
}

/** Opens any view, stream, topic or person by a few letters. */
export function QuickSwitcher({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const places = useComputed(() =>
    listSwitcherPlaces(
      core.state,
      SWITCHER_VIEWS.map(({ key, route }) => ({ name: t(key), route })),
    ),
  ).value;
  const stream = findStreamIdBeforeSeparator(places, text);
  useEffect(() => {
    if (stream !== undefined) core.loadAllTopicsOnce(stream).catch(() => {});
  }, [stream]);
  const optionOf = ({ item, matchedPositions }: RankedItem<SwitcherPlace>): PaletteOption => ({
    key: item.key,
    leadingIcon: <SwitcherPlaceIcon place={item} />,
    name: (
      <>
        <TextWithMatches text={item.name} at={matchedPositions} />
        {item.isResolved && <span class="hidden">, {t('sidebar.resolved')}</span>}
      </>
    ),
    detail: item.count > 0 ? <CountBadge count={item.count} strong={item.kind === 'direct'} /> : undefined,
    choose: () => {
      onClose();
      core.router.navigate(item.route);
    },
  });
  return (
    <SearchPalette
      title={t('search.switch')}
      placeholder={t('search.switch-placeholder')}
      icon="move"
      text={text}
      onTextChange={setText}
      options={rankPlacesForQuery(places, text).map(optionOf)}
      emptyText={t('common.no-results')}
      footer={t('search.switch-hint')}
      onClose={onClose}
    />
  );
}
