import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import { Avatar, IconButton, TextField, useUniqueId } from '../../kit/index.js';
import { t } from '../../text/index.js';

const MAX_SHOWN_MATCHES = 8;

interface PeoplePickerProps {
  readonly label: string;
  readonly chosenIds: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
  /** People who are not offered. */
  readonly excludedIds?: readonly number[];
  readonly offersBots?: boolean;
  readonly error?: string | undefined;
}

/** Chooses people by name: a field, the matches below it, the chosen ones above. */
export function PeoplePicker({
  label,
  chosenIds,
  onChange,
  excludedIds = [],
  offersBots = true,
  error,
}: PeoplePickerProps) {
  const [text, setText] = useState('');
  const id = useUniqueId();
  const wanted = text.trim().toLowerCase();
  const { people } = core.state;
  const left = new Set([...chosenIds, ...excludedIds]);
  const matches =
    wanted === ''
      ? []
      : people.activeUsersAndBots.value.filter(
          ({ user_id, full_name, is_bot, email }) =>
            (offersBots || !is_bot) &&
            !left.has(user_id) &&
            (full_name.toLowerCase().includes(wanted) || email.toLowerCase().startsWith(wanted)),
        );
  const add = (user: number) => {
    onChange([...chosenIds, user]);
    setText('');
    document.getElementById(id)?.querySelector('input')?.focus();
  };
  return (
    <div class="people-picker" id={id}>
      {chosenIds.length > 0 && (
        <ul class="chips" aria-label={label}>
          {chosenIds.map((user) => (
            <li key={user} class="chip">
              <Avatar
                name={people.getFullName(user)}
                src={people.byId.value.get(user)?.avatar_url}
                id={user}
                size={20}
              />
              {people.getFullName(user)}
              <IconButton
                icon="close"
                size={14}
                label={t('common.remove-name', { name: people.getFullName(user) })}
                onClick={() => onChange(chosenIds.filter((one) => one !== user))}
              />
            </li>
          ))}
        </ul>
      )}
      <TextField
        label={label}
        error={error}
        icon="user"
        value={text}
        placeholder={t('settings.people-filter')}
        onInput={setText}
        onKeyDown={(event) => {
          const [first] = matches;
          if (event.key !== 'Enter' || !wanted) return;
          event.preventDefault();
          if (first) add(first.user_id);
        }}
      />
      {wanted !== '' && (
        <ul class="matches">
          {matches.slice(0, MAX_SHOWN_MATCHES).map((person) => (
            <li key={person.user_id}>
              <button type="button" class="match" onClick={() => add(person.user_id)}>
                <Avatar name={person.full_name} src={person.avatar_url} id={person.user_id} size={24} />
                <span>{person.full_name}</span>
                <span class="row-soft">{person.delivery_email ?? ''}</span>
              </button>
            </li>
          ))}
          {matches.length === 0 && <li class="row-note">{t('common.no-results')}</li>}
        </ul>
      )}
    </div>
  );
}
