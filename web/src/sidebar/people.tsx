import { computed, useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import { findExactNarrowConversation, makeDirectNarrow, type Person } from '../core/index.js';
import { Avatar, CountBadge, getRowHeightPx, IconButton, TextField, useShortcut, VirtualList } from '../kit/index.js';
import { compareNames, currentLanguage, t } from '../text/index.js';
import { peopleFilterText } from './choices.js';
import { matchesFilterWords } from './rows.js';

const RANK_BY_PRESENCE = { active: 0, idle: 1, offline: 2 } as const;

/** Sorted once for all filters and presences, since comparing names takes long in large organizations. */
const humansByName = computed(() => {
  currentLanguage.value;
  return core.state.people.activeUsersAndBots.value
    .filter(({ is_bot }) => !is_bot)
    .sort((a, b) => compareNames(a.full_name, b.full_name));
});

/** People who are not bots: active ones first, then by name. */
function listHumansByPresence(filter: string): readonly Person[] {
  const { people } = core.state;
  const byRank: Person[][] = [[], [], []];
  for (const person of humansByName.value) {
    if (filter !== '' && !matchesFilterWords(person.full_name, filter)) continue;
    byRank[RANK_BY_PRESENCE[people.getPresenceLevel(person.user_id) ?? 'offline']]!.push(person);
  }
  return byRank.flat();
}

function SidebarPersonRow({ person, ...attributes }: { readonly person: Person; readonly onClick: () => void }) {
  const { people, me, unread } = core.state;
  const id = person.user_id;
  const route = core.router.route.value;
  const current = route.view === 'narrow' ? findExactNarrowConversation(route.narrow) : undefined;
  const isCurrent =
    current !== undefined && 'users' in current && current.users.length === 1 && current.users[0] === id;
  const status = people.statusByUserId.value.get(id)?.status_text;
  return (
    <div class="row person">
      <a
        href={core.router.formatHash({ view: 'narrow', narrow: makeDirectNarrow([id]) })}
        aria-current={isCurrent ? 'page' : undefined}
        data-tip={status ? `${person.full_name}: ${status}` : undefined}
        onContextMenu={(event) => {
          event.preventDefault();
          core.sharedViewState.shownProfileUserId.value = id;
        }}
        {...attributes}
      >
        <Avatar
          name={person.full_name}
          src={person.avatar_url}
          id={id}
          size={24}
          presence={people.getPresenceLevel(id)}
        />
        <span class="row-name" data-cut="" dir="auto">
          {person.full_name} {id === me.id && <span class="row-soft">{t('sidebar.you')}</span>}
        </span>
        <CountBadge count={unread.getConversationCountSignal({ users: [id] }).value} strong />
      </a>
      <IconButton
        icon="info"
        class="row-more"
        label={t('sidebar.profile', { name: person.full_name })}
        popup="dialog"
        tabIndex={-1}
        size={16}
        onClick={() => {
          core.sharedViewState.shownProfileUserId.value = id;
        }}
      />
    </div>
  );
}

/** Everyone in the organization, with presence. */
export function PeopleSidebar({ onGo }: { readonly onGo?: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const root = useRef<HTMLElement>(null);
  const list = useComputed(() => listHumansByPresence(peopleFilterText.value.trim()));
  const online = useComputed(() => core.state.people.countPeopleOnline());
  useShortcut('filter-people', () => field.current?.select());
  const follow = () => {
    field.current?.blur();
    onGo?.();
  };
  const firstRow = () => root.current?.querySelector<HTMLElement>('[data-row]');
  return (
    <section class="side-content" aria-labelledby="people-title" ref={root}>
      <header class="people-head">
        <h2 id="people-title">{t('sidebar.people')}</h2>
        <span class="row-soft">{t('sidebar.online', { n: online.value })}</span>
      </header>
      <search class="sidebar-filter">
        <TextField
          type="search"
          hidesLabel
          label={t('sidebar.people-filter')}
          placeholder={t('sidebar.filter-short')}
          icon="filter"
          value={peopleFilterText.value}
          onInput={(value) => {
            peopleFilterText.value = value;
          }}
          inputRef={field}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') firstRow()?.focus();
            else if (event.key === 'Enter') firstRow()?.click();
            else if (event.key === 'Escape' && peopleFilterText.value) peopleFilterText.value = '';
            else return;
            event.preventDefault();
          }}
        />
      </search>
      {list.value.length === 0 ? (
        <p class="row-note">{t('common.no-results')}</p>
      ) : (
        <VirtualList
          items={list.value}
          getItemKey={getPersonId}
          getItemHeightPx={getRowHeightPx}
          label={t('sidebar.people')}
        >
          {(person, attributes) => <SidebarPersonRow person={person} onClick={follow} {...attributes} />}
        </VirtualList>
      )}
    </section>
  );
}

const getPersonId = (person: Person): number => person.user_id;
