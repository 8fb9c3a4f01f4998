import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Route } from '../core/index.js';
import { Avatar, Count, Icon, type IconName } from '../kit/index.js';
import { type Key, t } from '../text/index.js';
import { Marked, type Option, Palette } from './palette.js';
import { allPlaces, findPlaces, type Place, streamMeant } from './places.js';
import type { Ranked } from './ranking.js';

const filter = (operand: string): Route => ({ view: 'narrow', narrow: [{ operator: 'is', operand }] });

/** Views by the keys of their names. */
const VIEWS = [
  { key: 'sidebar.inbox', icon: 'inbox', route: { view: 'inbox' } },
  { key: 'sidebar.recent', icon: 'recent', route: { view: 'recent' } },
  { key: 'sidebar.all', icon: 'all', route: { view: 'narrow', narrow: [] } },
  { key: 'sidebar.mentions', icon: 'at', route: filter('mentioned') },
  { key: 'sidebar.starred', icon: 'star', route: filter('starred') },
  { key: 'sidebar.drafts', icon: 'draft', route: { view: 'drafts' } },
  { key: 'sidebar.scheduled', icon: 'scheduled', route: { view: 'scheduled' } },
  { key: 'shell.settings', icon: 'settings', route: { view: 'settings', parts: [] } },
] as const satisfies readonly { readonly key: Key; readonly icon: IconName; readonly route: Route }[];

function Sign({ place: { kind, name, stream, users } }: { readonly place: Place }) {
  const { streams, people } = core.state;
  if (kind === 'view') return <Icon name={VIEWS.find(({ key }) => t(key) === name)?.icon ?? 'search'} />;
  if (stream !== undefined) {
    const type = streams.kindOf(stream);
    return (
      <span class="place-stream" style={{ '--stream': streams.byId.value.get(stream)?.color || 'currentColor' }}>
        <Icon name={type === 'private' ? 'lock' : type === 'web-public' ? 'globe' : 'hash'} />
      </span>
    );
  }
  const [first] = users ?? [];
  const person = first === undefined ? undefined : people.byId.value.get(first);
  if (!person || (users?.length ?? 0) > 1) return <Icon name="people" />;
  const presence = person.is_bot ? undefined : people.onlineOf(person.user_id);
  return <Avatar name={person.full_name} src={person.avatar_url} id={person.user_id} size={22} presence={presence} />;
}

/** Goes to any view, stream, topic or person by a few letters. */
export function Switcher({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const places = useComputed(() =>
    allPlaces(
      core.state,
      VIEWS.map(({ key, route }) => ({ name: t(key), route })),
    ),
  ).value;
  const stream = streamMeant(places, text);
  useEffect(() => {
    if (stream !== undefined) core.loadTopics(stream).catch(() => {});
  }, [stream]);
  const optionOf = ({ item, at }: Ranked<Place>): Option => ({
    key: item.key,
    sign: <Sign place={item} />,
    name: <Marked text={item.name} at={at} />,
    about: item.count > 0 ? <Count count={item.count} strong={item.kind === 'direct'} /> : undefined,
    run: () => {
      onClose();
      core.router.go(item.route);
    },
  });
  return (
    <Palette
      title={t('search.switch')}
      placeholder={t('search.switch-placeholder')}
      icon="move"
      text={text}
      onText={setText}
      options={findPlaces(places, text).map(optionOf)}
      empty={t('common.no-results')}
      footer={t('search.switch-hint')}
      onClose={onClose}
    />
  );
}
